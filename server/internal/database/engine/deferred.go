package engine

import (
	"context"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// deferred is writes of a transaction that its commit applies before its own. txn.mu guards them.
type deferred struct {
	writes []document.Write
	bytes  int64
	// paths are those of their documents.
	paths map[string]bool
	// taken is set when the commit has taken the writes. It would not see others.
	taken bool
	// held is the memory of the writes.
	held memory.Share
}

// Defer adds writes to a holder's transaction, which the commit of the transaction applies before its own, and checks
// with them. They are dropped if the transaction ends otherwise. The reads that follow don't see them.
func (e *Engine) Defer(ctx context.Context, name resource.Database, id []byte, holder string, writes []document.Write) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	t, err := e.find(db, id, holder, false)
	if err != nil {
		return err
	}
	if t.readOnly {
		return fault.E(fault.InvalidArgument, textReadOnly)
	}
	return e.deferIn(ctx, t, writes)
}

// deferIn is Defer for an open read-write transaction, which may end meanwhile.
func (e *Engine) deferIn(ctx context.Context, t *txn, writes []document.Write) error {
	if err := t.enter(); err != nil {
		return err
	}
	defer func() { t.leave() }()
	size := int64(0)
	for _, w := range writes {
		d := document.Document{Name: w.Name, Fields: w.Fields}
		size += memory.Overhead + 3*int64(d.Size())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.ended || t.mu.deferred.taken {
		return locks.Expired()
	}
	later := &t.mu.deferred
	if later.writes == nil {
		later.held = memory.Of(e.held, fair.Of(ctx).Network())
	}
	if later.bytes+size > 4*maxCommitBytes { // as they are in memory; the commit measures what it stores
		return fault.E(fault.InvalidArgument, textTooBig)
	}
	if err := later.held.Take(size); err != nil {
		return err
	}
	later.bytes += size
	later.writes = append(later.writes, writes...)
	if later.paths == nil {
		later.paths = make(map[string]bool, len(writes))
	}
	for _, w := range writes {
		later.paths[w.Name.Path] = true
	}
	return nil
}

// drop returns the memory of the writes.
func (d *deferred) drop() {
	d.held.Shrink(0)
	d.writes, d.paths = nil, nil
}

// takeLater returns the deferred writes of a transaction for its commit, which must not change them, and refuses
// further ones. It returns Aborted if the transaction has ended meanwhile: its writes were dropped.
func (t *txn) takeLater() ([]document.Write, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.ended {
		return nil, locks.Expired()
	}
	t.mu.deferred.taken = true
	return t.mu.deferred.writes, nil
}

// errUnwritten returns the error for a read of a document with a deferred write: what it would return is not known
// before the commit.
func errUnwritten(name resource.Document) error {
	return fault.E(fault.Unimplemented, "A read, after a pipeline that writes in the same transaction, of what it writes is not implemented: %s", name)
}

// unwritten returns Unimplemented if the transaction has a deferred write of a document.
func (r *Reading) unwritten(name resource.Document) error {
	if r.txn == nil || r.txn.readOnly {
		return nil
	}
	r.txn.mu.Lock()
	defer r.txn.mu.Unlock()
	if r.txn.mu.deferred.paths[name.Path] {
		return errUnwritten(name)
	}
	return nil
}

// unwrittenIn returns Unimplemented if the transaction has deferred writes of documents for which reads returns true.
func (r *Reading) unwrittenIn(reads func(resource.Document) bool) error {
	if r.txn == nil || r.txn.readOnly {
		return nil
	}
	r.txn.mu.Lock()
	writes := r.txn.mu.deferred.writes
	r.txn.mu.Unlock()
	for _, w := range writes {
		if reads(w.Name) {
			return errUnwritten(w.Name)
		}
	}
	return nil
}
