package webchannel

import (
	"context"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// serve identifies the session's caller and serves its stream. A stream that ends with the handler has the error of its
// context's cause.
func (h *Handler) serve(ctx context.Context, s *session) (err error) {
	counted := h.counted.Begin(s.rpc)
	defer func() {
		if cause := context.Cause(ctx); err != nil && fault.Is(cause, fault.Unavailable) {
			err = cause
		}
		counted.End(wire.Code(err))
	}()
	project, _, _ := strings.Cut(strings.TrimPrefix(s.database, "projects/"), "/")
	caller, err := h.o.Tokens.Caller(ctx, s.authorization, project)
	if err != nil {
		return err
	}
	caller.Address = s.address
	return h.calls[s.rpc](ctx, caller, s)
}

// failure returns the JSON of a stream's error, and logs internal errors.
func (h *Handler) failure(ctx context.Context, err error) []byte {
	if ctx.Err() == nil && wire.Unnamed(err) {
		h.o.Log.Error("a stream failed", "error", err)
	}
	return compact(wire.ErrorJSON(err))
}

// listen serves Listen streams.
func listen(f *api.Server) call {
	return func(ctx context.Context, c token.Caller, s *session) error {
		st := &stream[pb.ListenRequest, api.Answer]{ctx: ctx, s: s}
		defer st.end()
		return f.Listen(ctx, c, st)
	}
}

// write serves Write streams.
func write(f *api.Server) call {
	return func(ctx context.Context, c token.Caller, s *session) error {
		st := &stream[pb.WriteRequest, wire.Written]{ctx: ctx, s: s}
		defer st.end()
		return f.Write(ctx, c, st)
	}
}

// stream adapts a session to a stream of messages. It ends with its context's call.
type stream[Request, Response any] struct {
	ctx context.Context
	s   *session
	// held is the last received message's share of Options.Parsing. It is returned before the next message and at the end.
	held atomic.Pointer[parse.Share]
	// ended is set at the end of the call, when a message may still be received.
	ended atomic.Bool
}

// hold waits until a message may be parsed.
func (st *stream[Request, Response]) hold(text string) error {
	if len(text) < parse.Large {
		return nil
	}
	share, err := st.s.handler.o.Parsing.Admit(st.ctx, wire.JSONMemory(text))
	if err != nil {
		return err
	}
	st.held.Store(share)
	if st.ended.Load() {
		st.done()
	}
	return nil
}

// done returns the last message's share.
func (st *stream[Request, Response]) done() {
	st.held.Swap(nil).Release()
}

// end returns the last message's share and marks the stream as ended.
func (st *stream[Request, Response]) end() {
	st.ended.Store(true)
	st.done()
}

// databaseNamer is a request that names its database.
type databaseNamer interface {
	proto.Message
	GetDatabase() string
}

// Recv implements firestore.Stream. Every message must be for the database in the session's address, because the caller
// was verified for its project.
func (st *stream[Request, Response]) Recv() (*Request, error) {
	st.done()
	text, err := st.s.recv(st.ctx)
	if err != nil {
		return nil, err
	}
	if err := st.hold(text); err != nil {
		return nil, err
	}
	st.s.take()
	m := new(Request)
	named, ok := any(m).(databaseNamer)
	if !ok {
		return nil, fault.E(fault.Internal, "no such stream")
	}
	if err := wire.ParseJSON(text, named); err != nil {
		return nil, err
	}
	if db := named.GetDatabase(); db != "" && db != st.s.database {
		return nil, fault.E(fault.InvalidArgument, "The message is for %q, and its session for %q.", db, st.s.database)
	}
	return m, nil
}

// Send implements firestore.Stream.
func (st *stream[Request, Response]) Send(m *Response) error {
	switch answer := any(m).(type) {
	case *api.Answer:
		payload, err := answer.JSONArray()
		if err != nil {
			return err
		}
		return st.s.sendPayload(st.ctx, payload, answer.ChangesDocument())
	case *wire.Written:
		const usual = 256
		payload, err := answer.AppendJSON(append(make([]byte, 0, usual), '['))
		if err != nil {
			return err
		}
		return st.s.sendPayload(st.ctx, append(payload, ']'), false)
	default:
		return fault.E(fault.Internal, "no such stream")
	}
}
