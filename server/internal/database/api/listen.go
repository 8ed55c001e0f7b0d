package api

import (
	"context"
	"errors"
	"io"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Listen serves a client's targets. It returns nil when the client has closed its side and every request has its
// response. It returns an error when the client's token expires or its session is revoked. A target that is refused is
// removed with the reason and ends nothing, unless the reason is Unavailable.
//
// Two goroutines serve the stream besides the caller's. They end when the stream's Recv and Send return, which is at
// the latest after Listen has returned: only returning cuts a client that has stopped reading.
func (s *Server) Listen(ctx context.Context, c token.Caller, stream Stream[pb.ListenRequest, Answer]) error {
	first, db, err := begin(stream)
	if first == nil {
		return err
	}
	session, err := s.o.Authorizer.Session(ctx, c)
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
			return stream.Send(s.answer(e))
		})
	}()
	go func() {
		if err := receive(db, targets, stream, first); !errors.Is(err, io.EOF) {
			ended <- err
		} else {
			targets.Finish()
		}
	}()
	expired, stop := s.expiry(c)
	defer stop()
	select {
	case err := <-ended:
		return err
	case <-targets.Dropped():
		return fault.E(fault.ResourceExhausted, "The client has not read its stream for too long.")
	case <-session.Ended():
		return session.Err()
	case <-expired:
		return fault.E(fault.Internal, "The caller's credentials have expired.")
	}
}

// expiry returns a channel that receives when the caller's token expires, and a function that releases it.
func (s *Server) expiry(c token.Caller) (<-chan time.Time, func()) {
	if c.Expires.IsZero() {
		return nil, func() {}
	}
	return s.o.Clock.After(c.Expires.Sub(s.o.Clock.Now()))
}

// receive executes the client's messages, beginning with one that was received already. It returns io.EOF when the
// client has closed its side.
func receive(db resource.Database, targets *authz.Stream, stream Stream[pb.ListenRequest, Answer], r *pb.ListenRequest) error {
	for {
		if err := execute(db, targets, r); err != nil {
			return err
		}
		var err error
		if r, err = stream.Recv(); err != nil {
			return err
		}
	}
}

// execute executes a message.
func execute(db resource.Database, targets *authz.Stream, r *pb.ListenRequest) error {
	if err := sameDatabase(r, db); err != nil {
		return err
	}
	switch change := r.GetTargetChange().(type) {
	case *pb.ListenRequest_AddTarget:
		t, err := parseTarget(db, change.AddTarget)
		if err != nil {
			targets.Refuse(t.ID, err)
		} else {
			targets.Add(t)
		}
	case *pb.ListenRequest_RemoveTarget:
		targets.Remove(change.RemoveTarget)
	default:
		return fault.E(fault.InvalidArgument, "A listen request must add or remove a target.")
	}
	return nil
}

// parseTarget parses a target. With an error the result still has the target's id.
func parseTarget(db resource.Database, t *pb.Target) (out target.Target, err error) {
	out.ID, out.Once, out.Resume = t.GetTargetId(), t.GetOnce(), t.GetResumeToken()
	if out.ReadTime, err = wire.ParseVersion(t.GetReadTime()); err != nil {
		return out, err
	}
	if n := t.GetExpectedCount(); n != nil {
		count := n.GetValue()
		out.Expected = &count
	}
	switch kind := t.GetTargetType().(type) {
	case *pb.Target_Query:
		out.Query, err = wire.ParseQuery(kind.Query.GetParent(), kind.Query.GetStructuredQuery())
		switch {
		case err != nil:
			err = query.InStream(err)
		case out.Query.DB != db:
			err = fault.E(fault.InvalidArgument, "The query is not of the stream's database %q.", db.String())
		default:
			err = out.Query.CheckLive()
		}
	case *pb.Target_Documents:
		out.Documents, err = parseNames(db, kind.Documents.GetDocuments())
	case *pb.Target_PipelineQuery:
		err = fault.E(fault.Unimplemented, "Listening to pipelines is not implemented.")
	default:
		err = fault.E(fault.InvalidArgument, "A target must be a query or documents.")
	}
	return out, err
}

// parseNames parses the names of documents and removes duplicates.
func parseNames(db resource.Database, names []string) ([]resource.Document, error) {
	if len(names) == 0 {
		return nil, fault.E(fault.InvalidArgument, "A target of documents must name one.")
	}
	seen := make(map[resource.Document]bool, len(names))
	var out []resource.Document
	for _, name := range names {
		d, err := wire.ParseDocumentName(db, name)
		if err != nil {
			return nil, err
		}
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out, nil
}
