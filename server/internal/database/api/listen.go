package api

import (
	"context"
	"errors"
	"io"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/wire"
)

// Listen serves a client's targets. It returns nil when the client has closed its side and every request has its
// response. It returns an error when the client's token expires or its session is revoked. A target that is refused is
// removed with the reason and ends nothing, unless the reason is Unavailable.
//
// Two goroutines serve the stream besides the caller's. They end when the stream's Recv and Send return, which is at
// the latest after Listen has returned: only returning cuts a client that has stopped reading.
func (s *Server) Listen(ctx context.Context, c token.Caller, db resource.Database, stream Stream[request.Watch, wire.Listened]) error {
	session, err := s.o.Authorizer.Session(ctx, c, db, "Listen")
	if err != nil {
		return err
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	targets := s.o.Authorizer.Listen(c, db)
	// The capacity is one for each of the two goroutines: the one that ends after Listen has returned must not block on
	// sending.
	ended := make(chan error, 2)
	go func() {
		defer targets.Close()
		ended <- targets.Run(ctx, func(e *target.Event) error {
			if err := session.Check(ctx); err != nil {
				return err // Nothing is sent that was committed after a revocation.
			}
			return stream.Send(wire.NewListened(e, &s.snapshot))
		})
	}()
	go func() {
		if err := receive(c, targets, stream); !errors.Is(err, io.EOF) {
			ended <- err
		} else {
			targets.Finish()
		}
	}()
	expired, stop := s.expiry(c, db)
	defer stop()
	select {
	case err := <-ended:
		return err
	case <-targets.Dropped():
		return fault.E(fault.ResourceExhausted, "The client has not read its stream for too long.")
	case <-session.Ended():
		return session.Err()
	case <-session.Cut():
		return session.CutErr()
	case <-expired:
		return fault.E(fault.Internal, "The caller's credentials have expired.")
	}
}

// expiry returns a channel that receives when the caller's token expires, and a function that releases it.
func (s *Server) expiry(c token.Caller, db resource.Database) (<-chan time.Time, func()) {
	if c.Expires.IsZero() {
		return nil, func() {}
	}
	own := clock.Following(s.o.Clock, db.Project)
	return own.After(c.Expires.Sub(own.Now()))
}

// receive executes the client's messages. It returns io.EOF when the client has closed its side.
func receive(c token.Caller, targets *authz.Stream, stream Stream[request.Watch, wire.Listened]) error {
	for {
		r, err := stream.Recv()
		if err != nil {
			return err
		}
		switch {
		case r.Refused != nil:
			targets.Refuse(r.Add.ID, r.Refused)
		case r.Add != nil && c.Refused != nil:
			targets.Refuse(r.Add.ID, c.Refused)
		case r.Add != nil:
			targets.Add(*r.Add)
		default:
			targets.Remove(r.Remove)
		}
	}
}
