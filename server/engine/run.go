package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"clave/server/document"
	"clave/server/engine/planner"
	"clave/server/operation"
	"clave/server/query"
)

// run is one run of a query.
type run struct {
	ctx   context.Context
	r     *Reading
	q     *query.Query
	plan  *planner.Plan
	stats operation.Stats
	// overlay holds the differences of a past version.
	overlay overlay
	// past holds the matching documents of the overlay, in the query's order.
	past []*document.Document
}

// newRun plans a query. It returns FailedPrecondition if a required index is missing.
func (r *Reading) newRun(ctx context.Context, q *query.Query) (*run, error) {
	past, err := r.layer(ctx, func(path string) bool { return q.InScope(r.db.document(path)) })
	if err != nil {
		return nil, err
	}
	x := &run{ctx: ctx, r: r, q: q, overlay: past}
	if x.plan, err = planner.New(r.planInput(), q); err != nil {
		return nil, err
	}
	x.stats.Plans = x.plan.Describe()
	if err := r.admit(x.plan, q, &x.stats); err != nil {
		return nil, err
	}
	return x, x.loadPast()
}

// loadPast collects the matching documents of the overlay.
func (x *run) loadPast() error {
	for path := range x.overlay {
		name := x.r.db.document(path)
		if !x.q.InScope(name) {
			continue
		}
		d, err := x.r.fetch(name, x.overlay)
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
func (x *run) matches(d *document.Document) bool { return x.q.Matches(d) && x.q.InCursors(d) }

// documents calls yield with the results in order, with all fields.
func (x *run) documents(yield func(*document.Document) error) error {
	if x.q.Nearest != nil {
		return x.neighbours(yield)
	}
	return x.page(yield)
}

// neighbours calls yield with the results nearest to a vector.
func (x *run) neighbours(yield func(*document.Document) error) error {
	n := query.NewNeighbours(x.q.Nearest)
	if err := x.page(func(d *document.Document) error { n.Add(d); return nil }); err != nil {
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
func (x *run) page(yield func(*document.Document) error) error {
	if x.q.Limit == 0 {
		return nil
	}
	given := 0
	err := x.ordered(func(d *document.Document) error {
		if x.stats.Skipped < int64(x.q.Offset) {
			x.stats.Skipped++
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
func (x *run) ordered(yield func(*document.Document) error) error {
	if !x.plan.Exact || x.plan.Walk && !x.inWalkingOrder() {
		return x.sorted(yield)
	}
	past := x.past
	err := x.found(func(d *document.Document) error {
		for len(past) > 0 && x.q.Compare(past[0], d) < 0 {
			p := past[0]
			past = past[1:]
			if err := yield(p); err != nil {
				return err
			}
		}
		return yield(d)
	})
	for _, d := range past {
		if err == nil {
			err = yield(d)
		}
	}
	return err
}

// inWalkingOrder reports whether a walk over documents yields them in the query's order.
func (x *run) inWalkingOrder() bool { return len(x.q.OrderBy) == 1 && !x.q.OrderBy[0].Desc }

// sorted sorts all results and calls yield with them. For a query with a limit it holds only as many as the query can
// return.
func (x *run) sorted(yield func(*document.Document) error) error {
	held := slices.Clone(x.past)
	most := -1
	if x.q.Limit != query.NoLimit {
		most = x.q.Offset + x.q.Limit
	}
	// The alternatives are read one after the other without a merge, so documents that several of them find are skipped
	// here.
	seen := make(map[string]bool)
	err := x.found(func(d *document.Document) error {
		if len(x.plan.Alternatives) > 1 {
			if seen[d.Name.Path] {
				return nil
			}
			seen[d.Name.Path] = true
		}
		// held is sorted and truncated only when it has doubled, so the cost of each document is logarithmic.
		if held = append(held, d); most >= 0 && len(held) >= 2*most+1024 {
			slices.SortFunc(held, x.q.Compare)
			held = slices.Delete(held, most, len(held))
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
func (x *run) found(yield func(*document.Document) error) error {
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
func (x *run) rows(alts []*planner.Alternative, yield func(*document.Document) error) error {
	rows := newRows(x.ctx, x.r.view, alts, x.q, &x.stats)
	defer rows.close()
	var tied []*document.Document
	var tie []byte
	flush := func() error {
		slices.SortFunc(tied, x.q.Compare)
		for _, d := range tied {
			if err := yield(d); err != nil {
				return err
			}
		}
		tied, tie = tied[:0], nil
		return nil
	}
	for h := rows.next(); h != nil; h = rows.next() {
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
		// Documents whose keys are equal up to and including the first truncated value are tied: the index does not have their
		// order.
		if h.truncated && x.plan.Exact {
			if prefix, cut := h.orderPrefix(); cut >= 0 {
				key = prefix[:cut]
			}
		}
		if tie != nil && !bytes.Equal(tie, key) {
			if err := flush(); err != nil {
				return err
			}
		}
		if key == nil {
			rows.park()
			if err := yield(d); err != nil {
				return err
			}
			continue
		}
		tied, tie = append(tied, d), key
	}
	if err := flush(); err != nil {
		return err
	}
	rows.close()
	// Errors of iterators are collected when they are closed.
	return rows.err
}

// skips reports whether the query's offset excludes a hit, and counts it without reading its document.
func (x *run) skips(h *hit) bool {
	if !x.plan.Exact || h.truncated || len(x.overlay) > 0 || x.q.Nearest != nil || x.stats.Skipped >= int64(x.q.Offset) {
		return false
	}
	x.stats.Skipped++
	return true
}

// read returns the document of a hit, or nil if the overlay has it.
func (x *run) read(h *hit) (*document.Document, error) {
	tail := h.tail()
	path, err := x.plan.Scope.Path(tail)
	if err != nil {
		return nil, err
	}
	if x.overlay.has(path) {
		return nil, nil
	}
	x.stats.DocumentsRead++
	name := x.r.db.document(path)
	if h.record != nil {
		return decodeDocument(name, h.record)
	}
	record, found, err := x.r.view.snap.Get(x.plan.Scope.DocumentKey(tail))
	if err != nil || !found {
		return nil, err
	}
	return decodeDocument(name, record)
}

// walk calls yield with every matching document below the query's parent, in the order of names.
func (x *run) walk(yield func(*document.Document) error) error {
	w := &documentWalk{ctx: x.ctx, view: x.r.view, number: x.r.db.number.Load()}
	w.yield = func(path string, record []byte) error {
		if x.overlay.has(path) {
			return nil
		}
		x.stats.DocumentsRead++
		d, err := decodeDocument(x.r.db.document(path), record)
		if err != nil || !x.matches(d) {
			return err
		}
		return yield(d)
	}
	return w.below(x.q.Parent, !x.q.From[0].AllDescendants)
}
