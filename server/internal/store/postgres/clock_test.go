package postgres

import (
	"testing"
	"time"
)

// TestClocksMakeUpForReservations checks the clocks of successive leaders that each fail after a minute. Each clock
// starts at the end of the previous reservation, increases strictly, and is correct in the end.
func TestClocksMakeUpForReservations(t *testing.T) {
	const step = 100 * time.Millisecond
	var now, last time.Duration // the true time and the last reading
	for range 10 {
		first := last + reserveAhead // as if the whole reservation had been used
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
