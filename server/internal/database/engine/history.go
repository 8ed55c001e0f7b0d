package engine

import (
	"context"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// Versions of the past. The log of commits and the states computed from it are in package past.
//
// At the time of a read, commits with versions up to the requested one may still be in the sequencer: viewAt waits
// until they are visible. Run drops commits older than Options.Retention, or moves them to the history (archive.go),
// except those that subscriptions and snapshots need. Older versions are refused (checkPast).

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
	if err == nil && e.lacks(db, at) { // recorded before a view lacks them
		view.release()
		return nil, 0, fault.E(fault.FailedPrecondition, textTooOld)
	}
	return view, at, err
}

// checkPast refuses versions before the creation of the database, before the retained history, and in the future.
func (e *Engine) checkPast(db *database, at clock.Version) error {
	now := clock.VersionOf(e.o.Clock.Now())
	switch {
	case e.lacks(db, at):
		return fault.E(fault.FailedPrecondition, textTooOld)
	case at < 0 || at < db.birth && at < now-clock.Version(e.o.History.Microseconds()):
		return fault.E(fault.InvalidArgument, textBeforeBirth)
	case at < now-clock.Version(e.o.History.Microseconds()):
		return fault.E(fault.FailedPrecondition, textTooOld)
	case at > now && at > e.lastGiven(db).After():
		return fault.E(fault.InvalidArgument, textFuture)
	}
	return nil
}

// lacks reports whether commits after a version were dropped, so that the state at the version is not known.
func (e *Engine) lacks(db *database, at clock.Version) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return db.history.Begin > at.After() && db.latest > at
}

// inHistory reports whether commits after a version were moved from the log to the history.
func (e *Engine) inHistory(db *database, at clock.Version) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return db.dropped > at.After() && db.history.Segments > 0
}

// Earliest returns the earliest version of a database that can be read: the beginning of the history, or the database's
// creation.
func (e *Engine) Earliest(name resource.Database) clock.Version {
	window := clock.VersionOf(e.o.Clock.Now()) - clock.Version(e.o.History.Microseconds())
	return e.versionOf(name, func(db *database) clock.Version { return max(window, db.history.Begin-1, db.birth) })
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

// dropped reports whether a following engine lacks commits after a version because the writer, whose clock may be
// ahead, has dropped them.
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
	if after < db.birth { // a version of a former database of this name, such as a forgotten one
		return fault.E(fault.FailedPrecondition, textTooOld)
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
	return past.Commits(ctx, view.snap, db.name, db.number.Load(), after, upto, yield)
}
