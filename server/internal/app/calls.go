package app

import (
	"net/http"

	"clave/server/internal/cluster/stack"
	"clave/server/internal/suite/control"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/transport/port"
)

// calls holds the methods that all transports serve.
type calls struct {
	stack    *stack.Stack
	transfer *transfer.Transfer
	identity http.Handler
	accounts http.Handler
	control  http.Handler
	monitor  http.Handler
	// console serves the console's port; nil without one.
	console http.Handler
	// admin serves the port of the administration APIs; nil without one.
	admin http.Handler
	// signIn serves the console's page on the site's port that signs browsers in; nil without a console, and in
	// production.
	signIn http.Handler
	// health returns an error if the server is unhealthy.
	health func() error
}

// proxyHops returns how many reverse proxies are trusted.
func (a *App) proxyHops() int {
	if a.config.TrustProxy {
		return 1
	}
	return 0
}

// makeCalls creates the handlers of all transports. Outside of production it also creates the triggers and the control
// routes.
func (a *App) makeCalls(s *state, u *users) (*calls, error) {
	c := &calls{stack: s.Stack, identity: u.handler, accounts: u.control, health: s.health}
	c.transfer = transfer.New(transfer.Options{Authorizer: s.Authorizer, Identity: s.Service, Project: a.config.Project, Clock: a.o.Clock, Marker: a.data.Folder.Marker()})
	if !a.config.Production() {
		events, err := a.makeTriggers(s)
		if err != nil {
			return nil, err
		}
		c.control = control.New(control.Options{Authorizer: s.Authorizer, Accounts: s.Service, Rulesets: s.Rulesets, Transfer: c.transfer, Triggers: events.Triggers, Settling: events, Usage: a.usage, Faults: a.faults, Clock: a.ahead})
		c.monitor = control.Monitor(s.Rulesets, newWatcherSlots(), a.o.Clock)
	}
	return c, nil
}

// firestoreHandlers returns the handlers of Firestore with their own gRPC server.
func (c *calls) firestoreHandlers() (port.Handlers, error) {
	server, err := c.stack.OpenGRPC()
	if err != nil {
		return port.Handlers{}, err
	}
	return port.Handlers{GRPC: server, WebChannel: c.stack.Channels, REST: c.stack.REST, Control: c.control, Health: c.health}, nil
}
