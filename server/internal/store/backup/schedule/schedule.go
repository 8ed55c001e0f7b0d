// Package schedule makes backups of a running server at intervals, restores the newest one for proof, and reports both.
package schedule

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/backup/target"
)

// retryAfter is the maximum time until a failed backup or proof is tried again.
const retryAfter = 5 * time.Minute

// pauseAfter is the minimum time between two backups that begin a log.
const pauseAfter = time.Minute

// Options configure New.
type Options struct {
	// Series are the backups.
	Series *series.Series
	// Request is the request for each backup.
	Request series.Request
	// Every is the time between two backups, and Keep says which are kept.
	Every time.Duration
	Keep  series.Keep
	// ProveEvery is the time between two proofs; zero for none. Prove restores a backup to the folder to, which is absent
	// and is removed afterwards with its parent, reads everything, and returns what it has counted. If the log is shipped,
	// it restores a random second of it too, and returns that. Scratch is the folder in which the parent of the folder to
	// is; it exists once a backup was made.
	ProveEvery time.Duration
	Prove      func(ctx context.Context, b series.Backup, to string) (counted string, second time.Time, err error)
	Scratch    string
	// Shipping ships the log of the data between backups; nil if it is not shipped.
	Shipping *shipping.Shipper
	Clock    clock.Clock
	Log      *slog.Logger
}

// Status is the state of the backups.
type Status struct {
	// Place is the folder or the bucket of the backups.
	Place string
	// Last is the time of the newest backup, and Bytes its size; zero if there is none. Count is the number of backups.
	Last  time.Time
	Bytes int64
	Count int
	// Every is the time between two backups, and ProveEvery that between two proofs; zero for none.
	Every, ProveEvery time.Duration
	// Proof is the last proof; zero if there is none.
	Proof series.Proof
	// Failures counts the backups, and Unproved the proofs, that have failed since the start.
	Failures, Unproved uint64
	// Failure is the reason why the last backup or proof failed; empty if it succeeded.
	Failure string
	// Log is the state of the shipped log; nil if it is not shipped.
	Log *shipping.Status
}

// Schedule makes backups.
type Schedule struct {
	o Options
	// changed receives a value when the schedules of databases have changed.
	changed chan struct{}
	mu      struct {
		sync.Mutex
		status Status
		// all are the backups when they were last listed.
		all []series.Backup
		// more are the schedules of databases.
		more []series.Daily
		// made and proof are the reasons of the failures of the last backup and the last proof; nil if they succeeded.
		made, proof error
		// unread is set while the last proof, which may have failed, can't be read.
		unread bool
	}
}

// New returns a Schedule that makes backups while it runs.
func New(o Options) *Schedule {
	s := &Schedule{o: o, changed: make(chan struct{}, 1)}
	s.mu.status = Status{Place: o.Series.String(), Every: o.Every, ProveEvery: o.ProveEvery}
	return s
}

// Use replaces the schedules of databases. They make and keep backups beside those of Options.Every and Options.Keep.
func (s *Schedule) Use(more []series.Daily) {
	s.mu.Lock()
	s.mu.more = more
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // Run will see both
	}
}

// dailies returns the schedules of databases.
func (s *Schedule) dailies() []series.Daily {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.more
}

// Status returns the state of the backups.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.mu.status
	if err := errors.Join(s.mu.made, s.mu.proof); err != nil {
		out.Failure = fault.Reason(err)
	} else if out.Proof.Failed != nil {
		out.Failure = out.Proof.Failed.Reason
	}
	if s.o.Shipping != nil {
		log := s.o.Shipping.Status()
		out.Log = &log
	}
	return out
}

// Kept returns the backups, from the oldest to the newest, and the last proof.
func (s *Schedule) Kept(ctx context.Context) ([]series.Backup, series.Proof, error) {
	all, err := s.o.Series.List(ctx)
	if err != nil {
		return nil, series.Proof{}, err
	}
	proof, err := s.o.Series.LastProof(ctx)
	return all, proof, err
}

// Run makes and proves backups when they are due, until ctx is done. The times of the last ones are in the folder of
// the backups, so neither a start nor another leader makes one too early, or forgets that the last proof has failed.
func (s *Schedule) Run(ctx context.Context) error {
	backups := timer{clock: s.o.Clock, every: s.o.Every}
	proofs := timer{clock: s.o.Clock, every: s.o.ProveEvery}
	made := false
	for {
		st := s.refresh(ctx)
		wait := backups.left(st.Last)
		if due := s.dueDaily(later(st.Last, backups.tried)); due < wait && !backups.failed {
			wait = due
		}
		if s.needsLog() {
			wait = backups.retry()
		}
		// Backups that take longer than the time between two do not keep proofs from their turn.
		if wait <= 0 && !made {
			backups.ran(s.make(ctx))
			made = true
			continue
		}
		made = false
		if s.o.ProveEvery > 0 && st.Count > 0 {
			if f := st.Proof.Failed; f != nil && proofs.tried.IsZero() {
				proofs.failedAt(f.Time)
			}
			left := proofs.left(st.Proof.Time)
			if left <= 0 {
				proofs.ran(s.prove(ctx))
				continue
			}
			wait = min(wait, left)
		}
		if wait > 0 && s.sleep(ctx, wait) != nil || ctx.Err() != nil {
			return nil
		}
	}
}

// dueDaily returns the time until the schedules of databases need a backup, if the last one was made at a time.
func (s *Schedule) dueDaily(last time.Time) time.Duration {
	now, wait := s.o.Clock.Now(), time.Duration(math.MaxInt64)
	for _, d := range s.dailies() {
		wait = min(wait, d.Next(last).Sub(now))
	}
	return wait
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// sleep waits until a time has passed, a backup is needed, or the schedules of databases have changed. It returns
// an error if ctx ends first.
func (s *Schedule) sleep(ctx context.Context, d time.Duration) error {
	var wake <-chan struct{}
	if s.o.Shipping != nil {
		wake = s.o.Shipping.Wake()
	}
	passed, stop := s.o.Clock.After(d)
	defer stop()
	select {
	case <-passed:
	case <-wake:
	case <-s.changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// needsLog reports whether the log of the data needs a backup that begins it.
func (s *Schedule) needsLog() bool {
	s.mu.Lock()
	all := s.mu.all
	s.mu.Unlock()
	return s.o.Shipping != nil && s.o.Shipping.Needs(all)
}

// timer says when work is due again.
type timer struct {
	clock clock.Clock
	every time.Duration
	// tried is the time of the last attempt of this process, and failed is set if it failed.
	tried  time.Time
	failed bool
}

// left returns the time until the work is due whose last success was at a time; not more than zero if it is due. A
// success in the future, before the clock was set back, does not count.
func (t *timer) left(last time.Time) time.Duration {
	now := t.clock.Now()
	switch {
	case t.failed:
		return t.tried.Add(min(t.every, retryAfter)).Sub(now)
	case last.After(now):
		last = t.tried
	}
	return last.Add(t.every).Sub(now)
}

// retry returns the time until the work may be tried that is due at once, which is not tried again too early.
func (t *timer) retry() time.Duration {
	pause := pauseAfter
	if t.failed {
		pause = min(t.every, retryAfter)
	}
	now := t.clock.Now()
	if t.tried.IsZero() || t.tried.After(now) {
		return 0
	}
	return t.tried.Add(pause).Sub(now)
}

// ran records an attempt.
func (t *timer) ran(err error) { t.tried, t.failed = t.clock.Now(), err != nil }

// failedAt records an attempt of an earlier process that has failed. A time in the future is from before the clock was
// set back.
func (t *timer) failedAt(at time.Time) {
	t.tried, t.failed = t.clock.Now(), true
	if at.Before(t.tried) {
		t.tried = at
	}
}

// refresh reads the state of the backups and returns it. What can't be read now stays as it was.
func (s *Schedule) refresh(ctx context.Context) Status {
	all, err := s.o.Series.List(ctx)
	var proof series.Proof
	unread := err
	if err == nil {
		if proof, unread = s.o.Series.LastProof(ctx); unread != nil {
			s.o.Log.Warn("the record of the last trial restore can't be read; no backup is removed meanwhile", "error", unread)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.mu.status
	// The first backup makes the place.
	s.mu.unread = unread != nil && (!fault.Is(err, fault.NotFound) || len(s.mu.all) > 0)
	if err == nil {
		s.mu.all = all
		newest, _ := series.Newest(all)
		st.Last, st.Bytes, st.Count = newest.Time, newest.Bytes, len(all)
	}
	if unread == nil {
		st.Proof = proof
		if s.o.ProveEvery == 0 { // A failure from before could never be corrected.
			st.Proof.Failed = nil
		}
	}
	return *st
}

// make makes a backup and removes those that are not kept. No backup is removed while the last proof has failed.
func (s *Schedule) make(ctx context.Context) error {
	err := s.locked(ctx, func(lock target.Lock) error {
		began := s.o.Clock.Now()
		r := s.o.Request
		r.Reread = s.doubted()
		if s.o.Shipping != nil {
			if err := s.o.Shipping.Prepare(ctx); err != nil {
				return err
			}
		}
		b, made, err := s.o.Series.Make(ctx, lock, r)
		if err != nil {
			return err
		}
		s.o.Log.Info("backup made", "backup", s.o.Series.Path(b), "bytes", made.Bytes, "copied", made.Copied, "changes", made.Changes, "took", s.o.Clock.Now().Sub(began))
		if made.NotCounted != nil {
			s.o.Log.Warn("the backup has no inventory, because its data could not be counted", "error", made.NotCounted)
		}
		if err := backup.RecordBackup(s.o.Request.Data); err != nil {
			s.o.Log.Warn("the time of a backup was not recorded in the data folder", "error", err)
		}
		if s.doubted() {
			s.o.Log.Warn("no backup is removed, because the last trial restore has failed, or its record can't be read")
			return nil
		}
		removed, err := s.o.Series.Prune(ctx, lock, s.o.Keep, s.o.Clock.Now(), s.dailies()...)
		if len(removed) > 0 {
			s.o.Log.Info("old backups removed", "backups", removed)
		}
		if err != nil && ctx.Err() == nil { // The next backup tries again.
			s.o.Log.Warn("an old backup was not removed", "error", err)
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.o.Log.Error("the backup failed", "to", s.o.Series.String(), "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.made = err; err != nil {
		s.mu.status.Failures++
	}
	return err
}

// locked calls a function while the series is locked.
func (s *Schedule) locked(ctx context.Context, do func(lock target.Lock) error) error {
	lock, err := s.o.Series.Lock(ctx)
	if err != nil {
		return err
	}
	err = do(lock)
	if closeErr := lock.Close(); closeErr != nil { // It ends by itself.
		s.o.Log.Warn("the lock of the backups was not given back", "error", closeErr)
	}
	return err
}

// doubted reports whether the last proof has failed, or may have failed.
func (s *Schedule) doubted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.proof != nil || s.mu.unread || s.mu.status.Proof.Failed != nil
}

// prove restores the newest backup to a temporary folder.
func (s *Schedule) prove(ctx context.Context) error {
	began := s.o.Clock.Now()
	b, err := s.o.Series.Find(ctx, "")
	var proof series.Proof
	counted := ""
	if err == nil {
		counted, proof.Second, err = s.restore(ctx, b)
	}
	if err == nil {
		proof.Backup, proof.Time = b.Name, s.o.Clock.Now()
		err = s.o.Series.Record(ctx, proof)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.o.Log.Error("the newest backup could not be restored", "backup", s.o.Series.Path(b), "error", err)
		s.recordFailure(ctx, series.FailedProof{Backup: b.Name, Time: s.o.Clock.Now(), Second: proof.Second, Reason: fault.Reason(err)})
	} else {
		s.o.Log.Info("the newest backup was restored for proof and is complete", "backup", s.o.Series.Path(b), "counted", counted, "took", s.o.Clock.Now().Sub(began))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.proof = err; err != nil {
		s.mu.status.Unproved++
	} else {
		s.mu.status.Proof = proof
	}
	return err
}

// recordFailure records a failed proof beside the last one that succeeded. If that fails too, only this process knows.
func (s *Schedule) recordFailure(ctx context.Context, f series.FailedProof) {
	p, err := s.o.Series.LastProof(ctx)
	if err == nil { // The record must not lose the last proof that succeeded.
		p.Failed = &f
		err = s.o.Series.Record(ctx, p)
	}
	if err != nil {
		s.o.Log.Warn("the failure was not recorded beside the backups", "error", err)
	}
}

// restore restores a backup to a temporary folder, and removes it.
func (s *Schedule) restore(ctx context.Context, b series.Backup) (counted string, second time.Time, err error) {
	scratch, done, err := backup.ScratchCopy(filepath.Join(s.o.Scratch, "proof"))
	if err != nil {
		return "", second, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return s.o.Prove(ctx, b, filepath.Join(scratch, "data"))
}
