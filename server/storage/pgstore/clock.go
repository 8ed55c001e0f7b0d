package pgstore

import (
	"time"

	"clave/server/clock"
)

// reserveAhead is how far ahead of its clock a leader reserves versions, and reserveRest how much of that it leaves: versions are given
// two microseconds apart also while the clock stands still. releaseRest is what a leader leaves that ends in order.
const (
	reserveAhead = 5 * time.Second
	reserveRest  = 2 * time.Second
	releaseRest  = 100 * time.Millisecond
)

// Clock returns the machine's time, but never a moment that an earlier leader may have given, and never one that is not reserved.
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

// moment returns the time, without regard to what is reserved.
func (s *Store) moment() time.Time {
	now, least := s.o.Clock.Now(), s.lead.first.Add(sinceFirst(s.lead.elapsed()-s.lead.began, s.lead.excess))
	if now.Before(least) {
		return least
	}
	return now
}

// sinceFirst returns how far a leader's clock has gone at least since its first moment. It goes with the monotonic clock, but at half the
// speed until the time by which the first moment was ahead is made up for: each leader that is lost leaves some of its reservation, and
// clocks must not run further ahead with each.
func sinceFirst(elapsed, excess time.Duration) time.Duration {
	return elapsed - min(excess, elapsed/2)
}
