package clock_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
)

func TestSleepEndsWithTheTimeOrTheContext(t *testing.T) {
	h := clocktest.NewManual(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	ctx, cancel := context.WithCancel(t.Context())
	slept := make(chan error, 1)
	sleep := func() {
		go func() { slept <- clock.Sleep(ctx, h, time.Minute) }()
		for h.Timers() == 0 {
			runtime.Gosched()
		}
	}
	sleep()
	h.Advance(time.Minute - 1)
	if h.Timers() != 1 {
		t.Error("Sleep ended before its time")
	}
	h.Advance(1)
	if err := <-slept; err != nil {
		t.Errorf("Sleep for a minute that has passed = %v", err)
	}
	sleep()
	cancel()
	if err := <-slept; !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep after the end of its context = %v", err)
	}
	if got := h.Timers(); got != 0 {
		t.Errorf("%d timers are left, want 0", got)
	}
}

func TestVersionsNeverGoBack(t *testing.T) {
	h := clocktest.NewManual(time.UnixMicro(1000))
	v := clock.NewVersions(h, 5000)
	if got := v.Next(); got != 5002 {
		t.Errorf("first version after 5000 with an earlier clock = %d, want 5002", got)
	}
	h.Advance(time.Second)
	if got, want := v.Next(), clock.VersionOf(h.Now()); got != want {
		t.Errorf("version after the clock moved on = %d, want %d", got, want)
	}
	if a, b := v.Next(), v.Next(); b <= a.After() {
		t.Errorf("two versions in one microsecond = %d, %d, want them 2 apart at least", a, b)
	}
}
