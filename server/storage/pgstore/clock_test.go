package pgstore

import (
	"testing"
	"time"
)

// TestClocksMakeUpForReservations follows the clocks of leaders that are lost one after the other, each after a minute.
// Each continues from where the reservation of the one before ended, never stands still or goes back, and is right in
// the end.
func TestClocksMakeUpForReservations(t *testing.T) {
	const step = 100 * time.Millisecond
	var now, last time.Duration // the true time and the last reading
	for range 10 {
		first := last + reserveAhead // as if all of it had been given
		began, excess := now, max(0, first-now)
		for last = first - 1; now < began+time.Minute; now += step {
			at := max(now, first+sinceFirst(now-began, excess))
			if at <= last {
				t.Fatalf("%v after a change of leaders the clock shows %v after %v", now-began, at, last)
			}
			last = at
		}
		if last > now {
			t.Errorf("a minute after a change of leaders the clock is %v ahead", last-now)
		}
	}
}
