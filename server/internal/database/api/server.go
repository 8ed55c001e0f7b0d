// Package api implements the calls of google.firestore.v1.Firestore on values, independently of the transports and of
// the forms of requests. Each call has a file: it checks what its request determines, calls authz and returns the
// response. Streaming calls pass their responses to a send function; bidirectional streams use Stream.
package api

import (
	"errors"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// Options configure a server.
type Options struct {
	// Authorizer authorizes and executes operations.
	Authorizer *authz.Authorizer
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Enterprise reports whether a database has the Enterprise edition, which pipelines need; nil means none.
	Enterprise func(resource.Database) bool
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
}

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Authorizer == nil {
		return errors.New("database/api: no authorizer")
	}
	return nil
}

// Server implements the calls. It is safe for concurrent use.
type Server struct {
	o Options
	// snapshot is the latest snapshot of a Listen stream as JSON.
	snapshot wire.LatestSnapshot
}

// New returns a server.
func New(o Options) (*Server, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Server{o: o}, nil
}

// ignoreSnapshot is for reads whose snapshot is not sent.
func ignoreSnapshot(authz.Snapshot) error { return nil }
