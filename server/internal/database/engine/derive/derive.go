// Package derive recreates index entries from documents, in a store on which no engine is open.
package derive

import (
	"context"

	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// IsEntry reports whether a key of an engine's store is an index entry, which Entries can recreate from other keys.
func IsEntry(key []byte) bool { return len(key) > 0 && key[0] == keys.KindIndex }

// batchBytes is the approximate size of a batch of Entries, in which each key counts twice.
const batchBytes = 1 << 20

// Entries writes the index entries of a store that has all other keys and on which no engine is open.
func Entries(ctx context.Context, s store.Store) error {
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }() // a read
	w := &writer{store: s}
	return catalogue.Scan(ctx, snap, func(d catalogue.Database) error { return w.database(ctx, snap, d.Number) })
}

// database writes the index entries of the database with a number, including those of indexes that are being
// built.
func (w *writer) database(ctx context.Context, snap store.Snapshot, number uint32) error {
	stored, err := catalogue.LoadSet(snap, number)
	if err != nil {
		return err
	}
	whole := stored.Indexes()
	if err := stored.DropBuilding(); err != nil {
		return err
	}
	built := stored.Indexes()
	prefix := keys.Prefix(keys.KindIndex, number)
	var batch store.Batch
	size := 0
	err = documents(ctx, snap, number, func(it store.Iterator) error {
		entries, err := w.entriesAt(it, whole, built, prefix)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			batch.Set(entry.Key, entry.Value)
			size += 2 * len(entry.Key)
		}
		if size <= batchBytes {
			return nil
		}
		full := batch
		batch, size = store.Batch{}, 0
		return w.store.Apply(ctx, &full)
	})
	if err != nil {
		return err
	}
	return w.store.Apply(ctx, &batch)
}

// entriesOf returns the index entries of the document at an iterator's position. If the document does not fit into the
// indexes under construction, it returns only those of built ones: the builds fail at that document anyway.
func entriesOf(it store.Iterator, whole, built *index.Set, prefix []byte) ([]index.Entry, error) {
	path, err := keys.DocumentPath(it.Key())
	if err != nil {
		return nil, err
	}
	record, err := it.Value()
	if err != nil {
		return nil, err
	}
	d, err := records.Decode(resource.Document{Path: path}, record)
	if err != nil {
		return nil, err
	}
	entries, err := whole.Entries(prefix, path, d.Fields)
	if err != nil {
		return built.Entries(prefix, path, d.Fields)
	}
	return entries, nil
}
