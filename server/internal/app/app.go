package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/app/datastore"
	"clave/server/internal/app/site"
	"clave/server/internal/auth/secret"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/node"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/console/audit"
	"clave/server/internal/limit/fair"
	"clave/server/internal/limit/heap"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
	"clave/server/internal/store"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/suite/triggers"
	"clave/server/internal/transport/port"
)

// HealthPath is the path at which every port of an app reports its health.
const HealthPath = port.HealthPath

// Options hold what an app needs besides its Config.
type Options struct {
	// Usage counts what production would bill; nil means a meter of the app's own, in production only for metrics.
	Usage *usage.Meter
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil means slog's default.
	Log *slog.Logger
	// Memory limits the memory of the parts; zero means their defaults.
	Memory heap.Plan
	// GovernMemory lets the app adjust the process's garbage collector. A process may have one such app.
	GovernMemory bool
	// Version is the program's version, for the console.
	Version string
	// Notices receives lines for the operator, such as a reloaded rules file; nil discards them.
	Notices io.Writer
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Memory == (heap.Plan{}) {
		o.Memory = heap.PlanFor(0, false)
	}
	if o.Notices == nil {
		o.Notices = io.Discard
	}
}

// Addresses holds the addresses of the parts as host:port; empty for parts that don't run.
type Addresses struct {
	Firestore, Auth, Hosting, Websocket, Hub, Console string
	// Storage takes the place of the Cloud Storage emulator for the command of ModeExec. It returns an error to every
	// request.
	Storage string
	// Metrics is the port of the metrics.
	Metrics string
	// Admin is the port of the administration APIs.
	Admin string
	// ConsoleURL returns the URL of the console. In production each call creates a link that works once. It is nil
	// without a console.
	ConsoleURL func() string
	// Scheme is http or https, for the site.
	Scheme string
	// Data is the data folder; empty if the data are in memory.
	Data string
}

// App is a server with all its parts.
type App struct {
	// components are the parts of which the app was built.
	components process.Components
	config     *config.Config
	o          Options
	// data opens the store.
	data *datastore.Opener
	// afterBurst is called when a burst of work is over.
	afterBurst []func(context.Context)
	// consoleData holds data for the console; nil without one.
	consoleData *consoleData
	// counts holds the counters of the console and the metrics; nil without both. observed is the state that they show.
	counts   *meter.Meter
	observed *observed
	// usage counts what production would bill; nil in production without metrics.
	usage *usage.Meter
	// encryption terminates TLS at the public port; nil if a proxy does, or if there is no TLS.
	encryption *tls.Config
	// ahead is the clock that the console's lab advances, and faults holds the faults that it injects; nil without a lab.
	ahead  *clock.Shifted
	faults *faultinject.Injector
	// budget bounds the memory of requests that are being received, over all ports.
	budget *receive.Budget
	// connections, streams and responses bound what clients hold, over all ports except those for administrators.
	connections, calls, streams, responses *slots.Slots
	// parsing limits the memory of large requests that are parsed, over all transports.
	parsing *parse.Limit
	// turns divides the processors' time for queries between networks.
	turns *fair.Queue
	// prepare runs after the ports are open and before the app is ready.
	prepare []func(ctx context.Context) error
	// beforeEnd runs at the end of a run that was ready, after serving has stopped.
	beforeEnd []func(ctx context.Context) error
	addresses Addresses
	// settling waits for pending events and live queries; nil in production.
	settling *triggers.Settling
	// releases releases rules and indexes once this server writes its store; nil before, and if the files of firebase.json
	// count.
	releases atomic.Pointer[releases.Service]
	// auditLog is the log of changes by administrators; nil until it is open.
	auditLog *audit.Log
	// secrets seals the secrets of identity providers; nil without a key, and in development.
	secrets *secret.Keys
	// node is this node among those that share its store; nil without --store.
	node *node.Node
	// opened is the static site; nil until it is open. deployed has the versions of a site that is deployed to the server.
	opened   *site.Site
	deployed site.Deployed
	// hasLed is set once this node leads.
	hasLed bool
	// followed is set once another node led, and ledSince the time at which this one led after that.
	followed atomic.Bool
	ledSince time.Time
}

// New builds an app: it opens all ports, reads rules and indexes and opens the store. If one of these fails, it reverts
// the others.
func New(ctx context.Context, c *config.Config, o Options) (*App, error) {
	a := newApp(c, o)
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(a.lapsed(err), a.components.Close())
	}
	return a, nil
}

// newApp returns an app without the parts that can fail to open.
func newApp(c *config.Config, o Options) *App {
	ahead := labClock(c, &o)
	o.EnsureDefaults()
	a := &App{config: c, ahead: ahead, o: o, budget: receive.New(receive.Options{Bytes: o.Memory.Requests, Clock: o.Clock}), parsing: parse.New(o.Memory.Requests)}
	a.observed = &observed{budget: a.budget, log: a.o.Log}
	a.turns = fair.New(fair.Options{})
	if !c.Production() && c.MemoryLimit == 0 {
		o.Memory = o.Memory.ForDevelopment()
	}
	bounded := func(kind string, all int, shared bool) *slots.Slots {
		return slots.New(slots.Options{All: all, Shared: shared, Kind: kind, Clock: o.Clock, Log: o.Log})
	}
	a.connections = bounded("connections", o.Memory.Connections, c.TrustProxy)
	a.calls = bounded("calls of gRPC", o.Memory.Calls, false)
	a.streams = bounded("streams", o.Memory.Streams, false)
	a.responses = bounded("requests", o.Memory.Responses, false)
	if hasConsole(c) {
		a.watch()
		a.observed.log = a.o.Log
	}
	a.data = datastore.New(c, datastore.Options{Importing: []string{c.ImportDir}, Memory: a.o.Memory, Clock: o.Clock, Log: a.o.Log, Notices: o.Notices, Closers: &a.components})
	if !c.Production() {
		a.faults = faultinject.New(a.machineClock())
	}
	if hasConsole(c) || c.Metrics != "" || c.Auth.AppCheck != nil {
		a.counts = meter.New(a.machineClock(), a.observed.sampled)
	}
	switch a.usage = o.Usage; {
	case a.usage != nil:
	case !c.Production():
		a.usage = usage.New(usage.Options{Clock: a.machineClock()})
	case c.Metrics != "": // and nothing is counted without metrics
		a.usage = usage.New(usage.Options{Clock: a.machineClock(), Coarse: true})
	}
	a.observed.billed = a.usage
	if hasConsole(c) {
		a.components.Add("meter", a.counts) // which takes samples
	}
	if o.GovernMemory {
		a.components.Add("memory", heap.NewGovernor(o.Clock, o.Memory.Limit, a.rest))
	}
	for _, note := range c.Notes {
		fmt.Fprintln(o.Notices, note)
	}
	return a
}

// lapsed returns the error of a failed build. If this node led by then and could not write because its lease was over,
// the error is store.ErrMoved too: the app may be built again.
func (a *App) lapsed(err error) error {
	if a.hasLed && fault.Is(err, fault.Unavailable) && !Moved(err) {
		return fault.Wrap(store.ErrMoved, fault.Unavailable, "%s", fault.Reason(err))
	}
	return err
}

// build creates the components, layer by layer.
func (a *App) build(ctx context.Context) error {
	var err error
	if a.secrets, err = openSecrets(a.config); err != nil {
		return err
	}
	ports, err := a.listen()
	if err != nil {
		return err
	}
	rulesets, err := a.loadRules()
	if err != nil {
		return err
	}
	state, err := a.openState(ctx, ports, rulesets)
	if err != nil {
		return err
	}
	if state.release != nil {
		if err := a.openReleases(ctx, state); err != nil {
			return err
		}
	}
	if a.node != nil {
		if err := a.offer(state); err != nil {
			return err
		}
	}
	a.observed.state = state
	users := a.openUsers(state)
	if err := a.deliverEvents(ctx, state); err != nil {
		return err
	}
	calls, err := a.makeCalls(state, users)
	if err != nil {
		return err
	}
	if a.node == nil {
		if a.encryption, err = a.tls(); err != nil {
			return err
		}
	}
	if calls.console, err = a.makeConsole(ports.console, calls, state, users, rulesets); err != nil {
		return err
	}
	if err := openDeployed(ctx, a, state); err != nil {
		return err
	}
	if calls.admin, err = a.makeAdmin(ctx, ports.admin, state, calls.transfer); err != nil {
		return err
	}
	initial := &transfer.Initial{Transfer: calls.transfer, ImportDir: a.config.ImportDir, ExportDir: a.config.ExportDir, DataDir: a.config.DataDir, Notices: a.o.Notices}
	if err := initial.Begin(ctx); err != nil {
		a.data.Folder.Unused = !calls.transfer.Changed()
		return err
	}
	if initial.ExportDir != "" {
		a.beforeEnd = append(a.beforeEnd, initial.End)
	}
	return a.openPorts(ports, calls)
}

// Addresses returns the addresses of the parts.
func (a *App) Addresses() Addresses { return a.addresses }

// LedSince returns the time at which a node that has followed another one began to lead, and a zero time otherwise.
func (a *App) LedSince() time.Time { return a.ledSince }

// Run runs the app until ctx is done and then stops it. It calls ready once all ports serve.
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
	err := process.Run(ctx, append(slices.Clone(a.components.Parts), starter)...)
	for _, leave := range a.beforeEnd {
		if wasReady && !Moved(err) {
			err = errors.Join(err, leave(context.WithoutCancel(ctx)))
		}
	}
	return errors.Join(err, a.components.Close())
}
