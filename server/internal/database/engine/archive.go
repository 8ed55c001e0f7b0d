package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/store"
)

// How commits get from the log to the history. Once a minute the engine that writes moves those commits of each
// database that are older than Options.Retention, except those that subscriptions and snapshots need, into segments
// (package past). One batch writes a segment and removes its commits from the log, so a view has each commit exactly
// once. Fewer commits than a segment has stay in the log.
//
// Segments are dropped once they are older than Options.History, and the oldest ones of all databases when the history
// is larger than Options.HistoryBytes or the disk is full: the window becomes shorter, and no write is refused for it.

// segmentBytes is the size of the commits of a segment, unless a single one is larger.
const segmentBytes = 1 << 20

// archiver moves commits to the history in the background.
type archiver struct {
	engine *Engine
	due    chan struct{}
	// size is segmentBytes, or a test's value.
	size int
	// segment is the memory of the last segment.
	segment *past.Segment
	// damaged is the version after a commit that can't be decoded; 0 if the last move has found none.
	damaged clock.Version
	// told is when it was last logged that the window has become shorter.
	told time.Time
}

// newArchiver returns an archiver.
func newArchiver(e *Engine) *archiver {
	return &archiver{engine: e, due: make(chan struct{}, 1), size: segmentBytes}
}

// wake lets the archiver look for old commits. It does not wait.
func (a *archiver) wake() {
	select {
	case a.due <- struct{}{}:
	default:
	}
}

// run moves and drops old commits each time it is woken, until ctx ends.
func (a *archiver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.due:
		}
		if err := a.archive(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
			a.engine.o.Log.Error("old commits could not be moved to the history", "error", err)
		}
	}
}

// archive moves and drops old commits of all databases.
func (a *archiver) archive(ctx context.Context) error {
	a.engine.archiving.Lock()
	defer a.engine.archiving.Unlock()
	var all []error
	for _, db := range a.engine.all() {
		err := a.move(ctx, db)
		if errors.Is(err, store.ErrFull) {
			err = a.makeRoom(ctx, db)
		}
		if fault.Is(err, fault.DataLoss) || errors.Is(err, keys.ErrCorrupt) {
			// No state before the damage can be computed, because that begins with the present one.
			a.engine.o.Log.Error("commits in the log are damaged; the history begins behind them", "database", db.name.String(), "error", err)
			err = a.engine.dropTo(ctx, db, cmp.Or(a.damaged, a.engine.movable(db, a.engine.o.Retention)))
		}
		all = append(all, err, a.expire(ctx, db))
	}
	return errors.Join(append(all, a.bound(ctx))...)
}

// movable returns the version before which all commits of a database are older than an age, and are needed by no
// subscription and no snapshot. The last commit is never before it: its version is the database's.
func (e *Engine) movable(db *database, age time.Duration) clock.Version {
	now := clock.VersionOf(e.o.Clock.Now())
	e.mu.Lock()
	defer e.mu.Unlock()
	upto := min(now-clock.Version(age.Microseconds()), db.latest)
	for _, v := range db.snapshots {
		upto = min(upto, v)
	}
	for _, v := range db.kept {
		upto = min(upto, max(v, now-clock.Version(e.o.Kept.Microseconds())))
	}
	return upto
}

// dropHistory drops the commits that are older than the retention. It is for an engine without a history, and drops one
// that an earlier engine has made.
func (e *Engine) dropHistory(ctx context.Context) error {
	e.archiving.Lock()
	defer e.archiving.Unlock()
	var all []error
	for _, db := range e.all() {
		all = append(all, e.dropTo(ctx, db, e.movable(db, e.o.Retention)))
	}
	return errors.Join(all...)
}

// dropTo drops the commits of a database before a version from the log, and its history.
func (e *Engine) dropTo(ctx context.Context, db *database, upto clock.Version) error {
	e.mu.Lock()
	if upto <= db.dropped || db.latest == 0 {
		e.mu.Unlock()
		return nil
	}
	// Recorded before the commits are dropped: see Subscription.changes and lacks.
	hadHistory := db.history.Segments > 0
	db.dropped, db.history = upto, past.Bounds{Begin: upto}
	e.mu.Unlock()
	batch := store.Batch{Deletes: true}
	past.SetDropped(&batch, db.number.Load(), upto)
	if hadHistory {
		past.Forget(&batch, db.number.Load(), upto)
	}
	return e.o.Store.Apply(ctx, &batch)
}

// move moves the old commits of a database to the history, if they fill a segment. After each segment it pauses for as
// long as that took, so that clients have at least half of the store's time.
func (a *archiver) move(ctx context.Context, db *database) error {
	e := a.engine
	a.damaged = 0
	upto := e.movable(db, e.o.Retention)
	view, _, err := e.current(db)
	if err != nil {
		return err
	}
	defer view.release()
	e.mu.Lock()
	from := db.dropped
	e.mu.Unlock()
	if enough, err := db.countDue(ctx, view, from, upto, a.size); err != nil || !enough {
		return err
	}
	it := view.snap.Scan(store.Range{From: keys.Change(db.number.Load(), from), To: keys.Change(db.number.Load(), upto)})
	defer func() { _ = it.Close() }()
	a.segment = past.NewSegment(a.segment, from)
	began := clock.System().Now()
	for it.Next() {
		v, err := keys.ChangeVersion(it.Key())
		if err != nil {
			return err
		}
		record, err := it.Value()
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if !a.segment.Empty() && a.segment.Size()+len(record) > a.size {
			if err := e.writeSegment(ctx, db, a.segment); err != nil {
				return err
			}
			if err := clock.Sleep(ctx, clock.System(), clock.System().Now().Sub(began)); err != nil {
				return err
			}
			a.segment, began = past.NewSegment(a.segment, a.segment.Last()+1), clock.System().Now()
		}
		if err := a.segment.Add(v, record); err != nil {
			a.damaged = v + 1
			return err
		}
	}
	db.due, db.dueFrom = a.segment.Size(), upto
	return it.Err()
}

// countDue reports whether the commits of a database that can be moved have at least most bytes. It reads those since
// its last call.
func (db *database) countDue(ctx context.Context, v *view, from, upto clock.Version, most int) (bool, error) {
	if db.dueFrom < from {
		db.due, db.dueFrom = 0, from
	}
	if db.dueFrom >= upto {
		return false, nil
	}
	it := v.snap.Scan(store.Range{From: keys.Change(db.number.Load(), db.dueFrom), To: keys.Change(db.number.Load(), upto)})
	defer func() { _ = it.Close() }()
	for it.Next() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		record, err := it.Value()
		if err != nil {
			return false, fmt.Errorf("read changes: %w", err)
		}
		if db.due += len(record); db.due >= most {
			db.dueFrom = 0 // counted again after the move
			return true, nil
		}
	}
	db.dueFrom = upto
	return false, it.Err()
}

// writeSegment writes a segment of a database and removes its commits from the log.
func (e *Engine) writeSegment(ctx context.Context, db *database, s *past.Segment) error {
	var batch store.Batch
	size := s.Move(&batch, db.number.Load())
	e.mu.Lock()
	dropped, history := db.dropped, db.history
	// Recorded before the commits leave the log: see Subscription.changes.
	db.dropped = s.Last() + 1
	db.history.Bytes += size
	db.history.Segments++
	e.mu.Unlock()
	err := e.o.Store.Apply(ctx, &batch)
	if err != nil {
		e.mu.Lock()
		db.dropped, db.history = dropped, history
		e.mu.Unlock()
	}
	return err
}

// expire drops what is older than the history of a database.
func (a *archiver) expire(ctx context.Context, db *database) error {
	e := a.engine
	cut := e.movable(db, e.o.History)
	e.mu.Lock()
	dropped := db.dropped
	e.mu.Unlock()
	if cut > dropped {
		return e.dropTo(ctx, db, cut)
	}
	var before clock.Version
	err := past.Summaries(e.o.Store, db.number.Load(), 0, func(s past.Summary) (bool, error) {
		if s.Last >= cut {
			return false, nil
		}
		before = s.Last + 1
		return true, nil
	})
	if err != nil || before == 0 {
		return err
	}
	return e.forget(ctx, db, before)
}

// forget drops the segments of a database that end before a version.
func (e *Engine) forget(ctx context.Context, db *database, before clock.Version) error {
	batch := store.Batch{Deletes: true}
	past.Forget(&batch, db.number.Load(), before)
	e.mu.Lock()
	db.history.Begin = max(db.history.Begin, before) // recorded before the commits are dropped: see lacks
	dropped := db.dropped
	e.mu.Unlock()
	if err := e.o.Store.Apply(ctx, &batch); err != nil {
		return err
	}
	left, err := past.History(e.o.Store, db.number.Load(), dropped)
	if err != nil {
		return err
	}
	e.mu.Lock()
	db.history.Bytes, db.history.Segments = left.Bytes, left.Segments
	e.mu.Unlock()
	return nil
}

// bound drops the oldest segments of all databases until the history is not larger than its maximum.
func (a *archiver) bound(ctx context.Context) error {
	most := a.engine.o.HistoryBytes
	total := a.engine.historyBytes()
	if total <= most {
		return nil
	}
	a.tell("the history is larger than its maximum, so its oldest part is dropped", "bytes", total, "maximum", most, "remedy", "a larger --history-bytes, or a shorter --history")
	return a.shrink(ctx, total-most)
}

// makeRoom drops the oldest tenth of the history because the disk is full. Without a history, the old commits of a
// database are dropped from the log.
func (a *archiver) makeRoom(ctx context.Context, db *database) error {
	a.tell("the disk is full, so the oldest part of the history is dropped", "bytes", a.engine.historyBytes())
	total := a.engine.historyBytes()
	if total == 0 {
		return a.engine.dropTo(ctx, db, a.engine.movable(db, a.engine.o.Retention))
	}
	return a.shrink(ctx, total/10+1)
}

// tell logs at most once an hour that the window has become shorter.
func (a *archiver) tell(text string, about ...any) {
	a.engine.shrunk.Add(1)
	if now := clock.System().Now(); now.Sub(a.told) >= time.Hour {
		a.told = now
		a.engine.o.Log.Warn(text, about...)
	}
}

// shrink drops the oldest segments of all databases that together have a size.
func (a *archiver) shrink(ctx context.Context, size int64) error {
	type segment struct {
		db *database
		past.Summary
	}
	var all []segment
	for _, db := range a.engine.all() {
		err := past.Summaries(a.engine.o.Store, db.number.Load(), 0, func(s past.Summary) (bool, error) {
			all = append(all, segment{db, s})
			return true, ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b segment) int { return cmp.Compare(a.Last, b.Last) })
	before := make(map[*database]clock.Version)
	for _, s := range all {
		if size <= 0 {
			break
		}
		before[s.db] = s.Last + 1
		size -= s.Size
	}
	for db, v := range before {
		if err := a.engine.forget(ctx, db, v); err != nil {
			return err
		}
	}
	return nil
}

// historyBytes returns the size of the history of all databases.
func (e *Engine) historyBytes() (total int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, db := range e.mu.databases {
		total += db.history.Bytes
	}
	return total
}

// HistoryState is what an engine has of the past.
type HistoryState struct {
	// Window is the age up to which versions can be read, and MaxBytes the maximum size of the history.
	Window   time.Duration
	MaxBytes int64
	// Bytes is the size of the history of all databases, without the log.
	Bytes int64
	// Shrunk counts how often the history was made shorter than the window because of its size or a full disk.
	Shrunk int64
}

// HistoryState returns what the engine has of the past.
func (e *Engine) HistoryState() HistoryState {
	return HistoryState{Window: e.o.History, MaxBytes: e.o.HistoryBytes, Bytes: e.historyBytes(), Shrunk: e.shrunk.Load()}
}
