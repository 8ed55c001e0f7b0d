package authz

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/faultinject"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/limit/fair"
	"clave/server/internal/limit/quota"
	"clave/server/internal/limit/rate"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
)

// Options configure an authorizer.
type Options struct {
	// Engine stores the documents.
	Engine *engine.Engine
	// Hub runs the live queries.
	Hub *listen.Hub
	// Rules are the rulesets in force.
	Rules *Rulesets
	// CheckSession returns an error if the session of a caller with an open stream has ended; nil never ends one.
	CheckSession func(ctx context.Context, c token.Caller) error
	// AnonymousWrites limits the writes of unidentified callers by their address; nil sets no limit.
	AnonymousWrites *rate.Addresses
	// Turns divides the processors' time for queries between the callers' networks; nil sets no limit.
	Turns *fair.Queue
	// TargetBytes is the memory of live queries' targets of all callers to whom rules apply, in bytes; zero means 64 MiB.
	// One network may use a quarter.
	TargetBytes int64
	// Faults delays and fails calls on purpose, in development; nil injects nothing.
	Faults *faultinject.Injector
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Meter counts calls; nil counts nothing.
	Meter *meter.Meter
	// Usage counts what production would bill; nil counts nothing.
	Usage *usage.Meter
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.TargetBytes == 0 {
		o.TargetBytes = 64 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Engine == nil || o.Rules == nil || o.Hub == nil {
		return errors.New("authz: needs an engine, a hub and rulesets")
	}
	return nil
}

// Authorizer authorizes calls of the engine and the live queries. It is safe for concurrent use.
type Authorizer struct {
	engine *engine.Engine
	hub    *listen.Hub
	rules  *Rulesets
	clock  clock.Clock
	log    *slog.Logger
	meter  *meter.Meter
	usage  *usage.Meter
	bills  sync.Pool // of *bill
	faults *faultinject.Injector
	turns  *fair.Queue
	held   *quota.Quota

	checkSession    func(ctx context.Context, c token.Caller) error
	sessions        *sessions
	anonymousWrites *rate.Addresses
}

// New returns an authorizer.
func New(o Options) (*Authorizer, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	az := &Authorizer{
		engine: o.Engine, hub: o.Hub, rules: o.Rules, clock: o.Clock, log: o.Log, meter: o.Meter, usage: o.Usage, faults: o.Faults, turns: o.Turns, held: newHoldings(o.TargetBytes),
		checkSession: o.CheckSession, sessions: newSessions(), anonymousWrites: o.AnonymousWrites,
	}
	o.Rules.onChange(func() { az.hub.Reauthorize(nil) })
	return az, nil
}

// within returns the context of a caller's reads, which share the turns of the caller's network, or of its service
// account.
func (az *Authorizer) within(ctx context.Context, c token.Caller) context.Context {
	if c.Privileged {
		return az.turns.Within(ctx, "service\x00"+c.Service, "")
	}
	network := quota.Network(c.Address)
	return az.turns.Within(ctx, cmp.Or(network, "this machine"), network)
}

// inject delays or fails a call of a method by a client, if configured. It exempts callers with a journal, which are
// the console's: the console must work to reverse the configuration.
func (az *Authorizer) inject(ctx context.Context, c token.Caller, project string, of faultinject.Kind, method string) error {
	if c.Journal != nil {
		return nil
	}
	return az.faults.BeforeOf(ctx, project, of, method)
}

// lose fails a write that has succeeded, if configured: err is the write's own error. The exemption is as for inject.
func (az *Authorizer) lose(ctx context.Context, c token.Caller, project, method string, err error) error {
	if err != nil || c.Journal != nil {
		return err
	}
	return az.faults.AfterOf(ctx, project, method)
}
