package config

import (
	"time"

	"clave/server/internal/base/fault"
)

// clockVariable is the environment variable with ClockAhead, such as -5s.
const clockVariable = "CLAVE_CLOCK_AHEAD"

// checkClock parses ClockAhead. Production refuses it, because tokens and limits depend on the right time.
func (c *Config) checkClock() (err error) {
	switch {
	case c.clockAhead == "":
	case c.Production():
		return fault.E(fault.InvalidArgument, "%s is for tests with clave start only", clockVariable)
	case c.Mode == ModeStart:
		if c.ClockAhead, err = time.ParseDuration(c.clockAhead); err != nil {
			return fault.E(fault.InvalidArgument, "%s=%s: expected a duration, such as -5s", clockVariable, c.clockAhead)
		}
	}
	return nil
}
