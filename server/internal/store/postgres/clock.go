package postgres

import (
	"time"

	"clave/server/internal/base/clock"
)

// reserveAhead is the time ahead of its clock for which a leader reserves versions. reserveRest is the part of that
// which it does not use, because versions are assigned two microseconds apart even if the clock does not advance.
// releaseRest is the rest that a leader leaves that stops in order.
const (
	reserveAhead = 5 * time.Second
	reserveRest  = 2 * time.Second
	releaseRest  = 100 * time.Millisecond
)

// Clock returns a clock with the machine's time, but never a time that an earlier leader may have assigned or that is
// not reserved.
func (s *Store) Clock() clock.Clock { return leaderClock{s} }

// leaderClock is the clock of a leader.
type leaderClock struct{ s *Store }

// Now implements clock.Clock.
func (c leaderClock) Now() time.Time {
	most := clock.Version(c.s.lead.reserved.Load()).Time().Add(-reserveRest)
	if now := c.s.moment(); now.Before(most) {
		return now
	}
	return most
}

// After implements clock.Clock.
func (c leaderClock) After(d time.Duration) (<-chan time.Time, func()) { return c.s.o.Clock.After(d) }

// moment returns the time, ignoring the reservation.
func (s *Store) moment() time.Time {
	now, least := s.o.Clock.Now(), s.lead.first.Add(sinceFirst(s.lead.elapsed()-s.lead.began, s.lead.excess))
	if now.Before(least) {
		return least
	}
	return now
}

// sinceFirst returns the minimum advance of a leader's clock since its first time. The clock advances with the
// monotonic clock, but at half the speed until it has compensated the excess of the first time: each lost leader leaves
// a part of its reservation unused, and clocks must not get further ahead with each one.
func sinceFirst(elapsed, excess time.Duration) time.Duration {
	return elapsed - min(excess, elapsed/2)
}
