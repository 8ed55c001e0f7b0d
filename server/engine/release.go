package engine

import (
	"context"
	"errors"
	"slices"

	"clave/server/fault"
	"clave/server/index"
	"clave/server/resource"
)

// ChangeIndexes is SetIndexes while the database is in use: new composite indexes are built beside commits, one after another. Commits
// wait for the rest alone: entries of indexes that are dropped, and of fields whose overrides have changed. After an error some of that is
// done, and ChangeIndexes with the former definitions undoes it.
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
			continue // Nothing is stored that would have entries.
		}
		for _, d := range defs.Indexes {
			err := e.buildIndex(ctx, db, d)
			if fault.Is(err, fault.ResourceExhausted) {
				break // There is no room beside those that are dropped: SetIndexes builds it in their place.
			}
			if err != nil && !errors.Is(err, errDropped) {
				return err
			}
		}
	}
	return e.SetIndexes(ctx, name, defs)
}

// governed returns the databases that definitions for a name are for, as SetIndexes has it.
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
