package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// Write applies a client's batches of writes in order, and responds to each. The first message opens the stream; its
// response has the stream's id and token. A refused batch ends the stream with its error, from which SDKs infer that
// exactly this batch failed. The server never ends the stream without an error by itself.
//
// The stream also ends when the caller's token expires or its session is revoked, even if no message arrives.
//
// The token of a response is the number of responses before it. Streams can't be resumed, so tokens from clients are
// ignored.
func (s *Server) Write(ctx context.Context, c token.Caller, db resource.Database, stream Stream[request.Batch, wire.Written]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if err := openWrite(first); err != nil {
		return err
	}
	session, err := s.o.Authorizer.Session(ctx, c, db, "Write")
	if err != nil {
		return err
	}
	defer session.Close()
	if err := stream.Send(&wire.Written{StreamID: "0", StreamToken: streamToken(0)}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	// Recv blocks until the transport ends the stream, at the latest after Write has returned.
	go func() { ended <- s.writeBatches(ctx, c, db, session, stream) }()
	expired, stop := s.expiry(c, db)
	defer stop()
	select {
	case err := <-ended:
		return err
	case <-session.Ended():
		return session.Err()
	case <-session.Cut():
		return session.CutErr()
	case <-expired:
		return fault.E(fault.Unauthenticated, "The caller's credentials have expired.")
	}
}

// writeBatches applies the batches of a stream after its first message.
func (s *Server) writeBatches(ctx context.Context, c token.Caller, db resource.Database, session *authz.Session, stream Stream[request.Batch, wire.Written]) (err error) {
	defer func() {
		if p := recover(); p != nil { // The transports recover panics only in their own goroutines.
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for n := 1; ; n++ {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !c.Expires.IsZero() && !clock.NowOf(s.o.Clock, db.Project).Before(c.Expires) {
			return fault.E(fault.Unauthenticated, "The caller's credentials have expired.")
		}
		if err := session.Check(ctx); err != nil {
			return err
		}
		answer, err := s.writeBatch(ctx, c, db, r)
		if err != nil {
			return err
		}
		answer.StreamToken = streamToken(n)
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// streamToken returns the token of the n-th response.
func streamToken(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }

// openWrite checks the first message of a Write stream, with Firestore's own texts.
func openWrite(r *request.Batch) error {
	switch {
	case r.StreamID != "":
		return fault.E(fault.InvalidArgument, "Resuming streams is not supported, do not set stream ID.")
	case len(r.Token) > 0:
		return fault.E(fault.InvalidArgument, "Resuming streams is not supported, 'stream_token' must not be set on an initial write request.")
	case len(r.Writes) > 0 || r.Refused != nil:
		return fault.E(fault.InvalidArgument, "'writes' must not be set on an initial write request.")
	}
	return nil
}

// writeBatch applies the writes of one message. A message without writes, which clients send when they leave, has no
// effect.
func (s *Server) writeBatch(ctx context.Context, c token.Caller, db resource.Database, r *request.Batch) (*wire.Written, error) {
	if r.Refused != nil {
		return nil, r.Refused
	}
	if len(r.Writes) == 0 {
		return &wire.Written{}, nil
	}
	if c.Refused != nil {
		return nil, c.Refused
	}
	result, err := s.o.Authorizer.Commit(ctx, c, db, request.Commit{Writes: r.Writes})
	if err != nil {
		return nil, err
	}
	return &wire.Written{Committed: wire.Committed{Results: result.Results, Time: result.Version}}, nil
}
