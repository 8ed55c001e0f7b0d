package app

import (
	"clave/server/internal/app/config"
	"clave/server/internal/base/clock"
)

// labClock returns a clock that is ahead of the machine's clock by CLAVE_CLOCK_AHEAD and that the console's lab and
// tests advance, and makes it the app's clock. It returns nil in production, and if a test has set a clock.
func labClock(c *config.Config, o *Options) *clock.Shifted {
	if o.Clock != nil || c.Production() {
		return nil
	}
	ahead := clock.NewShifted()
	ahead.Put(c.ClockAhead)
	o.Clock = ahead
	return ahead
}

// machineClock returns the clock for measuring durations, which the lab does not advance.
func (a *App) machineClock() clock.Clock {
	if a.ahead != nil {
		return clock.System()
	}
	return a.o.Clock
}
