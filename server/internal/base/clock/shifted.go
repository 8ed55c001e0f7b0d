package clock

import (
	"sync"
	"sync/atomic"
	"time"
)

// Shifted is the machine's clock, put ahead by a duration that can be changed while it is used. It is for development:
// a timer fires as soon as the clock is put past its time.
type Shifted struct {
	// ahead is a time.Duration, changed while mu is held.
	ahead atomic.Int64
	mu    struct {
		sync.Mutex
		timers map[*shiftedTimer]struct{}
	}
}

// shiftedTimer is a timer of a Shifted that has not fired.
type shiftedTimer struct {
	// at is the time of the Shifted clock at which it fires.
	at    time.Time
	c     chan time.Time
	timer *time.Timer
}

// NewShifted returns a clock that shows the machine's time until it is put ahead.
func NewShifted() *Shifted {
	s := &Shifted{}
	s.mu.timers = make(map[*shiftedTimer]struct{})
	return s
}

// Now implements Clock.
func (s *Shifted) Now() time.Time { return time.Now().UTC().Add(s.Ahead()) }

// Ahead returns how far the clock is ahead of the machine's.
func (s *Shifted) Ahead() time.Duration { return time.Duration(s.ahead.Load()) }

// Put puts the clock ahead of the machine's by a duration. If that moves the clock forward, timers that become due
// fire. If it moves the clock back, timers keep the rest of their durations.
func (s *Shifted) Put(ahead time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by := ahead - time.Duration(s.ahead.Swap(int64(ahead)))
	now := s.Now()
	for t := range s.mu.timers {
		if by < 0 {
			t.at = t.at.Add(by)
			continue
		}
		if !t.at.After(now) {
			t.timer.Stop()
			s.fireLocked(t, now)
			continue
		}
		t.timer.Reset(t.at.Sub(now))
	}
}

// After implements Clock.
func (s *Shifted) After(d time.Duration) (<-chan time.Time, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &shiftedTimer{at: s.Now().Add(d), c: make(chan time.Time, 1)}
	s.mu.timers[t] = struct{}{}
	t.timer = time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fireLocked(t, s.Now())
	})
	return t.c, func() {
		t.timer.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.mu.timers, t)
	}
}

// fireLocked fires a timer that has neither fired nor been stopped.
func (s *Shifted) fireLocked(t *shiftedTimer, now time.Time) {
	if _, waits := s.mu.timers[t]; waits {
		delete(s.mu.timers, t)
		t.c <- now
	}
}
