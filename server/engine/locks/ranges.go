package locks

import (
	"context"
	"slices"

	"clave/server/document"
	"clave/server/query"
)

// How ranges are locked. A query of a transaction locks what matches it, whether it is there or not. A commit that has computed its
// changes announces them before it writes: it waits until no other owner's range holds a changed document, before or after the change. From then on
// it waits for no owner, and a query that would see one of its changes waits until it is written. Queries and announcements stand in one
// queue: each also waits for those before it that it would conflict with, so neither kind starves the other.

// Range keeps others from changing what a query of a transaction has seen: from changing a document that is in the
// range, before or after the change.
type Range struct {
	o *Owner
	q *query.Query
	// last, if not nil, is the last document of a full page: what is ordered behind it was not seen.
	last *document.Document
}

// NewRange returns what a query has seen, up to its last document if that is not nil, for comparisons: it locks nothing.
func NewRange(q *query.Query, last *document.Document) *Range { return &Range{q: q, last: last} }

// Covers reports whether a change would change what the query has seen.
func (r *Range) Covers(c document.Change) bool { return r.sees(c.Before) || r.sees(c.After) }

// sees reports whether a document is in the range.
func (r *Range) sees(d *document.Document) bool {
	return d != nil && r.q.Matches(d) && r.q.InCursors(d) && (r.last == nil || r.q.Compare(d, r.last) <= 0)
}

// LockRange locks a query's range for a transaction. It waits for commits that are changing the range, and for those that
// came before and still wait to change it: else a commit would never find the range free while queries keep coming.
func (t *Table) LockRange(ctx context.Context, o *Owner, q *query.Query) (*Range, error) {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	r := &request{o: o, seen: &Range{o: o, q: q}, done: make(chan error, 1)}
	return r.seen, t.grantOrWait(ctx, r)
}

// grantOrWait grants a request about ranges when no owner blocks it, else waits for it. The table is locked on entry and
// not on return.
func (t *Table) grantOrWait(ctx context.Context, r *request) error {
	if len(t.blockers(r)) == 0 {
		t.grant(r)
		t.mu.Unlock()
		return nil
	}
	t.mu.waiters = append(t.mu.waiters, r)
	return t.wait(ctx, r)
}

// grant grants a request about ranges; the table is locked.
func (t *Table) grant(r *request) {
	if r.seen != nil {
		t.mu.ranges[r.seen] = struct{}{}
		r.o.ranges = append(r.o.ranges, r.seen)
		return
	}
	r.o.intents = r.changes
	t.mu.writers[r.o] = struct{}{}
}

// Narrow records that a range was only seen up to a document, and lets those behind it go on.
func (t *Table) Narrow(r *Range, last *document.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.last = last
	t.serveRanges()
}

// rangeBlockers returns who a request for a range waits for: the commits that are changing the range, and those before it
// in the queue that are going to. It doesn't queue behind a commit that waits for its own owner; the two would wait for
// each other. The table is locked.
func (t *Table) rangeBlockers(r *request) []*Owner {
	var out []*Owner
	for w := range t.mu.writers {
		if w != r.o && slices.ContainsFunc(w.intents, r.seen.Covers) {
			out = append(out, w)
		}
	}
	for _, before := range t.mu.waiters {
		if before == r {
			break
		}
		if before.seen == nil && before.o != r.o && slices.ContainsFunc(before.changes, r.seen.Covers) &&
			!slices.Contains(t.readersOf(before.o, before.changes), r.o) {
			out = append(out, before.o)
		}
	}
	return out
}

// announceBlockers returns who a commit waits for before it changes anything: the owners of ranges that its changes are in,
// and those before it in the queue that want such a range. The table is locked.
func (t *Table) announceBlockers(r *request) []*Owner {
	out := t.readersOf(r.o, r.changes)
	for _, before := range t.mu.waiters {
		if before == r {
			break
		}
		if before.seen != nil && before.o != r.o && slices.ContainsFunc(r.changes, before.seen.Covers) {
			out = append(out, before.o)
		}
	}
	return out
}

// readersOf returns the owners of ranges that changes of an owner are in; the table is locked.
func (t *Table) readersOf(o *Owner, changes []document.Change) []*Owner {
	var out []*Owner
	for r := range t.mu.ranges {
		if r.o != o && slices.ContainsFunc(changes, r.Covers) {
			out = append(out, r.o)
		}
	}
	return out
}

// Announce declares what a commit is about to change, once no other's range holds it. From then on the commit waits for
// nobody, and readers of ranges wait for it.
func (t *Table) Announce(ctx context.Context, o *Owner, changes []document.Change) error {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return err
	}
	r := &request{o: o, changes: changes}
	if len(t.mu.ranges) == 0 && len(t.mu.waiters) == 0 {
		t.grant(r)
		t.mu.Unlock()
		return nil
	}
	r.done = make(chan error, 1)
	return t.grantOrWait(ctx, r)
}

// releaseRanges releases an owner's ranges and intents; the table is locked.
func (t *Table) releaseRanges(o *Owner) {
	for _, r := range o.ranges {
		delete(t.mu.ranges, r)
	}
	o.ranges, o.intents = nil, nil
	delete(t.mu.writers, o)
	t.serveRanges()
}

// serveRanges grants, in their order, the requests about ranges that no owner blocks any more; the table is locked.
func (t *Table) serveRanges() {
	for i := 0; i < len(t.mu.waiters); {
		r := t.mu.waiters[i]
		if len(t.blockers(r)) > 0 {
			i++
			continue
		}
		t.mu.waiters = slices.Delete(t.mu.waiters, i, i+1)
		t.grant(r)
		r.o.waiting = nil
		r.done <- nil
	}
}
