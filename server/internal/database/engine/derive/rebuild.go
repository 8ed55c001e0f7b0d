package derive

import (
	"context"
	"fmt"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
)

// Rebuild removes all index entries of a store on which no engine is open, and writes those of its documents. It
// changes nothing else, and nothing at all if a document can't be read, for which it returns DataLoss. If the process
// ends meanwhile, the next server writes the entries again before it serves. progress receives how many of how many
// documents are done.
func Rebuild(ctx context.Context, s store.Store, progress func(done, all int64)) error {
	var databases []catalogue.Database
	all, err := readable(ctx, s, &databases)
	if err != nil {
		return err
	}
	w := &writer{store: s, progress: progress, all: all}
	for _, d := range databases {
		if err := w.rebuild(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

// readable lists the databases of a store, and returns the number of their documents, all of which can be read.
func readable(ctx context.Context, s store.Store, databases *[]catalogue.Database) (all int64, err error) {
	snap := s.Snapshot()
	defer func() { _ = snap.Close() }() // a read
	err = catalogue.Scan(ctx, snap, func(d catalogue.Database) error {
		*databases = append(*databases, d)
		stored, err := catalogue.LoadSet(snap, d.Number)
		if err != nil {
			return fault.Wrap(err, fault.DataLoss, "%s: the index definitions can't be read, so that their entries can't be built: %v. Restore a backup.", d.Name, err)
		}
		set := stored.Indexes()
		if err := stored.DropBuilding(); err != nil {
			return err
		}
		built := stored.Indexes()
		return documents(ctx, snap, d.Number, func(it store.Iterator) error {
			all++
			if _, err := entriesOf(it, set, built, nil); err != nil {
				return fault.Wrap(err, fault.DataLoss, "%s: the document with the key %q can't be read: %v. Nothing was changed; restore a backup.", d.Name, it.Key(), err)
			}
			return nil
		})
	})
	return all, err
}

// documents calls yield at each document of a database.
func documents(ctx context.Context, snap store.Snapshot, number uint32, yield func(store.Iterator) error) error {
	it := snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, number)))
	defer func() { _ = it.Close() }() // Err has returned all errors of a read.
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(it); err != nil {
			return err
		}
	}
	return it.Err()
}

// rebuild writes the index entries of a database again.
func (w *writer) rebuild(ctx context.Context, d catalogue.Database) error {
	snap := w.store.Snapshot()
	defer func() { _ = snap.Close() }() // a read
	before, err := catalogue.LoadSet(snap, d.Number)
	if err != nil {
		return err
	}
	// While Rebuilding is set, the engine knows that any entry may be missing, and writes all at its start.
	during := *before
	during.Rebuilding, during.Next = true, nil
	var batch store.Batch
	if err := d.Register(&batch, during); err != nil {
		return err
	}
	entries := store.Prefix(keys.Prefix(keys.KindIndex, d.Number))
	batch.Deletes = true
	batch.DeleteRange(entries.From, entries.To)
	if err := w.store.Apply(ctx, &batch); err != nil {
		return err
	}
	if err := w.database(ctx, snap, d.Number); err != nil {
		return err
	}
	if before.Rebuilding {
		return nil // The definitions were being changed; the next server completes that.
	}
	var after store.Batch
	if err := d.Register(&after, *before); err != nil {
		return err
	}
	return w.store.Apply(ctx, &after)
}

// writer writes index entries.
type writer struct {
	store store.Store
	// progress receives how many of all documents are done; nil for none.
	progress  func(done, all int64)
	done, all int64
}

// entriesAt returns the entries of the document at an iterator's position, and counts it.
func (w *writer) entriesAt(it store.Iterator, whole, built *index.Set, prefix []byte) ([]index.Entry, error) {
	if w.done++; w.progress != nil && w.done%1000 == 0 {
		w.progress(w.done, w.all)
	}
	return entriesOf(it, whole, built, prefix)
}
