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
	"clave/server/internal/store"
)

// Providers sends a request about identity providers to the server that runs on a data folder, or to the node that
// leads. Without one, this process makes the change. It creates no data folder.
func Providers(ctx context.Context, c *config.Config, o Options, in providerservice.Request) (out *providerservice.Response, err error) {
	o.EnsureDefaults()
	send, end, err := owner[providerservice.Request, providerservice.Response]{
		providerservice.Socket, providerservice.ServiceName,
		func(st store.Store) func(context.Context, providerservice.Request) (*providerservice.Response, error) {
			return func(ctx context.Context, in providerservice.Request) (*providerservice.Response, error) {
				return changeProviders(ctx, c, o, st, in)
			}
		},
	}.open(ctx, c, o, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	in.Project = c.Project
	return send(ctx, in)
}

// changeProviders serves a request on a store that no server uses.
func changeProviders(ctx context.Context, c *config.Config, o Options, st store.Store, in providerservice.Request) (*providerservice.Response, error) {
	so := service.Options{Accounts: account.New(st), Tokens: token.New(token.Options{Clock: clock.System()}), Clock: clock.System(), Project: c.Project, Log: o.Log}
	if c.Auth.SecretKeyFile != "" {
		keys, err := secret.Load(c.Auth.SecretKeyFile, c.Keyless()...)
		if err != nil {
			return nil, err
		}
		so.Secrets = keys
	}
	return providerservice.New(service.New(so)).Serve(ctx, in)
}
