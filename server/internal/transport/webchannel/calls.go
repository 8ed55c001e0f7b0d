package webchannel

import (
	"context"
	"strings"
	"sync/atomic"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
	"clave/server/internal/transport/calls"
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
	if err == nil && !caller.Privileged {
		caller.Refused, err = h.o.AppCheck.Refuse(appcheck.Firestore, project, s.appCheck)
	}
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

// served serves the streams of a call.
func served(f *api.Server, c *calls.Call) call {
	return func(ctx context.Context, caller token.Caller, s *session) error {
		st := &stream{ctx: parse.Within(ctx), s: s, call: c}
		defer st.end()
		return c.Stream(st.ctx, f, caller, st)
	}
}

// stream adapts a session to the streams of a call. It ends with its context's call.
type stream struct {
	// ctx has the last received message's share of Options.Parsing. It is returned before the next message and at the end.
	ctx  *parse.Call
	s    *session
	call *calls.Call
	// ended is set at the end of the call, when a message may still be received.
	ended atomic.Bool
}

// hold waits until a message may be parsed.
func (st *stream) hold(text string) error {
	if len(text) < parse.Large {
		return nil
	}
	share, err := st.s.handler.o.Parsing.Admit(st.ctx, st.s.address, wire.JSONMemory(text))
	if err != nil {
		return err
	}
	st.ctx.Hold(share)
	if st.ended.Load() {
		st.done()
	}
	return nil
}

// done returns the last message's share.
func (st *stream) done() {
	st.ctx.Release()
}

// end returns the last message's share and marks the stream as ended.
func (st *stream) end() {
	st.ended.Store(true)
	st.done()
}

// Recv implements calls.Messages. Every message must be for the database in the session's address, because the caller
// was verified for its project.
func (st *stream) Recv() (calls.Decoder, error) {
	st.done()
	text, err := st.s.recv(st.ctx)
	if err != nil {
		return nil, err
	}
	if err := st.hold(text); err != nil {
		return nil, err
	}
	st.s.take()
	m := st.call.Message()
	if err := m.DecodeJSON(text, nil, nil); err != nil {
		return nil, err
	}
	if db := m.Resource(); db != "" && db != st.s.database {
		return nil, fault.E(fault.InvalidArgument, "The message is for %q, and its session for %q.", db, st.s.database)
	}
	return m, nil
}

// Send implements calls.Messages.
func (st *stream) Send(m any) error {
	switch answer := m.(type) {
	case *wire.Listened:
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
