package faultinject

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// Bounds of what tests may set: the faults of a project, and the projects that have some.
const (
	maxFaults   = 20
	maxProjects = 1000
)

// Fault is a fault in the calls of one project. Its zero numbers have a meaning of their own, so that a short text
// suffices in a test.
type Fault struct {
	Settings
	// Times is the number of calls that are affected; zero sets no limit.
	Times int `json:"times"`
	// Lost makes a write succeed, and only its answer an error, as if the connection had broken.
	Lost bool `json:"lost"`
	// Seed begins the random choice of calls, so that a test chooses the same ones again. Zero is a seed, too.
	Seed uint64 `json:"seed"`
	// Affected is the number of calls that were affected.
	Affected int `json:"affected"`
}

// Validate returns an error for an invalid fault, and sets defaults: all calls of the kind, and UNAVAILABLE for a lost
// answer.
func (f *Fault) Validate() error {
	if f.Percent == 0 {
		f.Percent = 100
	}
	if f.Calls == "" {
		f.Calls = All
	}
	if f.Lost && f.Error == "" {
		f.Error = fault.Unavailable.String()
	}
	switch {
	case f.Times < 0:
		return fault.E(fault.InvalidArgument, "times must be a number of calls, or 0 for no limit.")
	case f.Lost && f.Calls != Writes:
		return fault.E(fault.InvalidArgument, "Only the answers of writes can be lost: calls must be writes.")
	}
	return f.Settings.Validate()
}

// projects holds the faults by project.
type projects struct {
	sync.Mutex
	faults map[string][]*injected
}

// injected is a fault in force.
type injected struct {
	Fault
	random *rand.Rand
}

// SetProject replaces the faults of a project; none ends them.
func (i *Injector) SetProject(project string, faults []Fault) error {
	if len(faults) > maxFaults {
		return fault.E(fault.InvalidArgument, "A project may have at most %d faults.", maxFaults)
	}
	all := make([]*injected, len(faults))
	for n, f := range faults {
		if err := f.Validate(); err != nil {
			return err
		}
		f.Affected = 0
		all[n] = &injected{f, rand.New(rand.NewPCG(f.Seed, 0))} //nolint:gosec // tests need the same choice again
	}
	i.projects.Lock()
	defer i.projects.Unlock()
	if len(all) == 0 {
		delete(i.projects.faults, project)
		i.some.Store(len(i.projects.faults) > 0)
		return nil
	}
	if _, has := i.projects.faults[project]; !has && len(i.projects.faults) >= maxProjects {
		return fault.E(fault.ResourceExhausted, "%d projects have faults already.", maxProjects)
	}
	if i.projects.faults == nil {
		i.projects.faults = make(map[string][]*injected)
	}
	i.projects.faults[project] = all
	i.some.Store(true)
	return nil
}

// Project returns the faults of a project, with the numbers of calls that were affected.
func (i *Injector) Project(project string) []Fault {
	i.projects.Lock()
	defer i.projects.Unlock()
	out := []Fault{}
	for _, f := range i.projects.faults[project] {
		out = append(out, f.Fault)
	}
	return out
}

// choose returns the first fault of a project that affects a call, before or after it is served, and counts the call.
func (i *Injector) choose(project string, of Kind, after bool) (f Fault, ok bool) {
	i.projects.Lock()
	defer i.projects.Unlock()
	for _, f := range i.projects.faults[project] {
		if f.Lost != after || f.Calls != All && f.Calls != of || f.Times > 0 && f.Affected >= f.Times || f.random.IntN(100) >= f.Percent {
			continue
		}
		f.Affected++
		return f.Fault, true
	}
	return Fault{}, false
}

// BeforeOf is Before for a call of a project, whose own faults come first.
func (i *Injector) BeforeOf(ctx context.Context, project string, of Kind) error {
	if i == nil {
		return nil
	}
	if i.some.Load() {
		if f, ok := i.choose(project, of, false); ok {
			return i.happen(ctx, f)
		}
	}
	return i.Before(ctx, of)
}

// AfterOf is called when a write of a project has succeeded. It returns the error with which the call fails although
// the write has happened.
func (i *Injector) AfterOf(ctx context.Context, project string) error {
	if i == nil || !i.some.Load() {
		return nil
	}
	if f, ok := i.choose(project, Writes, true); ok {
		return i.happen(ctx, f)
	}
	return nil
}

// happen delays a call and returns the error with which it fails.
func (i *Injector) happen(ctx context.Context, f Fault) error {
	if f.Delay > 0 {
		if err := clock.Sleep(ctx, i.clock, time.Duration(f.Delay)*time.Millisecond); err != nil {
			return err
		}
	}
	if c, ok := code(f.Error); ok {
		return fault.E(c, "Injected by a fault of the project.")
	}
	return nil
}
