package commands

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// OpenDebugTokens returns a function that serves requests about debug tokens of App Check in a data folder or a store
// of several nodes, and one that ends its use. If a server runs on it, the server makes the changes.
func OpenDebugTokens(ctx context.Context, c *config.Config, o Options) (send func(context.Context, debugtoken.Request) (*debugtoken.Response, error), end func() error, err error) {
	o.EnsureDefaults()
	return owner[debugtoken.Request, debugtoken.Response]{
		debugtoken.Socket, debugtoken.ServiceName,
		func(st store.Store) func(context.Context, debugtoken.Request) (*debugtoken.Response, error) {
			return debugtoken.New(account.New(st), clock.System()).Serve
		},
	}.open(ctx, c, o, false)
}
