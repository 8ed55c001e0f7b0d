package app

import (
	"context"
	"crypto/x509"
	"errors"

	"clave/server/internal/app/config"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// tokenPath is the path at which the holders of service accounts' keys request access tokens.
const tokenPath = "/oauth2.googleapis.com/token"

// Credentials are the keys of service accounts in a data folder or a store of several nodes. If a server runs on it,
// the server makes the changes; of several nodes, the leader does. Otherwise this process makes them.
type Credentials struct {
	config *config.Config
	// send sends a request to the process that makes the changes.
	send  func(ctx context.Context, in keyRequest) (*keyResponse, error)
	close func() error
}

// OpenCredentials opens the keys until Close. It creates the data folder only if create is set.
func OpenCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*Credentials, error) {
	o.EnsureDefaults()
	if c.Store != "" {
		return sharedCredentials(ctx, c, o)
	}
	err := controlsocket.Running(ctx, c.DataDir, keySocket)
	if errors.Is(err, controlsocket.ErrNoServer) {
		return ownCredentials(ctx, c, o, create)
	}
	if err != nil {
		return nil, err
	}
	send := func(ctx context.Context, in keyRequest) (*keyResponse, error) {
		out := new(keyResponse)
		return out, controlsocket.Request(ctx, c.DataDir, keySocket, in, out)
	}
	return &Credentials{c, send, func() error { return nil }}, nil
}

// ownCredentials opens a data folder, or a store on PostgreSQL, that no server uses.
func ownCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*Credentials, error) {
	a := &App{config: c, o: o}
	store, err := a.openFolder(ctx, create)
	if err != nil {
		return nil, err
	}
	keys := &keyService{serviceaccount.New(account.New(store), o.Clock)}
	return &Credentials{c, keys.answer, a.close}, nil
}

// sharedCredentials sends requests to the node that leads. While none leads, this process opens the store.
func sharedCredentials(ctx context.Context, c *config.Config, o Options) (*Credentials, error) {
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
	send := func(ctx context.Context, in keyRequest) (*keyResponse, error) {
		leader, _ := l.Leader()
		out := new(keyResponse)
		return out, leaderservice.Call(ctx, l.Client, leader, keyServiceName, in, out)
	}
	return &Credentials{c, send, l.Close}, nil
}

// Create creates a key for a service account, and the account if it is new. Only the public half leaves this process.
func (c *Credentials) Create(ctx context.Context, name string) (*serviceaccount.Key, error) {
	made, err := serviceaccount.NewKey(c.config.Project, name, c.config.PublicURL+tokenPath)
	if err != nil {
		return nil, err
	}
	_, err = c.send(ctx, keyRequest{Register: &registration{c.config.Project, made.Email, x509.MarshalPKCS1PublicKey(made.Public)}})
	return made, err
}

// List returns the registered keys.
func (c *Credentials) List(ctx context.Context) ([]serviceaccount.Info, error) {
	out, err := c.send(ctx, keyRequest{})
	if err != nil {
		return nil, err
	}
	return out.Keys, nil
}

// Revoke removes a key of a service account, given by its name or address, or all keys if kid is empty. It returns the
// removed keys.
func (c *Credentials) Revoke(ctx context.Context, name, kid string) ([]string, error) {
	out, err := c.send(ctx, keyRequest{Revoke: &revocation{serviceaccount.Email(c.config.Project, name), kid}})
	if err != nil {
		return nil, err
	}
	return out.Revoked, nil
}

// Close releases the keys.
func (c *Credentials) Close() error { return c.close() }
