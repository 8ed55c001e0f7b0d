package stack

import (
	"context"
	"net/http"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/keyset"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/process"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/limit/rate"
	"clave/server/internal/model/resource"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// Stack holds the parts that serve Firestore.
type Stack struct {
	o    Options
	role Role
	// components receives the parts.
	components *process.Components
	Rulesets   *authz.Rulesets
	Engine     *engine.Engine
	Hub        *listen.Hub
	Accounts   *account.Store
	// ServiceKeys are the keys of service accounts.
	ServiceKeys *serviceaccount.Registry
	// Keys sign and verify tokens; nil if tokens carry no signatures.
	Keys   *token.Keys
	Tokens *token.Verifier
	// Checks decides about clients by their App Check tokens; nil without App Check. CheckKeys are the keys of another App
	// Check service; nil without one.
	Checks *appcheck.Checker
	// CheckSettings are the modes of App Check; nil without it.
	CheckSettings *appcheck.Settings
	CheckKeys     *keyset.Keys
	Service       *service.Service
	Authorizer    *authz.Authorizer
	Firestore     *api.Server
	// Channels serves Firestore's streams over WebChannel.
	Channels *webchannel.Handler
	REST     http.Handler
}

// ChannelsName is the name of the component that serves WebChannel.
const ChannelsName = "webchannel"

// New returns a stack without parts, which Open adds to c.
func New(o Options, r Role, c *process.Components) *Stack {
	return &Stack{o: o, role: r, Rulesets: r.Rulesets, components: c}
}

// Open opens the parts, layer by layer.
func (s *Stack) Open(ctx context.Context) error {
	for _, open := range []func(context.Context) error{s.OpenEngine, s.openAccounts, s.OpenAuthorizer, s.openCalls} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// OpenEngine opens the engine with its indexes, and the live queries.
func (s *Stack) OpenEngine(ctx context.Context) (err error) {
	eo := engine.Options{
		Store: s.role.Store, Clock: s.role.Versions, Results: s.o.Memory.Results, IndexMode: s.o.IndexMode, Exists: s.o.Exists, Gone: s.o.Gone, Log: s.o.Log,
		History: s.o.History, HistoryBytes: s.o.HistoryBytes,
	}
	ho := listen.Options{MaxWindowBytes: int(s.o.Memory.Windows), Clock: s.o.Clock, Log: s.o.Log}
	if s.o.Meter != nil {
		eo.CommitsWritten, ho.Sent = s.o.Meter.CommitsWritten, s.o.Meter.Sent
	}
	if s.o.Usage != nil {
		eo.Expired = authz.Expired(s.o.Usage)
	}
	s.role.Engine(&eo)
	if s.Engine, err = engine.Open(ctx, eo); err != nil {
		return err
	}
	s.components.OnClose(s.Engine.Close)
	if err := s.role.Define(ctx, s.Engine); err != nil {
		return err
	}
	ho.Engine = s.Engine
	if s.Hub, err = listen.New(ho); err != nil {
		return err
	}
	s.components.Add("engine", s.Engine)
	s.components.Add("listen", s.Hub)
	return nil
}

// openAccounts opens the accounts and the verifier of their tokens.
func (s *Stack) openAccounts(ctx context.Context) error {
	s.Accounts = account.New(s.role.Store)
	s.ServiceKeys = serviceaccount.New(s.Accounts, s.o.Clock)
	to := token.Options{
		Clock: s.o.Clock, Unsigned: !s.o.SignTokens && !s.o.Production, Owner: !s.o.Production, PublicURL: s.o.PublicURL, ServiceKeys: s.ServiceKeys.Get,
		// The verifier calls the service, and the service needs the verifier. The service is set before any call.
		Session: func(ctx context.Context, id token.ID) error { return s.Service.CheckSession(ctx, id) },
	}
	if s.o.SignTokens {
		vault, err := s.role.Vault(ctx)
		if err != nil {
			return err
		}
		s.Keys, err = token.OpenKeys(token.KeyOptions{Clock: s.o.Clock, Vault: vault, Follow: s.role.Follows, Events: s.o.Events, AppCheck: s.o.AppCheck != nil, Log: s.o.Log})
		if err != nil {
			return err
		}
		to.Keys = s.Keys
		s.components.Add("keys", s.Keys)
	}
	s.openChecks(&to)
	s.Tokens = token.New(to)
	if s.o.AppCheck != nil {
		s.CheckSettings = appcheck.NewSettings(appcheck.SettingsOptions{Accounts: s.Accounts, Project: s.o.Project, Flags: s.o.AppCheck.Modes, Clock: s.o.Clock, Log: s.o.Log})
		s.Checks = appcheck.NewChecker(appcheck.CheckerOptions{Tokens: s.Tokens, Settings: s.CheckSettings, Meter: s.o.Meter})
	}
	o := s.o.Accounts
	o.Accounts, o.Follow, o.Tokens, o.Clock, o.Log = s.Accounts, s.role.Follows, s.Tokens, s.o.Clock, s.o.Log
	o.Project, o.PublicURL, o.Emulator = s.o.Project, s.o.PublicURL, !s.o.Production
	o.SignedIn, o.Limited = s.o.Meter.SignIn, s.o.Meter.Limited
	if s.role.Accounts != nil {
		if err := s.role.Accounts(&o); err != nil {
			return err
		}
	}
	s.Service = service.New(o)
	s.components.Add("accounts", s.Service)
	return nil
}

// openChecks opens the keys of another App Check service, if there is one.
func (s *Stack) openChecks(to *token.Options) {
	if s.o.AppCheck == nil || s.o.AppCheck.KeysURL == "" {
		return
	}
	s.CheckKeys = keyset.New(keyset.Options{URL: s.o.AppCheck.KeysURL, Clock: s.o.Clock, Log: s.o.Log})
	to.AppCheckKeys = s.CheckKeys.Key
	s.components.Add("app check keys", s.CheckKeys)
}

// OpenAuthorizer creates the authorizer. While it runs, it re-authorizes open live queries and ends revoked sessions.
// Commands that serve no requests have no accounts.
func (s *Stack) OpenAuthorizer(context.Context) (err error) {
	o := authz.Options{Meter: s.o.Meter, Usage: s.o.Usage, Engine: s.Engine, Hub: s.Hub, Rules: s.Rulesets, Faults: s.o.Faults, Turns: s.o.Turns, TargetBytes: s.o.Memory.Results, Clock: s.o.Clock, Log: s.o.Log}
	if s.Tokens != nil {
		o.CheckSession = s.Tokens.CheckSession
	}
	if n := s.o.AnonymousWrites; n > 0 {
		perMinute := rate.Rate{Burst: 2 * n, Every: time.Minute / time.Duration(n)}
		o.AnonymousWrites = rate.NewAddresses(rate.AddressOptions{Options: rate.Options{Clock: s.o.Clock}, Rate: perMinute})
	}
	if s.Authorizer, err = authz.New(o); err != nil {
		return err
	}
	if s.Accounts != nil {
		s.Accounts.OnRevoke(func(r account.Revocation) { s.Authorizer.Revoke(r.Scope.Project, r.Scope.Tenant, r.UID) })
	}
	s.components.Add("authorizer", s.Authorizer)
	return nil
}

// openCalls creates the methods of Firestore, and the transports that all ports share.
func (s *Stack) openCalls(context.Context) (err error) {
	if s.Firestore, err = api.New(api.Options{Authorizer: s.Authorizer, Clock: s.o.Clock, Enterprise: s.o.Enterprise}); err != nil {
		return err
	}
	s.components.Add("firestore", s.Firestore)
	s.Channels, err = webchannel.New(webchannel.Options{
		Firestore: s.Firestore, Tokens: s.Tokens, AppCheck: s.Checks, ProxyHops: s.o.ProxyHops, Clock: s.o.Clock, MaxHeld: int(s.o.Memory.Requests), Streams: s.o.Streams, Budget: s.o.Budget,
		Offline: s.offline, Owner: s.role.Owner, ListenOnly: s.role.Follows, Ended: s.role.Ended, Moves: s.role.Moves, Parsing: s.o.Parsing, Meter: s.o.Meter, Log: s.o.Log,
	})
	if err != nil {
		return err
	}
	s.components.Add(ChannelsName, s.Channels)
	s.REST, err = rest.New(rest.Options{Firestore: s.Firestore, Tokens: s.Tokens, AppCheck: s.Checks, ProxyHops: s.o.ProxyHops, Parsing: s.o.Parsing, Meter: s.o.Meter, Log: s.o.Log})
	return err
}

// offline reports whether a fault makes the project of a database unreachable.
func (s *Stack) offline(database string) bool {
	db, err := resource.ParseDatabase(database)
	return err == nil && s.o.Faults.Offline(db.Project)
}

// OpenGRPC creates a gRPC server. Each port needs one of its own, because a server ends with its listener. It is
// stopped at the end even if no port has served it, because its workers run from the beginning.
func (s *Stack) OpenGRPC() (*grpc.Server, error) {
	server, err := grpc.New(grpc.Options{
		Firestore: s.Firestore, Tokens: s.Tokens, AppCheck: s.Checks, Ended: s.role.Ended, ProxyHops: s.o.ProxyHops, Calls: s.o.Calls, Streams: s.o.Streams, Budget: s.o.Budget, Parsing: s.o.Parsing, Meter: s.o.Meter, Log: s.o.Log,
	})
	if err != nil {
		return nil, err
	}
	s.components.OnClose(func() error {
		server.Stop()
		return nil
	})
	return server, nil
}
