package console

import (
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
)

// maxAhead is the maximum advance of the clock, which exceeds all time limits of the server.
const maxAhead = 366 * 24 * time.Hour

// clockJSON is the server's clock.
type clockJSON struct {
	Now string `json:"now"`
	// Ahead is the number of seconds that it is ahead of the machine's clock.
	Ahead int64 `json:"ahead"`
}

// clockState returns the server's clock, or nil if it can't be advanced.
func (c *Console) clockState() *clockJSON {
	if c.o.Ahead == nil {
		return nil
	}
	return &clockJSON{timeText(c.o.Ahead.Now()), int64(c.o.Ahead.Ahead().Seconds())}
}

// putLabClock advances the server's clock, or resets it to the machine's.
func (c *Console) putLabClock(in *call) (any, error) {
	var body struct {
		Ahead *int64 `json:"ahead"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	return c.setClock(in, body.Ahead, "ahead", 0)
}

// advanceLabClock advances the server's clock further than it is.
func (c *Console) advanceLabClock(in *call) (any, error) {
	var body struct {
		By *int64 `json:"by"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if c.o.Ahead == nil {
		return c.setClock(in, body.By, "by", 0)
	}
	return c.setClock(in, body.By, "by", c.o.Ahead.Ahead())
}

// setClock sets the server's clock ahead by a number of seconds, which the request names, beyond a base.
func (c *Console) setClock(in *call, seconds *int64, name string, base time.Duration) (any, error) {
	most := maxAhead - base
	if seconds == nil || *seconds < 0 || *seconds > int64(most.Seconds()) {
		return nil, fault.E(fault.InvalidArgument, "%s must be a number of seconds up to %d.", name, int64(most.Seconds()))
	}
	if c.o.Ahead == nil {
		return nil, fault.E(fault.FailedPrecondition, "The clock of this server cannot be advanced.")
	}
	ahead := base + time.Duration(*seconds)*time.Second
	ended, err := in.change(c.o.Project, "clock", "put the clock ahead by "+ahead.String())
	if err != nil {
		return nil, err
	}
	c.o.Ahead.Put(ahead)
	c.o.Log.Warn("the console's lab set the clock", "ahead", ahead.String())
	ended(nil)
	return c.clockState(), nil
}

// faultsJSON holds the injected faults and the number of calls that they affected.
type faultsJSON struct {
	faultinject.Settings
	Injected int64 `json:"injected"`
}

// faultState returns the injected faults, or nil if there are none.
func (c *Console) faultState() *faultsJSON {
	if c.o.Faults == nil {
		return nil
	}
	s, injected := c.o.Faults.Settings()
	if s == nil {
		return nil
	}
	return &faultsJSON{*s, injected}
}

// putLabFaults starts delaying or failing calls of clients.
func (c *Console) putLabFaults(in *call) (any, error) {
	var s faultinject.Settings
	if err := in.decode(&s); err != nil {
		return nil, err
	}
	return c.setFaults(in, &s)
}

// deleteLabFaults ends the injection of faults.
func (c *Console) deleteLabFaults(in *call) (any, error) { return c.setFaults(in, nil) }

// setFaults replaces the injected faults; nil ends the injection.
func (c *Console) setFaults(in *call, s *faultinject.Settings) (any, error) {
	if c.o.Faults == nil {
		return nil, fault.E(fault.FailedPrecondition, "This server injects no faults.")
	}
	target := "end injected faults"
	if s != nil {
		target = "inject faults"
	}
	ended, err := in.change(c.o.Project, "faults", target)
	if err != nil {
		return nil, err
	}
	err = c.o.Faults.Set(s)
	ended(err)
	if err != nil {
		return nil, err
	}
	if s != nil {
		c.o.Log.Warn("the console's lab injects faults", "calls", string(s.Calls), "percent", s.Percent, "delay", s.Delay, "error", s.Error)
	}
	return map[string]any{"faults": c.faultState()}, nil
}
