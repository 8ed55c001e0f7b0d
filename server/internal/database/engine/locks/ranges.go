package locks

import (
	"context"
	"slices"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
)

// How ranges are locked. A query of a transaction locks its range: all documents that match it, whether they exist or
// not. A commit that has computed its changes announces them before it writes. It waits until no other owner's range
// contains a changed document, before or after the change. From then on it waits for no owner, and a query whose range
// contains one of its changes waits until the commit is written. Queries and announcements share one queue: each also
// waits for earlier requests with which it conflicts, so neither kind starves the other.
//
// A commit that waited for a range while it holds the lock of a document in it would deadlock with the transaction that
// has read the range and writes the document. Before it locks the documents, the commit therefore waits until no range
// contains them as they are then.

// Range is the locked range of a transaction's query. It excludes changes by others of documents that are in the range,
// before or after the change.
type Range struct {
	o *Owner
	q *query.Query
	// last, if not nil, is the last document of a full page. The range ends with it.
	last *document.Document
}

// NewRange returns the range of a query, up to its last document if that is not nil, for comparisons. It locks nothing.
func NewRange(q *query.Query, last *document.Document) *Range { return &Range{q: q, last: last} }

// Covers reports whether a change affects the range.
func (r *Range) Covers(c document.Change) bool { return r.contains(c.Before) || r.contains(c.After) }

// contains reports whether a document is in the range.
func (r *Range) contains(d *document.Document) bool {
	return d != nil && r.q.Matches(d) && r.q.InCursors(d) && (r.last == nil || r.q.Compare(d, r.last) <= 0)
}

// LockRange locks a query's range for a transaction. It waits for commits that are changing the range, and for earlier
// ones that still wait to change it. Otherwise a continuous stream of queries would starve a commit.
func (t *Table) LockRange(ctx context.Context, o *Owner, q *query.Query) (*Range, error) {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	r := &request{o: o, seen: &Range{o: o, q: q}, done: make(chan error, 1)}
	return r.seen, t.grantOrWait(ctx, r)
}

// grantOrWait grants a request about ranges if no owner blocks it, and otherwise waits. The table is locked on entry
// and unlocked on return.
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
	if r.ahead {
		return
	}
	if r.seen != nil {
		t.mu.ranges[r.seen] = struct{}{}
		r.o.ranges = append(r.o.ranges, r.seen)
		return
	}
	r.o.intents = r.changes
	t.mu.writers[r.o] = struct{}{}
}

// Narrow ends a range at a document, and grants requests that no longer conflict.
func (t *Table) Narrow(r *Range, last *document.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.last = last
	t.serveRanges()
}

// rangeBlockers returns the owners that a request for a range waits for: commits that are changing the range, and
// commits before it in the queue that will. It excludes commits that wait for the request's own owner, since the two
// would deadlock. The table is locked.
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

// announceBlockers returns the owners that a commit waits for before it writes: owners of ranges that contain its
// changes, and those before it in the queue that request such a range. The table is locked.
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

// readersOf returns the other owners whose ranges contain an owner's changes. The table is locked.
func (t *Table) readersOf(o *Owner, changes []document.Change) []*Owner {
	var out []*Owner
	for r := range t.mu.ranges {
		if r.o != o && slices.ContainsFunc(changes, r.Covers) {
			out = append(out, r.o)
		}
	}
	return out
}

// Announce declares a commit's changes, after waiting until no other owner's range contains them. From then on the
// commit waits for no owner, and queries of affected ranges wait for it.
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

// Ranged reports whether another owner has locked a range, or waits for one.
func (t *Table) Ranged(o *Owner) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.mu.ranges {
		if r.o != o {
			return true
		}
	}
	return slices.ContainsFunc(t.mu.waiters, func(r *request) bool { return r.seen != nil && r.o != o })
}

// AwaitRanges waits until no other owner's range contains documents, which are the Before of changes. It locks nothing.
func (t *Table) AwaitRanges(ctx context.Context, o *Owner, changes []document.Change) error {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return err
	}
	return t.grantOrWait(ctx, &request{o: o, changes: changes, ahead: true, done: make(chan error, 1)})
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

// serveRanges grants, in order, the requests about ranges that no owner blocks any more. The table is locked.
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
