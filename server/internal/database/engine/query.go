package engine

import (
	"context"
	"errors"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/execute"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// errEnough ends a query or a walk early.
var errEnough = errors.New("enough")

// Query calls yield with the results of a normalized query in its order, with the fields it selects. In a transaction
// it waits for the range's lock. Under IndexesEnforce it returns FailedPrecondition if an index is missing.
func (r *Reading) Query(ctx context.Context, q *query.Query, yield func(*document.Document) error) (request.Stats, error) {
	var last *document.Document
	var given int
	hold, err := r.lockQuery(ctx, q)
	if err != nil {
		return request.Stats{}, err
	}
	defer r.turn.Rest()
	if err := r.turn.Start(ctx); err != nil {
		return request.Stats{}, err
	}
	x, err := r.newRun(ctx, q)
	if err != nil {
		return request.Stats{}, err
	}
	err = x.Documents(func(d *document.Document) error {
		if given++; given == q.Limit { // An earlier one need not be held while a slow client takes it.
			last = d
		}
		r.turn.Lend()
		defer r.turn.Return()
		return yield(q.Project(d))
	})
	x.Stats.Results = int64(given)
	if err != nil {
		return x.Stats, err
	}
	if q.Nearest != nil {
		last = nil
	}
	r.noteQuery(hold, q, last)
	return x.Stats, nil
}

// newRun plans a query. It returns FailedPrecondition if a required index is missing.
func (r *Reading) newRun(ctx context.Context, q *query.Query) (*execute.Run, error) {
	overlay, err := r.layer(ctx, scopeOf(q), func(path string) bool { return q.InScope(r.db.document(path)) })
	if err != nil {
		return nil, err
	}
	plan, err := r.plan(q)
	if err != nil {
		return nil, err
	}
	missing, err := r.admit(plan, q)
	if err != nil {
		return nil, err
	}
	x, err := execute.New(ctx, r.state(overlay), q, plan)
	if err != nil {
		return nil, err
	}
	x.Stats.Plans, x.Stats.Missing = plan.Describe(), missing
	return x, nil
}

// scopeOf returns what a search of the history for a query looks for.
func scopeOf(q *query.Query) past.Scope {
	from := q.From[0]
	if from.AllDescendants || from.Collection == "" {
		return past.Scope{Group: from.Collection}
	}
	return past.Scope{Collection: walk.JoinPath(q.Parent, from.Collection)}
}

// lockQuery locks a query's range in a transaction with locks.
func (r *Reading) lockQuery(ctx context.Context, q *query.Query) (*locks.Range, error) {
	if q.DB != r.db.name {
		return nil, fault.E(fault.InvalidArgument,
			"The request was for database '%s' but was attempting to access database '%s'", r.db.name, q.DB)
	}
	if err := r.unwrittenIn(q.InScope); err != nil {
		return nil, err
	}
	if err := r.mayQuery(); err != nil {
		return nil, err
	}
	if !r.locking() {
		return nil, nil
	}
	r.turn.Pause()
	if err := r.followWriters(ctx, q); err != nil {
		return nil, err
	}
	hold, err := r.db.locks.LockRange(ctx, r.txn.owner, q)
	if err != nil {
		return nil, err
	}
	return hold, r.refresh()
}

// maxQueries is the maximum number of queries of a read-write transaction, which keeps the range of each.
const maxQueries = 1000

// mayQuery counts a query of a read-write transaction, and returns ResourceExhausted if it has too many.
func (r *Reading) mayQuery() error {
	if r.txn == nil || r.txn.readOnly {
		return nil
	}
	r.txn.mu.Lock()
	defer r.txn.mu.Unlock()
	if r.txn.mu.asked++; r.txn.mu.asked > maxQueries {
		return fault.E(fault.ResourceExhausted, "A transaction has at most %d queries.", maxQueries)
	}
	return nil
}

// followWriters waits for commits that wait for a lock themselves to write documents in the range of a query. Otherwise
// the query would overtake them.
func (r *Reading) followWriters(ctx context.Context, q *query.Query) error {
	paths := r.db.locks.Writing(r.txn.owner, func(path string) bool { return q.InScope(r.db.document(path)) })
	if len(paths) == 0 {
		return nil
	}
	if err := r.refresh(); err != nil {
		return err
	}
	before, found := r.held.Held(), locks.NewRange(q, nil)
	defer r.held.Shrink(before)
	for _, path := range paths {
		d, err := r.state(nil).Get(r.db.document(path))
		if err != nil {
			return err
		}
		if !found.Covers(document.Change{Before: d}) {
			continue
		}
		if err := r.db.locks.Follow(ctx, r.txn.owner, path); err != nil {
			return err
		}
	}
	return nil
}

// noteQuery records in a transaction the range that a query has read.
func (r *Reading) noteQuery(hold *locks.Range, q *query.Query, last *document.Document) {
	switch {
	case r.txn == nil:
	case hold != nil && last != nil:
		r.db.locks.Narrow(hold, last)
	case r.txn.optimistic:
		r.txn.noteQuery(q, last, r.version)
	}
}
