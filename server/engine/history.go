package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine/keys"
	"clave/server/fault"
	"clave/server/resource"
	"clave/server/storage"
)

// The log of commits, and versions of the past. The log has a key for each commit, with every changed document before and after. overlay.go
// computes past states from it.
//
// At the time of a read, commits with versions up to the requested one may still be in the sequencer: viewAt waits until they are visible. Run
// drops commits older than Options.Retention, except those that subscriptions and snapshots need (dropHistory). Older versions are refused (checkPast).

// lastVersion returns the version of the last commit of a database, or 0 if there is none.
func lastVersion(r storage.Reader, number uint32) (clock.Version, error) {
	rng := storage.Prefix(keys.Prefix(keys.KindChange, number))
	rng.Reverse = true
	it := r.Scan(rng)
	defer func() { _ = it.Close() }()
	if !it.Next() {
		return 0, it.Err()
	}
	return keys.ChangeVersion(it.Key())
}

// viewAt returns a view of a version or later, and that version. Version 0 means the latest.
func (e *Engine) viewAt(ctx context.Context, db *database, at clock.Version) (*view, clock.Version, error) {
	if at == 0 {
		return e.current(db)
	}
	if err := e.checkPast(db, at); err != nil {
		return nil, 0, err
	}
	e.mu.Lock()
	shown := db.inFlight == 0 || at <= db.latest // Commits in the sequencer are later than the visible ones.
	e.mu.Unlock()
	if !shown {
		// Commits in the sequencer may have this version or an earlier one: wait until they are visible.
		if err := e.seq.barrier(ctx, db); err != nil {
			return nil, 0, err
		}
	}
	view, _, err := e.current(db)
	return view, at, err
}

// checkPast refuses versions before the creation of the database, before the retained log, and in the future.
func (e *Engine) checkPast(db *database, at clock.Version) error {
	now := clock.VersionOf(e.o.Clock.Now())
	switch {
	case e.dropped(db, at):
		return fault.E(fault.FailedPrecondition, textTooOld)
	case at < 0 || at < db.birth && at < now-clock.Version(e.o.Retention.Microseconds()):
		return fault.E(fault.InvalidArgument, textBeforeBirth)
	case at < now-clock.Version(e.o.Retention.Microseconds()):
		return fault.E(fault.FailedPrecondition, textTooOld)
	case at > now && at > e.lastGiven(db).After():
		return fault.E(fault.InvalidArgument, textFuture)
	}
	return nil
}

// lastGiven returns the greatest version that was assigned in a database.
func (e *Engine) lastGiven(db *database) clock.Version {
	if !e.follows() {
		return db.given.Last()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return db.nowLocked()
}

// dropped reports whether a following engine lacks commits after a version because the writer, whose clock may be ahead, has dropped
// them.
func (e *Engine) dropped(db *database, after clock.Version) bool {
	if !e.follows() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return db.dropped > after.After() && db.latest > after
}

// Changes calls yield with the commits after one version and up to another, in order. It returns FailedPrecondition if
// the log no longer has all of them.
func (e *Engine) Changes(ctx context.Context, name resource.Database, after, upto clock.Version, yield func(document.Commit) error) error {
	db, err := e.database(name)
	if err != nil {
		return err
	}
	if after < clock.VersionOf(e.o.Clock.Now())-clock.Version(e.o.Retention.Microseconds()) {
		e.mu.Lock()
		quiet := db.latest <= after
		e.mu.Unlock()
		if quiet {
			return nil
		}
		return fault.E(fault.FailedPrecondition, textTooOld)
	}
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	if e.dropped(db, after) { // recorded before a view lacks them
		return fault.E(fault.FailedPrecondition, textTooOld)
	}
	return commitsOf(ctx, view, db, after, upto, yield)
}

// commitsOf calls yield with the commits after one version and up to another in a view's log.
func commitsOf(ctx context.Context, v *view, db *database, after, upto clock.Version, yield func(document.Commit) error) error {
	return scanChanges(ctx, v.snap, db.number.Load(), after, upto, func(v clock.Version, images []image) error {
		c := document.Commit{Version: v, Changes: make([]document.Change, len(images))}
		for i, im := range images {
			var err error
			if c.Changes[i], err = decodeImage(db.name, im); err != nil {
				return err
			}
		}
		return yield(c)
	})
}

// scanChanges calls yield with the images of the commits after one version and up to another.
func scanChanges(ctx context.Context, r storage.Reader, number uint32, after, upto clock.Version,
	yield func(v clock.Version, images []image) error) error {
	it := r.Scan(storage.Range{From: keys.Change(number, after+1), To: keys.Change(number, upto+1)})
	defer func() { _ = it.Close() }()
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := keys.ChangeVersion(it.Key())
		if err != nil {
			return err
		}
		record, err := it.Value()
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		images, err := cutImages(append([]byte(nil), record...))
		if err != nil {
			return fmt.Errorf("read changes of %d: %w", v, err)
		}
		if err := yield(v, images); err != nil {
			return err
		}
	}
	return it.Err()
}

// cutImages decodes a commit's record.
func cutImages(record []byte) ([]image, error) {
	var out []image
	for len(record) > 0 {
		i, rest, err := cutImage(record)
		if err != nil {
			return nil, err
		}
		out, record = append(out, i), rest
	}
	return out, nil
}

// dropHistory drops changes that are older than the retention. The last commit of a database is kept: its version is the
// database's.
func (e *Engine) dropHistory(ctx context.Context) error {
	now := clock.VersionOf(e.o.Clock.Now())
	cut, keptCut := now-clock.Version(e.o.Retention.Microseconds()), now-clock.Version(e.o.Kept.Microseconds())
	batch := storage.Batch{Deletes: true}
	for _, db := range e.all() {
		e.mu.Lock()
		latest := db.latest
		upto := min(cut, latest)
		for _, v := range db.snapshots {
			upto = min(upto, v)
		}
		for _, v := range db.kept {
			upto = min(upto, max(v, keptCut))
		}
		if upto <= db.dropped || latest == 0 {
			e.mu.Unlock()
			continue
		}
		db.dropped = upto // recorded before the commits are dropped: see Subscription.changes
		e.mu.Unlock()
		batch.Set(keys.Prefix(keys.KindDropped, db.number.Load()), binary.BigEndian.AppendUint64(nil, uint64(upto)))
		batch.DeleteRange(keys.Change(db.number.Load(), 0), keys.Change(db.number.Load(), upto))
	}
	if batch.Empty() {
		return nil
	}
	return e.o.Store.Apply(ctx, &batch)
}

// loadDropped reads the version before which commits of a database are dropped.
func loadDropped(r storage.Reader, number uint32) (clock.Version, error) {
	v, found, err := r.Get(keys.Prefix(keys.KindDropped, number))
	if err != nil || !found {
		return 0, err
	}
	if len(v) != 8 {
		return 0, keys.ErrCorrupt
	}
	return clock.Version(binary.BigEndian.Uint64(v)), nil
}
