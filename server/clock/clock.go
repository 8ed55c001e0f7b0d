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

// Passed returns a deadline that has passed, for connections: their reads or writes end at once, also those in progress.
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

// Hand is a clock for tests, which moves only when Advance is called.
type Hand struct {
	mu struct {
		sync.Mutex
		now    time.Time
		timers map[*handTimer]struct{}
	}
}

// handTimer is a timer of a Hand that has not fired.
type handTimer struct {
	at time.Time
	c  chan time.Time
}

// NewHand returns a clock that shows now until it is advanced.
func NewHand(now time.Time) *Hand {
	h := &Hand{}
	h.mu.now = now.UTC()
	h.mu.timers = make(map[*handTimer]struct{})
	return h
}

// Now returns the clock's time.
func (h *Hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mu.now
}

// Advance moves the clock forward by d and fires the timers that are due.
func (h *Hand) Advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mu.now = h.mu.now.Add(d)
	for t := range h.mu.timers {
		if !t.at.After(h.mu.now) {
			t.c <- h.mu.now
			delete(h.mu.timers, t)
		}
	}
}

// Timers returns the number of running timers, by which a test detects that the code under test has begun to wait.
func (h *Hand) Timers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.mu.timers)
}

// After starts a timer that fires when the clock has been advanced by d.
func (h *Hand) After(d time.Duration) (<-chan time.Time, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &handTimer{at: h.mu.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		t.c <- h.mu.now
		return t.c, func() {}
	}
	h.mu.timers[t] = struct{}{}
	return t.c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.mu.timers, t)
	}
}
