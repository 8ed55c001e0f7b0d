package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// How an index is built while commits continue:
//
//  1. Entries that an earlier index may have left under its number are removed, and the catalogue records that the
//     index is being built. A server that ends before the last step restarts without the index.
//  2. The index joins the set that commits write. Queries don't use it yet. The builder waits for the commits that
//     still write the previous set. From then on every change of a document also changes its entries in the index.
//  3. The builder writes the entries of the collection group's documents in chunks. It holds shared locks on a chunk's
//     documents while it reads them and writes the entries, so that no commit intervenes.
//  4. The index serves the views that are created from then on. Earlier views lack some of the entries. The catalogue
//     records it as
//  built.
//
// Operations on a whole database (Clear, Restore, SetIndexes) hold the gate and run between two chunks. SetIndexes may
// drop the index; the builder then stops.

// buildChunk is the number of documents whose entries are written at once, and scanChunk the number that are scanned
// for them.
const (
	buildChunk = 500
	scanChunk  = 20_000
)

// maxBuilds is the number of builds that may wait.
const maxBuilds = 100

// errDropped means that an index need not be built: it exists, or the definitions have changed.
var errDropped = errors.New("engine: the index exists or was dropped")

// builder builds the indexes that queries lacked, one after another.
type builder struct {
	engine   *Engine
	requests chan build
}

// build is an index to be built.
type build struct {
	db         *database
	definition index.Definition
}

// newBuilder returns a builder without requests.
func newBuilder(e *Engine) *builder {
	return &builder{engine: e, requests: make(chan build, maxBuilds)}
}

// request queues an index to be built. If the queue is full, the next query that lacks the index requests it again.
func (b *builder) request(db *database, d index.Definition) {
	key := db.name.String() + d.JSON()
	if _, known := b.engine.wanted.LoadOrStore(key, true); known {
		return
	}
	if b.engine.follows() {
		if b.engine.o.Wanted != nil {
			b.engine.o.Wanted(db.name, d)
		}
		return
	}
	select {
	case b.requests <- build{db, d}:
	default:
		b.engine.wanted.Delete(key)
	}
}

// MissingIndex records that a query of a following engine lacked an index, as if the query had been one of this engine.
// wanted reports whether it must be built.
func (e *Engine) MissingIndex(name resource.Database, d index.Definition, wanted bool) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	if !wanted {
		if _, reported := e.missing.LoadOrStore(name.String()+d.JSON(), true); !reported && e.o.Missing != nil {
			e.o.Missing(name, d)
		}
		return nil
	}
	if e.o.IndexMode == IndexesAuto {
		e.builder.request(db, d)
	}
	return nil
}

// run builds requested indexes until ctx ends.
func (b *builder) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case x := <-b.requests:
			began := b.engine.o.Clock.Now()
			err := errDropped
			if !x.db.gone.Load() {
				err = b.build(ctx, x)
			}
			log := b.engine.o.Log.With("database", x.db.name.String(), "index", x.definition.JSON())
			if err != nil && ctx.Err() == nil && !errors.Is(err, errDropped) {
				log.Error("index not built", "error", err)
				continue // The build is not retried.
			}
			if err == nil {
				log.Info("index built", "took", b.engine.o.Clock.Now().Sub(began))
			}
			b.engine.wanted.Delete(x.db.name.String() + x.definition.JSON())
		}
	}
}

// fullPause is the time after which a build that found the disk full begins again.
const fullPause = 5 * time.Second

// build builds an index, again and again while the disk is full.
func (b *builder) build(ctx context.Context, x build) error {
	err := b.engine.buildIndex(ctx, x.db, x.definition)
	if errors.Is(err, store.ErrFull) {
		b.engine.o.Log.Warn("an index is not built, because the disk is full; the build begins again when there is space",
			"database", x.db.name.String(), "index", x.definition.JSON())
	}
	for errors.Is(err, store.ErrFull) {
		if err := clock.Sleep(ctx, b.engine.o.Clock, fullPause); err != nil {
			return err
		}
		err = b.engine.buildIndex(ctx, x.db, x.definition)
	}
	return err
}

// buildIndex builds a composite index. If the build fails, it drops the index.
func (e *Engine) buildIndex(ctx context.Context, db *database, d index.Definition) error {
	c, before, err := e.beginIndex(ctx, db, d)
	if err != nil {
		return err
	}
	select {
	case <-before.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	prefix := store.Prefix(keys.Prefix(keys.KindDocument, db.number.Load()))
	for from := prefix.From; from != nil && err == nil; {
		from, err = e.fillIndex(ctx, db, c, store.Range{From: from, To: prefix.To})
		if fault.Is(err, fault.Aborted) && ctx.Err() == nil {
			err = nil // A transaction has locked one of the documents for longer than the lock timeout.
		}
	}
	return e.endIndex(ctx, db, c, err)
}

// beginIndex adds an index to the set that commits write, and returns it and the previous state. It returns errDropped
// if the index exists already.
func (e *Engine) beginIndex(ctx context.Context, db *database, d index.Definition) (*index.Composite, *indexState, error) {
	if err := db.enter(); err != nil {
		return nil, nil, err
	}
	defer db.gate.RUnlock()
	db.indexing.Lock()
	defer db.indexing.Unlock()
	old := db.indexes.Load()
	defs, ids := old.set.Definitions()
	if slices.ContainsFunc(defs.Indexes, d.Equal) {
		return nil, nil, errDropped
	}
	if len(defs.Indexes) >= index.MaxComposites {
		return nil, nil, fault.E(fault.ResourceExhausted, "a database has at most %d composite indexes", index.MaxComposites)
	}
	id := old.set.LastID() + 1
	defs.Indexes = append(defs.Indexes, d)
	next := old.next(index.NewSet(defs, append(ids, id)))
	next.since[id] = noSerial
	var batch store.Batch
	db.clearIndex(&batch, id)
	if err := db.register(&batch, next); err != nil {
		return nil, nil, err
	}
	if err := e.applyUncommitted(ctx, &batch); err != nil {
		return nil, nil, err
	}
	db.useIndexes(next)
	return next.set.Composites[len(ids)], old, nil
}

// fillIndex writes the entries of the first documents in a range of keys. It returns the key at which to continue, or
// nil at the end. With an error it returns the key at which it began.
func (e *Engine) fillIndex(ctx context.Context, db *database, c *index.Composite, rng store.Range) (next []byte, err error) {
	if err := db.enter(); err != nil {
		return rng.From, err
	}
	defer db.gate.RUnlock()
	if e.o.Gone != nil && e.o.Gone(db.name) { // a deletion waits for the end of the build
		return rng.From, errGone(db.name)
	}
	// SetIndexes may have run since the previous chunk. It drops indexes that are being built, so the number would be
	// missing in since.
	if db.indexes.Load().since[c.ID] != noSerial {
		return rng.From, errDropped
	}
	// The paths are found without locks, because a lock needs a name. The documents are read again below, from a view that
	// is taken under the locks: the view includes every commit that changed one of them, and no other commit can change
	// them before the entries are written. Otherwise an entry of an old state could overwrite that of a new one. The paths
	// are sorted in the order in which commits lock documents, to avoid deadlocks.
	paths, next, err := e.documentsOf(ctx, db, c.CollectionGroup, rng)
	if err != nil || len(paths) == 0 {
		return next, err
	}
	slices.Sort(paths)
	o := locks.NewOwner(db.nextAge())
	defer db.locks.Release(o)
	for _, path := range paths {
		if err := db.locks.Lock(ctx, o, path, locks.Shared, false); err != nil {
			return rng.From, err
		}
	}
	view, _, err := e.current(db)
	if err != nil {
		return rng.From, err
	}
	defer view.release()
	var batch store.Batch
	for _, path := range paths {
		d := docState{name: db.document(path)}
		if err := d.read(view, db.number.Load()); err != nil {
			return rng.From, err
		}
		if d.before == nil {
			continue
		}
		entries, err := db.indexes.Load().set.EntriesIn(c, keys.Prefix(keys.KindIndex, db.number.Load()), path, d.before.Fields)
		if err != nil {
			return rng.From, fault.E(fault.FailedPrecondition, "index %s: %w", d.name, err)
		}
		for _, entry := range entries {
			batch.Set(entry.Key, entry.Value)
		}
	}
	if batch.Empty() {
		return next, nil
	}
	return next, e.applyUncommitted(ctx, &batch)
}

// documentsOf returns the paths of the first documents of a collection group in a range of keys, and the key at which
// to continue, or nil at the end of the range.
func (e *Engine) documentsOf(ctx context.Context, db *database, id string, rng store.Range) (paths []string, next []byte, err error) {
	view, _, err := e.current(db)
	if err != nil {
		return nil, rng.From, err
	}
	defer view.release()
	it := view.snap.Scan(rng)
	defer func() { _ = it.Close() }()
	for n := 0; it.Next(); n++ {
		if n == scanChunk || len(paths) == buildChunk {
			return paths, slices.Clone(it.Key()), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, rng.From, err
		}
		path, err := keys.DocumentPath(it.Key())
		if err != nil {
			return nil, rng.From, err
		}
		if (resource.Document{Path: path}).Collection().ID == id {
			paths = append(paths, path)
		}
	}
	return paths, nil, it.Err()
}

// endIndex enables a built index for queries. If the build failed with err, it drops the index and returns err.
func (e *Engine) endIndex(ctx context.Context, db *database, c *index.Composite, err error) error {
	// When the engine stops, the index stays in the catalogue as one that is being built, and loadSet drops it at the next
	// start. For a dropped index there is nothing to do.
	if ctx.Err() != nil || errors.Is(err, errDropped) {
		return err
	}
	if err := db.enter(); err != nil {
		return errDropped
	}
	defer db.gate.RUnlock()
	db.indexing.Lock()
	defer db.indexing.Unlock()
	old := db.indexes.Load()
	if old.since[c.ID] != noSerial {
		return errDropped
	}
	next := old.next(old.set)
	if err != nil {
		next = old.without(c)
	} else {
		// applyUncommitted has returned for every chunk, so the current view has all entries. Earlier views may lack some.
		next.since[c.ID] = e.viewSerial()
	}
	var batch store.Batch
	if failed := db.register(&batch, next); failed != nil {
		return failed
	}
	failed := e.applyUncommitted(ctx, &batch)
	if errors.Is(failed, store.ErrFull) {
		// The catalogue still has the index as one that is being built, so the next start drops it. Removing its entries
		// needs no space.
		next = old.without(c)
		var entries store.Batch
		db.clearIndex(&entries, c.ID)
		failed = errors.Join(failed, e.applyUncommitted(ctx, &entries))
	} else if failed != nil {
		return failed
	}
	db.useIndexes(next)
	return errors.Join(err, failed)
}

// without returns the state without a composite index.
func (s *indexState) without(c *index.Composite) *indexState {
	defs, ids := s.set.Definitions()
	i := slices.Index(ids, c.ID)
	defs.Indexes = slices.Delete(defs.Indexes, i, i+1)
	return s.next(index.NewSet(defs, slices.Delete(ids, i, i+1)))
}
