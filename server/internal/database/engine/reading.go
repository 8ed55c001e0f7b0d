package engine

import (
	"context"
	"errors"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// maxOverlay is the maximum number of changed documents that a reading holds. If there are more, each call reads those
// that it needs.
const maxOverlay = 20_000

// Reading reads one database at one version, or in a transaction. It must be closed. It must be used by one goroutine
// only.
type Reading struct {
	e       *Engine
	db      *database
	txn     *txn
	begun   []byte
	view    *view
	version clock.Version
	past    past.Overlay
	// held is the memory that the reading holds, and turn the call's share of the processors' time.
	held memory.Share
	turn *fair.Turn
	// layered is set if past is complete. long is set if there are too many changes to hold or to read them all.
	layered, long bool
	// anyPlan is set if no query of the reading needs an index.
	anyPlan bool
}

// Read opens a reading. It returns InvalidArgument or Aborted for a transaction that isn't open, and InvalidArgument or
// FailedPrecondition for a version that can't be read.
func (e *Engine) Read(ctx context.Context, name resource.Database, at request.At) (*Reading, error) {
	db, err := e.database(name)
	if err != nil {
		return nil, err
	}
	// At a follower this waits for all that was acknowledged before. It precedes the view, which must include it.
	if err := e.reachNow(ctx, db, at.ReadTime == 0, at.Begin != nil || len(at.Transaction) > 0); err != nil {
		return nil, err
	}
	turn := fair.Of(ctx)
	r := &Reading{e: e, db: db, held: memory.Of(e.held, turn.Network()), turn: turn}
	switch {
	case at.Begin != nil:
		if r.txn, err = e.begin(ctx, db, *at.Begin); err != nil {
			return nil, err
		}
		r.begun = e.id(db, r.txn)
	case len(at.Transaction) > 0:
		if r.txn, err = e.find(db, at.Transaction, at.Holder, false); err != nil {
			return nil, err
		}
	}
	if r.txn != nil {
		if err := r.txn.enter(); err != nil {
			return nil, err
		}
	}
	if err := r.open(ctx, at.ReadTime); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// open chooses the view.
func (r *Reading) open(ctx context.Context, at clock.Version) error {
	var err error
	switch {
	case r.txn != nil && r.txn.readOnly:
		r.view, r.version = r.txn.view.retain(), r.txn.version
	case at != 0:
		r.view, r.version, err = r.e.viewAt(ctx, r.db, at)
		r.long = r.e.inHistory(r.db, r.version)
	default:
		r.view, r.version, err = r.e.current(r.db)
		r.layered = true // The view has exactly this version.
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}

// layer returns the overlay of a past version. It computes it once, or, if there are too many changes or the version is
// in the history, for each call and the paths of a scope that keep accepts.
func (r *Reading) layer(ctx context.Context, scope past.Scope, keep func(path string) bool) (past.Overlay, error) {
	if r.layered {
		return r.past, nil
	}
	if !r.long {
		before, changed := r.held.Held(), 0
		overlay, err := past.At(ctx, r.view.snap, r.db.number.Load(), past.Scope{}, r.version, nil, func(n int64) error {
			if changed++; changed > r.e.maxOverlay || r.held.Take(memory.Overhead+n) != nil {
				return past.ErrTooMany
			}
			return nil
		})
		if !errors.Is(err, past.ErrTooMany) {
			r.past, r.layered = overlay, err == nil
			return overlay, err
		}
		r.held.Shrink(before)
		r.long = true
	}
	return past.At(ctx, r.view.snap, r.db.number.Load(), scope, r.version, keep, func(n int64) error { return r.held.Take(memory.Overhead + n) })
}

// refresh advances a reading of a transaction with locks to the latest state, after a lock was taken.
func (r *Reading) refresh() error {
	view, version, err := r.e.current(r.db)
	if err != nil {
		return err
	}
	r.view.release()
	r.view, r.version = view, version
	return nil
}

// Version returns the version that is read. In a transaction with locks it is that of the last read.
func (r *Reading) Version() clock.Version { return r.version }

// WithoutIndexes lets the queries of the reading run without their composite indexes in every IndexMode, as in
// databases of the Enterprise edition.
func (r *Reading) WithoutIndexes() { r.anyPlan = true }

// Share returns an empty share of the memory of readings, for what the caller holds. It must be returned by Shrink(0).
func (r *Reading) Share() memory.Share { return r.held.Sibling() }

// Transaction returns the id of the transaction that was begun by request.At.Begin, or nil.
func (r *Reading) Transaction() []byte { return r.begun }

// Close ends the reading, but not the transaction.
func (r *Reading) Close() {
	r.turn.Rest()
	r.held.Shrink(0)
	if r.view != nil {
		r.view.release()
		r.view = nil
	}
	if r.txn != nil {
		r.txn.leave()
		r.txn = nil
	}
}

// locking reports whether reads take locks.
func (r *Reading) locking() bool { return r.txn != nil && !r.txn.readOnly && !r.txn.optimistic }

// Get returns a document, or nil if it is absent. In a transaction it waits for the document's lock, and returns
// Aborted if it can't acquire it.
func (r *Reading) Get(ctx context.Context, name resource.Document) (*document.Document, error) {
	if r.foreign(name) {
		return nil, fault.E(fault.InvalidArgument,
			"The request was for database '%s' but was attempting to access database '%s'", r.db.name, name.DB)
	}
	if err := r.unwritten(name); err != nil {
		return nil, err
	}
	if r.locking() {
		r.turn.Pause()
		if err := r.db.locks.Lock(ctx, r.txn.owner, name.Path, locks.Shared, true); err != nil {
			return nil, err
		}
		if err := r.refresh(); err != nil {
			return nil, err
		}
	}
	overlay, done, err := r.layerOf(ctx, []resource.Document{name})
	defer done()
	if err != nil {
		return nil, err
	}
	return r.take(name, overlay)
}

// layerOf returns the overlay of documents. done releases what was read for them only.
func (r *Reading) layerOf(ctx context.Context, names []resource.Document) (o past.Overlay, done func(), err error) {
	if r.layered {
		return r.past, func() {}, nil
	}
	before := r.held.Held()
	scope := past.Scope{Paths: make([]string, len(names))}
	for i, name := range names {
		scope.Paths[i] = name.Path
	}
	o, err = r.layer(ctx, scope, nil)
	if !r.long {
		return o, func() {}, err
	}
	return o, func() { r.held.Shrink(before) }, err
}

// take returns a document of an overlay that has it, or nil if it is absent.
func (r *Reading) take(name resource.Document, overlay past.Overlay) (*document.Document, error) {
	d, err := r.state(overlay).Get(name)
	if err == nil && r.txn != nil && r.txn.optimistic {
		r.txn.noteRead(name.Path, d)
	}
	return d, err
}

// foreign reports whether a document is in another database.
func (r *Reading) foreign(name resource.Document) bool { return name.DB != r.db.name }

// GetAll calls yield with each name and its document, or nil if it is absent, in the order of names. A transaction
// takes the locks in that order, as commits do.
func (r *Reading) GetAll(ctx context.Context, names []resource.Document,
	yield func(resource.Document, *document.Document) error) error {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, resource.CompareDocuments)
	sorted = slices.Compact(sorted)
	get := func(name resource.Document) (*document.Document, error) { return r.Get(ctx, name) }
	if !r.layered && !slices.ContainsFunc(sorted, r.foreign) { // one search of the past for all of them
		overlay, done, err := r.layerOf(ctx, sorted)
		defer done()
		if err != nil {
			return err
		}
		get = func(name resource.Document) (*document.Document, error) { return r.take(name, overlay) }
	}
	for _, name := range sorted {
		d, err := get(name)
		if err != nil {
			return err
		}
		size := 0
		if d != nil {
			size = d.Size()
		}
		if err := r.turn.Step(ctx, fair.Cost(size)); err != nil {
			return err
		}
		r.turn.Lend()
		err = yield(name, d)
		r.turn.Return()
		if err != nil {
			return err
		}
	}
	return nil
}

// state returns the state that is read, with an overlay of layer.
func (r *Reading) state(overlay past.Overlay) *past.State {
	return &past.State{Reader: r.view.snap, DB: r.db.name, Number: r.db.number.Load(), Overlay: overlay, Held: &r.held}
}
