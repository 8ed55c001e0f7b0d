package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/quota"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// Engine stores the documents of all databases of one store. Its methods are safe for concurrent use.
type Engine struct {
	o      Options
	opened clock.Version
	// floor is a lower bound of all new versions, and noted the bound that was last stored. After Open only Run
	// accesses noted.
	floor, noted clock.Version
	// maxOverlay is the constant, or a test's value.
	maxOverlay int
	// held is the memory that all readings hold.
	held *quota.Quota
	// leased is the store if other processes may take it over, or nil.
	leased store.Leased
	seq    sequencer
	mu     struct {
		sync.Mutex
		databases map[resource.Database]*database
		last      uint32 // the greatest number of a database
		view      *view
		closed    bool
		// writing is closed when the group that is being written is visible or has failed; nil if there is none.
		writing chan struct{}
		// forgotten is the greatest version of the databases that were forgotten. New ones begin after it.
		forgotten clock.Version
		// reserved are the databases that are being copied.
		reserved  map[resource.Database]bool
		failed    error             // the error that ended writing permanently
		snapshots map[string]string // retained states: the project of each token
	}
	defaults atomic.Pointer[index.Definitions]
	missing  sync.Map // definitions that Options.Missing was called with
	builder  *builder
	expirer  *expirer
	archiver *archiver
	// archiving is held while commits leave the log or the history, and while a database is dropped.
	archiving sync.Mutex
	// shrunk counts how often the history was made shorter than Options.History.
	shrunk atomic.Int64
	wanted sync.Map // definitions that wait for the builder or are being built
}

// database is one database of an engine.
type database struct {
	name   resource.Database
	clock  projectClock
	number atomic.Uint32 // 0 in a following engine until something is stored
	birth  clock.Version
	// gate is held for reading by commits, and for writing by operations on the whole database.
	gate  sync.RWMutex
	locks *locks.Table
	txns  txnTable
	// indexes are the indexes that commits write and queries read (indexes.go); indexing guards their change.
	indexes  atomic.Pointer[indexState]
	indexing sync.Mutex
	gone     atomic.Bool // whether the database was forgotten or dropped; set while gate is held for writing
	own      atomic.Bool // whether the definitions are the database's own
	follows  bool        // whether another engine assigns its versions
	// Guarded by Engine.mu.
	latest    clock.Version   // of the last commit that readers see
	read      clock.Version   // the last version that a read of the latest state returned
	given     *clock.Versions // versions assigned to commits and to reads
	inFlight  int             // commits that have a version and aren't visible yet
	persisted bool            // whether the catalogue has it
	feed      feed
	snapshots map[string]clock.Version // the retained states for Restore, by token
	dropped   clock.Version            // commits before it are no longer in the log
	// history is the part of the past that the store has. Its beginning is recorded before commits are dropped.
	history past.Bounds
	// due and dueFrom are the size of the commits that can be moved to the history and are not yet, and the version up
	// to which they are counted. Only the archiver accesses them.
	due     int
	dueFrom clock.Version
	// kept holds the versions after which commits stay in the log, by the reader that needs them.
	kept map[*Subscription]clock.Version
}

// Open opens the engine on a store. It starts no goroutine; Run does the background work.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{o: o, opened: clock.VersionOf(o.Clock.Now()), maxOverlay: maxOverlay, held: memory.New(o.Results)}
	e.leased, _ = o.Store.(store.Leased)
	e.seq.engine, e.seq.clock = e, clock.System()
	e.builder = newBuilder(e)
	e.expirer = newExpirer(e)
	e.archiver = newArchiver(e)
	e.defaults.Store(&index.Definitions{})
	e.mu.databases = make(map[resource.Database]*database)
	e.mu.snapshots = make(map[string]string)
	e.mu.reserved = make(map[resource.Database]bool)
	e.mu.view = newView(o.Store.Snapshot())
	if err := e.load(ctx); err != nil {
		e.mu.view.release()
		return nil, err
	}
	if e.follows() {
		e.mu.view.indexes = e.storedIndexesLocked()
	} else if err := e.removeCopies(ctx); err != nil {
		e.mu.view.release()
		return nil, err
	}
	return e, nil
}

// load reads the catalogue.
func (e *Engine) load(ctx context.Context) error {
	snap := e.mu.view.snap
	if err := e.loadFloor(snap); err != nil {
		return err
	}
	return catalogue.Scan(ctx, snap, func(d catalogue.Database) error {
		if err := e.loadDatabase(snap, d); err != nil {
			return fmt.Errorf("read catalogue: %w", err)
		}
		return nil
	})
}

// loadDatabase loads a database of the catalogue, which may have been read while it was empty.
func (e *Engine) loadDatabase(snap store.Snapshot, d catalogue.Database) error {
	db := &database{name: d.Name, birth: d.Birth}
	db.number.Store(d.Number)
	var err error
	if db.latest, err = past.Last(snap, db.number.Load()); err != nil {
		return err
	}
	if db.dropped, err = past.Dropped(snap, db.number.Load()); err != nil {
		return err
	}
	if db.history, err = past.History(snap, db.number.Load(), db.dropped); err != nil {
		return err
	}
	indexes, err := e.loadIndexes(snap, db.number.Load())
	if err != nil {
		return err
	}
	e.mu.last = max(e.mu.last, db.number.Load())
	db.persisted = true
	if read := e.mu.databases[d.Name]; read != nil {
		read.become(db, indexes)
	} else {
		e.add(db, indexes)
	}
	return nil
}

// become makes db, which was read while nothing was stored of it, the database that was stored now. Its readers have
// views without it, in which nothing is stored under either number, or get the view that is shown next. Its latest
// version stays, so that the first commit is published. Engine.mu is held.
func (db *database) become(stored *database, indexes *indexState) {
	db.number.Store(stored.number.Load())
	db.birth, db.dropped, db.history, db.persisted = stored.birth, stored.dropped, stored.history, true
	db.indexes.Store(indexes)
}

// add completes a new database and registers it. Engine.mu is held, or the engine isn't shared yet.
func (e *Engine) add(db *database, indexes *indexState) {
	db.indexes.Store(indexes)
	db.given, db.follows = clock.NewVersions(e.o.Clock, max(db.latest, e.floor, e.mu.forgotten)), e.follows()
	db.clock = projectClock{e.o.Clock, db.name.Project}
	db.locks = locks.New(clock.Following(e.o.Clock, db.name.Project), e.o.Limits.Lock)
	db.txns.open = make(map[uint64]*txn)
	db.snapshots = make(map[string]clock.Version)
	db.kept = make(map[*Subscription]clock.Version)
	e.mu.databases[db.name] = db
}

// record returns the catalogue's record of a database.
func (db *database) record() catalogue.Database {
	return catalogue.Database{Name: db.name, Number: db.number.Load(), Birth: db.birth}
}

// database returns the database of a name and creates it if it is new. It returns NotFound if Options.Exists denies it.
func (e *Engine) database(name resource.Database) (*database, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.databaseLocked(name)
}

// databaseLocked is database, with Engine.mu held.
func (e *Engine) databaseLocked(name resource.Database) (*database, error) {
	if e.mu.closed {
		return nil, ErrClosed
	}
	if e.o.Gone != nil && e.o.Gone(name) {
		return nil, errGone(name)
	}
	if db := e.mu.databases[name]; db != nil {
		return db, nil
	}
	if e.mu.reserved[name] {
		return nil, fault.E(fault.Unavailable, "The database %s is being created.", name.ID)
	}
	if e.o.Exists != nil && !e.o.Exists(name) {
		return nil, errGone(name)
	}
	db := &database{name: name}
	if !e.follows() { // in a following engine nothing is stored under the number 0, and the writer assigns all versions
		e.mu.last++
		db.number.Store(e.mu.last)
		db.birth = max(e.opened, e.mu.forgotten)
	}
	defs := *e.defaults.Load()
	e.add(db, newIndexState(index.NewSet(defs, firstIDs(len(defs.Indexes)))))
	return db, nil
}

// firstIDs returns the numbers 1 to n.
func firstIDs(n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(i) + 1
	}
	return ids
}

// Databases returns the names of all databases that have been used.
func (e *Engine) Databases() []resource.Database {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.AppendSeq(make([]resource.Database, 0, len(e.mu.databases)), maps.Keys(e.mu.databases))
}

// Latest returns the version that a read of the latest state would have.
func (e *Engine) Latest(name resource.Database) clock.Version {
	return e.versionOf(name, (*database).nowLocked)
}

// versionOf returns a version of a database, which is read while Engine.mu is held. It returns 0 if the database can't
// be opened.
func (e *Engine) versionOf(name resource.Database, locked func(*database) clock.Version) clock.Version {
	e.mu.Lock()
	defer e.mu.Unlock()
	db, err := e.databaseLocked(name)
	if err != nil {
		return 0
	}
	return locked(db)
}

// nowLocked returns a version at which the state that readers see is complete: the present moment, or, while commits
// are being written, the last version that was visible or read. Later commits have greater versions. The result never
// decreases, since clients drop results that are older than theirs. Engine.mu is held.
func (db *database) nowLocked() clock.Version {
	if db.inFlight == 0 && !db.follows {
		db.read = db.given.Next()
	}
	db.read = max(db.read, db.latest, db.birth)
	return db.read
}

// Err returns the error that has ended writing permanently, or nil.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.failed
}

// Run does the background work until ctx ends: it ends idle transactions, moves changes that are older than the
// retention to the history or drops them, deletes expired documents, and builds the indexes that queries lacked.
func (e *Engine) Run(ctx context.Context) error {
	if e.follows() { // the writer does it
		<-ctx.Done()
		return nil
	}
	const tick, sweep = time.Second, 60
	var building sync.WaitGroup
	defer building.Wait()
	building.Go(func() { e.builder.run(ctx) })
	building.Go(func() { e.expirer.run(ctx) })
	building.Go(func() { e.archiver.run(ctx) })
	changes := clock.Changed(e.o.Clock)
	e.expirer.wake() // for what has expired while no engine ran, or before the clock was watched
	for n := 1; ; n++ {
		changed, err := e.pause(ctx, tick, &changes)
		if err != nil {
			return nil
		}
		if changed {
			e.expirer.wake()
		}
		for _, db := range e.all() {
			e.endIdle(db)
		}
		if n%floorEvery == 1 {
			if err := e.noteFloor(ctx); err != nil {
				e.o.Log.Error("the greatest version could not be stored", "error", err)
			}
		}
		if n%sweep == 0 {
			e.expirer.wake()
			if e.o.History > e.o.Retention {
				e.archiver.wake()
			} else if err := e.dropHistory(ctx); err != nil {
				e.o.Log.Error("old commits could not be removed from the log", "error", err)
			}
		}
	}
}

// all returns the databases.
func (e *Engine) all() []*database {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.mu.databases))
}

// Close ends the engine: waiting and later calls return ErrClosed, and subscriptions end. The store stays open.
// Readings must be closed before.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.mu.closed {
		e.mu.Unlock()
		return nil
	}
	e.mu.closed = true
	for _, db := range e.mu.databases {
		db.feed.close()
		db.locks.Close(ErrClosed)
	}
	e.mu.Unlock()
	e.seq.drain()
	for _, db := range e.all() {
		e.endAll(db)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.view.release() // A commit in progress has changed it since.
	return nil
}

// CreatedAt returns the version before which a database did not exist: the time when the engine that created it was
// opened.
func (e *Engine) CreatedAt(name resource.Database) clock.Version {
	return e.versionOf(name, func(db *database) clock.Version { return db.birth })
}
