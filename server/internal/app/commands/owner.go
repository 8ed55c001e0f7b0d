package commands

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/store"
)

// owner says how the requests of a command reach the process that may change the data: at a socket in the data folder
// of a server, at a service of the leader of several nodes, or this process.
type owner[Q, A any] struct {
	socket, service string
	// serve returns the function that serves requests on a store.
	serve func(store.Store) func(context.Context, Q) (*A, error)
}

// open returns a function that sends requests, and one that ends its use. If a server runs on the data, the server
// serves them; of several nodes, the leader does. It creates the data folder only if create is set.
func (w owner[Q, A]) open(ctx context.Context, c *config.Config, o Options, create bool) (send func(context.Context, Q) (*A, error), end func() error, err error) {
	if c.Store != "" {
		return w.shared(ctx, c, o)
	}
	err = controlsocket.Running(ctx, c.DataDir, w.socket)
	if errors.Is(err, controlsocket.ErrNoServer) {
		return w.own(ctx, c, o, create)
	}
	if err != nil {
		return nil, nil, err
	}
	send = func(ctx context.Context, in Q) (*A, error) {
		out := new(A)
		return out, controlsocket.Request(ctx, c.DataDir, w.socket, in, out)
	}
	return send, func() error { return nil }, nil
}

// own opens a data folder, or a store on PostgreSQL, that no server uses. It returns what serves requests, and what
// closes the store.
func (w owner[Q, A]) own(ctx context.Context, c *config.Config, o Options, create bool) (func(context.Context, Q) (*A, error), func() error, error) {
	var closers process.Components
	store, err := o.opener(c, &closers).ForCommand(ctx, create)
	if err != nil {
		return nil, nil, err
	}
	return w.serve(store), closers.Close, nil
}

// shared returns what sends requests to the node that leads, and what ends the connection. While none leads, this
// process opens the store, as own does.
func (w owner[Q, A]) shared(ctx context.Context, c *config.Config, o Options) (func(context.Context, Q) (*A, error), func() error, error) {
	l, err := leaderservice.Dial(ctx, c.Store, o.Log)
	if err != nil {
		return nil, nil, err
	}
	if leader, _ := l.Leader(); leader.Node == "" {
		if err := l.Close(); err != nil {
			return nil, nil, err
		}
		return w.own(ctx, c, o, true)
	}
	send := func(ctx context.Context, in Q) (*A, error) {
		leader, _ := l.Leader()
		out := new(A)
		return out, leaderservice.Call(ctx, l.Client, leader, w.service, in, out)
	}
	return send, l.Close, nil
}
