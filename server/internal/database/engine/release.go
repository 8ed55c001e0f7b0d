package engine

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// ChangeIndexes is SetIndexes for a database in use: it builds new composite indexes while commits continue, one after
// another. Commits wait only while entries of dropped indexes, and of fields whose overrides have changed, are written.
// After an error a part of the work is done; ChangeIndexes with the former definitions reverts it.
func (e *Engine) ChangeIndexes(ctx context.Context, name resource.Database, defs index.Definitions) error {
	dbs, err := e.governed(name)
	if err != nil {
		return err
	}
	for _, db := range dbs {
		e.mu.Lock()
		empty := !db.persisted
		e.mu.Unlock()
		if empty {
			continue // No stored document would have entries.
		}
		for _, d := range defs.Indexes {
			err := e.buildIndex(ctx, db, d)
			if fault.Is(err, fault.ResourceExhausted) && !errors.Is(err, store.ErrFull) {
				// The maximum number of indexes is reached before the old ones are dropped, so SetIndexes builds it after that.
				break
			}
			if err != nil && !errors.Is(err, errDropped) {
				return err
			}
		}
	}
	return e.SetIndexes(ctx, name, defs)
}

// governed returns the databases to which definitions for a name apply, as in SetIndexes.
func (e *Engine) governed(name resource.Database) ([]*database, error) {
	if name == (resource.Database{}) {
		return slices.DeleteFunc(e.all(), func(db *database) bool { return db.own.Load() }), nil
	}
	db, err := e.database(name)
	if err != nil {
		return nil, err
	}
	return []*database{db}, nil
}
