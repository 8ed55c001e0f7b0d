package engine

import (
	"bytes"
	"context"
	"errors"

	"clave/server/internal/database/engine/locks"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
)

// How a commit with an expensive check works. A check must not wait while the commit holds locks, nor hold them for
// long: a client could name any document, and others would wait for it. Such a check returns ErrCostly. The commit then
// releases its locks and applies its writes to a view without locks, where the check may wait. Afterwards it locks
// again, and writes the result if no document has changed that it has read.

// ErrCostly is the error of a check that would wait, or take long, while the commit holds locks. The check is repeated
// without locks.
var ErrCostly = errors.New("engine: the check is too expensive under locks")

// maxPrepared is the maximum number of repetitions of a commit because documents have changed meanwhile.
const maxPrepared = 5

// commitCostly applies writes after their check has returned ErrCostly. It takes the locks of an owner, and does not
// release the last ones. A transaction whose reads are locked keeps all its locks.
func (e *Engine) commitCostly(ctx context.Context, db *database, o *locks.Owner, t *txn, writes []document.Write, check Check) (request.CommitResult, error) {
	for range maxPrepared {
		if t == nil || t.optimistic {
			db.locks.Clear(o)
		}
		s, err := e.decideAhead(ctx, db, writes, check)
		if err != nil {
			return request.CommitResult{}, err
		}
		result, err := e.commitOnce(ctx, db, o, t, writes, check, s)
		if !errors.Is(err, ErrCostly) {
			return result, err
		}
	}
	return request.CommitResult{}, locks.Contention()
}

// decideAhead applies writes in memory without locks.
func (e *Engine) decideAhead(ctx context.Context, db *database, writes []document.Write, check Check) (*commitState, error) {
	view, _, err := e.current(db)
	if err != nil {
		return nil, err
	}
	defer view.release()
	s := newCommitState(db, view, len(writes))
	return s, s.apply(ctx, writes, check)
}

// renew makes a prepared state one of a later view. It returns ErrCostly if a document has changed that the state has
// read.
func (s *commitState) renew(v *view) error {
	s.view = v
	for _, d := range s.docs {
		record, found, err := v.snap.Get(d.key)
		if err != nil {
			return err
		}
		if found != (d.record != nil) || !bytes.Equal(record, d.record) {
			return ErrCostly
		}
	}
	return nil
}
