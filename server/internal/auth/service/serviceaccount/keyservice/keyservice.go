// Package keyservice serves the commands on keys of service accounts: a server that runs makes their changes.
package keyservice

import (
	"context"
	"crypto/x509"

	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// Socket is the socket in the data folder of a server at which commands reach it, and ServiceName the name of the
// leader's service for them.
const (
	Socket      = "credentials.sock"
	ServiceName = "credentials"
)

// MaxRequest is the maximum size of a request, in bytes.
const MaxRequest = 1 << 16

// Request is a request about keys: to register one, to revoke some, or without both to list them.
type Request struct {
	Register *registration `json:"register,omitempty"`
	Revoke   *revocation   `json:"revoke,omitempty"`
}

// registration names a service account of a project, with its role, and a public key in PKCS #1.
type registration struct {
	Project string     `json:"project"`
	Email   string     `json:"email"`
	Role    token.Role `json:"role"`
	Public  []byte     `json:"public"`
}

// revocation names a key of a service account; an empty key means all.
type revocation struct {
	Email string `json:"email"`
	Key   string `json:"key,omitempty"`
}

// Response is the response: the list of keys, the ids of the revoked ones, or the role with which a key was registered.
type Response struct {
	Role    token.Role            `json:"role,omitempty"`
	Keys    []serviceaccount.Info `json:"keys,omitempty"`
	Revoked []string              `json:"revoked,omitempty"`
}

// Service serves requests about keys.
type Service struct{ keys *serviceaccount.Registry }

// New returns the service on a registry of keys.
func New(keys *serviceaccount.Registry) *Service { return &Service{keys} }

// Serve serves a request.
func (s *Service) Serve(ctx context.Context, in Request) (*Response, error) {
	out := new(Response)
	var err error
	switch {
	case in.Register != nil:
		public, wrong := x509.ParsePKCS1PublicKey(in.Register.Public)
		if wrong != nil {
			return nil, fault.Wrap(wrong, fault.InvalidArgument, "the public key is invalid: %v", wrong)
		}
		of := serviceaccount.Account{Project: in.Register.Project, Email: in.Register.Email, Role: in.Register.Role}
		out.Role, err = of.Role, s.keys.Register(ctx, of, public)
	case in.Revoke != nil:
		out.Revoked, err = s.keys.Revoke(ctx, in.Revoke.Email, in.Revoke.Key)
	default:
		out.Keys, err = s.keys.List(ctx)
	}
	return out, err
}
