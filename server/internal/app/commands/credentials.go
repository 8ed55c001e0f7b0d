package commands

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// OpenCredentials opens the keys of service accounts in a data folder or a store of several nodes until Close. If a
// server runs on it, the server makes the changes; of several nodes, the leader does. Otherwise this process makes
// them. It creates the data folder only if create is set.
func OpenCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*keyservice.Credentials, error) {
	o.EnsureDefaults()
	if c.Store != "" {
		return sharedCredentials(ctx, c, o)
	}
	err := controlsocket.Running(ctx, c.DataDir, keyservice.Socket)
	if errors.Is(err, controlsocket.ErrNoServer) {
		return ownCredentials(ctx, c, o, create)
	}
	if err != nil {
		return nil, err
	}
	send := func(ctx context.Context, in keyservice.Request) (*keyservice.Response, error) {
		out := new(keyservice.Response)
		return out, controlsocket.Request(ctx, c.DataDir, keyservice.Socket, in, out)
	}
	return &keyservice.Credentials{Project: c.Project, PublicURL: c.PublicURL, Send: send, Close: func() error { return nil }}, nil
}

// ownCredentials opens a data folder, or a store on PostgreSQL, that no server uses.
func ownCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*keyservice.Credentials, error) {
	var closers process.Components
	store, err := o.opener(c, &closers).ForCommand(ctx, create)
	if err != nil {
		return nil, err
	}
	keys := keyservice.New(serviceaccount.New(account.New(store), clock.System()))
	return &keyservice.Credentials{Project: c.Project, PublicURL: c.PublicURL, Send: keys.Serve, Close: closers.Close}, nil
}

// sharedCredentials sends requests to the node that leads. While none leads, this process opens the store.
func sharedCredentials(ctx context.Context, c *config.Config, o Options) (*keyservice.Credentials, error) {
	l, err := leaderservice.Dial(ctx, c.Store, o.Log)
	if err != nil {
		return nil, err
	}
	if leader, _ := l.Leader(); leader.Node == "" {
		if err := l.Close(); err != nil {
			return nil, err
		}
		return ownCredentials(ctx, c, o, true)
	}
	send := func(ctx context.Context, in keyservice.Request) (*keyservice.Response, error) {
		leader, _ := l.Leader()
		out := new(keyservice.Response)
		return out, leaderservice.Call(ctx, l.Client, leader, keyservice.ServiceName, in, out)
	}
	return &keyservice.Credentials{Project: c.Project, PublicURL: c.PublicURL, Send: send, Close: l.Close}, nil
}
