// Package clock returns the time. It is the only package that reads the machine's clock, so that every other package
// can be tested with a clock that the test advances.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock returns the time and makes timers. Implementations are safe for concurrent use.
type Clock interface {
	// Now returns the present time in UTC.
	Now() time.Time
	// After returns a channel that receives the time once d has passed. The channel has a buffer of one
	// and is never closed; stop releases the timer and may be called at any moment, more than once.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// System returns the machine's clock.
func System() Clock { return system{} }

// system is the machine's clock.
type system struct{}

// Now returns the machine's time.
func (system) Now() time.Time { return time.Now().UTC() }

// After starts a timer of the machine.
func (system) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Passed returns a deadline that has passed, for connections: their reads or writes end at once, also those in
// progress.
func Passed() time.Time { return time.Unix(1, 0) }

// Sleep waits until d has passed on a clock. If ctx ends first, it returns ctx's error.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	passed, stop := c.After(d)
	defer stop()
	select {
	case <-passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

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

// After starts a timer that fires when the clock has been advanced by d.
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
