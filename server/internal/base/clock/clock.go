// Package clock returns the time. It is the only package that reads the machine's clock, so that every other package
// can be tested with a clock that the test advances.
package clock

import (
	"context"
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

// After starts a timer of the machine. It returns its channel, and what stops it.
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
