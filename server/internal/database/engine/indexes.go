package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// indexState holds the indexes of a database at a time. It is immutable except for the count of its users.
type indexState struct {
	// set holds the indexes that commits write.
	set *index.Set
	// since has, by number, the composite indexes that were built while the database was in use. The value is the serial
	// of the first view that has all of their entries, or never while they are being built. Other indexes serve all views.
	since map[uint32]uint64
	// former is the set before or, during a change, after the change of set. Views whose serials are below formerUntil may
	// lack entries that only one of both sets has, so queries of these views use only what is in both.
	former      *index.Set
	formerUntil uint64
	// unfinished is set while entries are being changed for other definitions, and after that has failed. Views whose
	// serials are below incompleteUntil may lack any entries.
	unfinished      bool
	incompleteUntil uint64
	// users counts the commits that write by this state, plus one while it is the database's. When it reaches 0, done is
	// closed.
	users atomic.Int64
	done  chan struct{}
}

// noSerial is the serial of no view.
const noSerial = math.MaxUint64

// newIndexState returns the state of a set whose indexes serve all views.
func newIndexState(set *index.Set) *indexState {
	s := &indexState{set: set, since: map[uint32]uint64{}, done: make(chan struct{})}
	s.users.Store(1)
	return s
}

// next returns the state of another set. Its indexes serve the same views as in this state.
func (s *indexState) next(set *index.Set) *indexState {
	out := newIndexState(set)
	out.former, out.formerUntil, out.unfinished, out.incompleteUntil = s.former, s.formerUntil, s.unfinished, s.incompleteUntil
	for _, c := range set.Composites {
		if serial, ok := s.since[c.ID]; ok {
			out.since[c.ID] = serial
		}
	}
	return out
}

// serves reports whether the views of a serial have all entries of a composite index.
func (s *indexState) serves(c *index.Composite, serial uint64) bool {
	same := func(o *index.Composite) bool { return o.ID == c.ID }
	former := s.formerOf(serial)
	return s.since[c.ID] <= serial && (former == nil || slices.ContainsFunc(former.Composites, same))
}

// formerOf returns the other set whose indexes queries of the views of a serial must be in too, or nil.
func (s *indexState) formerOf(serial uint64) *index.Set {
	if serial < s.formerUntil {
		return s.former
	}
	return nil
}

// viewSerial returns the serial of the latest view.
func (e *Engine) viewSerial() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.view.serial
}

// enterIndexes returns the state by which a commit writes index entries. The commit uses it until leave.
func (db *database) enterIndexes() *indexState {
	for {
		s := db.indexes.Load()
		for n := s.users.Load(); n > 0; n = s.users.Load() {
			if s.users.CompareAndSwap(n, n+1) {
				return s
			}
		}
	}
}

// leave ends the use of a state.
func (s *indexState) leave() {
	if s.users.Add(-1) == 0 {
		close(s.done)
	}
}

// useIndexes replaces the database's state. db.indexing is held.
func (db *database) useIndexes(next *indexState) {
	db.indexes.Swap(next).leave()
}

// building returns the numbers of the composite indexes that are being built.
func (s *indexState) building() []uint32 {
	var out []uint32
	for _, c := range s.set.Composites {
		if s.since[c.ID] == noSerial {
			out = append(out, c.ID)
		}
	}
	return out
}

// loadIndexes reads the state of a database's indexes in a snapshot. It omits indexes that are being built. If their
// build was interrupted, their entries are removed when their numbers are assigned again.
func (e *Engine) loadIndexes(r store.Reader, number uint32) (*indexState, error) {
	s, err := catalogue.LoadSet(r, number)
	if err != nil {
		return nil, err
	}
	if err := s.DropBuilding(); err != nil {
		return nil, err
	}
	state := newIndexState(s.Indexes())
	if !s.Rebuilding {
		return state, nil
	}
	if state.unfinished = true; s.Next != nil && e.follows() { // a writing engine writes all entries again
		state.former, state.formerUntil = s.Next.Indexes(), noSerial
	} else {
		state.incompleteUntil = noSerial
	}
	return state, nil
}

// SetIndexes sets the index definitions of a database, and builds and drops entries accordingly, while commits wait.
// The zero Database means all present and future databases without definitions of their own. A following engine applies
// definitions only to databases of which nothing is stored; the others have the stored definitions.
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

// FinishIndexes rebuilds the entries of databases whose change of definitions was interrupted, unless SetIndexes has
// done so.
func (e *Engine) FinishIndexes(ctx context.Context) error {
	for _, db := range e.all() {
		s := db.indexes.Load()
		if !s.unfinished {
			continue
		}
		defs, _ := s.set.Definitions()
		if err := e.reindex(ctx, db, defs); err != nil {
			return err
		}
	}
	return nil
}

// reindex changes a database's entries to other definitions. After an error queries use only entries that are complete,
// and the next reindex writes all entries again.
func (e *Engine) reindex(ctx context.Context, db *database, defs index.Definitions) error {
	defer e.alone(db)()
	if db.gone.Load() {
		return errGone(db.name)
	}
	db.indexing.Lock()
	defer db.indexing.Unlock()
	state := db.indexes.Load()
	old, again := state.set, state.unfinished
	next := index.NewSet(defs, keepIDs(state, defs))
	e.mu.Lock()
	unchanged := !db.persisted || len(old.Changed(next)) == 0 && !again
	stored := db.persisted && db.follows
	e.mu.Unlock()
	if stored {
		return nil
	}
	if unchanged {
		db.useIndexes(state.next(next)) // No stored document has entries that would differ.
		return nil
	}
	added := slices.DeleteFunc(slices.Clone(next.Composites), func(c *index.Composite) bool {
		return slices.ContainsFunc(old.Composites, func(o *index.Composite) bool { return o.ID == c.ID })
	})
	if err := e.beginChange(ctx, db, state, next, added); err != nil {
		return err
	}
	if err := e.rebuild(ctx, db, old, next, again); err != nil {
		return err
	}
	changed := state.next(next)
	serial := e.viewSerial()
	for _, c := range added {
		changed.since[c.ID] = serial
	}
	changed.former, changed.formerUntil = old, serial
	if changed.unfinished = true; again {
		changed.incompleteUntil = serial
	}
	db.useIndexes(changed)
	finished := changed.next(next)
	finished.unfinished = false
	var batch store.Batch
	if err := db.register(&batch, finished); err != nil {
		return err
	}
	if err := e.applyUncommitted(ctx, &batch); err != nil {
		return err
	}
	db.useIndexes(finished)
	return nil
}

// beginChange stores that entries are being changed to those of another set, and removes entries that are not known:
// those under the numbers of added indexes, and all of them if an earlier change was interrupted. From then on queries
// use only entries that both sets have.
func (e *Engine) beginChange(ctx context.Context, db *database, state *indexState, next *index.Set, added []*index.Composite) error {
	during := state.next(state.set)
	during.unfinished = true
	during.former, during.formerUntil = next, noSerial
	if state.unfinished { // It is unknown which entries exist.
		during.incompleteUntil = noSerial
	}
	var batch store.Batch
	// Stored first, so that following engines stop reading entries before they are missing.
	if err := db.register(&batch, during); err != nil {
		return err
	}
	for _, c := range added {
		db.clearIndex(&batch, c.ID)
	}
	if state.unfinished {
		all := store.Prefix(keys.Prefix(keys.KindIndex, db.number.Load()))
		batch.DeleteRange(all.From, all.To)
	}
	db.useIndexes(during)
	err := e.applyUncommitted(ctx, &batch)
	if errors.Is(err, store.ErrFull) {
		db.useIndexes(state.next(state.set)) // Nothing was written.
	}
	return err
}

// clearIndex removes all entries under the number of a composite index, including those of an interrupted build.
func (db *database) clearIndex(batch *store.Batch, id uint32) {
	r := store.Prefix(index.CompositePrefix(keys.Prefix(keys.KindIndex, db.number.Load()), id))
	batch.DeleteRange(r.From, r.To)
}

// register writes a database and its index definitions into the catalogue.
func (db *database) register(batch *store.Batch, indexes *indexState) error {
	defs, ids := indexes.set.Definitions()
	set := catalogue.Set{Definitions: defs, IDs: ids, Building: indexes.building(), Rebuilding: indexes.unfinished}
	if former := indexes.formerOf(noSerial - 1); indexes.unfinished && former != nil && indexes.incompleteUntil != noSerial {
		next, nextIDs := former.Definitions()
		set.Next = &catalogue.Next{Definitions: next, IDs: nextIDs}
	}
	return db.record().Register(batch, set)
}

// keepIDs returns numbers for the composite indexes of definitions: the numbers of built indexes of the old state, and
// new numbers for the others.
func keepIDs(old *indexState, defs index.Definitions) []uint32 {
	last := old.set.LastID()
	ids := make([]uint32, len(defs.Indexes))
	for i, d := range defs.Indexes {
		at := slices.IndexFunc(old.set.Composites, func(c *index.Composite) bool { return c.Equal(d) && old.since[c.ID] != noSerial })
		if at >= 0 {
			ids[i] = old.set.Composites[at].ID
			continue
		}
		last++
		ids[i] = last
	}
	return ids
}

// applyUncommitted writes a batch that is not a commit and makes it visible to readers.
func (e *Engine) applyUncommitted(ctx context.Context, batch *store.Batch) error {
	return e.seq.submit(ctx, &pending{aside: batch.Ops})
}

// rebuild changes the entries of all documents whose entries differ under two sets. After an interrupted change, when
// all entries were removed, it writes those of all documents.
func (e *Engine) rebuild(ctx context.Context, db *database, old, next *index.Set, interrupted bool) error {
	const chunk = 1 << 20
	changed := old.Changed(next)
	if len(changed) == 0 && !interrupted {
		return nil
	}
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	prefix := keys.Prefix(keys.KindIndex, db.number.Load())
	var changes edit
	it := view.snap.Scan(store.Prefix(keys.Prefix(keys.KindDocument, db.number.Load())))
	defer func() { _ = it.Close() }()
	for it.Next() {
		path, err := keys.DocumentPath(it.Key())
		if err != nil {
			return err
		}
		name := db.document(path)
		if !interrupted && !slices.Contains(changed, name.Collection().ID) {
			continue
		}
		record, err := it.Value()
		if err != nil {
			return err
		}
		d, err := records.Decode(name, record)
		if err != nil {
			return err
		}
		var before []index.Entry
		if !interrupted {
			before, _ = old.Entries(prefix, path, d.Fields) // A stored document has entries already, so its old set can't fail.
		}
		after, err := next.Entries(prefix, path, d.Fields)
		if err != nil {
			return fault.E(fault.FailedPrecondition, "index %s: %w", name, err)
		}
		changes.diff(before, after)
		if changes.cost > chunk {
			if err := e.applyUncommitted(ctx, &store.Batch{Ops: changes.ops}); err != nil {
				return err
			}
			changes = edit{}
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return e.applyUncommitted(ctx, &store.Batch{Ops: changes.ops})
}

// document returns the full name of a relative path.
func (db *database) document(path string) resource.Document {
	return resource.Document{DB: db.name, Path: path}
}

// Indexes returns the composite indexes of a database.
func (e *Engine) Indexes(name resource.Database) ([]index.Status, error) {
	db, err := e.database(name)
	if err != nil {
		return nil, err
	}
	s := db.indexes.Load()
	out := make([]index.Status, len(s.set.Composites))
	for i, c := range s.set.Composites {
		plan := planner.Label(c)
		out[i] = index.Status{Definition: c.Definition, Building: s.since[c.ID] == noSerial, Scope: plan.Scope, Properties: plan.Properties}
	}
	return out, nil
}

// IndexSize returns the number of entries of a composite index and the size of their keys in bytes. It counts at most
// most entries.
func (e *Engine) IndexSize(ctx context.Context, name resource.Database, d index.Definition, most int) (entries int, bytes int64, err error) {
	db, err := e.database(name)
	if err != nil {
		return 0, 0, err
	}
	composites := db.indexes.Load().set.Composites
	at := slices.IndexFunc(composites, func(c *index.Composite) bool { return c.Equal(d) })
	if at < 0 {
		return 0, 0, fault.E(fault.NotFound, "There is no such index: %s", d.JSON())
	}
	view, _, err := e.current(db)
	if err != nil {
		return 0, 0, err
	}
	defer view.release()
	it := view.snap.Scan(store.Prefix(index.CompositePrefix(keys.Prefix(keys.KindIndex, db.number.Load()), composites[at].ID)))
	defer func() { _ = it.Close() }()
	for entries < most && it.Next() {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		entries++
		bytes += int64(len(it.Key()))
	}
	return entries, bytes, it.Err()
}
