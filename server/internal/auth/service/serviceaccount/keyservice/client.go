package keyservice

import (
	"context"
	"crypto/x509"
	"errors"

	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// tokenPath is the path at which the holders of service accounts' keys request access tokens.
const tokenPath = "/oauth2.googleapis.com/token"

// Credentials are the keys of service accounts of a project.
type Credentials struct {
	// Project is the project, and PublicURL the URL of its server for holders of keys.
	Project, PublicURL string
	// Send sends a request to the process that makes the changes, and Close ends its use.
	Send  func(ctx context.Context, in Request) (*Response, error)
	Close func() error
}

// Create creates a key for a service account, and the account with a role if it is new. Only the public half leaves
// this process.
func (c *Credentials) Create(ctx context.Context, name string, role token.Role) (*serviceaccount.Key, error) {
	made, err := serviceaccount.NewKey(c.Project, name, c.PublicURL+tokenPath)
	if err != nil {
		return nil, err
	}
	out, err := c.Send(ctx, Request{Register: &registration{c.Project, made.Email, role, x509.MarshalPKCS1PublicKey(made.Public)}})
	if err != nil {
		return nil, err
	}
	if out.Role != role { // a server of an older version has no roles, and made the account an owner
		_, revoked := c.Send(ctx, Request{Revoke: &revocation{made.Email, made.KeyID}})
		return nil, errors.Join(fault.E(fault.FailedPrecondition, "the running server is of a version without roles; the key was revoked"), revoked)
	}
	return made, nil
}

// List returns the registered keys.
func (c *Credentials) List(ctx context.Context) ([]serviceaccount.Info, error) {
	out, err := c.Send(ctx, Request{})
	if err != nil {
		return nil, err
	}
	return out.Keys, nil
}

// Revoke removes a key of a service account, given by its name or address, or all keys if kid is empty. It returns the
// removed keys.
func (c *Credentials) Revoke(ctx context.Context, name, kid string) ([]string, error) {
	out, err := c.Send(ctx, Request{Revoke: &revocation{serviceaccount.Email(c.Project, name), kid}})
	if err != nil {
		return nil, err
	}
	return out.Revoked, nil
}
