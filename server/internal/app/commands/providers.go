package commands

import (
	"context"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/providerservice"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// Providers sends a request about identity providers to the server that runs on a data folder, or to the node that
// leads. Without one, this process makes the change. It creates no data folder.
func Providers(ctx context.Context, c *config.Config, o Options, in providerservice.Request) (out *providerservice.Response, err error) {
	o.EnsureDefaults()
	in.Project, out = c.Project, new(providerservice.Response)
	if c.Store == "" {
		err := controlsocket.Running(ctx, c.DataDir, providerservice.Socket)
		if errors.Is(err, controlsocket.ErrNoServer) {
			return ownProviders(ctx, c, o, in)
		}
		if err != nil {
			return nil, err
		}
		return out, controlsocket.Request(ctx, c.DataDir, providerservice.Socket, in, out)
	}
	l, err := leaderservice.Dial(ctx, c.Store, o.Log)
	if err != nil {
		return nil, err
	}
	leader, _ := l.Leader()
	if leader.Node == "" {
		if err := l.Close(); err != nil {
			return nil, err
		}
		return ownProviders(ctx, c, o, in)
	}
	err = leaderservice.Call(ctx, l.Client, leader, providerservice.ServiceName, in, out)
	return out, errors.Join(err, l.Close())
}

// ownProviders makes a change to data that no server uses.
func ownProviders(ctx context.Context, c *config.Config, o Options, in providerservice.Request) (out *providerservice.Response, err error) {
	so := service.Options{Tokens: token.New(token.Options{Clock: clock.System()}), Clock: clock.System(), Project: c.Project, Log: o.Log}
	if c.Auth.SecretKeyFile != "" {
		if so.Secrets, err = secret.Load(c.Auth.SecretKeyFile, c.Keyless()...); err != nil {
			return nil, err
		}
	}
	var closers process.Components
	defer func() { err = errors.Join(err, closers.Close()) }()
	store, err := o.opener(c, &closers).ForCommand(ctx, false)
	if err != nil {
		return nil, err
	}
	so.Accounts = account.New(store)
	return providerservice.New(service.New(so)).Serve(ctx, in)
}
