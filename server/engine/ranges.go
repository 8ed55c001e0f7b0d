package engine

import (
	"context"
	"slices"

	"clave/server/document"
	"clave/server/query"
)

// rangeLock keeps others from changing what a query of a transaction has seen: from changing a document that is in the
// range, before or after the change.
type rangeLock struct {
	o *owner
	q *query.Query
	// last, if not nil, is the last document of a full page: what is ordered behind it was not seen.
	last *document.Document
}

// covers reports whether a change would change what the query has seen.
func (r *rangeLock) covers(c Change) bool { return r.sees(c.Before) || r.sees(c.After) }

// sees reports whether a document is in the range.
func (r *rangeLock) sees(d *document.Document) bool {
	return d != nil && r.q.Matches(d) && r.q.InCursors(d) && (r.last == nil || r.q.Compare(d, r.last) <= 0)
}

// lockRange locks a query's range for a transaction, waiting for commits that are changing it.
func (t *lockTable) lockRange(ctx context.Context, o *owner, q *query.Query) (*rangeLock, error) {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	r := &rangeLock{o: o, q: q}
	t.mu.ranges[r] = struct{}{}
	o.ranges = append(o.ranges, r)
	writers := func() []*owner { return t.writersIn(r) }
	if len(writers()) == 0 {
		t.mu.Unlock()
		return r, nil
	}
	req := &request{o: o, blockers: writers, done: make(chan error, 1)}
	t.mu.waiters = append(t.mu.waiters, req)
	return r, t.wait(ctx, req)
}

// narrow tells that a range was only seen up to a document, and lets those behind it go on.
func (t *lockTable) narrow(r *rangeLock, last *document.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.last = last
	t.serveRanges()
}

// writersIn returns the commits that are changing a range; the table is locked.
func (t *lockTable) writersIn(r *rangeLock) []*owner {
	var out []*owner
	for w := range t.mu.writers {
		if w != r.o && slices.ContainsFunc(w.intents, r.covers) {
			out = append(out, w)
		}
	}
	return out
}

// readersOf returns the owners of ranges that changes would change; the table is locked.
func (t *lockTable) readersOf(o *owner, changes []Change) []*owner {
	var out []*owner
	for r := range t.mu.ranges {
		if r.o != o && slices.ContainsFunc(changes, r.covers) {
			out = append(out, r.o)
		}
	}
	return out
}

// announce tells what a commit is about to change, once no other's range holds it. From then on the commit waits for
// nobody, and readers of ranges wait for it.
func (t *lockTable) announce(ctx context.Context, o *owner, changes []Change) error {
	t.mu.Lock()
	if err := t.refusal(o); err != nil {
		t.mu.Unlock()
		return err
	}
	readers := func() []*owner { return t.readersOf(o, changes) }
	if len(t.mu.ranges) > 0 && len(readers()) > 0 {
		req := &request{o: o, blockers: readers, done: make(chan error, 1)}
		t.mu.waiters = append(t.mu.waiters, req)
		if err := t.wait(ctx, req); err != nil {
			return err
		}
		return t.announce(ctx, o, changes) // Another range may have come between.
	}
	o.intents = changes
	t.mu.writers[o] = struct{}{}
	t.mu.Unlock()
	return nil
}

// releaseRanges lets go of an owner's ranges and intents; the table is locked.
func (t *lockTable) releaseRanges(o *owner) {
	for _, r := range o.ranges {
		delete(t.mu.ranges, r)
	}
	o.ranges, o.intents = nil, nil
	delete(t.mu.writers, o)
	t.serveRanges()
}

// serveRanges grants the requests about ranges that nobody blocks any more; the table is locked.
func (t *lockTable) serveRanges() {
	t.mu.waiters = slices.DeleteFunc(t.mu.waiters, func(r *request) bool {
		if len(r.blockers()) > 0 {
			return false
		}
		r.o.waiting = nil
		r.done <- nil
		return true
	})
}
