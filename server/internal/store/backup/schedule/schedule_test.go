package schedule_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/wait"
)

// folder is a folder of backups with a store and a clock.
type folder struct {
	t     *testing.T
	at    *series.Series
	dir   string
	o     schedule.Options
	clock *clocktest.Manual
	// proofErr is the error of the next proofs, and second the second that they restore.
	proofErr error
	second   time.Time
}

// open returns a folder that does not exist yet.
func open(t *testing.T) *folder {
	t.Helper()
	data := t.TempDir()
	s, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	dir := filepath.Join(t.TempDir(), "backups")
	f := &folder{t: t, dir: dir, at: series.New(series.Options{Target: target.Folder{Dir: dir}}), clock: clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))}
	f.o = schedule.Options{
		Series: f.at, Request: series.Request{Source: s, Data: data, ID: "a", Clock: f.clock}, Every: 6 * time.Hour, Keep: series.Keep{Days: 2},
		ProveEvery: 24 * time.Hour, Scratch: dir, Prove: func(context.Context, series.Backup, string) (string, time.Time, error) {
			return "", f.second, f.proofErr
		}, Clock: f.clock, Log: slog.New(slog.DiscardHandler),
	}
	return f
}

// run runs a schedule until it waits, and then end.
func (f *folder) run() (s *schedule.Schedule, end func()) {
	f.t.Helper()
	s = schedule.New(f.o)
	ctx, cancel := context.WithCancel(f.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	f.settle()
	return s, func() {
		cancel()
		if err := <-ended; err != nil {
			f.t.Errorf("Run = %v", err)
		}
	}
}

// settle waits until the schedule waits for the clock.
func (f *folder) settle() {
	f.t.Helper()
	wait.Until(f.t, "the schedule to wait", func() bool { return f.clock.Timers() == 1 })
}

// advance advances the clock, and waits until the schedule waits again.
func (f *folder) advance(d time.Duration) {
	f.t.Helper()
	f.clock.Advance(d)
	f.settle()
}

// want checks the number of backups.
func (f *folder) want(when string, n int) {
	f.t.Helper()
	if all, err := f.at.List(f.t.Context()); err != nil || len(all) != n {
		f.t.Errorf("%s there are %d backups, %v; want %d", when, len(all), err, n)
	}
}

// TestSchedule makes backups every six hours, also over a restart, and proves one a day. The first one, in a new place,
// comes without warnings.
func TestSchedule(t *testing.T) {
	f := open(t)
	var warnings strings.Builder
	f.o.Log = slog.New(slog.NewTextHandler(&warnings, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, end := f.run()
	f.want("at the start", 1)
	if warnings.Len() > 0 {
		t.Errorf("at the start there are the warnings\n%s", &warnings)
	}
	proved := s.Status().Proof.Time
	if !proved.Equal(f.clock.Now()) {
		t.Errorf("the first backup was proved at %v", proved)
	}
	f.advance(5 * time.Hour)
	f.want("after five hours", 1)
	end()
	s, end = f.run()
	defer end()
	f.want("after a restart", 1)
	f.advance(time.Hour)
	f.want("after six hours", 2)
	if st := s.Status(); !st.Last.Equal(f.clock.Now()) || st.Count != 2 || st.Bytes == 0 || !st.Proof.Time.Equal(proved) || st.Failure != "" {
		t.Errorf("the status is %+v", st)
	}
	for range 18 / 6 {
		f.advance(6 * time.Hour)
	}
	if st := s.Status(); st.Proof.Time.Equal(proved) || st.Count != 4 {
		t.Errorf("after a day the status is %+v, want a new proof", st)
	}
	for range 48 / 6 {
		f.advance(6 * time.Hour)
	}
	f.want("after three days, with those of less than a day ago,", 4)
}

// TestFailures lets backups and proofs fail. They are tried again soon, and no backup is removed while a proof fails.
func TestFailures(t *testing.T) {
	f := open(t)
	if err := os.WriteFile(f.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.proofErr = errors.New("incomplete")
	s, end := f.run()
	defer end()
	if st := s.Status(); st.Failures != 1 || st.Failure == "" || st.Count != 0 {
		t.Errorf("the status after a failure is %+v", st)
	}
	if err := os.Remove(f.dir); err != nil {
		t.Fatal(err)
	}
	f.advance(5 * time.Minute)
	f.want("five minutes after a failure", 1)
	if st := s.Status(); st.Failures != 1 || st.Unproved != 1 || st.Failure != "incomplete" {
		t.Errorf("the status after a failed proof is %+v", st)
	}
	for range 12 {
		f.advance(6 * time.Hour)
	}
	f.want("three days after a failed proof", 13)
	f.proofErr = nil
	f.advance(5 * time.Minute)
	if st := s.Status(); st.Failure != "" {
		t.Errorf("the status after a proof is %+v", st)
	}
	f.advance(6 * time.Hour)
	if st := s.Status(); st.Count >= 13 {
		t.Errorf("after a proof there are %d backups, want old ones removed", st.Count)
	}
}

// TestAFailedProofOutlivesItsProcess lets a proof fail and restarts the schedule. The failure is still reported, with
// the backup and the second that were tried and the last proof before, and the proof is tried again five minutes after
// the failure, not at the start. If no proofs are made any more, the failure does not count.
func TestAFailedProofOutlivesItsProcess(t *testing.T) {
	f := open(t)
	f.second = f.clock.Now().Add(-time.Hour)
	s, end := f.run()
	first := s.Status().Proof
	if first.Backup == "" || !first.Second.Equal(f.second) || first.Failed != nil {
		t.Errorf("the first proof is %+v", first)
	}
	f.proofErr, f.second = errors.New("incomplete"), f.clock.Now()
	for range 4 {
		f.advance(6 * time.Hour)
	}
	failed := s.Status().Proof
	if failed.Backup != first.Backup || !failed.Time.Equal(first.Time) || failed.Failed == nil || failed.Failed.Reason != "incomplete" ||
		failed.Failed.Backup == first.Backup || !failed.Failed.Second.Equal(f.second) || !failed.Failed.Time.Equal(f.clock.Now()) {
		t.Fatalf("after a failure the last proof is %+v, failed %+v", failed, failed.Failed)
	}
	end()
	f.o.ProveEvery = 0
	s, end = f.run()
	if st := s.Status(); st.Failure != "" || st.Proof.Failed != nil {
		t.Errorf("without proofs the status is %+v", st)
	}
	end()
	f.o.ProveEvery = 24 * time.Hour
	s, end = f.run()
	defer end()
	if st := s.Status(); st.Failure != "incomplete" || st.Unproved != 0 {
		t.Errorf("after a restart the status is %+v, want the failure from before, and no other attempt", st)
	}
	f.proofErr = nil
	f.advance(5 * time.Minute)
	if st := s.Status(); st.Failure != "" || st.Proof.Failed != nil || !st.Proof.Time.Equal(f.clock.Now()) {
		t.Errorf("after another attempt the status is %+v", st)
	}
}

// withoutProofs is a folder in which the record of proofs can't be read.
type withoutProofs struct{ target.Folder }

// Get implements target.Target.
func (w withoutProofs) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, "proof") {
		return nil, fault.E(fault.Unavailable, "no answer")
	}
	return w.Folder.Get(ctx, name)
}

// TestAFailureThatCannotBeRead restarts a schedule while the record of a failed proof can't be read. No backup is
// removed, and the record stays as it was.
func TestAFailureThatCannotBeRead(t *testing.T) {
	f := open(t)
	s, end := f.run()
	first := s.Status().Proof
	f.proofErr = errors.New(strings.Repeat("\x01", 100_000)) // The record has only its beginning.
	for range 4 {
		f.advance(6 * time.Hour)
	}
	end()
	all, err := f.at.List(t.Context())
	if err != nil || len(all) < 2 {
		t.Fatalf("there are %d backups, %v", len(all), err)
	}
	f.o.Series = series.New(series.Options{Target: withoutProofs{target.Folder{Dir: f.dir}}})
	f.clock.Advance(5 * 24 * time.Hour)
	_, end = f.run()
	f.want("after five days without the record", len(all)+1)
	end()
	if p, err := f.at.LastProof(t.Context()); err != nil || !p.Time.Equal(first.Time) || p.Failed == nil {
		t.Errorf("the record is %+v, %v", p, err)
	}
}

// TestAClockThatWasSetBack sets the clock back by a year. Backups go on at their interval.
func TestAClockThatWasSetBack(t *testing.T) {
	f := open(t)
	f.o.ProveEvery = 0
	_, end := f.run()
	end()
	f.clock = clocktest.NewManual(f.clock.Now().AddDate(-1, 0, 0))
	f.o.Clock, f.o.Request.Clock, f.o.Keep = f.clock, f.clock, series.Keep{}
	_, end = f.run()
	defer end()
	f.want("after the clock was set back", 2)
	f.advance(time.Hour)
	f.want("an hour later", 2)
	f.advance(5 * time.Hour)
	f.want("six hours later", 3)
}

// TestSchedulesOfDatabases makes a backup at the beginning of each day beside a rare interval, and keeps those for
// three days, until the schedule is removed.
func TestSchedulesOfDatabases(t *testing.T) {
	f := open(t)
	f.o.Every, f.o.Keep, f.o.ProveEvery = 20*24*time.Hour, series.Keep{Days: 1}, 0
	s, end := f.run()
	defer end()
	reach := func(when string, n int) {
		t.Helper()
		wait.Until(t, when, func() bool {
			all, err := f.at.List(t.Context())
			return err == nil && len(all) == n && f.clock.Timers() == 1
		})
	}
	s.Use([]series.Daily{{For: 72 * time.Hour}})
	f.clock.Advance(12 * time.Hour)
	reach("a backup at midnight", 2)
	f.clock.Advance(24 * time.Hour)
	reach("a backup at the next midnight", 3)
	f.clock.Advance(24 * time.Hour)
	reach("a third one", 4)
	f.clock.Advance(24 * time.Hour)
	reach("the removal of those that are three days old", 3)
	s.Use(nil)
	f.clock.Advance(10 * 24 * time.Hour)
	f.settle()
	f.want("ten days after the removal of the schedule", 3)
	f.clock.Advance(10 * 24 * time.Hour)
	reach("one backup after the interval", 1)
}

// TestPlanIsStored changes schedules, also with errors, and reads them again.
func TestPlanIsStored(t *testing.T) {
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	var used []series.Daily
	load := func() *schedule.Plan {
		t.Helper()
		used = nil
		p, err := schedule.LoadPlan(st, func(more []series.Daily) { used = more })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := load()
	one := schedule.Planned{ID: "a", Database: "(default)", Daily: series.Daily{Weekly: true, Day: time.Friday, For: time.Hour}}
	if err := p.Change(t.Context(), func(all []schedule.Planned) ([]schedule.Planned, error) { return append(all, one), nil }); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	if err := p.Change(t.Context(), func([]schedule.Planned) ([]schedule.Planned, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("Change = %v", err)
	}
	for _, p := range []*schedule.Plan{p, load()} {
		if all := p.All(); len(all) != 1 || all[0] != one || len(used) != 1 || used[0] != one.Daily {
			t.Errorf("the schedules are %v, and %v are used", all, used)
		}
	}
	if err := p.Change(t.Context(), func([]schedule.Planned) ([]schedule.Planned, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if all := load().All(); len(all) != 0 || len(used) != 0 {
		t.Errorf("after the last one is removed there are %v", all)
	}
}
