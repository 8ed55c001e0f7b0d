package app

import (
	"context"
	"crypto/x509"

	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// keySocket is the socket in the data folder of a server at which commands on keys of service accounts reach it, and
// keyServiceName the name of the leader's service for them.
const (
	keySocket      = "credentials.sock"
	keyServiceName = "credentials"
)

// maxKeyRequest is the maximum size of a request about keys, in bytes.
const maxKeyRequest = 1 << 16

// keyRequest is a request about keys: to register one, to revoke some, or without both to list them.
type keyRequest struct {
	Register *registration `json:"register,omitempty"`
	Revoke   *revocation   `json:"revoke,omitempty"`
}

// registration names a service account of a project and a public key in PKCS #1.
type registration struct {
	Project string `json:"project"`
	Email   string `json:"email"`
	Public  []byte `json:"public"`
}

// revocation names a key of a service account; an empty key means all.
type revocation struct {
	Email string `json:"email"`
	Key   string `json:"key,omitempty"`
}

// keyResponse is the response: the list of keys, or the ids of the revoked ones.
type keyResponse struct {
	Keys    []serviceaccount.Info `json:"keys,omitempty"`
	Revoked []string              `json:"revoked,omitempty"`
}

// keyService serves requests about keys.
type keyService struct{ keys *serviceaccount.Registry }

// answer serves a request.
func (s *keyService) answer(ctx context.Context, in keyRequest) (*keyResponse, error) {
	out := new(keyResponse)
	var err error
	switch {
	case in.Register != nil:
		public, wrong := x509.ParsePKCS1PublicKey(in.Register.Public)
		if wrong != nil {
			return nil, fault.Wrap(wrong, fault.InvalidArgument, "the public key is invalid: %v", wrong)
		}
		err = s.keys.Register(ctx, in.Register.Project, in.Register.Email, public)
	case in.Revoke != nil:
		out.Revoked, err = s.keys.Revoke(ctx, in.Revoke.Email, in.Revoke.Key)
	default:
		out.Keys, err = s.keys.List(ctx)
	}
	return out, err
}

// offerKeys serves `clave credentials` of a running server: at a socket in its data folder or, where several nodes
// share the store, at the leader's inner listener.
func (a *App) offerKeys(keys *serviceaccount.Registry) {
	s := &keyService{keys}
	if a.nodes != nil {
		a.nodes.services[keyServiceName] = leaderservice.Handler(maxKeyRequest, s.answer)
		return
	}
	if a.config.Memory {
		return
	}
	listener, err := controlsocket.Listen(a.config.DataDir, keySocket, s.answer)
	if err != nil {
		a.o.Log.Warn("clave credentials works only while the server is stopped", "error", err)
		return
	}
	a.onClose(listener.Close)
	a.add("credentials", listener)
}
