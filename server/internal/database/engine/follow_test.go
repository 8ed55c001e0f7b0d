package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// openOn returns an engine on a store that the test closes; the engine is closed by the test itself.
func openOn(t *testing.T, store *pebble.Store, manual *clocktest.Manual) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{Store: store, Clock: manual})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// next returns the versions of the commits that a subscription has, at least one.
func next(t *testing.T, s *engine.Subscription) []clock.Version {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	commits, err := s.Next(ctx)
	if err != nil {
		t.Fatalf("Next = %v", err)
	}
	var out []clock.Version
	for _, c := range commits {
		out = append(out, c.Version)
	}
	return out
}

// TestFollowAcrossRestarts checks that a subscription delivers the commits of an earlier run, including kept ones from
// before the retention, and the new ones, each once and in order.
func TestFollowAcrossRestarts(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	e := openOn(t, store, manual)
	first := put(t, e, set("c/a", n(1))).Version
	follow := e.Follow(testDB, first)
	var want []clock.Version
	for i := range int64(200) { // more than a subscription holds
		manual.Advance(time.Second)
		want = append(want, put(t, e, set("c/a", value.Map{"n": value.Int(i)})).Version)
	}
	manual.Advance(3 * time.Hour)
	runFor(t, e, manual, 61)
	follow.Close()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openOn(t, store, manual)
	defer func() { _ = e.Close() }()
	follow = e.Follow(testDB, first)
	var got []clock.Version
	for len(got) < 150 {
		got = append(got, next(t, follow)...)
	}
	follow.Done(got[99])
	runFor(t, e, manual, 61)
	want = append(want, put(t, e, set("c/b", n(1))).Version)
	for len(got) < len(want) {
		got = append(got, next(t, follow)...)
	}
	for i, v := range want {
		if got[i] != v {
			t.Fatalf("commit %d has version %d, want %d", i, got[i], v)
		}
	}
	defer follow.Close()
	again := e.Follow(testDB, got[99])
	defer again.Close()
	if v := next(t, again)[0]; v != want[100] {
		t.Errorf("the commit after number 99 is %d, want %d", v, want[100])
	}
	dropped := e.Follow(testDB, first)
	defer dropped.Close()
	if _, err := dropped.Next(t.Context()); !errors.Is(err, engine.ErrLagged) {
		t.Errorf("Next for dropped commits = %v, want ErrLagged", err)
	}
	oldest := e.Follow(testDB, e.Oldest(testDB))
	defer oldest.Close()
	if v := next(t, oldest)[0]; v < want[98] || v > want[100] {
		t.Errorf("the oldest commit is %d, want one by %d", v, want[99])
	}
}

// TestKeptCommitsAreBounded checks that commits are dropped if a reader does not read them within Options.Kept.
func TestKeptCommitsAreBounded(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual, Kept: 2 * time.Hour})
	first := put(t, e, set("c/a", n(1))).Version
	follow := e.Follow(testDB, first)
	defer follow.Close()
	for i := range int64(100) {
		put(t, e, set("c/a", value.Map{"n": value.Int(i)}))
	}
	manual.Advance(3 * time.Hour)
	put(t, e, set("c/a", n(0)))
	runFor(t, e, manual, 61)
	var err error
	for err == nil {
		_, err = follow.Next(t.Context())
	}
	if !errors.Is(err, engine.ErrLagged) {
		t.Errorf("Next = %v, want ErrLagged", err)
	}
}
