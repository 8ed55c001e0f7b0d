package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"clave/server/clock"
	"clave/server/config"
	"clave/server/faultinject"
	"clave/server/front"
	"clave/server/front/budget"
	"clave/server/memory"
	"clave/server/meter"
	"clave/server/process"
)

// HealthPath is the path at which every port of an app reports its health.
const HealthPath = front.HealthPath

// Options are what an app takes besides its configuration.
type Options struct {
	// Clock returns the time; the machine's when nil.
	Clock clock.Clock
	// Log receives failures; slog's default when nil.
	Log *slog.Logger
	// Memory is how much the parts may take; what they take by default when zero.
	Memory memory.Plan
	// GovernMemory has the app adjust the process's garbage collector. A process has one such app at most.
	GovernMemory bool
	// Version is the program's, for the console.
	Version string
	// Notices is written lines for the operator, such as a reloaded rules file; discarded when nil.
	Notices io.Writer
}

// EnsureDefaults fills what was left zero.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Memory == (memory.Plan{}) {
		o.Memory = memory.PlanFor(0, false)
	}
	if o.Notices == nil {
		o.Notices = io.Discard
	}
}

// Addresses are where the parts listen, as host:port; empty for parts that don't run.
type Addresses struct {
	Firestore, Auth, Hosting, Websocket, Hub, Console string
	// Storage stands where the emulator of Cloud Storage would, for the command of ModeExec, and answers that there is none.
	Storage string
	// Metrics is the port of the metrics.
	Metrics string
	// ConsoleURL opens the console: in production by a link that works once, which is made when it is called. Nil without a console.
	ConsoleURL func() string
	// Scheme is http or https, for the site.
	Scheme string
	// Data is the folder of the data, or empty when they are kept in memory.
	Data string
}

// App is a whole server, built and not yet running.
type App struct {
	config *config.Config
	o      Options
	// components are what the app was built of.
	components []any
	// parts are run together and stopped in reverse order.
	parts []process.Part
	// closers are called in reverse order once everything has stopped.
	closers []func() error
	// watched is what the console shows; nil without one.
	watched *watched
	// counts counts for the console and the metrics; nil without both. served is what they show; nil before it is open.
	counts *meter.Meter
	served *state
	// encryption is what ends TLS at the public port; nil where a proxy does, or nobody.
	encryption *tls.Config
	// ahead is the clock that the console's lab puts ahead, and faults what it injects; nil where it does not.
	ahead  *clock.Shifted
	faults *faultinject.Injector
	// budget bounds what requests that are being received hold, over all ports.
	budget *budget.Budget
	// prepare is done once the ports answer and before the app is ready.
	prepare []func(ctx context.Context) error
	// leaving is done at the end of a run that was ready, when nobody is served any more.
	leaving   []func(ctx context.Context) error
	addresses Addresses
	// settling waits for what is on its way; nil in production.
	settling *settling
	// nodes is this node among those that share its store; nil without --store.
	nodes *nodes
	// importing are the absolute paths of the imports that this process makes, which may complete an interrupted one.
	importing []string
}

// New builds an app: all ports are taken, rules and indexes read and the store opened, or nothing is.
func New(ctx context.Context, c *config.Config, o Options) (*App, error) {
	ahead := laboratory(c, &o)
	o.EnsureDefaults()
	a := &App{config: c, ahead: ahead, o: o, importing: sources(c.ImportDir), budget: budget.New(budget.Options{Bytes: o.Memory.Requests, Clock: o.Clock})}
	if a.hasConsole() {
		a.watch()
	}
	if a.hasLab() {
		a.faults = faultinject.New(a.machineClock())
	}
	if a.hasConsole() || c.Metrics != "" {
		a.counts = meter.New(a.machineClock(), a.sampled)
	}
	if o.GovernMemory {
		a.add("memory", memory.NewGovernor(o.Clock))
	}
	for _, note := range c.Notes {
		fmt.Fprintln(o.Notices, note)
	}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// build makes the components, layer by layer.
func (a *App) build(ctx context.Context) error {
	ports, err := a.listen()
	if err != nil {
		return err
	}
	rulesets, err := a.loadRules()
	if err != nil {
		return err
	}
	state, err := a.openState(ctx, ports)
	if err != nil {
		return err
	}
	if a.nodes != nil {
		if err := a.openReleases(ctx, state, rulesets); err != nil {
			return err
		}
		a.offerIndexes(state, rulesets)
	}
	a.served = state
	if a.hasConsole() {
		a.add("meter", a.counts) // which takes samples
	}
	users, err := a.openUsers(ctx, state)
	if err != nil {
		return err
	}
	if err := a.deliverEvents(ctx, state, users); err != nil {
		return err
	}
	calls, err := a.makeCalls(state, users, rulesets)
	if err != nil {
		return err
	}
	if a.nodes == nil {
		if a.encryption, err = a.tls(); err != nil {
			return err
		}
	}
	if calls.console, err = a.makeConsole(ports.console, calls, state, users, rulesets); err != nil {
		return err
	}
	if err := a.transfers(ctx, calls.transfer); err != nil {
		return err
	}
	return a.openPorts(ports, calls)
}

// Addresses returns where the parts listen.
func (a *App) Addresses() Addresses { return a.addresses }

// Run runs the app until ctx is done and then stops it. ready is called once everything answers.
func (a *App) Run(ctx context.Context, ready func()) error {
	wasReady := false
	starter := process.Part{Name: "start", Run: func(ctx context.Context) error {
		for _, prepare := range a.prepare {
			if err := prepare(ctx); err != nil {
				return err
			}
		}
		wasReady = true
		ready()
		<-ctx.Done()
		return nil
	}}
	err := process.Run(ctx, append(slices.Clone(a.parts), starter)...)
	for _, leave := range a.leaving {
		if wasReady && !Moved(err) {
			err = errors.Join(err, leave(context.WithoutCancel(ctx)))
		}
	}
	return errors.Join(err, a.close())
}

// runner is a component that works in the background until ctx is done.
type runner interface {
	Run(ctx context.Context) error
}

// add registers a component that the app was built of. A component that has a Run is run with the app under a name for logs:
// the wiring does not list which have one, and TestEveryRunIsStarted fails for what was built and not added.
func (a *App) add(name string, component any) {
	a.components = append(a.components, component)
	if r, ok := component.(runner); ok {
		a.run(name, r.Run)
	}
}

// run adds work that belongs to no component.
func (a *App) run(name string, run func(ctx context.Context) error) {
	a.parts = append(a.parts, process.Part{Name: name, Run: run})
}

// onClose adds what is to be closed at the end.
func (a *App) onClose(closer func() error) { a.closers = append(a.closers, closer) }

// close closes everything in reverse order.
func (a *App) close() error {
	var all []error
	for _, closer := range slices.Backward(a.closers) {
		all = append(all, closer())
	}
	a.closers = nil
	return errors.Join(all...)
}
