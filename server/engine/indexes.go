package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"clave/server/fault"
	"clave/server/index"
	"clave/server/resource"
	"clave/server/storage"
)

// storedSet is the record of the index definitions that a database's entries are of.
type storedSet struct {
	Definitions index.Definitions
	IDs         []uint32
}

// loadSet reads the index definitions of a database's entries.
func loadSet(r storage.Reader, number uint32) (*index.Set, error) {
	v, found, err := r.Get(keyOf(keyDefinition, number))
	if err != nil {
		return nil, err
	}
	var s storedSet
	if found {
		if err := json.Unmarshal(v, &s); err != nil || len(s.IDs) != len(s.Definitions.Indexes) {
			return nil, fmt.Errorf("index definitions: %w", errCorrupt)
		}
	}
	return index.NewSet(s.Definitions, s.IDs), nil
}

// SetIndexes sets the index definitions of a database, and builds and drops entries to match; meanwhile commits wait.
// The zero Database stands for all databases that have none of their own, those to come included.
func (e *Engine) SetIndexes(ctx context.Context, name resource.Database, defs index.Definitions) error {
	if name != (resource.Database{}) {
		db, err := e.database(name)
		if err != nil {
			return err
		}
		db.own.Store(true)
		return e.reindex(ctx, db, defs)
	}
	e.defaults.Store(&defs)
	for _, db := range e.all() {
		if db.own.Load() {
			continue
		}
		if err := e.reindex(ctx, db, defs); err != nil {
			return err
		}
	}
	return nil
}

// reindex moves a database to other definitions.
func (e *Engine) reindex(ctx context.Context, db *database, defs index.Definitions) error {
	defer e.alone(db)()
	old := db.set.Load()
	next := index.NewSet(defs, keepIDs(old, defs))
	e.mu.Lock()
	settled := !db.persisted || len(old.Changed(next)) == 0
	e.mu.Unlock()
	if settled {
		db.set.Store(next) // Nothing is stored whose entries would differ.
		return nil
	}
	if err := e.rebuild(ctx, db, old, next); err != nil {
		return err
	}
	db.set.Store(next)
	var batch storage.Batch
	if err := db.register(&batch); err != nil {
		return err
	}
	return e.applyAside(ctx, &batch)
}

// register writes a database and its index definitions into the catalogue.
func (db *database) register(batch *storage.Batch) error {
	batch.Set(catalogueKey(db.name.Project, db.name.ID), db.catalogueValue())
	defs, ids := db.set.Load().Definitions()
	if len(defs.Indexes) == 0 && len(defs.Overrides) == 0 {
		batch.Delete(keyOf(keyDefinition, db.number))
		return nil
	}
	v, err := json.Marshal(storedSet{Definitions: defs, IDs: ids})
	if err != nil {
		return err
	}
	batch.Set(keyOf(keyDefinition, db.number), v)
	return nil
}

// keepIDs returns numbers for the composite indexes of definitions: those they have in a set, and new ones.
func keepIDs(old *index.Set, defs index.Definitions) []uint32 {
	var last uint32
	for _, c := range old.Composites {
		last = max(last, c.ID)
	}
	ids := make([]uint32, len(defs.Indexes))
	for i, d := range defs.Indexes {
		at := slices.IndexFunc(old.Composites, func(c *index.Composite) bool { return c.Equal(d) })
		if at >= 0 {
			ids[i] = old.Composites[at].ID
			continue
		}
		last++
		ids[i] = last
	}
	return ids
}

// applyAside writes a batch that is no commit, and lets readers see it.
func (e *Engine) applyAside(ctx context.Context, batch *storage.Batch) error {
	return e.seq.submit(ctx, &pending{aside: batch.Ops})
}

// rebuild changes the entries of all documents whose entries differ under two sets.
func (e *Engine) rebuild(ctx context.Context, db *database, old, next *index.Set) error {
	const chunk = 1 << 20
	changed := old.Changed(next)
	if len(changed) == 0 {
		return nil
	}
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	prefix := keyOf(keyIndex, db.number)
	var changes edit
	it := view.snap.Scan(storage.Prefix(keyOf(keyDocument, db.number)))
	defer func() { _ = it.Close() }()
	for it.Next() {
		path, err := pathOfDocumentKey(it.Key())
		if err != nil {
			return err
		}
		name := db.document(path)
		if !slices.Contains(changed, name.Collection().ID) {
			continue
		}
		record, err := it.Value()
		if err != nil {
			return err
		}
		d, err := decodeDocument(name, record)
		if err != nil {
			return err
		}
		before, _ := old.Entries(prefix, path, d.Fields) // What is stored has had its entries.
		after, err := next.Entries(prefix, path, d.Fields)
		if err != nil {
			return fault.E(fault.FailedPrecondition, "index %s: %w", name, err)
		}
		changes.diff(before, after)
		if changes.cost > chunk {
			if err := e.applyAside(ctx, &storage.Batch{Ops: changes.ops}); err != nil {
				return err
			}
			changes = edit{}
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return e.applyAside(ctx, &storage.Batch{Ops: changes.ops})
}

// document returns the full name of a relative path.
func (db *database) document(path string) resource.Document {
	return resource.Document{DB: db.name, Path: path}
}
