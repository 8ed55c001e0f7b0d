package app

import (
	"context"

	"clave/server/account"
	"clave/server/config"
	"clave/server/fault"
	"clave/server/identity"
	"clave/server/token"
)

// tokenPath is the path at which the holders of service accounts' keys request access tokens.
const tokenPath = "/oauth2.googleapis.com/token"

// Credentials are the service accounts in a data folder that no server uses.
type Credentials struct {
	app     *App
	service *identity.Service
}

// OpenCredentials opens the data folder until Close. It creates the folder only if create is set.
func OpenCredentials(ctx context.Context, c *config.Config, o Options, create bool) (*Credentials, error) {
	o.EnsureDefaults()
	a := &App{config: c, o: o}
	store, err := a.openFolder(ctx, create)
	if err != nil {
		return nil, err
	}
	service := identity.New(identity.Options{Accounts: account.New(store), Tokens: token.New(token.Options{Clock: o.Clock}), Clock: o.Clock, Project: c.Project, Log: o.Log})
	return &Credentials{app: a, service: service}, nil
}

// Create creates a key for a service account, and the account if it is new.
func (c *Credentials) Create(ctx context.Context, name string) (*identity.Credential, error) {
	return c.service.CreateCredential(ctx, c.app.config.Project, name, c.app.config.PublicURL+tokenPath)
}

// List returns the registered keys.
func (c *Credentials) List(ctx context.Context) ([]identity.CredentialInfo, error) {
	return c.service.Credentials(ctx)
}

// Revoke removes a key of a service account, given by its name or address, or all keys if kid is empty. It returns the
// removed keys.
func (c *Credentials) Revoke(ctx context.Context, name, kid string) ([]string, error) {
	email := identity.ServiceEmail(c.app.config.Project, name)
	if kid != "" {
		return []string{kid}, c.service.RevokeCredential(ctx, email, kid)
	}
	all, err := c.service.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, known := range all {
		if known.Email == email {
			if err := c.service.RevokeCredential(ctx, email, known.KeyID); err != nil {
				return gone, err
			}
			gone = append(gone, known.KeyID)
		}
	}
	if len(gone) == 0 {
		return nil, fault.E(fault.NotFound, "service account %s has no keys; clave credentials list shows existing ones", email)
	}
	return gone, nil
}

// Close releases the data folder.
func (c *Credentials) Close() error { return c.app.close() }
