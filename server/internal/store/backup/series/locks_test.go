package series_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/test/kit/wait"
)

// byManual returns a target with a clock of its own, whose lease is a minute, and a function that advances the clock,
// whenever a number of timers wait for it, until a call returns. A folder has no clock.
func byManual(t *testing.T, p place) (target.Target, func(timers int, call func())) {
	t.Helper()
	if p.server == nil {
		return p.Target, func(_ int, call func()) { call() }
	}
	c := clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))
	o := bucketOptions(p.server)
	o.Clock = c
	b, err := bucket.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b, func(timers int, call func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			call()
		}()
		for {
			select {
			case <-done:
				return
			default:
				if c.Timers() == timers {
					c.Advance(time.Second)
				}
			}
		}
	}
}

// TestTwoServers lets two servers write to one target: the second one is refused while the first one writes, and if its
// data are others. The lock of a process that was killed ends.
func TestTwoServers(t *testing.T) {
	for name, openPlace := range places {
		t.Run(name, func(t *testing.T) {
			p := openPlace(t)
			to, advanced := byManual(t, p)
			lock, err := to.Lock(t.Context(), target.Backups, "")
			if err != nil {
				t.Fatal(err)
			}
			advanced(2, func() { // the one that keeps the lock and the one that waits
				if _, err := to.Lock(t.Context(), target.Backups, ""); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "another server") {
					t.Errorf("the second Lock = %v", err)
				}
			})
			if err := errors.Join(lock.Held(), lock.Close()); err != nil {
				t.Error(err)
			}
			if p.server != nil {
				text := `{"holder": "killed", "host": "here"}`
				if _, err := p.Put(t.Context(), "series.lock.json", strings.NewReader(text), int64(len(text))); err != nil {
					t.Fatal(err)
				}
				advanced(1, func() { lock, err = to.Lock(t.Context(), target.Backups, "") })
				if err := errors.Join(err, lock.Close()); err != nil {
					t.Fatal(err)
				}
			}
			s, at := open(t), series.New(series.Options{Target: p.Target})
			s.must(at)
			s.r.ID = "b"
			if _, _, err := s.make(at); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "other data") {
				t.Errorf("a backup of other data: %v", err)
			}
			for _, text := range []string{" ", "{}", `{"format": 2, "data": "b"}`} {
				if _, err := p.Put(t.Context(), "series.json", strings.NewReader(text), int64(len(text))); err != nil {
					t.Fatal(err)
				}
				if _, _, err := s.make(at); !fault.Is(err, fault.FailedPrecondition) {
					t.Errorf("a backup to a target with the owner %q: %v", text, err)
				}
			}
		})
	}
}

// locking is a folder in which another process takes the lock of the backups while the first object is written.
type locking struct {
	target.Folder
	t     *testing.T
	taken bool
}

// Put implements target.Target.
func (l *locking) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (string, error) {
	return l.Folder.Put(ctx, name, &lockingReader{content, l}, size)
}

// lockingReader is the content of an object.
type lockingReader struct {
	io.ReadSeeker
	l *locking
}

// Read implements io.Reader.
func (r *lockingReader) Read(p []byte) (int, error) {
	if !r.l.taken {
		r.l.taken = true
		lock, err := r.l.Lock(r.l.t.Context(), target.Backups, "")
		if err := errors.Join(err, lock.Close()); err != nil {
			r.l.t.Error(err)
		}
	}
	return r.ReadSeeker.Read(p)
}

// TestBothLocksOfANewPlace takes the lock of the backups, which removes what is not finished, while that of the log is
// being taken and the owner of a new place is written.
func TestBothLocksOfANewPlace(t *testing.T) {
	at := series.New(series.Options{Target: &locking{Folder: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}, t: t}})
	lock, err := at.LockLog(t.Context(), "a", false)
	if err != nil {
		t.Fatalf("LockLog = %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
}

// TestALockOfOneOwner takes the lock of the log from another process of the same owner at once, and not from others.
// The other process has lost it then.
func TestALockOfOneOwner(t *testing.T) {
	p := places["gofakes3"](t)
	to, advanced := byManual(t, p)
	first, err := to.Lock(t.Context(), target.Log, "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"", "b"} {
		advanced(2, func() {
			if _, err := to.Lock(t.Context(), target.Log, owner); !fault.Is(err, fault.FailedPrecondition) {
				t.Errorf("Lock of the owner %q = %v", owner, err)
			}
		})
	}
	second, err := to.Lock(t.Context(), target.Log, "a") // No time passes.
	if err != nil {
		t.Fatal(err)
	}
	advanced(2, func() { wait.Until(t, "the lock to be lost", func() bool { return first.Held() != nil }) })
	if err := errors.Join(second.Held(), first.Close(), second.Held(), second.Close()); err != nil {
		t.Error(err)
	}
}

// TestALostLock lets another process take the lock before a backup is complete. The backup is not completed.
func TestALostLock(t *testing.T) {
	p := places["gofakes3"](t)
	to, advanced := byManual(t, p)
	s, at := open(t), series.New(series.Options{Target: to})
	lock, err := at.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := `{"holder": "other", "host": "there"}`
	if _, err := p.Put(t.Context(), "series.lock.json", strings.NewReader(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
	advanced(1, func() {
		wait.Until(t, "the lock to be lost", func() bool { return lock.Held() != nil })
	})
	if _, _, err := at.Make(t.Context(), lock, s.r); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a backup without the lock: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	if all, err := at.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("there are %v, %v", all, err)
	}
}
