package engine_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// runFor advances the clock of a running engine by some seconds.
func runFor(t *testing.T, e *engine.Engine, manual *clocktest.Manual, seconds int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	for range seconds {
		for manual.Timers() == 0 {
			runtime.Gosched()
		}
		manual.Advance(time.Second)
	}
	for manual.Timers() == 0 { // All due work is done.
		runtime.Gosched()
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestOldCommitsAreDropped(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	first := put(t, e, set("c/a", n(1)))
	manual.Advance(30 * time.Minute)
	second := put(t, e, set("c/a", n(2)))
	manual.Advance(31 * time.Minute)
	third := put(t, e, set("c/a", n(3)))
	runFor(t, e, manual, 61)
	_, err := get(t, e, request.At{ReadTime: first.Version}, "c/a")
	wantCode(t, "read of an hour ago", err, fault.FailedPrecondition)
	wantN(t, e, request.At{ReadTime: second.Version}, "c/a", value.Int(2))
	count := 0
	counted := func(document.Commit) error { count++; return nil }
	err = e.Changes(t.Context(), testDB, second.Version, third.Version, counted)
	if err != nil || count != 1 {
		t.Errorf("Changes since the second commit gave %d commits (%v), want 1", count, err)
	}
	wantCode(t, "Changes of an hour ago", e.Changes(t.Context(), testDB, first.Version, third.Version, counted), fault.FailedPrecondition)
	manual.Advance(3 * time.Hour)
	runFor(t, e, manual, 61)
	wantN(t, e, request.At{}, "c/a", value.Int(3))
	if fourth := put(t, e, set("c/a", n(4))); fourth.Version <= third.Version {
		t.Errorf("version %d after %d", fourth.Version, third.Version)
	}
}

func TestAnIdleTransactionReleasesItsLocks(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/a", n(1)))
	id := begin(t, e, request.TransactionOptions{})
	if _, err := get(t, e, request.At{Transaction: id}, "c/a"); err != nil {
		t.Fatal(err)
	}
	runFor(t, e, manual, 62)
	put(t, e, set("c/a", n(2)))
	wantCode(t, "commit of the idle one", commitIn(t.Context(), e, id, set("c/a", n(3))), fault.Aborted)
}

func TestServerTimestampsOfTwoCommitsDiffer(t *testing.T) {
	e := open(t, engine.Options{Clock: clocktest.NewManual(time.Now())})
	w := set("c/a", nil)
	w.Transforms = []document.Transform{{Path: value.FieldPath{"t"}, Kind: document.RequestTime}}
	one, two := put(t, e, w), put(t, e, w)
	a, b := one.Results[0].Transforms[0], two.Results[0].Transforms[0]
	if value.Compare(a, b) >= 0 {
		t.Errorf("server timestamps of two commits = %v, %v, want rising", a, b)
	}
}

func TestClosedEngine(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)))
	s := e.Subscribe(testDB)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context()); err == nil {
		t.Error("Next on a closed engine = nil")
	}
	if _, err := e.Read(t.Context(), testDB, request.At{}); err == nil {
		t.Error("Read on a closed engine = nil")
	}
	if _, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(2))}}, engine.Unrestricted()); err == nil {
		t.Error("Commit on a closed engine = nil")
	}
}
