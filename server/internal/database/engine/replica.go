package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/locks"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// How an engine follows another one (Options.Current). Its store is a replica: the owner of the store applies the
// writing engine's groups of changes to it, in order, and calls Applied after each. Applied replaces the view, the
// databases' latest versions and the feeds together, as at the end of a commit (show).
//
// A following engine assigns no versions. A read of the latest state has the version of the last applied commit, or a
// version that the writer assigned for such reads and up to which all commits were applied (Advance). Later commits
// have greater versions. Options.Current obtains such a version before each read of the latest state.
//
// Index definitions are those of the catalogue. Each view has those of its snapshot (view.indexes), so queries in
// progress and later ones use only entries that their snapshot has, whatever the writer builds or removes meanwhile.
//
// A database that the writer drops or forgets is removed with the group of changes that removes it from the catalogue.
// Its subscriptions end, and a later database of its name is another one.

// textFollows is the error of writes and transactions in a following engine.
const textFollows = "This node does not take writes at the moment. Please try again."

// follows reports whether another engine writes the store.
func (e *Engine) follows() bool { return e.o.Current != nil }

// asOfNowKey is the key of AsOfNow.
type asOfNowKey struct{}

// AsOfNow returns a context for the reads of one request, for which the caller has called Options.Current already.
func AsOfNow(ctx context.Context) context.Context { return context.WithValue(ctx, asOfNowKey{}, true) }

// reachNow waits until a following engine has all commits that were acknowledged before a read of the latest state. It
// refuses transactions.
func (e *Engine) reachNow(ctx context.Context, db *database, now, transaction bool) error {
	switch {
	case !e.follows():
		return nil
	case transaction:
		return fault.E(fault.Unavailable, textFollows)
	case !now:
		return nil
	}
	e.mu.Lock()
	known := db.read > 0
	e.mu.Unlock()
	if known && ctx.Value(asOfNowKey{}) != nil {
		return nil
	}
	return e.o.Current(ctx)
}

// Advance records versions that the writing engine assigned for reads of the latest state. All commits up to them were
// applied.
func (e *Engine) Advance(versions map[resource.Database]clock.Version) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, v := range versions {
		if db := e.mu.databases[name]; db != nil {
			db.read = max(db.read, v)
		}
	}
}

// applied holds the parts of a group of changes that concern a following engine.
type applied struct {
	// databases are changes of the catalogue: databases that are stored, and those that are removed.
	databases []store.Op
	dropped   []store.Op
	commits   []store.Op
	history   []store.Op
	defined   []uint32
	// removed holds the numbers of the databases that the group removes.
	removed map[uint32]bool
	// indexes holds the states of indexes that the group defines, by the databases' numbers.
	indexes map[uint32]*indexState
	// bounds holds what the store has of the past after the group, by the numbers of the databases of which that changes.
	bounds map[uint32]past.Bounds
}

// sort collects from a group the operations that change more than documents and entries: commits, databases and
// definitions.
func (a *applied) sort(ops []store.Op) {
	databases := keys.CatalogueRange()
	for _, op := range ops {
		if len(op.Key) < 2 {
			continue
		}
		switch op.Key[0] {
		case keys.KindCatalogue:
			if op.Kind != store.DeleteRange && bytes.Compare(op.Key, databases.To) < 0 {
				a.databases = append(a.databases, op)
			}
		case keys.KindChange:
			if op.Kind == store.Set && len(op.Key) == 13 {
				a.commits = append(a.commits, op)
			}
		case keys.KindDropped:
			if op.Kind == store.Set && len(op.Key) == 5 && len(op.Value) == 8 {
				a.dropped = append(a.dropped, op)
			}
		case keys.KindHistory:
			if keys.IsHistorySummary(op.Key) {
				a.history = append(a.history, op)
			}
		case keys.KindDefinition:
			if len(op.Key) == 5 {
				a.defined = append(a.defined, binary.BigEndian.Uint32(op.Key[1:]))
			}
		}
	}
}

// Applied makes a group of changes that was applied to the store visible. It is for following engines, and must be
// called by one goroutine only. An error means damage. After it the engine makes no later groups visible, and reads
// return Unavailable.
func (e *Engine) Applied(ops []store.Op) error {
	e.mu.Lock()
	ended := e.mu.failed
	e.mu.Unlock()
	if ended != nil {
		return ended // an earlier group was not made visible
	}
	var group applied
	group.sort(ops)
	next := newView(e.o.Store.Snapshot())
	commits, err := e.readGroup(&group, next)
	if err == nil {
		err = group.readBounds(next.snap)
	}
	if err != nil {
		next.release()
		e.endFollowing(err)
		return err
	}
	e.mu.Lock()
	if e.mu.closed {
		e.mu.Unlock()
		next.release()
		return ErrClosed
	}
	old := e.mu.view
	next.serial = old.serial + 1
	if next.indexes = old.indexes; len(group.databases) > 0 || len(group.indexes) > 0 {
		e.missing.Clear() // queries may lack other indexes now, or the same ones again
		e.wanted.Clear()
		e.useIndexesLocked(group.indexes)
		next.indexes = e.storedIndexesLocked()
	}
	e.mu.view = next
	for _, f := range group.dropped {
		if db := e.numberedLocked(binary.BigEndian.Uint32(f.Key[1:])); db != nil {
			db.dropped = max(db.dropped, clock.Version(binary.BigEndian.Uint64(f.Value)))
		}
	}
	for number, bounds := range group.bounds {
		if db := e.numberedLocked(number); db != nil {
			db.history = bounds
		}
	}
	for _, c := range commits {
		if c.commit.Version <= c.db.latest {
			continue // the database was read with this group
		}
		c.db.latest = c.commit.Version
		c.db.feed.publish(c.commit)
	}
	e.mu.Unlock()
	old.release()
	return nil
}

// readBounds reads what a view has of the past of the databases whose log or history the group makes shorter or moves.
func (a *applied) readBounds(snap store.Snapshot) error {
	a.bounds = make(map[uint32]past.Bounds)
	for _, op := range slices.Concat(a.dropped, a.history) {
		number := binary.BigEndian.Uint32(op.Key[1:])
		if _, read := a.bounds[number]; read {
			continue
		}
		dropped, err := past.Dropped(snap, number)
		if err != nil {
			return err
		}
		if a.bounds[number], err = past.History(snap, number, dropped); err != nil {
			return err
		}
	}
	return nil
}

// useIndexesLocked replaces the states of the indexes of databases, by their numbers. Engine.mu is held.
func (e *Engine) useIndexesLocked(states map[uint32]*indexState) {
	for number, state := range states {
		e.numberedLocked(number).indexes.Store(state)
	}
}

// storedIndexesLocked returns the states of the indexes of all databases that are stored, by their numbers. Engine.mu
// is held, or the engine isn't shared yet.
func (e *Engine) storedIndexesLocked() map[uint32]*indexState {
	states := make(map[uint32]*indexState)
	for _, db := range e.mu.databases {
		if db.persisted {
			states[db.number.Load()] = db.indexes.Load()
		}
	}
	return states
}

// numberedLocked returns the database with a number, or nil if there is none. Engine.mu is held.
func (e *Engine) numberedLocked(number uint32) *database {
	for _, db := range e.mu.databases {
		if db.number.Load() == number {
			return db
		}
	}
	return nil
}

// foreign is a commit of another engine.
type foreign struct {
	db     *database
	commit document.Commit
}

// readGroup adds and removes the databases of a group, which a view includes, and returns its commits. Commits of
// databases without subscribers have no changes: a subscriber that begins meanwhile reads them from the log.
func (e *Engine) readGroup(group *applied, v *view) ([]foreign, error) {
	e.mu.Lock()
	err := e.define(group, v.snap)
	group.commits = slices.DeleteFunc(group.commits, func(op store.Op) bool {
		number := binary.BigEndian.Uint32(op.Key[1:])
		return group.removed[number] && e.numberedLocked(number) == nil
	})
	out := make([]foreign, 0, len(group.commits))
	read := make([]bool, 0, len(group.commits))
	for _, op := range group.commits {
		db := e.numberedLocked(binary.BigEndian.Uint32(op.Key[1:]))
		if db == nil && err == nil {
			err = fmt.Errorf("a commit of no database: %w", keys.ErrCorrupt)
		}
		out = append(out, foreign{db: db})
		read = append(read, db != nil && len(db.feed.subs) > 0)
	}
	e.mu.Unlock()
	for i, op := range group.commits {
		if err != nil {
			return nil, err
		}
		out[i].commit, err = foreignCommit(out[i].db, op, read[i])
	}
	return out, err
}

// define adds and removes the databases of a group, in order, and reads the index definitions of those that are known.
// Engine.mu is held.
func (e *Engine) define(group *applied, snap store.Snapshot) error {
	group.indexes, group.removed = make(map[uint32]*indexState), make(map[uint32]bool)
	for _, op := range group.databases {
		if op.Kind == store.Delete {
			if err := e.removeFollowed(group, op.Key); err != nil {
				return err
			}
			continue
		}
		d, err := catalogue.ParseDatabase(op.Key, op.Value)
		if err != nil {
			return err
		}
		if e.numberedLocked(d.Number) != nil {
			continue // stored again, for example with its definitions
		}
		if err := e.loadDatabase(snap, d); err != nil {
			return err
		}
	}
	for _, number := range group.defined {
		if e.numberedLocked(number) == nil {
			continue // a database that is removed
		}
		state, err := e.loadIndexes(snap, number)
		if err != nil {
			return err
		}
		group.indexes[number] = state
	}
	return nil
}

// removeFollowed removes the database with a key of the catalogue. Its subscriptions return ErrClosed. Engine.mu is
// held.
func (e *Engine) removeFollowed(group *applied, key []byte) error {
	name, err := catalogue.ParseName(key)
	if err != nil {
		return err
	}
	db := e.mu.databases[name]
	if db == nil {
		return nil
	}
	if db.persisted {
		group.removed[db.number.Load()] = true
	}
	delete(e.mu.databases, name)
	db.feed.close()
	db.locks.Close(locks.Expired())
	return nil
}

// foreignCommit decodes a commit, with its changes if changes is set.
func foreignCommit(db *database, op store.Op, changes bool) (c document.Commit, err error) {
	if c.Version, err = keys.ChangeVersion(op.Key); err != nil || !changes {
		return c, err
	}
	images, err := records.Images(bytes.Clone(op.Value))
	if err != nil {
		return c, fmt.Errorf("read changes of %d: %w", c.Version, err)
	}
	c.Changes, err = records.Changes(db.name, images)
	return c, err
}

// endFollowing makes all further reads return Unavailable, and ends the subscriptions.
func (e *Engine) endFollowing(cause error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.mu.failed == nil {
		e.mu.failed = fault.Wrap(cause, fault.Unavailable, "This node can't read the database at the moment. Please try again.")
	}
	for _, db := range e.mu.databases {
		db.feed.close()
	}
}
