package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine/keys"
	"clave/server/fault"
	"clave/server/index"
	"clave/server/resource"
)

// maxCommitBytes is what a commit may write, documents and index entries together, an automatic entry counted in both
// orders; as recorded in production.
const maxCommitBytes = 29_650_000

// noBudget lets a commit write as much as it wants.
const noBudget = math.MaxInt

// What a document's change usually takes: operations, among them its index entries and one for the commit, and bytes in the
// commit's record.
const (
	opsPerDocument    = 14
	recordPerDocument = 384
)

// docState is a document around a commit.
type docState struct {
	name   resource.Document
	record []byte // as stored before; nil when absent
	before *document.Document
	after  *document.Document
	listed bool // in commitState.order
}

// commitState is a commit's reads and what it will change.
type commitState struct {
	db      *database
	view    *view
	at      clock.Version // a version that no commit has; the time of the request
	set     *index.Set    // the indexes that the commit writes
	docs    map[string]*docState
	order   []*docState // those written, in the order of first writing
	results []document.Result
}

// load returns the state of a document, read on first use.
func (s *commitState) load(name resource.Document) (*docState, error) {
	if d := s.docs[name.Path]; d != nil {
		return d, nil
	}
	d := &docState{name: name}
	if err := d.read(s.view, s.db.number); err != nil {
		return nil, err
	}
	s.docs[name.Path] = d
	return d, nil
}

// read reads the document as a view has it.
func (d *docState) read(v *view, number uint32) error {
	record, found, err := v.snap.Get(keys.Document(number, d.name.Path))
	if err != nil {
		return err
	}
	if found {
		d.record = record
		if d.before, err = decodeDocument(d.name, record); err != nil {
			return err
		}
	}
	d.after = d.before
	return nil
}

// leastShare is the number of documents that are worth a goroutine.
const leastShare = 32

// loadAll reads the documents of writes at once, if there are many.
func (s *commitState) loadAll(writes []document.Write) error {
	if len(writes) < 2*leastShare {
		return nil
	}
	states := make([]docState, len(writes))
	errs := make([]error, len(writes))
	inShares(len(writes), leastShare, func(from, to int) {
		for i := from; i < to; i++ {
			states[i].name = writes[i].Name
			errs[i] = states[i].read(s.view, s.db.number)
		}
	})
	for i := range states {
		s.docs[states[i].name.Path] = &states[i]
	}
	return errors.Join(errs...)
}

// before is CheckView.Before.
func (s *commitState) before(ctx context.Context, name resource.Document) (*document.Document, error) {
	d, err := s.loadForCheck(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.before, nil
}

// after is CheckView.After.
func (s *commitState) after(ctx context.Context, name resource.Document) (*document.Document, error) {
	d, err := s.loadForCheck(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.after, nil
}

// loadForCheck is load for names that a check reads, which may be anyone's.
func (s *commitState) loadForCheck(ctx context.Context, name resource.Document) (*docState, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if name.DB != s.db.name || strings.Count(name.Path, "/")%2 == 0 {
		return &docState{name: name}, nil
	}
	return s.load(name)
}

// apply does the writes in memory, calls the check, and only then returns the error of a precondition: a caller who may not write
// receives the check's refusal and cannot find out by preconditions what exists.
func (s *commitState) apply(ctx context.Context, writes []document.Write, check Check) error {
	if err := s.loadAll(writes); err != nil {
		return err
	}
	if err := s.moveOn(writes); err != nil {
		return err
	}
	// failed is the first error of a precondition or a write. It is returned only after the check has decided, and the writes are
	// applied meanwhile as if their preconditions held, since the check has to see all of them.
	var failed error
	var steps []Step
	if !check.unrestricted {
		steps = make([]Step, 0, len(writes))
	}
	for _, w := range writes {
		d, err := s.load(w.Name)
		if err != nil {
			return err
		}
		if err := w.Precondition.Check(w.Name, d.after); err != nil && failed == nil {
			failed = err
		}
		free := w
		free.Precondition = document.Precondition{}
		// A write that cannot be applied ends the work: later writes of the same document would build on a state that does not exist.
		// The check then decides about the writes before it.
		after, result, err := document.Apply(d.after, free, s.at)
		if err != nil {
			if failed == nil {
				failed = err
			}
			break
		}
		if !check.unrestricted {
			steps = append(steps, Step{Write: w, Before: d.after, After: after})
		}
		if !d.listed {
			d.listed = true
			s.order = append(s.order, d)
		}
		d.after = after
		s.results = append(s.results, result)
	}
	if failed == nil && len(s.order) < len(writes) {
		s.join(writes)
	}
	if len(steps) > 0 {
		if err := check.decide(ctx, &CheckView{Time: s.at, Steps: steps, reader: s}); err != nil {
			return err
		}
	}
	return failed
}

// moveOn sets the time of the request a little later when a server timestamp would otherwise repeat the one of the commit
// before: timestamps have milliseconds only.
func (s *commitState) moveOn(writes []document.Write) error {
	const millisecond = 1000
	for _, w := range writes {
		timed := func(t document.Transform) bool { return t.Kind == document.RequestTime }
		if !slices.ContainsFunc(w.Transforms, timed) {
			continue
		}
		d, err := s.load(w.Name)
		if err != nil {
			return err
		}
		if d.before != nil && d.before.UpdateTime/millisecond == s.at/millisecond {
			s.at = (s.at/millisecond + 1) * millisecond
		}
	}
	return nil
}

// pending makes what the sequencer writes: records, index entries and the commit's record of changes.
func (s *commitState) pending(budget int) (*pending, error) {
	p := &pending{db: s.db, at: s.at}
	p.record = make([]byte, 0, recordPerDocument*len(s.order))
	p.changes = make([]document.Change, 0, len(s.order))
	slices.SortFunc(s.order, func(a, b *docState) int { return resource.ComparePaths(a.name.Path, b.name.Path) })
	s.order = slices.DeleteFunc(s.order, func(d *docState) bool { return d.after == d.before })
	edits := make([]edit, len(s.order))
	inShares(len(edits), leastShare, func(from, to int) {
		left := budget
		for i := from; i < to && left >= 0; i++ {
			edits[i].make(s.order[i], s.db.number, s.set)
			left -= edits[i].cost
		}
	})
	for i := range edits {
		if edits[i].err != nil {
			return nil, edits[i].err
		}
		if budget -= edits[i].cost; budget < 0 {
			return nil, fault.E(fault.InvalidArgument, textTooBig)
		}
		p.add(s.order[i], edits[i].record)
	}
	p.ops = columns(edits)
	return p, nil
}

// add adds one document's change to the commit's record.
func (p *pending) add(d *docState, record []byte) {
	var at int
	p.record, at = appendImage(p.record, image{path: d.name.Path, before: d.record, after: record})
	if record != nil {
		created := d.after.CreateTime == p.at
		p.stamps = append(p.stamps, stamp{record: record, created: created})
		p.recordAt = append(p.recordAt, recordStamp{at: at, created: created})
	}
	p.changes = append(p.changes, document.Change{Name: d.name, Before: d.before, After: d.after})
}

// recordStamp is a place in a commit's record that waits for the version.
type recordStamp struct {
	at      int
	created bool
}

// setVersions writes the commit's version wherever it was not known yet.
func (p *pending) setVersions() {
	for _, s := range p.stamps {
		setTimes(s.record, p.version, s.created)
	}
	for _, s := range p.recordAt {
		setTimes(p.record[s.at:], p.version, s.created)
	}
	p.changes = slices.Clone(p.changes) // Others may look at what was announced.
	for i, c := range p.changes {
		if c.After == nil {
			continue
		}
		after := *c.After
		after.UpdateTime = p.version
		if after.CreateTime == p.at {
			after.CreateTime = p.version
		}
		p.changes[i].After = &after
	}
}

// stampResults puts the commit's version into the results of writes that changed something.
func (s *commitState) stampResults(v clock.Version) {
	for i := range s.results {
		if s.results[i].UpdateTime == s.at {
			s.results[i].UpdateTime = v
		}
	}
}
