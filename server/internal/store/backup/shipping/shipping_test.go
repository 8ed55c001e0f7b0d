package shipping

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
)

// faulty is a target whose writes of segments can fail.
type faulty struct {
	target.Folder
	// before and after make the next write fail before or after it was done.
	before, after error
}

// Put implements target.Target.
func (f *faulty) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (string, error) {
	before, after := f.before, f.after
	if strings.HasPrefix(name, "log/") {
		if f.before, f.after = nil, nil; before != nil {
			return "", before
		}
	}
	tag, err := f.Folder.Put(ctx, name, content, size)
	if err == nil && strings.HasPrefix(name, "log/") {
		err = after
	}
	return tag, err
}

// moment is the state of a store from a time on.
type moment struct {
	at    time.Time
	state map[string]string
}

// site is a store whose log is shipped, step by step, with a model of its states.
type site struct {
	t       *testing.T
	random  *rand.Rand
	clock   *clocktest.Manual
	target  *faulty
	series  *series.Series
	data    string
	store   *pebble.Store
	log     *changelog.Log
	shipper *Shipper
	lock    target.Lock
	model   []moment
	// changes counts the backups that consist of changes.
	changes int
}

// newSite returns a site whose backups are encrypted with a key of age, or not for an empty one.
func newSite(t *testing.T, seed uint64, key string) *site {
	t.Helper()
	s := &site{t: t, random: rand.New(rand.NewPCG(seed, 2)), clock: clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))}
	s.target = &faulty{Folder: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}}
	o := series.Options{Target: s.target, Open: openStore}
	if key != "" {
		keys, err := series.ParseKeys(key)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = keys
	}
	s.series, s.data = series.New(o), t.TempDir()
	s.model = []moment{{s.clock.Now(), map[string]string{}}}
	s.start()
	t.Cleanup(func() { _ = errors.Join(s.store.Close(), s.lock.Close()) })
	return s
}

// start opens the store and begins to ship.
func (s *site) start() {
	s.t.Helper()
	s.log = changelog.New(changelog.Options{Dir: s.data, Clock: s.clock})
	st, err := pebble.Open(filepath.Join(s.data, "store"), pebble.Options{Recorder: s.log})
	if err != nil {
		s.t.Fatal(err)
	}
	s.store = st
	s.log.Resume(s.t.Context(), st)
	s.shipper = New(Options{Series: s.series, Log: s.log, Store: st, ID: "a", Clock: s.clock, Logger: slog.New(slog.DiscardHandler)})
	if s.lock, err = s.series.LockLog(s.t.Context(), "a", false); err != nil {
		s.t.Fatal(err)
	}
}

// stop ends the process in an orderly way.
func (s *site) stop() {
	s.t.Helper()
	if err := errors.Join(s.lock.Close(), s.store.Close(), s.log.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// kill continues with what a killed process would have left: a copy of the data folder as it is.
func (s *site) kill() {
	s.t.Helper()
	data := s.t.TempDir()
	if err := os.CopyFS(data, os.DirFS(s.data)); err != nil {
		s.t.Fatal(err)
	}
	if err := errors.Join(s.lock.Close(), s.store.Close()); err != nil {
		s.t.Fatal(err)
	}
	s.data = data
}

// write applies a random batch.
func (s *site) write() {
	s.t.Helper()
	s.clock.Advance(time.Duration(1+s.random.IntN(900)) * time.Millisecond)
	state := maps.Clone(s.model[len(s.model)-1].state)
	var b store.Batch
	for range 1 + s.random.IntN(3) {
		key := fmt.Sprintf("k%02d", s.random.IntN(30))
		switch s.random.IntN(6) {
		case 0:
			b.Delete([]byte(key))
			delete(state, key)
		case 1:
			end := fmt.Sprintf("k%02d", s.random.IntN(30))
			b.DeleteRange([]byte(key), []byte(end))
			maps.DeleteFunc(state, func(k, _ string) bool { return k >= key && k < end })
		default:
			state[key] = fmt.Sprint(s.random.Int())
			b.Set([]byte(key), []byte(state[key]))
		}
	}
	if err := s.store.Apply(s.t.Context(), &b); err != nil {
		s.t.Fatal(err)
	}
	s.model = append(s.model, moment{s.clock.Now(), state})
}

// ship writes what was collected.
func (s *site) ship() error { return s.shipper.all(s.t.Context(), s.lock, true) }

// backup makes a backup.
func (s *site) backup() series.Backup {
	s.t.Helper()
	s.clock.Advance(time.Second)
	if err := s.shipper.Prepare(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	lock, err := s.series.Lock(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	r := series.Request{Source: s.store, Data: s.data, ID: "a", Secret: "s", Log: s.shipper, Clock: s.clock}
	b, made, err := s.series.Make(s.t.Context(), lock, r)
	if err := errors.Join(err, lock.Close()); err != nil {
		s.t.Fatal(err)
	}
	if made.Changes {
		s.changes++
	}
	return b
}

// at returns the state of the model at a time.
func (s *site) at(t time.Time) map[string]string {
	state := s.model[0].state
	for _, m := range s.model {
		if m.at.After(t) {
			break
		}
		state = m.state
	}
	return state
}

// openStore opens the store in a folder.
func openStore(folder string) (series.Store, error) {
	s, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// restored restores the state at a time from a backup.
func (s *site) restored(b series.Backup, t time.Time) (state map[string]string, err error) {
	state = make(map[string]string)
	data := filepath.Join(s.t.TempDir(), "restored")
	err = s.series.RestoreAt(s.t.Context(), b, t, data, series.RestoreAtOptions{
		Prepare: func(string, json.RawMessage) error { return nil },
		Verify: func(folder string) error {
			st, err := pebble.Open(folder, pebble.Options{})
			if err != nil {
				return err
			}
			it := st.Scan(store.Range{})
			for it.Next() && err == nil {
				var v []byte
				if v, err = it.Value(); !bytes.HasPrefix(it.Key(), []byte("backup/")) {
					state[string(it.Key())] = string(v)
				}
			}
			return errors.Join(err, it.Err(), it.Close(), st.Close())
		},
	})
	if _, left := os.Stat(data); err != nil && left == nil {
		s.t.Errorf("the restore that failed with %v left the data folder", err)
	}
	return state, err
}

// want restores the state at a time and compares it with the model.
func (s *site) want(t time.Time) {
	s.t.Helper()
	b, err := s.series.Before(s.t.Context(), t)
	if err != nil {
		s.t.Fatal(err)
	}
	state, err := s.restored(b, t)
	if err != nil {
		s.t.Errorf("the state at %v: %v", t, err)
	} else if want := s.at(t); !maps.Equal(state, want) {
		s.t.Errorf("the state at %v by %s is %v, want %v", t, b.Name, state, want)
	}
}

const key = "AGE-SECRET-KEY-1LPMCWRC3EHFQEY0T5K5MMQ2HR3EXL2QZ60YSXP47HXAZUL0FXGQSGFNVFT\n"

// TestRandomTimes writes, ships, makes backups, ends and kills the process at random, also while a segment is being
// written. Most backups consist of changes. Each of them, and each time since the first one, can be restored, and is as
// the model says.
func TestRandomTimes(t *testing.T) {
	for seed, key := range []string{"", key} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := newSite(t, uint64(seed), key)
			s.write()
			first := s.backup()
			for range 60 {
				switch s.random.IntN(20) {
				case 0:
					s.stop()
					s.start()
				case 1:
					s.kill()
					s.start()
				case 2, 3:
					failure := errors.New("the target is slow")
					if s.random.IntN(2) == 0 {
						s.target.before = failure
					} else {
						s.target.after = failure
					}
					if err := s.ship(); !errors.Is(err, failure) {
						id, why := s.log.ID()
						t.Fatalf("shipping the log %q, %q to a target that fails: %v", id, why, err)
					}
					if s.random.IntN(2) == 0 {
						s.kill()
						s.start()
					}
				case 4, 5:
					s.backup()
				case 6, 7:
					if err := s.ship(); err != nil {
						t.Fatal(err)
					}
				default:
					s.write()
				}
			}
			if err := s.ship(); err != nil {
				t.Fatal(err)
			}
			if st := s.shipper.Status(); st.Failure != "" || st.Gaps != 0 || st.Waiting != 0 || st.Until.Before(s.clock.Now()) {
				t.Errorf("at the end the status is %+v", st)
			}
			all, err := s.series.List(t.Context())
			if err != nil || s.shipper.Needs(all) || all[len(all)-1].Log.Log != first.Log.Log {
				t.Fatalf("the log did not survive: %+v, %v", all, err)
			}
			for i, b := range all {
				next := series.Place{}
				if i+1 < len(all) {
					next = all[i+1].Log
				}
				if until, err := s.series.CheckLog(t.Context(), b, next); err != nil || until.Before(next.Time()) {
					t.Errorf("the log of %s is complete up to %v, %v", b.Name, until, err)
				}
				if state, err := s.restored(b, b.Log.Time()); err != nil || !maps.Equal(state, s.at(b.Log.Time())) {
					t.Errorf("the backup %s has %v, %v; want %v", b.Name, state, err, s.at(b.Log.Time()))
				}
			}
			if s.changes < 2 || s.changes > len(all)-1 {
				t.Errorf("%d of %d backups consist of changes", s.changes, len(all))
			}
			begin := first.Log.Time()
			for range 3 {
				s.want(begin.Add(time.Duration(s.random.Int64N(int64(s.clock.Now().Sub(begin))))))
			}
			s.want(begin)
			s.want(s.clock.Now())
		})
	}
}

// segments returns the files of the segments of the log, in their order.
func (s *site) segments() []string {
	s.t.Helper()
	all, err := filepath.Glob(filepath.Join(s.target.Dir, "log", "*", "*"))
	if err != nil || len(all) == 0 {
		s.t.Fatalf("there are %d segments, %v", len(all), err)
	}
	return all
}

// TestDamagedLogs damages the fourth of six segments in several ways. Times before it can be restored, and later ones
// are refused with the second up to which they can, and nothing is left of the attempt.
func TestDamagedLogs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, all []string) error
		want   string
	}{
		{"lost", func(_ *testing.T, all []string) error { return os.Remove(all[3]) }, "are missing"},
		{"changed", func(_ *testing.T, all []string) error {
			content, err := os.ReadFile(all[3])
			content[len(content)/2] ^= 1
			return errors.Join(err, os.WriteFile(all[3], content, 0o600))
		}, "is damaged"},
		{"cut", func(_ *testing.T, all []string) error { return os.Truncate(all[3], 20) }, "is damaged"},
		{"exchanged", func(_ *testing.T, all []string) error {
			content, err := os.ReadFile(all[2])
			return errors.Join(err, os.WriteFile(all[3], content, 0o600))
		}, "of another segment"},
		{"lost with those behind it", func(_ *testing.T, all []string) error {
			return errors.Join(os.Remove(all[3]), os.Remove(all[4]), os.Remove(all[5]))
		}, "does not reach"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, 7, "")
			b := s.backup()
			var until []time.Time
			for range 6 {
				s.write()
				if err := s.ship(); err != nil {
					t.Fatal(err)
				}
				until = append(until, s.clock.Now())
			}
			if err := tt.damage(t, s.segments()); err != nil {
				t.Fatal(err)
			}
			s.want(until[2])
			_, err := s.restored(b, until[5])
			if up := "up to " + until[2].Format(time.RFC3339); err == nil || fault.CodeOf(err) == fault.Internal || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), up) {
				t.Errorf("a restore behind the damage: %v; want %q and %q", err, tt.want, up)
			}
			reached, err := s.series.CheckLog(t.Context(), b, series.Place{})
			if atEnd := tt.want == "does not reach"; (err == nil) != atEnd || err != nil && !fault.Is(err, fault.DataLoss) || !reached.Equal(until[2]) {
				t.Errorf("CheckLog = %v, %v; want %v", reached, err, until[2])
			}
			if _, err := s.restored(b, b.Log.Time().Add(-time.Second)); !fault.Is(err, fault.FailedPrecondition) {
				t.Errorf("a restore before the backup: %v", err)
			}
		})
	}
}

// TestGaps lets the target fail until more was written than a log may collect. The gap is counted and shown, a backup
// is needed, and from it on each time can be restored; times of the gap are refused.
func TestGaps(t *testing.T) {
	s := newSite(t, 8, "")
	s.write()
	first := s.backup()
	s.shipper.Needs([]series.Backup{first})
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	known := s.clock.Now()
	s.target.before = errors.New("503 SlowDown")
	s.write()
	if err := s.ship(); err == nil {
		t.Error("shipping to a target that fails succeeded")
	}
	s.log.End(first.Log.Log, "more was written than the target took")
	s.write()
	lost := s.clock.Now()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	st := s.shipper.Status()
	if st.Gaps != 1 || !strings.Contains(st.Failure, "more was written") || st.Since.IsZero() || !s.shipper.Needs([]series.Backup{first}) {
		t.Errorf("after a gap the status is %+v", st)
	}
	select {
	case <-s.shipper.Wake():
	default:
		t.Error("the gap does not wake the schedule")
	}
	second := s.backup()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	if st := s.shipper.Status(); s.shipper.Needs([]series.Backup{first, second}) || second.Log.Log == first.Log.Log || s.shipper.Status().Failure != "" {
		t.Errorf("after the next backup %+v the status is %+v", second, st)
	}
	s.want(known)
	s.want(s.clock.Now())
	if _, err := s.restored(first, lost); err == nil || !strings.Contains(err.Error(), "does not reach") {
		t.Errorf("a time in the gap was restored: %v", err)
	}
}

// TestAnEmptiedPlace loses everything in the place of the backups, while the process runs and before it starts again.
// The next backup begins a new log, and each time from it on can be restored.
func TestAnEmptiedPlace(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		s := newSite(t, 21, "")
		first := s.backup()
		for range 2 {
			s.write()
			if err := s.ship(); err != nil {
				t.Fatal(err)
			}
		}
		if restarts {
			s.stop()
		}
		for _, folder := range []string{"backups", "objects", "log"} {
			if err := os.RemoveAll(filepath.Join(s.target.Dir, folder)); err != nil {
				t.Fatal(err)
			}
		}
		if restarts {
			s.start()
		} else {
			if err := s.shipper.lost(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.ship(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-s.shipper.Wake():
			default:
				t.Error("the loss does not wake the schedule")
			}
		}
		second := s.backup() // which a schedule makes at once, before anything is shipped after a start
		s.write()
		if err := s.ship(); err != nil {
			t.Fatal(err)
		}
		if second.Log.Log == first.Log.Log || s.shipper.Needs([]series.Backup{second}) {
			t.Errorf("restarted %v: another backup is needed after %+v", restarts, second)
		}
		s.want(s.clock.Now())
	}
}

// TestAnotherServer continues the same log from a copy of the data folder. The first server notices it, and begins a
// new log instead of mixing both.
func TestAnotherServer(t *testing.T) {
	s := newSite(t, 9, "")
	s.backup()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.series.LockLog(t.Context(), "a", false); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("two servers ship at once: %v", err)
	}
	original := s.data
	s.kill() // The copy continues it.
	s.start()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s.data = original
	s.start()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	if id, why := s.log.ID(); id != "" || !strings.Contains(why, "is not the one that this server has written") {
		t.Errorf("the log of the first server is %q, %q", id, why)
	}
	if _, err := s.series.LockLog(t.Context(), "b", false); err == nil {
		t.Error("other data may be shipped to the same place")
	}
}

// TestPrune removes the segments of the log before the days that are kept. Each time of these days can be restored.
func TestPrune(t *testing.T) {
	s := newSite(t, 10, "")
	var backups []series.Backup
	for range 4 {
		backups = append(backups, s.backup())
		s.write()
		if err := s.ship(); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(24 * time.Hour)
	}
	all := s.segments()
	lock, err := s.series.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	removed, err := s.series.Prune(t.Context(), lock, series.Keep{Days: 2, Months: 12}, s.clock.Now())
	if err := errors.Join(err, lock.Close()); err != nil || len(removed) != 2 {
		t.Fatalf("Prune removed %v, %v; want two backups", removed, err)
	}
	if left := s.segments(); len(left) >= len(all) || len(left) < 2 {
		t.Errorf("%d of %d segments are left", len(left), len(all))
	}
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	s.want(backups[2].Log.Time())
	s.want(s.clock.Now())
	kept, err := s.series.List(t.Context())
	if err != nil || len(kept) != 2 || kept[0].Log == (series.Place{}) || kept[1].Log == (series.Place{}) {
		t.Errorf("after Prune there are %+v, %v", kept, err)
	}
	if err := os.RemoveAll(filepath.Join(s.target.Dir, "backups", backups[3].Name+".json")); err != nil {
		t.Fatal(err)
	}
	s.want(s.clock.Now()) // by the one before it
}

// TestOldLogs keeps a backup of last month by its month, but not its log. It is complete without it, and says so.
func TestOldLogs(t *testing.T) {
	s := newSite(t, 11, "")
	first := s.backup()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.clock.Advance(20 * 24 * time.Hour)
		s.backup()
		s.write()
		if err := s.ship(); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := s.series.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.series.Prune(t.Context(), lock, series.Keep{Days: 7, Months: 12}, s.clock.Now())
	if err := errors.Join(err, lock.Close()); err != nil {
		t.Fatal(err)
	}
	all, err := s.series.List(t.Context())
	if err != nil || len(all) < 3 || all[0].Name != first.Name || all[0].Log != (series.Place{}) {
		t.Fatalf("after Prune there are %+v, %v", all, err)
	}
	if until, err := s.series.CheckLog(t.Context(), all[0], all[1].Log); err != nil || !until.IsZero() {
		t.Errorf("CheckLog of a backup without its log = %v, %v", until, err)
	}
	if _, err := s.restored(all[0], first.Log.Time().Add(time.Second)); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "removed as old") {
		t.Errorf("a restore without the log: %v", err)
	}
	if reaches, err := s.series.Reaches(t.Context(), all); err != nil || len(reaches) != 1 || reaches[0].From.Before(all[1].Time) {
		t.Errorf("Reaches = %v, %v", reaches, err)
	}
	s.want(s.clock.Now())
	s.stop()
	s.start()
	s.write()
	if err := s.ship(); err != nil {
		t.Fatal(err)
	}
	s.want(s.clock.Now())
}
