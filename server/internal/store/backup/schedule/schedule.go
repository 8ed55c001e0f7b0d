// Package schedule makes backups of a running server at intervals, restores the newest one for proof, and reports both.
package schedule

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup"
	"clave/server/internal/store/backup/series"
)

// retryAfter is the maximum time until a failed backup or proof is tried again.
const retryAfter = 5 * time.Minute

// Options configure New.
type Options struct {
	// Series is the place of the backups.
	Series series.Series
	// Request is the request for each backup.
	Request series.Request
	// Every is the time between two backups, and Keep says which are kept.
	Every time.Duration
	Keep  series.Keep
	// ProveEvery is the time between two proofs; zero for none. Prove restores the copy dir to the folder to, which is
	// absent and is removed afterwards, reads everything, and returns what it has counted.
	ProveEvery time.Duration
	Prove      func(ctx context.Context, dir, to string) (counted string, err error)
	Clock      clock.Clock
	Log        *slog.Logger
}

// Status is the state of the backups.
type Status struct {
	// Dir is the folder of the backups.
	Dir string
	// Last is the time of the newest backup, and Bytes its size; zero if there is none. Count is the number of backups.
	Last  time.Time
	Bytes int64
	Count int
	// Every is the time between two backups, and ProveEvery that between two proofs; zero for none.
	Every, ProveEvery time.Duration
	// Proved is the time of the last proof; zero if there is none.
	Proved time.Time
	// Failures counts the backups, and Unproved the proofs, that have failed since the start.
	Failures, Unproved uint64
	// Failure is the reason why the last backup or proof failed; empty if it succeeded.
	Failure string
}

// Schedule makes backups.
type Schedule struct {
	o  Options
	mu struct {
		sync.Mutex
		status Status
		// made and proof are the reasons of the failures of the last backup and the last proof; nil if they succeeded.
		made, proof error
	}
}

// New returns a Schedule that makes backups while it runs.
func New(o Options) *Schedule {
	s := &Schedule{o: o}
	s.mu.status = Status{Dir: o.Series.Dir, Every: o.Every, ProveEvery: o.ProveEvery}
	s.refresh()
	return s
}

// Status returns the state of the backups.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.mu.status
	if err := errors.Join(s.mu.made, s.mu.proof); err != nil {
		out.Failure = fault.Reason(err)
	}
	return out
}

// Run makes and proves backups when they are due, until ctx is done. The times of the last ones are in the folder of
// the backups, so neither a start nor another leader makes one too early.
func (s *Schedule) Run(ctx context.Context) error {
	backups := timer{clock: s.o.Clock, every: s.o.Every}
	proofs := timer{clock: s.o.Clock, every: s.o.ProveEvery}
	for {
		st := s.refresh()
		wait := backups.left(st.Last)
		if wait <= 0 {
			backups.ran(s.make(ctx))
			continue
		}
		if s.o.ProveEvery > 0 && st.Count > 0 {
			left := proofs.left(st.Proved)
			if left <= 0 {
				proofs.ran(s.prove(ctx))
				continue
			}
			wait = min(wait, left)
		}
		if clock.Sleep(ctx, s.o.Clock, wait) != nil {
			return nil
		}
	}
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

// ran records an attempt.
func (t *timer) ran(err error) { t.tried, t.failed = t.clock.Now(), err != nil }

// refresh reads the state of the folder and returns it.
func (s *Schedule) refresh() Status {
	all, err := s.o.Series.List()
	proof := s.o.Series.LastProof()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.mu.status
	if err == nil {
		newest, _ := series.Newest(all)
		st.Last, st.Bytes, st.Count, st.Proved = newest.Time, newest.Bytes, len(all), proof.Time
	}
	return *st
}

// make makes a backup and removes those that are not kept. No backup is removed while the last proof has failed.
func (s *Schedule) make(ctx context.Context) error {
	err := s.locked(func() error {
		began := s.o.Clock.Now()
		b, made, err := s.o.Series.Make(ctx, s.o.Request)
		if err != nil {
			return err
		}
		s.o.Log.Info("backup made", "backup", s.o.Series.Path(b), "bytes", made.Bytes, "copied", made.Copied, "took", s.o.Clock.Now().Sub(began))
		if err := backup.RecordBackup(s.o.Request.Data); err != nil {
			s.o.Log.Warn("the time of a backup was not recorded in the data folder", "error", err)
		}
		if s.doubted() {
			s.o.Log.Warn("no backup is removed, because the newest one could not be restored")
			return nil
		}
		removed, err := s.o.Series.Prune(s.o.Keep, s.o.Clock.Now())
		if len(removed) > 0 {
			s.o.Log.Info("old backups removed", "backups", removed)
		}
		if err != nil { // The next backup tries again.
			s.o.Log.Warn("an old backup was not removed", "error", err)
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.o.Log.Error("the backup failed", "to", s.o.Series.Dir, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.made = err; err != nil {
		s.mu.status.Failures++
	}
	return err
}

// locked calls a function while the series exists and is locked.
func (s *Schedule) locked(do func() error) error {
	if err := s.o.Series.Create(); err != nil {
		return err
	}
	lock, err := s.o.Series.Lock()
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Close())
}

// doubted reports whether the last proof has failed.
func (s *Schedule) doubted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.proof != nil
}

// prove restores the newest backup to a temporary folder beside it.
func (s *Schedule) prove(ctx context.Context) error {
	began := s.o.Clock.Now()
	b, err := s.o.Series.Find("")
	counted := ""
	if err == nil {
		counted, err = s.restore(ctx, b)
	}
	if err == nil {
		err = s.o.Series.Record(series.Proof{Backup: b.Name, Time: s.o.Clock.Now()})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.o.Log.Error("the newest backup could not be restored", "backup", s.o.Series.Path(b), "error", err)
	} else {
		s.o.Log.Info("the newest backup was restored for proof and is complete", "backup", s.o.Series.Path(b), "counted", counted, "took", s.o.Clock.Now().Sub(began))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.proof = err; err != nil {
		s.mu.status.Unproved++
	}
	return err
}

// restore restores a backup to a temporary folder, and removes it.
func (s *Schedule) restore(ctx context.Context, b series.Backup) (counted string, err error) {
	scratch, done, err := backup.ScratchCopy(filepath.Join(s.o.Series.Dir, "proof"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	return s.o.Prove(ctx, s.o.Series.Path(b), filepath.Join(scratch, "data"))
}
