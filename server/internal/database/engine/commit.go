package engine

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// How a commit works. The order of the steps matters.
//
//  1. Wait until no transaction has locked, by a query, a range with one of the documents. Then lock the written
//     documents exclusively, in the order of their names. An optimistic transaction locks all that it has read too.
//  2. Take a view. It has every commit of the locked documents, because a commit holds its locks until readers see it.
//  3. An optimistic transaction compares its reads with the view.
//  4. Apply the writes in memory, one after the other, with their preconditions, and check the result by the rules. If
//     the check is expensive, it is done without locks (costly.go).
//  5. Enter the state of the index definitions and make the index entries.
//  6. Announce the changes to the ranges that transactions have locked by queries. This waits until none of them has a
//     changed document.
//  7. Submit to the sequencer, which assigns the version, writes a group of commits and shows them.
//  8. The caller releases the locks.

// Commit applies writes atomically, and ends the transaction if there is one. When it returns, they are on disk and
// every later read sees them.
func (e *Engine) Commit(ctx context.Context, name resource.Database, r request.Commit, check Check) (request.CommitResult, error) {
	if err := check.validate(); err != nil {
		return request.CommitResult{}, err
	}
	db, err := e.database(name)
	if err != nil {
		return request.CommitResult{}, err
	}
	for _, w := range r.Writes {
		if w.Name.DB != name {
			return request.CommitResult{}, fault.E(fault.InvalidArgument,
				"The request was for database '%s' but was attempting to access database '%s'", name, w.Name.DB)
		}
	}
	if r.Writes, err = document.Combine(r.Writes); err != nil {
		return request.CommitResult{}, err
	}
	if len(r.Transaction) > 0 {
		return e.commitTransaction(ctx, db, r, check)
	}
	return e.commitAlone(ctx, db, r.Writes, check)
}

// commitTransaction applies the writes of a transaction and ends it, whatever the outcome.
func (e *Engine) commitTransaction(ctx context.Context, db *database, r request.Commit, check Check) (request.CommitResult, error) {
	// The gate comes before find, which removes the transaction from the table that Engine.alone searches for open ones.
	db.gate.RLock()
	defer db.gate.RUnlock()
	t, err := e.find(db, r.Transaction, r.Holder, true)
	if err != nil {
		return request.CommitResult{}, err
	}
	defer e.end(db, t)
	if err := t.enter(); err != nil {
		return request.CommitResult{}, err
	}
	defer func() { t.leave() }()
	if t.readOnly && len(r.Writes) > 0 {
		return request.CommitResult{}, fault.E(fault.InvalidArgument, textReadOnly)
	}
	if err := db.locks.Err(t.owner); err != nil {
		return request.CommitResult{}, err
	}
	before, err := t.takeLater()
	if err != nil {
		return request.CommitResult{}, err
	}
	if len(before) > 0 {
		if r.Writes, err = document.Combine(slices.Concat(before, r.Writes)); err != nil {
			return request.CommitResult{}, err
		}
	}
	result, err := e.commit(ctx, db, t.owner, t, r.Writes, check)
	if err == nil {
		result.Results = result.Results[len(before):]
	}
	return result, err
}

// commitAlone applies writes without a transaction. If it is the victim of a deadlock, it retries, because no caller
// has seen a result.
func (e *Engine) commitAlone(ctx context.Context, db *database, writes []document.Write, check Check) (request.CommitResult, error) {
	db.gate.RLock()
	defer db.gate.RUnlock()
	const tries = 10
	age := db.nextAge()
	for i := 1; ; i++ {
		o := locks.NewOwner(age)
		result, err := e.commit(ctx, db, o, nil, writes, check)
		victim := err != nil && db.locks.Victim(o)
		db.locks.Release(o)
		if err == nil || !victim || i == tries {
			return result, err
		}
	}
}

// commit applies writes under the locks of an owner. It does not release them.
func (e *Engine) commit(ctx context.Context, db *database, o *locks.Owner, t *txn, writes []document.Write, check Check) (request.CommitResult, error) {
	result, err := e.commitOnce(ctx, db, o, t, writes, check, nil)
	if errors.Is(err, ErrCostly) {
		return e.commitCostly(ctx, db, o, t, writes, check)
	}
	return result, err
}

// commitOnce is one attempt of commit. prepared is the state that results from the writes, or nil if they have to be
// applied and checked.
func (e *Engine) commitOnce(ctx context.Context, db *database, o *locks.Owner, t *txn, writes []document.Write, check Check, prepared *commitState) (request.CommitResult, error) {
	if db.gone.Load() {
		return request.CommitResult{}, locks.Expired()
	}
	// The locks come before the view. A commit releases its locks only after readers see it, so the view includes every
	// commit that has changed these documents, and no other commit changes them until this one is done. For the same
	// reason the reads of an optimistic transaction are locked before they are compared.
	if err := e.awaitRanges(ctx, db, o, writes); err != nil {
		return request.CommitResult{}, err
	}
	if err := e.lockWrites(ctx, db, o, writes); err != nil {
		return request.CommitResult{}, err
	}
	if t != nil && t.optimistic {
		if err := e.lockSeen(ctx, db, t); err != nil {
			return request.CommitResult{}, err
		}
	}
	view, _, err := e.current(db)
	if err != nil {
		return request.CommitResult{}, err
	}
	defer view.release()
	if t != nil && t.optimistic {
		if err := e.compareSeen(ctx, db, t, view); err != nil {
			return request.CommitResult{}, err
		}
	}
	s := prepared
	if s == nil {
		s = newCommitState(db, view, len(writes))
		s.locked = true
		err = s.apply(ctx, writes, check)
	} else {
		err = s.renew(view)
	}
	if err != nil {
		return request.CommitResult{}, err
	}
	// The builder of a new index waits for all commits that write by the previous state (build.go). The check may be slow,
	// so the state is entered after it.
	state := db.enterIndexes()
	defer state.leave()
	s.set = state.set
	p, err := s.pending(maxCommitBytes)
	if err != nil {
		return request.CommitResult{}, err
	}
	result := request.CommitResult{Version: s.at, Results: s.results}
	if len(p.changes) == 0 {
		return result, nil
	}
	// The changes are known now, so they can be compared with the ranges of other transactions. From here on the commit
	// waits for no lock.
	if err := db.locks.Announce(ctx, o, p.changes); err != nil {
		return request.CommitResult{}, err
	}
	if err := e.seq.submit(ctx, p); err != nil {
		return request.CommitResult{}, err
	}
	result.Version = p.version
	s.stampResults(p.version)
	return result, nil
}

// awaitRanges waits until no other transaction has locked a range that contains the present state of a document that is
// written.
func (e *Engine) awaitRanges(ctx context.Context, db *database, o *locks.Owner, writes []document.Write) error {
	if len(writes) == 0 || !db.locks.Ranged(o) {
		return nil
	}
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	s := &commitState{db: db, view: view, docs: make(map[string]*docState, len(writes))}
	changes := make([]document.Change, 0, len(writes))
	for _, w := range writes {
		d, err := s.load(w.Name)
		if err != nil {
			view.release()
			return err
		}
		changes = append(changes, document.Change{Name: w.Name, Before: d.before})
	}
	view.release()
	return db.locks.AwaitRanges(ctx, o, changes)
}

// lockWrites locks the documents of writes in the order of their names.
func (e *Engine) lockWrites(ctx context.Context, db *database, o *locks.Owner, writes []document.Write) error {
	if len(writes) == 1 {
		return db.locks.Lock(ctx, o, writes[0].Name.Path, locks.Exclusive, false)
	}
	paths := make([]string, len(writes))
	for i, w := range writes {
		paths[i] = w.Name.Path
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if err := db.locks.Lock(ctx, o, path, locks.Exclusive, false); err != nil {
			return err
		}
	}
	return nil
}

// maxWrites is the number of writes of one BatchWrite.
const maxWrites = 500

// BatchWrite applies each write independently. check decides about each one alone. A document must not be written
// twice.
func (e *Engine) BatchWrite(ctx context.Context, name resource.Database, writes []document.Write, check Check) ([]request.WriteStatus, error) {
	if err := check.validate(); err != nil {
		return nil, err
	}
	if len(writes) > maxWrites {
		return nil, fault.E(fault.InvalidArgument, "maximum %d writes allowed per request", maxWrites)
	}
	seen := make(map[string]bool, len(writes))
	for _, w := range writes {
		if seen[w.Name.Path] {
			return nil, fault.E(fault.InvalidArgument,
				"the same document cannot be written more than once in a single request")
		}
		seen[w.Name.Path] = true
	}
	out := make([]request.WriteStatus, len(writes))
	inParallel(len(writes), func(i int) {
		r, err := e.Commit(ctx, name, request.Commit{Writes: writes[i : i+1]}, check)
		if err == nil {
			out[i].Result = r.Results[0]
		}
		out[i].Err = err
	})
	// The engine was closed between the writes: the call fails as a whole.
	for _, s := range out {
		if errors.Is(s.Err, ErrClosed) {
			return nil, s.Err
		}
	}
	return out, ctx.Err()
}
