// Package clocktest has a clock that tests set.
package clocktest

import (
	"sync"
	"time"
)

// Manual is a clock for tests. Its time changes only when Advance is called.
type Manual struct {
	mu struct {
		sync.Mutex
		now    time.Time
		timers map[*manualTimer]struct{}
	}
}

// manualTimer is a timer of a Manual clock that has not fired.
type manualTimer struct {
	at time.Time
	c  chan time.Time
}

// NewManual returns a clock that shows now until it is advanced.
func NewManual(now time.Time) *Manual {
	m := &Manual{}
	m.mu.now = now.UTC()
	m.mu.timers = make(map[*manualTimer]struct{})
	return m
}

// Now returns the clock's time.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.now
}

// Advance moves the clock forward by d and fires the timers that are due.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.now = m.mu.now.Add(d)
	for t := range m.mu.timers {
		if !t.at.After(m.mu.now) {
			t.c <- m.mu.now
			delete(m.mu.timers, t)
		}
	}
}

// Timers returns the number of running timers, by which a test detects that the code under test has begun to wait.
func (m *Manual) Timers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mu.timers)
}

// After starts a timer that fires when the clock has been advanced by d. It returns its channel, and what stops it.
func (m *Manual) After(d time.Duration) (<-chan time.Time, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &manualTimer{at: m.mu.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		t.c <- m.mu.now
		return t.c, func() {}
	}
	m.mu.timers[t] = struct{}{}
	return t.c, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.mu.timers, t)
	}
}
