package app

import (
	"context"
	"net/http"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/limit/rate"
	"clave/server/internal/store"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// role is what differs between the stack of a server that writes its store and that of a node that follows another one.
type role struct {
	store store.Store
	// follows is set if another node writes the store.
	follows bool
	// versions is the clock of versions.
	versions clock.Clock
	rulesets *authz.Rulesets
	// engine sets options of the engine: where indexes are recorded that queries lacked, and how reads become current.
	engine func(o *engine.Options)
	// define defines the indexes before anything is read.
	define func(ctx context.Context, e *engine.Engine) error
	// vault returns the vault of the keys that sign tokens; nil keeps them in memory.
	vault func(ctx context.Context) (token.Vault, error)
	// accounts sets options of the accounts, such as how e-mails are sent; nil sets none.
	accounts func(o *service.Options) error
	// owner names the node in the ids of sessions of WebChannel, if it follows. ended is the text of the error of streams
	// that end because the stack does.
	owner, ended string
	// moves are the sessions that continue at another part of this node; nil without other nodes.
	moves *webchannel.Moves
}

// stack holds the parts that serve Firestore, from the engine to the transports. A server that writes its store and a
// node that follows another one build it by the same functions, with another role.
type stack struct {
	app  *App
	role role
	// components receives the parts.
	components *components
	rulesets   *authz.Rulesets
	engine     *engine.Engine
	hub        *listen.Hub
	accounts   *account.Store
	// serviceKeys are the keys of service accounts.
	serviceKeys *serviceaccount.Registry
	// keys sign and verify tokens; nil if tokens carry no signatures.
	keys       *token.Keys
	tokens     *token.Verifier
	service    *service.Service
	authorizer *authz.Authorizer
	firestore  *api.Server
	// channels serves Firestore's streams over WebChannel.
	channels *webchannel.Handler
	rest     http.Handler
}

// channelsName is the name of the component that serves WebChannel.
const channelsName = "webchannel"

// newStack returns a stack without parts, which open adds to c.
func (a *App) newStack(r role, c *components) *stack {
	return &stack{app: a, role: r, rulesets: r.rulesets, components: c}
}

// open opens the parts, layer by layer.
func (s *stack) open(ctx context.Context) error {
	for _, open := range []func(context.Context) error{s.openEngine, s.openAccounts, s.openAuthorizer, s.openCalls} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// openEngine opens the engine with its indexes, and the live queries.
func (s *stack) openEngine(ctx context.Context) (err error) {
	a := s.app
	eo := engine.Options{
		Store: s.role.store, Clock: s.role.versions, Results: a.o.Memory.Results, IndexMode: indexModes[a.config.Indexes], Exists: a.exists(), Log: a.o.Log,
	}
	ho := listen.Options{MaxWindowBytes: int(a.o.Memory.Windows), Clock: a.o.Clock, Log: a.o.Log}
	if a.counts != nil {
		eo.CommitsWritten, ho.Sent = a.counts.CommitsWritten, a.counts.Sent
	}
	s.role.engine(&eo)
	if s.engine, err = engine.Open(ctx, eo); err != nil {
		return err
	}
	s.components.onClose(s.engine.Close)
	if err := s.role.define(ctx, s.engine); err != nil {
		return err
	}
	ho.Engine = s.engine
	if s.hub, err = listen.New(ho); err != nil {
		return err
	}
	s.components.add("engine", s.engine)
	s.components.add("listen", s.hub)
	return nil
}

// openAccounts opens the accounts and the verifier of their tokens.
func (s *stack) openAccounts(ctx context.Context) error {
	a, c := s.app, s.app.config
	s.accounts = account.New(s.role.store)
	s.serviceKeys = serviceaccount.New(s.accounts, a.o.Clock)
	to := token.Options{
		Clock: a.o.Clock, Unsigned: !c.SignTokens && !c.Production(), Owner: !c.Production(), PublicURL: c.PublicURL, ServiceKeys: s.serviceKeys.Get,
		// The verifier calls the service, and the service needs the verifier. The service is set before any call.
		Session: func(ctx context.Context, id token.ID) error { return s.service.CheckSession(ctx, id) },
	}
	if c.SignTokens {
		vault, err := s.role.vault(ctx)
		if err != nil {
			return err
		}
		s.keys, err = token.OpenKeys(token.KeyOptions{Clock: a.o.Clock, Vault: vault, Follow: s.role.follows, Events: c.Events != "", Log: a.o.Log})
		if err != nil {
			return err
		}
		to.Keys = s.keys
		s.components.add("keys", s.keys)
	}
	s.tokens = token.New(to)
	o := service.Options{
		Accounts: s.accounts, Follow: s.role.follows, Tokens: s.tokens, Clock: a.o.Clock, Project: c.Project, Emulator: !c.Production(),
		RateLimits: c.RateLimits, PublicURL: c.PublicURL, NoSignUp: c.Auth.NoSignUp, AsEmulator: c.Auth.AsEmulator, Log: a.o.Log,
		EmulatorSettings: !c.Production() && !c.Auth.ProductionSettings,
	}
	o.SignedIn, o.Limited = a.counts.SignIn, a.counts.Limited
	if c.Memory && !c.Production() {
		o.HashMemCost = memoryHashCost
	}
	if s.role.accounts != nil {
		if err := s.role.accounts(&o); err != nil {
			return err
		}
	}
	s.service = service.New(o)
	s.components.add("accounts", s.service)
	return nil
}

// openAuthorizer creates the authorizer. While it runs, it re-authorizes open live queries and ends revoked sessions.
// Commands that serve no requests have no accounts.
func (s *stack) openAuthorizer(context.Context) (err error) {
	a := s.app
	o := authz.Options{Meter: a.counts, Engine: s.engine, Hub: s.hub, Rules: s.rulesets, Faults: a.faults, Turns: a.turns, TargetBytes: a.o.Memory.Results, Clock: a.o.Clock, Log: a.o.Log}
	if s.tokens != nil {
		o.CheckSession = s.tokens.CheckSession
	}
	if n := a.config.AnonymousWrites; n > 0 {
		perMinute := rate.Rate{Burst: 2 * n, Every: time.Minute / time.Duration(n)}
		o.AnonymousWrites = rate.NewAddresses(rate.AddressOptions{Options: rate.Options{Clock: a.o.Clock}, Rate: perMinute})
	}
	if s.authorizer, err = authz.New(o); err != nil {
		return err
	}
	if s.accounts != nil {
		s.accounts.OnRevoke(func(r account.Revocation) { s.authorizer.Revoke(r.Scope.Project, r.Scope.Tenant, r.UID) })
	}
	s.components.add("authorizer", s.authorizer)
	return nil
}

// openCalls creates the methods of Firestore, and the transports that all ports share.
func (s *stack) openCalls(context.Context) (err error) {
	a := s.app
	if s.firestore, err = api.New(api.Options{Authorizer: s.authorizer, Clock: a.o.Clock}); err != nil {
		return err
	}
	s.components.add("firestore", s.firestore)
	s.channels, err = webchannel.New(webchannel.Options{
		Firestore: s.firestore, Tokens: s.tokens, ProxyHops: a.proxyHops(), Clock: a.o.Clock, MaxHeld: int(a.o.Memory.Requests), Streams: a.streams, Budget: a.budget,
		Owner: s.role.owner, ListenOnly: s.role.follows, Ended: s.role.ended, Moves: s.role.moves, Parsing: a.parsing, Meter: a.counts, Log: a.o.Log,
	})
	if err != nil {
		return err
	}
	s.components.add(channelsName, s.channels)
	s.rest, err = rest.New(rest.Options{Firestore: s.firestore, Tokens: s.tokens, ProxyHops: a.proxyHops(), Parsing: a.parsing, Meter: a.counts, Log: a.o.Log})
	return err
}

// openGRPC creates a gRPC server. Each port needs one of its own, because a server ends with its listener. It is
// stopped at the end even if no port has served it, because its workers run from the beginning.
func (s *stack) openGRPC() (*grpc.Server, error) {
	a := s.app
	server, err := grpc.New(grpc.Options{
		Firestore: s.firestore, Tokens: s.tokens, Ended: s.role.ended, ProxyHops: a.proxyHops(), Calls: a.calls, Streams: a.streams, Budget: a.budget, Parsing: a.parsing, Meter: a.counts, Log: a.o.Log,
	})
	if err != nil {
		return nil, err
	}
	s.components.onClose(func() error {
		server.Stop()
		return nil
	})
	return server, nil
}
