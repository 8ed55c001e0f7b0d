package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"clave/server/engine/keys"
	"clave/server/index"
	"clave/server/resource"
	"clave/server/storage"
)

// Derived reports whether a key of an engine's store is an index entry, which Derive can recreate from other keys.
func Derived(key []byte) bool { return len(key) > 0 && key[0] == keys.KindIndex }

// deriveBytes is the approximate size of a batch of Derive.
const deriveBytes = 1 << 20

// Derive writes the index entries of a store that has all other keys and on which no engine is open.
func Derive(ctx context.Context, s storage.Store) error {
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }() // a read
	it := snap.Scan(keys.CatalogueRange())
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			return fmt.Errorf("read catalogue: %w", err)
		}
		if len(v) != 12 {
			return fmt.Errorf("read catalogue: %w", keys.ErrCorrupt)
		}
		if err := deriveDatabase(ctx, s, snap, binary.BigEndian.Uint32(v)); err != nil {
			return err
		}
	}
	return it.Err()
}

// deriveDatabase writes the index entries of the database with a number, including those of indexes that are being
// built.
func deriveDatabase(ctx context.Context, s storage.Store, snap storage.Snapshot, number uint32) error {
	stored, err := loadStoredSet(snap, number)
	if err != nil {
		return err
	}
	whole := index.NewSet(stored.Definitions, stored.IDs)
	if err := stored.dropBuilding(); err != nil {
		return err
	}
	built := index.NewSet(stored.Definitions, stored.IDs)
	prefix := keys.Prefix(keys.KindIndex, number)
	var changes edit
	it := snap.Scan(storage.Prefix(keys.Prefix(keys.KindDocument, number)))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		entries, err := entriesOf(it, whole, built, prefix)
		if err != nil {
			return err
		}
		changes.diff(nil, entries)
		if changes.cost > deriveBytes {
			if err := s.Apply(ctx, &storage.Batch{Ops: changes.ops}); err != nil {
				return err
			}
			changes = edit{}
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return s.Apply(ctx, &storage.Batch{Ops: changes.ops})
}

// entriesOf returns the index entries of the document at an iterator's position. If the document does not fit into the
// indexes under construction, it returns only those of built ones: the builds fail at that document anyway.
func entriesOf(it storage.Iterator, whole, built *index.Set, prefix []byte) ([]index.Entry, error) {
	path, err := keys.DocumentPath(it.Key())
	if err != nil {
		return nil, err
	}
	record, err := it.Value()
	if err != nil {
		return nil, err
	}
	d, err := decodeDocument(resource.Document{Path: path}, record)
	if err != nil {
		return nil, err
	}
	entries, err := whole.Entries(prefix, path, d.Fields)
	if err != nil {
		return built.Entries(prefix, path, d.Fields)
	}
	return entries, nil
}
