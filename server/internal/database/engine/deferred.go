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
	// held is the memory of the writes.
	held memory.Share
}

// Defer adds writes to a transaction, which the commit of the transaction applies before its own, and checks with them.
// They are dropped if the transaction ends otherwise. The reads that follow don't see them.
func (e *Engine) Defer(ctx context.Context, name resource.Database, id []byte, writes []document.Write) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	t, err := e.find(db, id, false)
	if err != nil {
		return err
	}
	if t.readOnly {
		return fault.E(fault.InvalidArgument, textReadOnly)
	}
	if err := t.enter(); err != nil {
		return err
	}
	defer func() { t.leave(e.o.Clock.Now()) }()
	size := int64(0)
	for _, w := range writes {
		d := document.Document{Name: w.Name, Fields: w.Fields}
		size += memory.Overhead + 3*int64(d.Size())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mu.ended {
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
	return nil
}

// drop returns the memory of the writes.
func (d *deferred) drop() {
	d.held.Shrink(0)
	d.writes = nil
}

// laterWrites returns the deferred writes of a transaction, which must not be changed.
func (t *txn) laterWrites() []document.Write {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.deferred.writes
}

// unwritten returns Unimplemented if the transaction has deferred writes of documents for which reads returns true:
// what a read would return is not known before the commit.
func (r *Reading) unwritten(reads func(resource.Document) bool) error {
	if r.txn == nil || r.txn.readOnly {
		return nil
	}
	for _, w := range r.txn.laterWrites() {
		if reads(w.Name) {
			return fault.E(fault.Unimplemented, "A read, after a pipeline that writes in the same transaction, of what it writes is not implemented: %s", w.Name)
		}
	}
	return nil
}
