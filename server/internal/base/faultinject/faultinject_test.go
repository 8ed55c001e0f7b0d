package faultinject_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
)

// TestSettingsAreBounded sets invalid settings, which must be refused and leave the earlier settings unchanged.
func TestSettingsAreBounded(t *testing.T) {
	i := faultinject.New(clock.System())
	good := faultinject.Settings{Calls: faultinject.All, Percent: 1, Delay: 1}
	if err := i.Set(&good); err != nil {
		t.Fatal(err)
	}
	for _, s := range []faultinject.Settings{
		{},
		{Calls: "some", Percent: 10, Delay: 1},
		{Calls: faultinject.All, Percent: 0, Delay: 1},
		{Calls: faultinject.All, Percent: 101, Delay: 1},
		{Calls: faultinject.All, Percent: 10, Delay: -1},
		{Calls: faultinject.All, Percent: 10, Delay: 30_001},
		{Calls: faultinject.All, Percent: 10, Error: "NOT_FOUND"},
		{Calls: faultinject.All, Percent: 10},
	} {
		if err := i.Set(&s); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("Set(%+v) = %v, want InvalidArgument", s, err)
		}
	}
	if got, _ := i.Settings(); got == nil || *got != good {
		t.Errorf("the settings are %+v, want %+v", got, good)
	}
}

// TestBefore injects errors into calls of some kinds and into a share of them.
func TestBefore(t *testing.T) {
	i := faultinject.New(clock.System())
	set := func(s *faultinject.Settings) {
		t.Helper()
		if err := i.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	var none *faultinject.Injector
	if err := errors.Join(none.Before(t.Context(), faultinject.Reads), i.Before(t.Context(), faultinject.Reads)); err != nil {
		t.Errorf("where nothing is set: %v", err)
	}
	set(&faultinject.Settings{Calls: faultinject.Writes, Percent: 100, Error: "ABORTED"})
	for kind, want := range map[faultinject.Kind]bool{faultinject.Reads: false, faultinject.Streams: false, faultinject.Writes: true} {
		if err := i.Before(t.Context(), kind); fault.Is(err, fault.Aborted) != want {
			t.Errorf("a call of %s: %v, want ABORTED: %t", kind, err, want)
		}
	}
	if _, n := i.Settings(); n != 1 {
		t.Errorf("it has happened to %d calls, want 1", n)
	}
	set(&faultinject.Settings{Calls: faultinject.All, Percent: 30, Error: "UNAVAILABLE"})
	failed := 0
	for range 10_000 {
		if i.Before(t.Context(), faultinject.Streams) != nil {
			failed++
		}
	}
	if failed < 2700 || failed > 3300 {
		t.Errorf("%d of 10,000 calls failed, want about 3,000", failed)
	}
	set(nil)
	if got, n := i.Settings(); got != nil || n != 0 {
		t.Errorf("ended, the settings are %+v, injected %d", got, n)
	}
}

// TestDelay delays calls, including one that its client cancels meanwhile.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := faultinject.New(clock.System())
		if err := i.Set(&faultinject.Settings{Calls: faultinject.Reads, Percent: 100, Delay: 500, Error: "UNAVAILABLE"}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := i.Before(t.Context(), faultinject.Reads); !fault.Is(err, fault.Unavailable) || time.Since(began) != 500*time.Millisecond {
			t.Errorf("a delayed call: %v after %v, want UNAVAILABLE after 500 ms", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := i.Before(ctx, faultinject.Reads); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a delayed call that was cancelled: %v", err)
		}
	})
}
