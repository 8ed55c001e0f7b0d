package clock_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// TestClocksOfProjects pins, sets, advances and resets the clock of one project beside that of another and the
// server's.
func TestClocksOfProjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewShifted()
		p, q := clock.Following(s, "p"), clock.Following(s, "q")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		want := func(what string, c clock.Clock, at time.Time) {
			t.Helper()
			if got := c.Now(); !got.Equal(at) {
				t.Errorf("%s: the clock shows %s, want %s", what, got, at)
			}
		}
		began := time.Now()
		year := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		must(s.SetProject("p", year, true))
		time.Sleep(time.Hour)
		want("pinned in the past", p, year)
		want("another project", q, began.Add(time.Hour))
		must(s.AdvanceProject("p", time.Minute))
		want("advanced while pinned", p, year.Add(time.Minute))
		if r := s.Read("p"); !r.Own || !r.Pinned || s.Read("q").Own || !clock.IsOwn(s, "p") || clock.IsOwn(s, "q") {
			t.Errorf("the clock of p: %+v", r)
		}
		must(s.SetProject("p", year, false))
		time.Sleep(time.Hour)
		want("set, and going on", p, year.Add(time.Hour))
		s.Put(time.Hour)
		want("the server's clock was advanced", p, year.Add(2*time.Hour))
		must(s.SetProject("p", time.Time{}, true))
		time.Sleep(time.Hour)
		want("pinned at the present", p, year.Add(2*time.Hour))
		s.ResetProject("p")
		s.ResetProject("p")
		want("reset", p, s.Now())
		must(s.AdvanceProject("q", time.Hour))
		want("advanced without a clock of its own", q, s.Now().Add(time.Hour))
	})
}

// TestTimersOfProjects advances the clock of one project past its timers.
func TestTimersOfProjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewShifted()
		p, stop := clock.Following(s, "p").After(time.Hour)
		defer stop()
		q, stop := clock.Following(s, "q").After(time.Hour)
		defer stop()
		changed := s.Changed()
		if err := s.AdvanceProject("p", time.Hour); err != nil {
			t.Fatal(err)
		}
		if !fired(p) || fired(q) {
			t.Error("after the advance of p, its timer must have fired, and that of q not")
		}
		select {
		case <-changed:
		default:
			t.Error("the change was not announced")
		}
		if err := s.SetProject("q", time.Time{}, true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if !fired(q) {
			t.Error("a timer of a clock that stands still has not fired after its duration")
		}
		p, stop = clock.Following(s, "p").After(time.Hour)
		defer stop()
		s.ResetProject("p") // an hour back
		time.Sleep(time.Hour)
		if !fired(p) {
			t.Error("a timer has lost the rest of its duration when its clock was set back")
		}
	})
}

// TestClocksOfProjectsAreBounded sets times that are too far away, and too many clocks.
func TestClocksOfProjectsAreBounded(t *testing.T) {
	s := clock.NewShifted()
	for _, at := range []time.Time{time.Unix(0, 0).AddDate(-1000, 0, 0), time.Now().AddDate(500, 0, 0)} {
		if err := s.SetProject("p", at, true); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("SetProject(%s) = %v", at, err)
		}
	}
	for _, by := range []time.Duration{-1, 1 << 62} {
		if err := s.AdvanceProject("p", by); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("AdvanceProject(%s) = %v", by, err)
		}
	}
	var err error
	n := 0
	for ; err == nil && n < 20_000; n++ {
		err = s.SetProject(fmt.Sprint(n), time.Time{}, true)
	}
	if !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("after %d clocks: %v", n, err)
	}
	if err := s.AdvanceProject("0", time.Second); err != nil {
		t.Errorf("a clock beside others was not advanced: %v", err)
	}
}

// TestOtherClocksHaveNoProjects asks a clock that cannot be changed for that of a project.
func TestOtherClocksHaveNoProjects(t *testing.T) {
	manual := clocktest.NewManual(time.Unix(5, 0))
	if clock.Following(manual, "p") != clock.Clock(manual) || clock.IsOwn(manual, "p") || clock.Changed(manual) != nil || !clock.NowOf(manual, "p").Equal(manual.Now()) {
		t.Error("a project has another clock than the given one")
	}
}
