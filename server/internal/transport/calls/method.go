package calls

import (
	"context"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/model/resource"
)

// pins lists numbers of fields.
func pins(fields ...protowire.Number) []protowire.Number { return fields }

// decoder is a Decoder of requests that are parsed to values of a type, beside the database that they name.
type decoder[V any] interface {
	Decoder
	// Parse parses the request.
	Parse() (resource.Database, V, error)
}

// response is a pointer to a struct that is a response.
type response[A any] interface {
	*A
	Response
}

// inTransaction reports whether a decoded request names a transaction.
func inTransaction(d any) bool {
	t, ok := d.(interface{ Transaction() []byte })
	return ok && len(t.Transaction()) > 0
}

// one is how a call with one response is served.
func one[V, A any, P response[A]](fresh func() decoder[V],
	serve func(*api.Server, context.Context, token.Caller, resource.Database, V) (P, error),
) method {
	return method{
		Request: func() Request { return &oneRequest[V, P]{fresh(), serve} },
		Answer:  P(new(A)).Message().ProtoReflect().Descriptor(),
	}
}

// oneRequest is a request with one response.
type oneRequest[V any, P Response] struct {
	decoder[V]
	serve func(*api.Server, context.Context, token.Caller, resource.Database, V) (P, error)
}

// InTransaction implements Request.
func (r *oneRequest[V, P]) InTransaction() bool { return inTransaction(r.decoder) }

// Serve implements Request.
func (r *oneRequest[V, P]) Serve(ctx context.Context, s *api.Server, c token.Caller, send func(Response) error) error {
	db, v, err := r.Parse()
	if err != nil {
		return err
	}
	out, err := r.serve(s, ctx, c, db, v)
	if err != nil {
		return err
	}
	return send(out)
}

// many is how a call with a stream of responses is served.
func many[V, A any, P response[A]](fresh func() decoder[V],
	serve func(*api.Server, context.Context, token.Caller, resource.Database, V, func(P) error) error,
) method {
	return method{
		Answers: true,
		Request: func() Request { return &manyRequest[V, P]{fresh(), serve} },
		Answer:  P(new(A)).Message().ProtoReflect().Descriptor(),
	}
}

// manyRequest is a request with a stream of responses.
type manyRequest[V any, P Response] struct {
	decoder[V]
	serve func(*api.Server, context.Context, token.Caller, resource.Database, V, func(P) error) error
}

// InTransaction implements Request.
func (r *manyRequest[V, P]) InTransaction() bool { return inTransaction(r.decoder) }

// Serve implements Request.
func (r *manyRequest[V, P]) Serve(ctx context.Context, s *api.Server, c token.Caller, send func(Response) error) error {
	db, v, err := r.Parse()
	if err != nil {
		return err
	}
	return r.serve(s, ctx, c, db, v, func(out P) error { return send(out) })
}

// streamed is a Decoder of the messages of a stream.
type streamed[V any] interface {
	Decoder
	// In parses the message for the stream's database.
	In(db resource.Database) (*V, error)
}

// streams is how a call with streams both ways is served. The first message names the database. A stream whose client
// leaves before that ends without an error.
func streams[V, A any](fresh func() streamed[V],
	serve func(*api.Server, context.Context, token.Caller, resource.Database, api.Stream[V, A]) error,
) method {
	return method{
		Answers: true,
		Message: func() Decoder { return fresh() },
		Stream: func(ctx context.Context, s *api.Server, c token.Caller, m Messages) error {
			first, err := m.Recv()
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			db, err := resource.ParseDatabase(first.Resource())
			if err != nil {
				return err
			}
			return serve(s, ctx, c, db, &stream[V, A]{messages: m, first: first, db: db, name: db.String()})
		},
	}
}

// stream is a stream of parsed messages. Only the first one must name the database.
type stream[V, A any] struct {
	messages Messages
	first    Decoder // the first message until it is received again
	db       resource.Database
	name     string
}

// Recv implements api.Stream.
func (s *stream[V, A]) Recv() (*V, error) {
	m := s.first
	if s.first = nil; m == nil {
		var err error
		if m, err = s.messages.Recv(); err != nil {
			return nil, err
		}
	}
	if name := m.Resource(); name != "" && name != s.name {
		return nil, fault.E(fault.InvalidArgument,
			"Request specified a database (%s) that did not match the expected database (%s)", name, s.name)
	}
	parsed, ok := m.(streamed[V])
	if !ok {
		return nil, fault.E(fault.Internal, "no such stream")
	}
	return parsed.In(s.db)
}

// Send implements api.Stream.
func (s *stream[V, A]) Send(m *A) error { return s.messages.Send(m) }
