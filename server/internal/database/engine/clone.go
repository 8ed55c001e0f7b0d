package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// How a database is copied as it was at a version, while commits continue:
//
//  1. The copy gets a number, and a key that says that it is not complete. Nothing of it can be read, because the
//     catalogue does not have it. The next engine that opens the store removes a copy that was not completed.
//  2. The present documents of a view are copied.
//  3. The commits of the view after the version are read, the latest first, and the records before them are written. So
//     each document ends with what it was at the version, and no more than a batch is held in memory.
//  4. The entries of collection groups and indexes are written from the documents.
//  5. One batch removes the key of the first step and adds the database to the catalogue.
//
// The documents keep their times. The copy has the index definitions of the source, but no TTL policies, which would
// delete documents that had expired since.

// copyChunk is the approximate size of a batch of a copy.
const copyChunk = 1 << 20

// Clone creates a database as another one was at a version, where 0 is the latest, and returns the number of documents.
// After an error nothing of it is there. It returns AlreadyExists if the database exists or has been named, and the
// errors of reads for a version that can't be read.
func (e *Engine) Clone(ctx context.Context, from, to resource.Database, at clock.Version) (documents int64, err error) {
	if e.follows() {
		return 0, fault.E(fault.Unavailable, textFollows)
	}
	source, err := e.database(from)
	if err != nil {
		return 0, err
	}
	view, version, err := e.viewAt(ctx, source, at)
	if err != nil {
		return 0, err
	}
	defer view.release()
	defs, _ := source.indexes.Load().set.Definitions()
	return e.makeCopy(ctx, to, defs, func(c *copying) error { return c.write(view, source.number.Load(), version) })
}

// CopyFrom creates a database as one is in another store, which is not in use, and returns the number of documents. It
// calls report, unless that is nil, with the steps that are done and their number. After an error nothing of the copy
// is there. It returns NotFound if the store does not have the database, and AlreadyExists as Clone does.
func (e *Engine) CopyFrom(ctx context.Context, from store.Reader, source, to resource.Database, report func(done, all int64)) (documents int64, err error) {
	if e.follows() {
		return 0, fault.E(fault.Unavailable, textFollows)
	}
	number, found := uint32(0), false
	if err := catalogue.Scan(ctx, from, func(d catalogue.Database) error {
		if d.Name == source {
			number, found = d.Number, true
		}
		return nil
	}); err != nil {
		return 0, err
	}
	if !found {
		return 0, fault.E(fault.NotFound, "The backup does not have the database %s.", source.ID)
	}
	set, err := catalogue.LoadSet(from, number)
	if err == nil {
		err = set.DropBuilding()
	}
	if err != nil {
		return 0, err
	}
	return e.makeCopy(ctx, to, set.Definitions, func(c *copying) error {
		c.report = report
		return c.writeFrom(from, number)
	})
}

// makeCopy creates a database with the documents that write writes, and returns their number. After an error nothing of
// it is there.
func (e *Engine) makeCopy(ctx context.Context, to resource.Database, defs index.Definitions, write func(*copying) error) (documents int64, err error) {
	db, err := e.reserve(to)
	if err != nil {
		return 0, err
	}
	defer e.unreserve(to)
	defs.Overrides = slices.Clone(defs.Overrides)
	for i := range defs.Overrides {
		defs.Overrides[i].TTL = false
	}
	c := &copying{e: e, ctx: ctx, number: db.number.Load(), set: index.NewSet(defs, firstIDs(len(defs.Indexes))), began: clock.System().Now()}
	if err := write(c); err != nil {
		return 0, errors.Join(err, e.removeCopy(context.WithoutCancel(ctx), c.number))
	}
	if err := e.publish(ctx, db, c.set); err != nil {
		if errors.Is(err, store.ErrFull) { // Otherwise the next start knows whether the copy is in the catalogue.
			err = errors.Join(err, e.removeCopy(context.WithoutCancel(ctx), c.number))
		}
		return 0, err
	}
	return c.documents, nil
}

// Definitions returns the index definitions of a database.
func (e *Engine) Definitions(name resource.Database) (index.Definitions, error) {
	db, err := e.database(name)
	if err != nil {
		return index.Definitions{}, err
	}
	defs, _ := db.indexes.Load().set.Definitions()
	return defs, nil
}

// reserve returns a new database with a number. Until unreserve nobody can use the name.
func (e *Engine) reserve(name resource.Database) (*database, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.mu.closed:
		return nil, ErrClosed
	case e.mu.databases[name] != nil:
		return nil, fault.E(fault.AlreadyExists, "The database %s exists. Name a new one.", name.ID)
	case len(e.mu.reserved) > 0:
		return nil, fault.E(fault.Unavailable, "Another database is being copied. Try again later.")
	}
	e.mu.reserved[name] = true
	e.mu.last++
	db := &database{name: name, birth: clock.VersionOf(e.o.Clock.Now())}
	db.number.Store(e.mu.last)
	return db, nil
}

// unreserve ends a reservation.
func (e *Engine) unreserve(name resource.Database) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.mu.reserved, name)
}

// publish adds a complete copy to the catalogue and to the engine.
func (e *Engine) publish(ctx context.Context, db *database, set *index.Set) error {
	indexes := newIndexState(set)
	var batch store.Batch
	if err := db.register(&batch, indexes); err != nil {
		return err
	}
	batch.Delete(keys.Prefix(keys.KindCopying, db.number.Load()))
	if err := e.applyUncommitted(ctx, &batch); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	db.persisted = true
	e.add(db, indexes)
	return nil
}

// removeCopy removes a copy that is not complete.
func (e *Engine) removeCopy(ctx context.Context, number uint32) error {
	batch := store.Batch{Deletes: true}
	for _, kind := range []byte{keys.KindDocument, keys.KindGroup, keys.KindIndex} {
		all := store.Prefix(keys.Prefix(kind, number))
		batch.DeleteRange(all.From, all.To)
	}
	batch.Delete(keys.Prefix(keys.KindCopying, number))
	return e.o.Store.Apply(ctx, &batch)
}

// removeCopies removes the copies that an earlier engine has not completed.
func (e *Engine) removeCopies(ctx context.Context) error {
	var numbers []uint32
	it := e.mu.view.snap.Scan(keys.CopyingRange())
	for it.Next() {
		if len(it.Key()) == 5 {
			numbers = append(numbers, binary.BigEndian.Uint32(it.Key()[1:]))
		}
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return err
	}
	for _, number := range numbers {
		e.mu.last = max(e.mu.last, number) // The present view still has the copy's documents.
		if err := e.removeCopy(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

// copying is a copy in progress.
type copying struct {
	e         *Engine
	ctx       context.Context //nolint:containedctx // of one call of Clone
	number    uint32
	set       *index.Set
	documents int64
	batch     store.Batch
	size      int
	began     time.Time
	// report, unless nil, receives the number of the steps that are done, of all.
	report    func(done, all int64)
	done, all int64
}

// write writes the documents and entries of the copy of a database in a view as it was at a version.
func (c *copying) write(v *view, source uint32, at clock.Version) error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.present(v.snap, source); err != nil {
		return err
	}
	if err := c.earlier(v, source, at); err != nil {
		return err
	}
	return c.entries()
}

// begin marks the copy as one that is not complete.
func (c *copying) begin() error {
	c.batch.Set(keys.Prefix(keys.KindCopying, c.number), nil)
	return c.flush()
}

// writeFrom writes the documents and entries of the copy of a database of another store. A step is a document that is
// copied, or whose entries are written.
func (c *copying) writeFrom(from store.Reader, source uint32) error {
	if err := c.begin(); err != nil {
		return err
	}
	it := from.Scan(store.Prefix(keys.Prefix(keys.KindDocument, source)))
	for it.Next() && c.ctx.Err() == nil {
		c.all += 2
	}
	if err := errors.Join(c.ctx.Err(), it.Err(), it.Close()); err != nil {
		return err
	}
	if err := c.present(from, source); err != nil {
		return err
	}
	return c.entries()
}

// put adds a key to the batch, or its deletion for a nil value, and writes the batch if it is large.
func (c *copying) put(key, value []byte) error {
	if value == nil {
		c.batch.Delete(key)
	} else {
		c.batch.Set(key, value)
	}
	if c.size += len(key) + len(value); c.size < copyChunk {
		return nil
	}
	return c.flush()
}

// flush writes the batch, and pauses for as long as the copy took since the last one, so that clients have at least
// half of the store's time.
func (c *copying) flush() error {
	if c.batch.Empty() {
		return c.ctx.Err()
	}
	if err := c.e.o.Store.Apply(c.ctx, &c.batch); err != nil {
		return err
	}
	c.batch, c.size = store.Batch{}, 0
	if c.report != nil {
		c.report(c.done, c.all)
	}
	err := clock.Sleep(c.ctx, clock.System(), clock.System().Now().Sub(c.began))
	c.began = clock.System().Now()
	return err
}

// present copies the documents of a reader.
func (c *copying) present(from store.Reader, source uint32) error {
	it := from.Scan(store.Prefix(keys.Prefix(keys.KindDocument, source)))
	defer func() { _ = it.Close() }()
	prefix := len(keys.Prefix(0, 0))
	for it.Next() {
		record, err := it.Value()
		if err != nil {
			return err
		}
		c.done++
		key := append(keys.Prefix(keys.KindDocument, c.number), it.Key()[prefix:]...)
		if err := c.put(key, append([]byte{}, record...)); err != nil {
			return err
		}
	}
	return errors.Join(it.Err(), c.flush())
}

// earlier reverts the documents to a version.
func (c *copying) earlier(v *view, source uint32, at clock.Version) error {
	latest, err := past.Last(v.snap, source)
	if err != nil || latest <= at {
		return err
	}
	before, size := make(map[string][]byte), 0
	flush := func() error {
		for path, record := range before {
			if err := c.put(keys.Document(c.number, path), record); err != nil {
				return err
			}
		}
		clear(before)
		size = 0
		return c.flush()
	}
	err = past.Backward(c.ctx, v.snap, source, at, func(images []records.Image) error {
		for _, i := range images { // An earlier commit replaces what a later one had before.
			before[i.Path] = slices.Clone(i.Before)
			size += len(i.Path) + len(i.Before)
		}
		if size < copyChunk {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// entries writes the entries of collection groups and indexes.
func (c *copying) entries() error {
	snap := c.e.o.Store.Snapshot()
	defer func() { _ = snap.Close() }()
	it := snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, c.number)))
	defer func() { _ = it.Close() }()
	prefix := keys.Prefix(keys.KindIndex, c.number)
	for it.Next() {
		path, err := keys.DocumentPath(it.Key())
		if err != nil {
			return err
		}
		record, err := it.Value()
		if err != nil {
			return err
		}
		d, err := records.Decode(resource.Document{Path: path}, record)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		c.documents++
		c.done++
		if group := keys.Group(c.number, path); group != nil {
			if err := c.put(group, []byte{}); err != nil {
				return err
			}
		}
		entries, err := c.set.Entries(prefix, path, d.Fields)
		if err != nil {
			return fault.E(fault.FailedPrecondition, "index %s: %w", path, err)
		}
		for _, entry := range entries {
			if err := c.put(entry.Key, append([]byte{}, entry.Value...)); err != nil {
				return err
			}
		}
	}
	return errors.Join(it.Err(), c.flush())
}
