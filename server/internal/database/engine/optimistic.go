package engine

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
)

// How an optimistic transaction works. Its reads take no locks. They record the update times of documents, and queries
// with the version at which they were read. Its commit locks the documents that it writes, then all that it has read
// (lockSeen), and takes a view. If one of its reads has changed by that view (compareSeen), the commit fails with
// Aborted, and the client retries the transaction. The locks are held until the commit is visible, so nothing changes
// between the comparison and the commit.

// noteRead records an optimistic transaction's first read of a document.
func (t *txn) noteRead(path string, d *document.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.mu.reads[path]; known {
		return
	}
	t.mu.reads[path] = updateTime(d)
}

// updateTime returns a document's update time, or 0 if it is absent.
func updateTime(d *document.Document) clock.Version {
	if d == nil {
		return 0
	}
	return d.UpdateTime
}

// noteQuery records a query of an optimistic transaction.
func (t *txn) noteQuery(q *query.Query, last *document.Document, at clock.Version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.queries = append(t.mu.queries, seenQuery{q: q, last: last, at: at})
}

// lockSeen locks all that an optimistic transaction has read, so that nothing of it changes while the transaction
// commits.
func (e *Engine) lockSeen(ctx context.Context, db *database, t *txn) error {
	paths := make([]string, 0, len(t.mu.reads))
	for path := range t.mu.reads {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := db.locks.Lock(ctx, t.owner, path, locks.Shared, false); err != nil {
			return err
		}
	}
	for _, s := range t.mu.queries {
		r, err := db.locks.LockRange(ctx, t.owner, s.q)
		if err != nil {
			return err
		}
		if s.last != nil {
			db.locks.Narrow(r, s.last)
		}
	}
	return nil
}

// compareSeen returns Aborted if anything that the transaction has read has changed since.
func (e *Engine) compareSeen(ctx context.Context, db *database, t *txn, v *view) error {
	s := &commitState{db: db, view: v, docs: map[string]*docState{}}
	for path, seen := range t.mu.reads {
		d, err := s.load(db.document(path))
		if err != nil {
			return err
		}
		if updateTime(d.before) != seen {
			return locks.Contention()
		}
	}
	// Queries are not repeated. The log has every commit since the read, with documents before and after, and Covers
	// reports whether one of them affects the query's range. Transactions end (Limits.Total) long before such commits are
	// dropped from the log (Options.Retention).
	errChanged := errors.New("changed")
	for _, q := range t.mu.queries {
		seen := locks.NewRange(q.q, q.last)
		last, err := past.Last(v.snap, db.number.Load())
		if err != nil {
			return err
		}
		err = past.Scan(ctx, v.snap, db.number.Load(), q.at, last, func(_ clock.Version, images []records.Image) error {
			for _, i := range images {
				c, err := i.Change(db.name)
				if err != nil {
					return err
				}
				if seen.Covers(c) {
					return errChanged
				}
			}
			return nil
		})
		if errors.Is(err, errChanged) {
			return locks.Contention()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
