package app

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// offerKeys serves `clave credentials` of a running server: at a socket in its data folder or, where several nodes
// share the store, at the leader's inner listener.
func (a *App) offerKeys(keys *serviceaccount.Registry) {
	s := keyservice.New(keys)
	if a.node != nil {
		a.node.Services[keyservice.ServiceName] = leaderservice.Handler(keyservice.MaxRequest, s.Serve)
		return
	}
	if a.config.Memory {
		return
	}
	listener, err := controlsocket.Listen(a.config.DataDir, keyservice.Socket, s.Serve)
	if err != nil {
		a.o.Log.Warn("clave credentials works only while the server is stopped", "error", err)
		return
	}
	a.components.OnClose(listener.Close)
	a.components.Add("credentials", listener)
}

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
	a := &App{config: c, o: o}
	store, err := a.openFolder(ctx, create)
	if err != nil {
		return nil, err
	}
	keys := keyservice.New(serviceaccount.New(account.New(store), o.Clock))
	return &keyservice.Credentials{Project: c.Project, PublicURL: c.PublicURL, Send: keys.Serve, Close: a.components.Close}, nil
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
