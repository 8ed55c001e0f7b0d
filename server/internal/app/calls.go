package app

import (
	"net/http"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/limit/rate"
	"clave/server/internal/suite/control"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
	"clave/server/internal/transport/rest"
	"clave/server/internal/transport/webchannel"
)

// calls holds the methods that all transports serve.
type calls struct {
	app        *App
	transfer   *transfer.Transfer
	firestore  *api.Server
	tokens     *token.Verifier
	webchannel http.Handler
	rest       http.Handler
	identity   http.Handler
	accounts   http.Handler
	control    http.Handler
	monitor    http.Handler
	authorizer *authz.Authorizer
	// console serves the console's port; nil without one.
	console http.Handler
	// signIn serves the console's page on the site's port that signs browsers in; nil without a console, and in
	// production.
	signIn http.Handler
	// health returns an error if the server is unhealthy.
	health func() error
}

// openAuthorizer creates the authorizer. While it runs, it re-authorizes open live queries and ends revoked sessions. u
// is nil for commands that serve no requests.
func (a *App) openAuthorizer(s *state, u *users, rules *authz.Rulesets) (*authz.Authorizer, error) {
	o := authz.Options{Meter: a.counts, Engine: s.engine, Hub: s.hub, Rules: rules, Faults: a.faults, Turns: a.turns, TargetBytes: a.o.Memory.Results, Clock: a.o.Clock, Log: a.o.Log}
	if u != nil {
		o.CheckSession = u.tokens.CheckSession
	}
	if n := a.config.AnonymousWrites; n > 0 {
		perMinute := rate.Rate{Burst: 2 * n, Every: time.Minute / time.Duration(n)}
		o.AnonymousWrites = rate.NewAddresses(rate.AddressOptions{Options: rate.Options{Clock: a.o.Clock}, Rate: perMinute})
	}
	az, err := authz.New(o)
	if err != nil {
		return nil, err
	}
	if u != nil {
		u.service.OnRevoke(func(r account.Revocation) { az.Revoke(r.Scope.Project, r.Scope.Tenant, r.UID) })
	}
	a.add("authorizer", az)
	return az, nil
}

// proxyHops returns how many reverse proxies are trusted.
func (a *App) proxyHops() int {
	if a.config.TrustProxy {
		return 1
	}
	return 0
}

// makeCalls creates the authorizer and the handlers of all transports on it. Outside of production it also creates the
// triggers and the control routes.
func (a *App) makeCalls(s *state, u *users, rulesets *authz.Rulesets) (*calls, error) {
	az, err := a.openAuthorizer(s, u, rulesets)
	if err != nil {
		return nil, err
	}
	server, err := api.New(api.Options{Authorizer: az, Clock: a.o.Clock})
	if err != nil {
		return nil, err
	}
	a.add("firestore", server)
	c := &calls{app: a, authorizer: az, firestore: server, tokens: u.tokens, identity: u.handler, accounts: u.control, health: s.health}
	c.transfer = transfer.New(transfer.Options{Authorizer: az, Identity: u.service, Project: a.config.Project, Clock: a.o.Clock, Marker: a.importMarker()})
	channels, err := webchannel.New(a.channelOptions(server, u.tokens))
	if err != nil {
		return nil, err
	}
	c.webchannel = channels
	a.add("webchannel", channels)
	if c.rest, err = rest.New(a.restOptions(server, u.tokens)); err != nil {
		return nil, err
	}
	if !a.config.Production() {
		events, err := a.makeTriggers(s, u)
		if err != nil {
			return nil, err
		}
		c.control = control.New(control.Options{Authorizer: az, Rulesets: rulesets, Transfer: c.transfer, Triggers: events.triggers, Settling: events})
		c.monitor = control.Monitor(rulesets, newWatcherSlots(), a.o.Clock)
	}
	return c, nil
}

// firestoreHandlers returns the handlers of Firestore with their own gRPC server. The app closes that server even if no
// port has served it, because its workers run from the beginning.
func (c *calls) firestoreHandlers() (port.Handlers, error) {
	grpc, err := grpc.New(c.app.grpcOptions(c.firestore, c.tokens))
	if err != nil {
		return port.Handlers{}, err
	}
	c.app.onClose(func() error {
		grpc.Stop()
		return nil
	})
	return port.Handlers{GRPC: grpc, WebChannel: c.webchannel, REST: c.rest, Control: c.control, Health: c.health}, nil
}
