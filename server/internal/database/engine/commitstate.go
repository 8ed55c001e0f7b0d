package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// maxCommitBytes is the maximum size of a commit, documents and index entries together. An automatic entry counts in
// both orders. The limit was recorded in production.
const maxCommitBytes = 29_650_000

// noBudget is the budget of a commit without a size limit.
const noBudget = math.MaxInt

// The usual size of a document's change: operations, which include its index entries and one for the commit, and bytes
// in the commit's record.
const (
	opsPerDocument    = 14
	recordPerDocument = 384
)

// docState is the state of a document before and during a commit.
type docState struct {
	name   resource.Document
	key    []byte // in the store
	record []byte // as stored before; nil when absent
	before *document.Document
	after  *document.Document
	draft  *document.Draft // nil until the first write
}

// commitState holds a commit's reads and its changes.
type commitState struct {
	db      *database
	view    *view
	at      clock.Version // the time of the request, a version that no commit has
	now     clock.Version // that time by the project's own clock; zero if it has none
	set     *index.Set    // the indexes that the commit writes
	docs    map[string]*docState
	order   []*docState // those written, in the order of first writing
	results []document.Result
	locked  bool // the commit holds locks while the writes are applied
}

// newCommitState returns the state of a commit of n writes that has read nothing yet.
func newCommitState(db *database, v *view, n int) *commitState {
	s := &commitState{db: db, view: v, docs: make(map[string]*docState, n), at: db.given.Next()}
	if clock.IsOwn(db.clock.server, db.name.Project) {
		s.now = clock.VersionOf(db.clock.Now())
	}
	return s
}

// load returns the state of a document, read on first use.
func (s *commitState) load(name resource.Document) (*docState, error) {
	if d := s.docs[name.Path]; d != nil {
		return d, nil
	}
	d := &docState{name: name}
	if err := d.read(s.view, s.db.number.Load()); err != nil {
		return nil, err
	}
	s.docs[name.Path] = d
	return d, nil
}

// read reads the document from a view.
func (d *docState) read(v *view, number uint32) error {
	d.key = keys.Document(number, d.name.Path)
	record, found, err := v.snap.Get(d.key)
	if err != nil {
		return err
	}
	if !found {
		return nil
	}
	return d.stored(record)
}

// stored sets the document to its stored record.
func (d *docState) stored(record []byte) (err error) {
	d.record = record
	if d.before, err = records.Decode(d.name, record); err != nil {
		return err
	}
	d.after = d.before
	return nil
}

// leastShare is the minimum number of documents for a goroutine.
const leastShare = 32

// loadAll reads the documents of writes concurrently, if there are many.
func (s *commitState) loadAll(writes []document.Write) error {
	if len(writes) < 2*leastShare {
		return nil
	}
	states := make([]docState, len(writes))
	order := make([]*docState, len(writes))
	for i := range writes {
		states[i].name = writes[i].Name
		order[i] = &states[i]
	}
	byPath := func(a, b *docState) int { return resource.ComparePaths(a.name.Path, b.name.Path) }
	if !slices.IsSortedFunc(order, byPath) {
		slices.SortFunc(order, byPath)
	}
	order = slices.CompactFunc(order, func(a, b *docState) bool { return a.name.Path == b.name.Path })
	errs := make([]error, len(writes)/leastShare)
	inShares(len(order), leastShare, func(from, to int) {
		errs[from/leastShare] = readAll(s.view, s.db.number.Load(), order[from:to])
	})
	for _, d := range order {
		s.docs[d.name.Path] = d
	}
	return errors.Join(errs...)
}

// readAll reads documents, in the order of their names, as a view has them.
func readAll(v *view, number uint32, docs []*docState) error {
	paths := make([][]byte, len(docs))
	for i, d := range docs {
		d.key = keys.Document(number, d.name.Path)
		paths[i] = d.key
	}
	return v.snap.GetAll(paths, func(i int, record []byte) error { return docs[i].stored(record) })
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
	if d.draft != nil {
		return d.draft.Given(d.after), nil
	}
	return d.after, nil
}

// loadForCheck is load for names that a check reads, which may be in another database.
func (s *commitState) loadForCheck(ctx context.Context, name resource.Document) (*docState, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if name.DB != s.db.name || strings.Count(name.Path, "/")%2 == 0 {
		return &docState{name: name}, nil
	}
	return s.load(name)
}

// finish sets the documents after the commit and the results' update times, which are the same for all writes of a
// document. It returns the error of the first document that is too large.
func (s *commitState) finish(writes []document.Write) error {
	var failed error
	for _, d := range s.order {
		var err error
		if d.after, err = d.draft.Document(s.at); failed == nil {
			failed = err
		}
	}
	for i, w := range writes {
		if w.Op == document.Verify {
			continue
		}
		s.results[i].UpdateTime = 0
		if d := s.docs[w.Name.Path]; d.after != nil {
			s.results[i].UpdateTime = d.after.UpdateTime
		}
	}
	return failed
}

// apply applies the writes in memory, calls the check, and only then returns the error of a failed precondition. So a
// caller without permission receives the check's refusal, and cannot use preconditions to find out which documents
// exist.
func (s *commitState) apply(ctx context.Context, writes []document.Write, check Check) error {
	if err := s.loadAll(writes); err != nil {
		return err
	}
	if err := s.moveOn(writes); err != nil {
		return err
	}
	// failed is the first error of a precondition or a write. It is returned only after the check. Until then the writes
	// are applied as if their preconditions held, because the check has to see all of them.
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
		if d.draft == nil {
			d.draft = document.NewDraft(w.Name, d.before)
			d.draft.SetTime(s.now)
			s.order = append(s.order, d)
		}
		if err := d.draft.Check(w.Precondition, s.at); err != nil && failed == nil {
			failed = err
		}
		s.results = append(s.results, d.draft.Apply(w, s.at))
		if !check.unrestricted {
			steps = append(steps, Step{Write: w, Exists: d.draft.Exists()})
		}
	}
	if err := s.finish(writes); failed == nil {
		failed = err
	}
	if len(steps) > 0 {
		if err := check.decide(ctx, &CheckView{Time: cmp.Or(s.now, s.at), Steps: steps, Locked: s.locked, reader: s}); err != nil {
			return err
		}
	}
	return failed
}

// moveOn advances the time of the request if a server timestamp would otherwise equal that of the previous commit,
// since timestamps have only milliseconds.
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

// pending returns the data that the sequencer writes: records, index entries and the commit's record of changes.
func (s *commitState) pending(budget int) (*pending, error) {
	p := &pending{db: s.db, at: s.at}
	p.record = make([]byte, 0, recordPerDocument*len(s.order))
	p.changes = make([]document.Change, 0, len(s.order))
	slices.SortFunc(s.order, func(a, b *docState) int { return resource.ComparePaths(a.name.Path, b.name.Path) })
	s.order = slices.DeleteFunc(s.order, func(d *docState) bool { return d.after == d.before })
	edits := make([]edit, len(s.order))
	number := s.db.number.Load()
	prefix := keys.Prefix(keys.KindIndex, number)
	inShares(len(edits), leastShare, func(from, to int) {
		left := budget
		m := editor{number: number, prefix: prefix, set: s.set}
		for i := from; i < to && left >= 0; i++ {
			edits[i] = m.make(s.order[i])
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
	p.record, at = records.AppendImage(p.record, records.Image{Path: d.name.Path, Before: d.record, After: record})
	if record != nil {
		created := d.after.CreateTime == p.at
		p.stamps = append(p.stamps, stamp{record: record, created: created})
		p.recordAt = append(p.recordAt, recordStamp{at: at, created: created})
	}
	p.changes = append(p.changes, document.Change{Name: d.name, Before: d.before, After: d.after})
}

// recordStamp is a position in a commit's record at which the version is filled in.
type recordStamp struct {
	at      int
	created bool
}

// setVersions writes the commit's version at all positions that wait for it.
func (p *pending) setVersions() {
	for _, s := range p.stamps {
		records.SetTimes(s.record, p.version, s.created)
	}
	for _, s := range p.recordAt {
		records.SetTimes(p.record[s.at:], p.version, s.created)
	}
	p.changes = slices.Clone(p.changes) // Other goroutines may read the announced changes, so they are copied.
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
