package faultinject

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// Bounds of what tests may set: the faults of a project, and the projects that have some.
const (
	maxFaults   = 20
	maxProjects = 1000
	maxAfter    = time.Hour
)

// Fault is a fault in the calls of one project. Its zero numbers have a meaning of their own, so that a short text
// suffices in a test.
type Fault struct {
	Settings
	// Method limits the fault to the calls of a method: one of Firestore, such as Commit, or with calls auth one of Auth,
	// such as signInWithPassword; empty means all.
	Method string `json:"method,omitempty"`
	// Times is the number of calls that are affected; zero sets no limit.
	Times int `json:"times"`
	// Lost makes a write or a call of Auth succeed, and only its answer an error, as if the connection had broken.
	Lost bool `json:"lost"`
	// Spread adds to the delay up to this many milliseconds, chosen at random.
	Spread int `json:"spread,omitempty"`
	// After lets streams open, and ends them with the error after this many milliseconds.
	After int `json:"after,omitempty"`
	// ReadOnly and Offline stand for errors of all writes, and of all calls and the open streams.
	ReadOnly bool `json:"readOnly,omitempty"`
	Offline  bool `json:"offline,omitempty"`
	// Seed begins the random choice of calls, so that a test chooses the same ones again. Zero is a seed, too.
	Seed uint64 `json:"seed"`
	// Affected is the number of calls that were affected.
	Affected int `json:"affected"`
}

// Validate returns an error for an invalid fault, and sets defaults: all calls of the kind, and UNAVAILABLE for a
// broken connection.
func (f *Fault) Validate() error {
	if f.ReadOnly && f.Calls == "" {
		f.Calls = Writes
	}
	if f.Percent == 0 {
		f.Percent = 100
	}
	if f.Calls == "" {
		f.Calls = All
	}
	if (f.Lost || f.After > 0 || f.ReadOnly || f.Offline) && f.Error == "" {
		f.Error = fault.Unavailable.String()
	}
	if f.Spread > 0 && f.Delay == 0 {
		f.Delay = 1
	}
	settings := f.Settings
	if f.Calls == Auth {
		settings.Calls = All
		if named.MatchString(f.Error) {
			settings.Error = fault.Unavailable.String()
		}
	}
	switch {
	case f.Method != "" && f.Calls == Auth && !method.MatchString(f.Method):
		return fault.E(fault.InvalidArgument, "method must be the name of a method such as signInWithPassword.")
	case f.Method != "" && f.Calls != Auth && !slices.Contains(methods[f.Method], f.Calls):
		return fault.E(fault.InvalidArgument, "method must be one of Firestore that belongs to calls, such as Commit to writes, or calls must be auth.")
	case f.Spread < 0 || f.Spread > int(MaxDelay.Milliseconds()):
		return fault.E(fault.InvalidArgument, "spread must be a number of milliseconds up to %d.", MaxDelay.Milliseconds())
	case f.After < 0 || f.After > int(maxAfter.Milliseconds()):
		return fault.E(fault.InvalidArgument, "after must be a number of milliseconds up to %d.", maxAfter.Milliseconds())
	case f.After > 0 && f.Calls != Streams:
		return fault.E(fault.InvalidArgument, "Only streams end after a time: calls must be streams.")
	case f.ReadOnly && f.Calls != Writes || f.Offline && f.Calls != All || (f.ReadOnly || f.Offline) && f.Method != "":
		return fault.E(fault.InvalidArgument, "readOnly and offline name their calls themselves.")
	case f.Times < 0:
		return fault.E(fault.InvalidArgument, "times must be a number of calls, or 0 for no limit.")
	case f.Lost && f.Calls != Writes && f.Calls != Auth:
		return fault.E(fault.InvalidArgument, "Only the answers of writes and of Auth can be lost: calls must be writes or auth.")
	}
	return settings.Validate()
}

// methods are the methods of Firestore that a fault may name, with the values of its Calls. GetDocument counts as
// BatchGetDocuments, and CreateDocument, UpdateDocument and DeleteDocument as Commit.
var methods = map[string][]Kind{
	"BatchGetDocuments": {Reads, All}, "RunQuery": {Reads, All}, "RunAggregationQuery": {Reads, All}, "ListDocuments": {Reads, All},
	"ListCollectionIds": {Reads, All}, "PartitionQuery": {Reads, All}, "BeginTransaction": {Reads, All}, "Commit": {Writes, All},
	"BatchWrite": {Writes, All}, "ExecutePipeline": {Reads, Writes, All}, "Listen": {Streams, All}, "Write": {Streams, All},
}

// The forms of the names of Auth's methods and of its errors, such as TOO_MANY_ATTEMPTS_TRY_LATER.
var (
	method = pattern.New(`^[A-Za-z0-9:/*_-]{1,100}$`)
	named  = pattern.New(`^[A-Z][A-Z_]{2,99}$`)
)

// ErrBroken means that the connection of a call of Auth is to be cut, because the project is offline or the answer is
// lost. Clients take an error response for an answer.
var ErrBroken = errors.New("a fault of the project cuts the connection")

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

// takes reports whether the fault affects a call that it concerns, and counts the call.
func (f *injected) takes() bool {
	if f.Times > 0 && f.Affected >= f.Times || f.random.IntN(100) >= f.Percent {
		return false
	}
	f.Affected++
	return true
}

// SetProject replaces the faults of a project; none ends them.
func (i *Injector) SetProject(project string, faults []Fault) error {
	if i == nil {
		return nil
	}
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

// moment is when a fault affects a call: before it is served, after it has succeeded, or after a stream has opened.
type moment uint8

// The moments.
const (
	before moment = iota
	answered
	opened
)

// moment returns when the fault affects a call.
func (f *Fault) moment() moment {
	switch {
	case f.Lost:
		return answered
	case f.After > 0:
		return opened
	}
	return before
}

// concerns reports whether the fault is about calls of a kind and a method.
func (f *Fault) concerns(of Kind, method string) bool {
	if of == Auth {
		return f.Offline || f.Calls == Auth && (f.Method == "" || f.Method == method || strings.HasSuffix(method, ":"+f.Method))
	}
	return (f.Calls == All || f.Calls == of) && (f.Method == "" || f.Method == method)
}

// choose returns the first fault of a project that affects a call at a moment, and counts the call. Its delay is that
// of the call.
func (i *Injector) choose(project string, of Kind, method string, at moment) (f Fault, ok bool) {
	i.projects.Lock()
	defer i.projects.Unlock()
	for _, f := range i.projects.faults[project] {
		if f.moment() != at || !f.concerns(of, method) || !f.takes() {
			continue
		}
		chosen := f.Fault
		if f.Spread > 0 {
			chosen.Delay += f.random.IntN(f.Spread + 1)
		}
		return chosen, true
	}
	return Fault{}, false
}

// BeforeOf is Before for a call of a project, whose own faults come first.
func (i *Injector) BeforeOf(ctx context.Context, project string, of Kind, method string) error {
	if i == nil {
		return nil
	}
	if i.some.Load() {
		if f, ok := i.choose(project, of, method, before); ok {
			return i.happen(ctx, f)
		}
	}
	return i.Before(ctx, of)
}

// Offline is called when a connection to a project begins, and reports whether it is refused because the project is
// offline. Such a call is counted as an affected one.
func (i *Injector) Offline(project string) bool {
	if i == nil || !i.some.Load() {
		return false
	}
	i.projects.Lock()
	defer i.projects.Unlock()
	for _, f := range i.projects.faults[project] {
		if f.Offline && f.takes() {
			return true
		}
	}
	return false
}

// AfterOf is called when a write of a project has succeeded. It returns the error with which the call fails although
// the write has happened.
func (i *Injector) AfterOf(ctx context.Context, project, method string) error {
	if i == nil || !i.some.Load() {
		return nil
	}
	if f, ok := i.choose(project, Writes, method, answered); ok {
		return i.happen(ctx, f)
	}
	return nil
}

// BeforeAuth is called at the beginning of a call of Auth. It returns after the call's delay, with the error with which
// the call fails, or ErrBroken.
func (i *Injector) BeforeAuth(ctx context.Context, project, method string) error {
	return i.disturbAuth(ctx, project, method, before)
}

// AfterAuth is called when a call of Auth has succeeded. It returns the error with which the call fails nevertheless,
// or ErrBroken.
func (i *Injector) AfterAuth(ctx context.Context, project, method string) error {
	return i.disturbAuth(ctx, project, method, answered)
}

// disturbAuth lets a fault happen to a call of Auth.
func (i *Injector) disturbAuth(ctx context.Context, project, method string, at moment) error {
	if i == nil || !i.some.Load() {
		return nil
	}
	f, ok := i.choose(project, Auth, method, at)
	if !ok {
		return nil
	}
	err := i.happen(ctx, f)
	if (f.Offline || f.Lost) && fault.Is(err, fault.Unavailable) {
		return ErrBroken
	}
	return err
}

// EndOf is called when a stream of a project opens. It returns the time after which the stream ends, and with which
// error, or nil if it does not.
func (i *Injector) EndOf(project, method string) (after time.Duration, err error) {
	if i == nil || !i.some.Load() {
		return 0, nil
	}
	f, ok := i.choose(project, Streams, method, opened)
	if !ok {
		return 0, nil
	}
	return time.Duration(f.After) * time.Millisecond, f.failure()
}

// Dropped returns the error of streams that are ended with the code of a name; an empty name means UNAVAILABLE, as
// for a broken connection.
func Dropped(name string) (failure, err error) {
	f := Fault{Settings: Settings{Error: cmp.Or(name, fault.Unavailable.String())}}
	if failure = f.failure(); failure == nil {
		err = fault.E(fault.InvalidArgument, "error must be empty or one of %v.", codes)
	}
	return failure, err
}

// failure returns the error with which a call fails, or nil.
func (f *Fault) failure() error {
	if f.Calls == Auth && named.MatchString(f.Error) {
		if _, status := code(f.Error); !status {
			return fault.E(fault.FailedPrecondition, "%s", f.Error)
		}
	}
	if c, ok := code(f.Error); ok {
		return fault.E(c, "Injected by a fault of the project.")
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
	return f.failure()
}
