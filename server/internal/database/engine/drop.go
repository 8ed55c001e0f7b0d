package engine

import (
	"context"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// Drop removes a database with all that is stored of it: documents, indexes, the log and the history. Options.Gone must
// report it as deleted from before the call until its end. Transactions end, and subscriptions return ErrClosed. A
// later database of the same name has nothing of it, also in the past. Dropping an unknown database is not an error;
// after another one, a further call tries again.
func (e *Engine) Drop(ctx context.Context, name resource.Database) error {
	if e.follows() {
		return fault.E(fault.Unavailable, textFollows)
	}
	e.mu.Lock()
	db := e.mu.databases[name]
	e.mu.Unlock()
	if db == nil {
		return nil
	}
	return e.discard(ctx, db)
}

// errGone returns the error for a call in a database that does not exist.
func errGone(name resource.Database) error {
	return fault.E(fault.NotFound, "The database %s does not exist for project %s", name.ID, name.Project)
}

// enter begins a change of an index, which ends with db.gate.RUnlock. It returns NotFound for a database that was
// dropped.
func (db *database) enter() error {
	db.gate.RLock()
	if db.gone.Load() {
		db.gate.RUnlock()
		return errGone(db.name)
	}
	return nil
}
