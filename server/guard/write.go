package guard

import (
	"context"

	"clave/server/document"
	"clave/server/engine"
	"clave/server/resource"
	"clave/server/token"
)

// Begin begins a transaction and returns its id.
func (g *Guard) Begin(ctx context.Context, c token.Caller, db resource.Database, o TransactionOptions) ([]byte, error) {
	return g.engine.Begin(ctx, db, optionsFor(c, o))
}

// optionsFor returns the options of a caller's transaction. Those to whom rules apply lock nothing that they read: else anybody could
// keep others from writing, even to what the rules hide. What they have read is compared at the commit, as the web SDKs do by
// themselves.
func optionsFor(c token.Caller, o TransactionOptions) TransactionOptions {
	o.Optimistic = o.Optimistic || !c.Privileged
	return o
}

// Rollback ends a transaction.
func (g *Guard) Rollback(ctx context.Context, _ token.Caller, db resource.Database, id []byte) error {
	return g.engine.Rollback(ctx, db, id)
}

// Commit does writes, all or none. The rules decide inside the commit, before preconditions are checked, so that a denied caller
// learns nothing of the documents.
func (g *Guard) Commit(ctx context.Context, c token.Caller, db resource.Database, r CommitRequest) (CommitResult, error) {
	return g.engine.Commit(ctx, db, r, g.check(c, db))
}

// BatchWrite does writes each for itself. It is for privileged callers.
func (g *Guard) BatchWrite(ctx context.Context, c token.Caller, db resource.Database, writes []document.Write) ([]WriteStatus, error) {
	if err := privileged(c); err != nil {
		return nil, err
	}
	return g.engine.BatchWrite(ctx, db, writes, g.check(c, db))
}

// check returns what the engine calls inside a commit, or nil when no rules apply to the caller.
func (g *Guard) check(c token.Caller, db resource.Database) engine.Check {
	if !g.concerned(c, db) {
		return nil
	}
	return func(ctx context.Context, v *engine.CheckView) error {
		return g.access(c, db, v.Before).commit(ctx, v)
	}
}
