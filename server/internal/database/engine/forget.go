package engine

import (
	"context"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/store"
)

// Forget removes all databases of a project with their documents, indexes, history and snapshots, for tests that have
// a project each. Its transactions end, and its subscriptions return ErrClosed. A database that is named again later
// is a new one: resume tokens of the former are not valid in it.
func (e *Engine) Forget(ctx context.Context, project string) error {
	if e.follows() {
		return fault.E(fault.Unavailable, textFollows)
	}
	for _, db := range e.project(project) {
		if err := e.discard(ctx, db); err != nil {
			return err
		}
	}
	e.mu.Lock()
	for token, of := range e.mu.snapshots {
		if of == project {
			delete(e.mu.snapshots, token)
		}
	}
	e.mu.Unlock()
	prefix := "projects/" + project + "/"
	e.missing.Range(func(key, _ any) bool {
		if name, _ := key.(string); strings.HasPrefix(name, prefix) {
			e.missing.Delete(key)
		}
		return true
	})
	return nil
}

// discard removes a database. Commits and changes of indexes that have waited for it meanwhile fail. After an error the
// database is there, and can't be written: a further call tries again.
func (e *Engine) discard(ctx context.Context, db *database) error {
	e.archiving.Lock()
	defer e.archiving.Unlock()
	defer e.alone(db)()
	db.indexing.Lock()
	defer db.indexing.Unlock()
	db.gone.Store(true)
	if err := e.erase(ctx, db); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.databases[db.name] != db {
		return nil
	}
	delete(e.mu.databases, db.name)
	e.mu.forgotten = max(e.mu.forgotten, db.given.Last())
	db.feed.close()
	db.locks.Close(locks.Expired())
	return nil
}

// eraseChunk is the number of keys above which a range of them is removed as a whole. Few keys are removed one by
// one: stores search all removed ranges for each read until they are compacted, so that thousands of them are slow.
const eraseChunk = 1000

// erase removes everything that is stored of a database.
func (e *Engine) erase(ctx context.Context, db *database) error {
	number := db.number.Load()
	var batch store.Batch
	batch.Deletes = true
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	for _, kind := range []byte{keys.KindDocument, keys.KindGroup, keys.KindIndex, keys.KindChange, keys.KindHistory, keys.KindDropped, keys.KindDefinition} {
		all := store.Prefix(keys.Prefix(kind, number))
		if err := eraseRange(ctx, view.snap, &batch, all); err != nil {
			return err
		}
	}
	batch.Delete(keys.Catalogue(db.name.Project, db.name.ID))
	return e.applyUncommitted(context.WithoutCancel(ctx), &batch)
}

// eraseRange adds the removal of a range to a batch.
func eraseRange(ctx context.Context, snap store.Snapshot, batch *store.Batch, all store.Range) error {
	it := snap.Scan(all)
	defer func() { _ = it.Close() }()
	before := len(batch.Ops)
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(batch.Ops)-before == eraseChunk {
			batch.Ops = batch.Ops[:before]
			batch.DeleteRange(all.From, all.To)
			return it.Err()
		}
		batch.Delete(append([]byte{}, it.Key()...))
	}
	return it.Err()
}
