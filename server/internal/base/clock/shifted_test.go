package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"clave/server/internal/base/clock"
)

// fired reports whether a timer has fired.
func fired(c <-chan time.Time) bool {
	synctest.Wait()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestShifted puts a clock ahead and back, and checks when timers fire.
func TestShifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewShifted()
		began := time.Now()
		minute, stopMinute := s.After(time.Minute)
		hour, stopHour := s.After(time.Hour)
		stopped, stop := s.After(time.Minute)
		defer stopMinute()
		defer stopHour()
		stop()
		time.Sleep(20 * time.Second)
		if got := s.Now().Sub(began); got != 20*time.Second || s.Ahead() != 0 {
			t.Errorf("after 20 s the clock shows %v, ahead %v", got, s.Ahead())
		}
		s.Put(30 * time.Minute)
		if got := s.Now().Sub(began); got != 30*time.Minute+20*time.Second || s.Ahead() != 30*time.Minute {
			t.Errorf("30 minutes ahead the clock shows %v, ahead %v", got, s.Ahead())
		}
		if !fired(minute) || fired(hour) || fired(stopped) {
			t.Error("30 minutes ahead the timer of a minute must have fired, and no other")
		}
		// The one-hour timer has 29 minutes and 40 seconds left, whether the clock is ahead or not.
		s.Put(0)
		time.Sleep(29*time.Minute + 39*time.Second)
		if fired(hour) {
			t.Error("the timer of an hour fired a second early")
		}
		time.Sleep(time.Second)
		if !fired(hour) {
			t.Error("the timer of an hour has not fired")
		}
		next, stopNext := s.After(time.Second)
		defer stopNext()
		s.Put(time.Second / 2)
		time.Sleep(time.Second / 2)
		if !fired(next) {
			t.Error("a timer of a second, put ahead by a half, has not fired after the other half")
		}
		if now, _ := s.After(0); !fired(now) {
			t.Error("a timer of no time has not fired")
		}
		s.Put(0)
		time.Sleep(time.Hour)
		if fired(next) || fired(minute) || fired(hour) {
			t.Error("a timer fired twice")
		}
	})
}
