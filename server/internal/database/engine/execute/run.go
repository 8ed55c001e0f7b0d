// Package execute executes the plans of queries on a state of a database. A Run reads the scans of its plan (package
// scan) or walks over documents (package walk), reads the documents that the scans find, merges those that differ from
// the stored state, and applies offset, limit and aggregations. Locks and missing indexes are the engine's.
package execute

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/engine/scan"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// errEnough ends a run early.
var errEnough = errors.New("enough")

// Run is one run of a query. It must be used by one goroutine only.
type Run struct {
	ctx   context.Context
	state *past.State
	q     *query.Query
	plan  *planner.Plan
	turn  *fair.Turn
	// Stats counts what the run has read. The caller may set it before the run, and adds the results to it.
	Stats request.Stats
	// past holds the matching documents of the overlay, in the query's order.
	past []*document.Document
}

// New returns a run of a normalized query by its plan. ctx ends its scans and walks early.
func New(ctx context.Context, s *past.State, q *query.Query, plan *planner.Plan) (*Run, error) {
	x := &Run{ctx: ctx, state: s, q: q, plan: plan, turn: fair.Of(ctx)}
	return x, x.loadPast()
}

// loadPast collects the matching documents of the overlay.
func (x *Run) loadPast() error {
	for path := range x.state.Overlay {
		name := x.state.Document(path)
		if !x.q.InScope(name) {
			continue
		}
		d, err := x.state.Get(name)
		if err != nil {
			return err
		}
		if d != nil && x.matches(d) {
			x.past = append(x.past, d)
		}
	}
	slices.SortFunc(x.past, x.q.Compare)
	return nil
}

// matches reports whether a document is among the results, offset and limit aside.
func (x *Run) matches(d *document.Document) bool { return x.q.Matches(d) && x.q.InCursors(d) }

// Documents calls yield with the results in order, with all fields.
func (x *Run) Documents(yield func(*document.Document) error) error {
	if x.q.Nearest != nil {
		return x.neighbours(yield)
	}
	return x.page(yield)
}

// neighbours calls yield with the results nearest to a vector.
func (x *Run) neighbours(yield func(*document.Document) error) error {
	n, share := query.NewNeighbours(x.q.Nearest), x.state.Held.Sibling()
	defer share.Shrink(0)
	if err := x.page(func(d *document.Document) error {
		dropped := n.Add(d)
		if dropped == d {
			return nil
		}
		if dropped != nil {
			share.ReturnDocument(dropped)
		}
		return share.TakeDocument(d)
	}); err != nil {
		return err
	}
	for _, d := range n.Documents() {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// page calls yield with the results between offset and limit, in order.
func (x *Run) page(yield func(*document.Document) error) error {
	if x.q.Limit == 0 {
		return nil
	}
	given := 0
	err := x.ordered(func(d *document.Document) error {
		if x.Stats.Skipped < int64(x.q.Offset) {
			x.Stats.Skipped++
			return nil
		}
		if err := yield(d); err != nil {
			return err
		}
		if given++; given == x.q.Limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// ordered calls yield with all results in order.
func (x *Run) ordered(yield func(*document.Document) error) error {
	if x.plan.Walk && !x.inWalkingOrder() || !x.plan.Walk && !x.plan.Exact {
		return x.sorted(yield)
	}
	rest := x.past
	err := x.found(func(d *document.Document) error {
		for len(rest) > 0 && x.q.Compare(rest[0], d) < 0 {
			p := rest[0]
			rest = rest[1:]
			if err := yield(p); err != nil {
				return err
			}
		}
		return yield(d)
	})
	for _, d := range rest {
		if err == nil {
			err = yield(d)
		}
	}
	return err
}

// inWalkingOrder reports whether a walk over documents yields them in the query's order.
func (x *Run) inWalkingOrder() bool { return len(x.q.OrderBy) == 1 && !x.q.OrderBy[0].Desc }

// nameOverhead is the memory of a name in a set beside its bytes.
const nameOverhead = 64

// sorted sorts all results and calls yield with them. For a query with a limit it holds only as many as the query can
// return.
func (x *Run) sorted(yield func(*document.Document) error) error {
	before := x.state.Held.Held()
	defer func() { x.state.Held.Shrink(before) }()
	held := slices.Clone(x.past)
	most := -1
	if x.q.Limit != query.NoLimit {
		most = x.q.Offset + x.q.Limit
	}
	// The alternatives are read one after the other without a merge, so documents that several of them find are skipped
	// here.
	seen, names := make(map[string]bool), x.state.Held.Sibling()
	defer names.Shrink(0)
	err := x.found(func(d *document.Document) error {
		if len(x.plan.Alternatives) > 1 {
			if seen[d.Name.Path] {
				return nil
			}
			seen[d.Name.Path] = true
			if err := names.Take(nameOverhead + int64(len(d.Name.Path))); err != nil {
				return err
			}
		}
		if err := x.state.Held.TakeDocument(d); err != nil {
			return err
		}
		// held is sorted and truncated only when it has doubled, so the cost of each document is logarithmic.
		if held = append(held, d); most >= 0 && len(held) >= 2*most+1024 {
			slices.SortFunc(held, x.q.Compare)
			held = slices.Delete(held, most, len(held))
			x.state.Held.Shrink(before)
			for _, d := range held {
				if err := x.state.Held.TakeDocument(d); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(held, x.q.Compare)
	for _, d := range held {
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// found calls yield with the matching documents that the plan reads, without those of the overlay. They are in order if
// the plan is exact.
func (x *Run) found(yield func(*document.Document) error) error {
	switch {
	case x.plan.Walk:
		return x.walk(yield)
	case len(x.plan.Alternatives) == 0:
		return nil
	case !x.plan.Exact:
		for _, a := range x.plan.Alternatives {
			if err := x.rows([]*planner.Alternative{a}, yield); err != nil {
				return err
			}
		}
		return nil
	}
	return x.rows(x.plan.Alternatives, yield)
}

// rows calls yield with the matching documents of alternatives. Documents whose order the index lacks, because a value
// was truncated, are adjacent; rows sorts them.
func (x *Run) rows(alts []*planner.Alternative, yield func(*document.Document) error) error {
	rows := scan.New(x.ctx, x.state.Reader, alts, x.q, &x.Stats)
	defer func() { _ = rows.Close() }() // The end below returns its error.
	before := x.state.Held.Held()       // Only an exact plan has ties, and its results are not sorted otherwise.
	var tied []*document.Document
	var tie []byte
	flush := func() error {
		if len(tied) == 0 {
			return nil
		}
		slices.SortFunc(tied, x.q.Compare)
		for _, d := range tied {
			if err := yield(d); err != nil {
				return err
			}
		}
		clear(tied)
		tied, tie = tied[:0], nil
		x.state.Held.Shrink(before)
		return nil
	}
	for h := rows.Next(); h != nil; h = rows.Next() {
		// While documents are tied, the position of this hit among them is unknown, so it can't be skipped unread.
		if tie == nil && x.skips(h) {
			continue
		}
		d, err := x.read(h)
		if err != nil {
			return err
		}
		if d == nil || !x.matches(d) {
			continue
		}
		var key []byte
		// Documents whose keys are equal up to and including the first truncated value are tied: the index does not have
		// their order.
		if h.Truncated && x.plan.Exact {
			if prefix, cut := h.OrderPrefix(); cut >= 0 {
				key = prefix[:cut]
			}
		}
		if tie != nil && !bytes.Equal(tie, key) {
			if err := flush(); err != nil {
				return err
			}
		}
		if key == nil {
			rows.Park()
			if err := yield(d); err != nil {
				return err
			}
			continue
		}
		if err := x.state.Held.TakeDocument(d); err != nil {
			return err
		}
		tied, tie = append(tied, d), key
	}
	if err := rows.Close(); err != nil {
		return err // The tied documents may be without the first of them, and complete a page.
	}
	return flush()
}

// skips reports whether the query's offset excludes a hit, and counts it without reading its document.
func (x *Run) skips(h *scan.Hit) bool {
	if !x.plan.Exact || h.Truncated || len(x.state.Overlay) > 0 || x.q.Nearest != nil || x.Stats.Skipped >= int64(x.q.Offset) {
		return false
	}
	x.Stats.Skipped++
	return true
}

// read returns the document of a hit, or nil if the overlay has it.
func (x *Run) read(h *scan.Hit) (*document.Document, error) {
	tail := h.Tail()
	path, err := x.plan.Scope.Path(tail)
	if err != nil {
		return nil, err
	}
	if x.state.Overlay.Has(path) {
		return nil, nil
	}
	x.Stats.DocumentsRead++
	name := x.state.Document(path)
	if h.Record != nil {
		if err := x.turn.Step(x.ctx, len(h.Record)>>10); err != nil {
			return nil, err
		}
		return records.Decode(name, h.Record)
	}
	record, found, err := x.state.Reader.Get(x.plan.Scope.DocumentKey(tail))
	if err != nil || !found {
		return nil, err
	}
	if err := x.turn.Step(x.ctx, fair.Cost(len(record))); err != nil {
		return nil, err
	}
	return records.Decode(name, record)
}

// walk calls yield with every matching document below the query's parent, in the order of names.
func (x *Run) walk(yield func(*document.Document) error) error {
	w := &walk.Documents{Reader: x.state.Reader, Number: x.state.Number}
	w.Yield = func(path string, record []byte) error {
		if x.state.Overlay.Has(path) {
			return nil
		}
		x.Stats.DocumentsRead++
		d, err := records.Decode(x.state.Document(path), record)
		if err != nil || !x.matches(d) {
			return err
		}
		return yield(d)
	}
	return w.Below(x.ctx, x.q.Parent, !x.q.From[0].AllDescendants)
}
