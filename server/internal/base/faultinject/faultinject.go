// Package faultinject delays a share of calls or makes them fail, so that clients can be tested under the conditions of
// a slow network and a busy server. It is for development: nothing is injected until Set is called, and the settings
// are not stored.
package faultinject

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Kind is a kind of calls.
type Kind string

// The kinds: calls of Firestore that read, that write, and streams being opened. All stands for each of them. Auth are
// the calls of Auth, to which only faults of projects can happen.
const (
	All     Kind = "all"
	Reads   Kind = "reads"
	Writes  Kind = "writes"
	Streams Kind = "streams"
	Auth    Kind = "auth"
)

// kinds are the kinds that Settings may name.
var kinds = []Kind{All, Reads, Writes, Streams}

// codes are the errors that can be injected: those after which clients retry.
var codes = []fault.Code{fault.Unavailable, fault.Aborted, fault.ResourceExhausted, fault.DeadlineExceeded, fault.Internal}

// MaxDelay is the maximum delay of a call.
const MaxDelay = 30 * time.Second

// Settings describe the injected faults. The zero value injects nothing.
type Settings struct {
	// Calls is the kind of calls that are affected.
	Calls Kind `json:"calls"`
	// Percent is the percentage of these calls, chosen at random.
	Percent int `json:"percent"`
	// Delay is the delay of a call in milliseconds.
	Delay int `json:"delay"`
	// Error is the code with which a call fails after its delay; if it is empty, the call continues.
	Error string `json:"error"`
}

// Validate returns an error for invalid settings.
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

// code returns the code with a name, if it can be injected.
func code(name string) (fault.Code, bool) {
	for _, c := range codes {
		if c.String() == name {
			return c, true
		}
	}
	return 0, false
}

// Injector injects faults. A nil Injector injects nothing. It is safe for concurrent use.
type Injector struct {
	clock    clock.Clock
	settings atomic.Pointer[Settings]
	injected atomic.Int64
	// some reports whether any project has faults.
	some     atomic.Bool
	projects projects
}

// New returns an injector that injects nothing yet. c measures the delays.
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

// Settings returns the injected faults, or nil if there are none, and the number of calls that were affected.
func (i *Injector) Settings() (*Settings, int64) { return i.settings.Load(), i.injected.Load() }

// Before is called at the beginning of a call. It returns after the call's delay, with the error with which the call is
// to fail.
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
