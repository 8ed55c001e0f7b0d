// Package faultinject delays and fails a share of calls on purpose, so that clients can be tested by what a network and a busy server do
// to them. It is for development: nothing is injected until Set is called, and a new process has forgotten it.
package faultinject

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"clave/server/clock"
	"clave/server/fault"
)

// Kind is a kind of calls.
type Kind string

// The kinds: calls that read, calls that write, and streams being opened. All stands for each of them.
const (
	All     Kind = "all"
	Reads   Kind = "reads"
	Writes  Kind = "writes"
	Streams Kind = "streams"
)

// kinds are those that Settings may name.
var kinds = []Kind{All, Reads, Writes, Streams}

// codes are the errors that can be injected: those after which clients try again.
var codes = []fault.Code{fault.Unavailable, fault.Aborted, fault.ResourceExhausted, fault.DeadlineExceeded, fault.Internal}

// MaxDelay is the maximum delay of a call.
const MaxDelay = 30 * time.Second

// Settings are what is injected. The zero value injects nothing.
type Settings struct {
	// Calls are the calls that it happens to.
	Calls Kind `json:"calls"`
	// Percent is how many of a hundred of them, chosen at random.
	Percent int `json:"percent"`
	// Delay is by how many milliseconds they are delayed.
	Delay int `json:"delay"`
	// Error is the code that they are answered then, in their place; empty lets them go on.
	Error string `json:"error"`
}

// Validate reports what is wrong with settings.
func (s Settings) Validate() error {
	_, known := code(s.Error)
	switch {
	case !slices.Contains(kinds, s.Calls):
		return fault.E(fault.InvalidArgument, "calls must be all, reads, writes or streams.")
	case s.Percent < 1 || s.Percent > 100:
		return fault.E(fault.InvalidArgument, "percent must be a number from 1 to 100.")
	case s.Delay < 0 || s.Delay > int(MaxDelay.Milliseconds()):
		return fault.E(fault.InvalidArgument, "delay must be a number of milliseconds up to %d.", MaxDelay.Milliseconds())
	case s.Error != "" && !known:
		return fault.E(fault.InvalidArgument, "error must be empty or one of %v.", codes)
	case s.Delay == 0 && s.Error == "":
		return fault.E(fault.InvalidArgument, "There is neither a delay nor an error.")
	}
	return nil
}

// code returns the code of a name, if it is one that can be injected.
func code(name string) (fault.Code, bool) {
	for _, c := range codes {
		if c.String() == name {
			return c, true
		}
	}
	return 0, false
}

// Injector injects. A nil one injects nothing. It is safe for concurrent use.
type Injector struct {
	clock    clock.Clock
	settings atomic.Pointer[Settings]
	injected atomic.Int64
}

// New returns an injector that injects nothing yet. Delays are by its clock.
func New(c clock.Clock) *Injector { return &Injector{clock: c} }

// Set replaces the injected faults; nil ends the injection.
func (i *Injector) Set(s *Settings) error {
	if s != nil {
		if err := s.Validate(); err != nil {
			return err
		}
	}
	i.settings.Store(s)
	i.injected.Store(0)
	return nil
}

// Settings returns the injected faults, or nil if there are none, and how many calls it has happened to.
func (i *Injector) Settings() (*Settings, int64) { return i.settings.Load(), i.injected.Load() }

// Before is called before anything of a call is done. It returns after the call's delay, with the error that is to be its answer.
func (i *Injector) Before(ctx context.Context, of Kind) error {
	if i == nil {
		return nil
	}
	s := i.settings.Load()
	if s == nil || s.Calls != All && s.Calls != of || rand.IntN(100) >= s.Percent {
		return nil
	}
	i.injected.Add(1)
	if s.Delay > 0 {
		if err := clock.Sleep(ctx, i.clock, time.Duration(s.Delay)*time.Millisecond); err != nil {
			return err
		}
	}
	if c, ok := code(s.Error); ok {
		return fault.E(c, "Injected by the console's lab.")
	}
	return nil
}
