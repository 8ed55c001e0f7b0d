package app

import (
	"clave/server/clock"
	"clave/server/config"
)

// laboratory returns the clock that the console's lab puts ahead, and makes it the app's; nil where there is no such lab, or a test
// has given a clock of its own.
func laboratory(c *config.Config, o *Options) *clock.Shifted {
	if o.Clock != nil || c.Production() || !c.UI {
		return nil
	}
	ahead := clock.NewShifted()
	o.Clock = ahead
	return ahead
}

// hasLab reports whether the console has a lab.
func (a *App) hasLab() bool { return a.config.UI && !a.config.Production() }

// machineClock returns the clock of what measures durations and is not to be put ahead.
func (a *App) machineClock() clock.Clock {
	if a.ahead != nil {
		return clock.System()
	}
	return a.o.Clock
}
