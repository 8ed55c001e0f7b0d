package commands

import (
	"context"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/service/serviceaccount/keyservice"
	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// OpenCredentials opens the keys of service accounts in a data folder or a store of several nodes until Close. If a
// server runs on it, the server makes the changes; of several nodes, the leader does. Otherwise this process makes
// them. It creates the data folder only if create is set.
func OpenCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*keyservice.Credentials, error) {
	o.EnsureDefaults()
	send, end, err := owner[keyservice.Request, keyservice.Response]{
		keyservice.Socket, keyservice.ServiceName,
		func(st store.Store) func(context.Context, keyservice.Request) (*keyservice.Response, error) {
			return keyservice.New(serviceaccount.New(account.New(st), clock.System())).Serve
		},
	}.open(ctx, c, o, create)
	if err != nil {
		return nil, err
	}
	return &keyservice.Credentials{Project: c.Project, PublicURL: c.PublicURL, Send: send, Close: end}, nil
}
