package grpc

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/process"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/model/wire"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

// RouterOptions configures a Router.
type RouterOptions struct {
	// Here returns the server at this node that serves a call of a method, given with the service's name before it; nil
	// if the call must be forwarded. first is the call's message, or nil for a call whose client sends a stream. The
	// server serves the call under the returned context, and done is called at its end.
	Here func(ctx context.Context, method string, first []byte) (within context.Context, s *Server, done func())
	// Forward forwards a call. first, if not nil, is the call's only message. It returns here if nothing has been
	// forwarded because Lead was called.
	Forward func(ss grpc.ServerStream, method string, first *Raw) (here bool, err error)
	// Calls and ProxyHops are those of Options.
	Calls     *slots.Slots
	ProxyHops int
	// Budget bounds the memory of large messages that wait; nil means a budget of its own.
	Budget *receive.Budget
	// Meter counts the calls that are forwarded; nil counts nothing.
	Meter *meter.Meter
	// Log receives internal errors; nil logs nothing.
	Log *slog.Logger
}

// Router serves Firestore over gRPC on a node whose calls other servers serve: this node's, or another node.
type Router struct {
	transports
	o RouterOptions
	// leads serves all calls once this node leads.
	leads atomic.Pointer[Server]
}

// NewRouter returns a router. Here and Forward must be set.
func NewRouter(ro RouterOptions) *Router {
	o := Options{Calls: ro.Calls, ProxyHops: ro.ProxyHops, Budget: ro.Budget, Meter: ro.Meter, Log: ro.Log}
	o.EnsureDefaults()
	r := &Router{o: ro}
	r.common = commonOf(o)
	served := r.common.serviceDesc()
	r.desc = &grpc.ServiceDesc{ServiceName: served.ServiceName}
	for _, m := range served.Methods {
		r.desc.Streams = append(r.desc.Streams, grpc.StreamDesc{StreamName: m.MethodName})
	}
	r.desc.Streams = append(r.desc.Streams, served.Streams...)
	for i := range r.desc.Streams {
		m := &r.desc.Streams[i]
		name, lasts := m.StreamName, m.ClientStreams
		m.Handler = func(_ any, ss grpc.ServerStream) error { return r.serve(ss, name, lasts) }
	}
	r.options = []grpc.ServerOption{grpc.UnknownServiceHandler(func(_ any, ss grpc.ServerStream) error { return r.serve(ss, "", true) })}
	return r
}

// Lead lets a server serve all calls from now on.
func (r *Router) Lead(s *Server) { r.leads.Store(s) }

// GracefulStop ends lasting streams with Unavailable and waits for the other calls on a listener's connections.
func (r *Router) GracefulStop() {
	if s := r.leads.Load(); s != nil {
		s.GracefulStop()
	}
	r.transports.GracefulStop()
}

// Stop ends everything.
func (r *Router) Stop() {
	if s := r.leads.Load(); s != nil {
		s.Stop()
	}
	r.transports.Stop()
}

// serve serves a call of a method; the name is empty for an unknown one. lasts is set if its client sends a stream.
func (r *Router) serve(ss grpc.ServerStream, name string, lasts bool) (err error) {
	if s := r.leads.Load(); s != nil {
		return s.call(ss, name)
	}
	defer func() { err = r.common.answer(name, err, recover()) }()
	if lasts {
		return r.serveStream(ss, name)
	}
	var first Raw
	if err := ss.RecvMsg(&first); err != nil {
		return err
	}
	defer first.Free()
	if served, err := r.serveHere(ss, name, &first); served {
		return err
	}
	return r.forward(ss, name, &first)
}

// serveHere serves a call whose only message is first at this node. It returns false if the call must be forwarded,
// which includes a read that this node could not serve, for example because its index definitions are changing.
func (r *Router) serveHere(ss grpc.ServerStream, name string, first *Raw) (served bool, err error) {
	if first.Len() >= parse.Large {
		return false, nil
	}
	message := first.data.MaterializeToBuffer(mem.DefaultBufferPool())
	ctx, s, done := r.o.Here(ss.Context(), "/"+calls.Service+"/"+name, message.ReadOnlyData())
	message.Free()
	if s == nil {
		return false, nil
	}
	defer done()
	here := &begun{ServerStream: ss, ctx: ctx, codec: r.common.codec, first: first.Copy()}
	defer here.free()
	defer here.endInTime(process.OnEnd)()
	err = s.call(here, name)
	return here.sent || status.Code(err) != codes.Unavailable, err
}

// uncounted is the length up to which a forwarded message is not counted, because its headers have a similar size.
const uncounted = 4 << 10

// forward forwards a call whose only message is first. The budget counts the message until the leader's response
// begins. It is not parsed here, so it needs none of the memory for large messages.
func (r *Router) forward(ss grpc.ServerStream, name string, first *Raw) error {
	receive.MessageTaken(ss.Context())()
	answers := r.newForwardedStream(ss.Context(), ss)
	defer answers.end()
	out := &forwarding{forwardedStream: answers, first: first}
	if n := first.Len(); n > uncounted {
		out.hold = r.common.o.Budget.Hold(nil)
		out.hold.Complete()
		defer out.hold.Release()
		if err := out.hold.Take(ss.Context(), int64(n)); err != nil {
			return err
		}
	}
	here, err := r.o.Forward(out, "/"+calls.Service+"/"+name, first)
	if here {
		if out.hold != nil {
			out.hold.Release() // the server counts it
		}
		return r.lead(&begun{ServerStream: ss, ctx: ss.Context(), codec: r.common.codec, first: first}, name)
	}
	err = answers.why(err)
	r.count(name, err)
	return err
}

// count counts a call that was forwarded; the name of an unknown method is empty.
func (r *Router) count(name string, err error) {
	r.o.Meter.Forwarded(meter.Counted{Transport: "grpc", Method: name, Code: codeOf(err)})
}

// forwarding is the stream of a forwarded call. Once the response begins, the call's first message is not needed any
// more.
type forwarding struct {
	*forwardedStream
	first *Raw
	hold  *receive.Hold
}

// SendMsg implements grpc.ServerStream.
func (f *forwarding) SendMsg(m any) error {
	f.first.Free()
	if f.hold != nil {
		f.hold.Release()
	}
	return f.forwardedStream.SendMsg(m)
}

// forwardingStream is the stream of a forwarded call whose client sends a stream. Each message counts in the budget
// until its bytes have been sent to the leader.
type forwardingStream struct {
	*forwardedStream
	hold *receive.Hold
}

// RecvMsg implements grpc.ServerStream.
func (f *forwardingStream) RecvMsg(m any) error {
	message := m.(*Raw)
	if err := f.forwardedStream.RecvMsg(message); err != nil {
		return err
	}
	receive.MessageTaken(f.Context())()
	n := int64(message.Len())
	if n <= uncounted {
		return nil
	}
	if err := f.hold.Take(f.Context(), n); err != nil {
		message.Free()
		return wire.Status(err).Err()
	}
	message.onFree(func() { f.hold.Return(n) })
	return nil
}

// lead serves a call that waited until this node led.
func (r *Router) lead(ss grpc.ServerStream, name string) error {
	s := r.leads.Load()
	if s == nil {
		return r.common.errEnded()
	}
	return s.call(ss, name)
}

// listenName is the name of the stream that only reads.
const listenName = "Listen"

// serveStream serves a call whose client sends a stream: at this node if it may (Here), and otherwise at the leader
// (Forward). A call that waited for a leader is served here once this node leads. It ends with Unavailable when the
// server stops. A Listen call that ends with Unavailable before its client has received anything is served again.
func (r *Router) serveStream(ss grpc.ServerStream, name string) error {
	if name != listenName {
		return r.serveOnce(ss.Context(), ss, name)
	}
	kept := &keptStream{ServerStream: ss}
	defer kept.end()
	late, stop := clock.System().After(againWithin)
	defer stop()
	for wait := againPause; ; wait = min(2*wait, maxAgainPause) {
		led := r.leads.Load() != nil
		ctx, cancel := context.WithCancel(ss.Context())
		err := r.serveOnce(ctx, &attempt{keptStream: kept, ctx: ctx, codec: r.common.codec}, name)
		cancel()
		if led || !kept.again(err) || r.common.ending.Ended() {
			return err
		}
		pause, stopPause := clock.System().After(wait)
		select {
		case <-pause:
			stopPause()
			continue
		case <-late:
		case <-ss.Context().Done():
		case <-r.common.ending.Done():
		}
		stopPause()
		return err
	}
}

// The time within which a Listen call is served again, and the pause before, which doubles each time.
const (
	againWithin   = 10 * time.Second
	againPause    = 20 * time.Millisecond
	maxAgainPause = time.Second
)

// serveOnce is an attempt of serveStream.
func (r *Router) serveOnce(ctx context.Context, ss grpc.ServerStream, name string) error {
	if s := r.leads.Load(); s != nil {
		return s.call(ss, name)
	}
	method, _ := grpc.MethodFromServerStream(ss)
	ctx, stop := r.common.ending.Within(ctx)
	defer stop()
	within, s, done := r.o.Here(ctx, method, nil)
	var here bool
	var err error
	if s != nil {
		defer done()
		at := &begun{ServerStream: ss, ctx: within}
		defer at.endInTime(context.AfterFunc)()
		err = s.call(at, name)
	} else {
		hold := r.common.o.Budget.Hold(nil)
		hold.Complete()
		defer hold.Release()
		answers := r.newForwardedStream(ctx, ss)
		defer answers.end()
		here, err = r.o.Forward(&forwardingStream{answers, hold}, method, nil)
		err = answers.why(err)
	}
	if here {
		return r.lead(ss, name)
	}
	if r.common.ending.Ended() && ss.Context().Err() == nil {
		err = r.common.errEnded()
	}
	if s == nil {
		r.count(name, err)
	}
	return err
}

// begun is the stream of a call under another context. Its first message, if any, was read and is returned again.
type begun struct {
	grpc.ServerStream
	ctx   context.Context
	codec *codec
	first *Raw
	// sent is set once a message was sent, and sending while one is being sent.
	sent    bool
	sending atomic.Bool
}

// Context implements grpc.ServerStream.
func (b *begun) Context() context.Context { return b.ctx }

// SendMsg implements grpc.ServerStream.
func (b *begun) SendMsg(m any) error {
	b.sent = true
	b.sending.Store(true)
	defer b.sending.Store(false)
	if err := b.ctx.Err(); err != nil { // endInTime may have looked already
		return status.FromContextError(err).Err()
	}
	return b.ServerStream.SendMsg(m)
}

// endInTime lets the call end with its context although its client does not read: gRPC waits for the window of a stream
// as long as the client's own call lasts. Its connection is therefore closed, with all other calls on it, unless the
// client has ended the call: then gRPC ends it. after calls a function when a context ends. The caller must call stop
// before it ends the context itself.
func (b *begun) endInTime(after func(context.Context, func()) func() bool) (stop func() bool) {
	client := b.ServerStream.Context()
	return after(b.ctx, func() {
		if b.sending.Load() && client.Err() == nil {
			receive.ResponsesOf(client, clientOf(client)).Cut()
		}
	})
}

// free releases the first message if it was not received.
func (b *begun) free() {
	if b.first != nil {
		b.first.Free()
	}
}

// RecvMsg implements grpc.ServerStream.
func (b *begun) RecvMsg(m any) error {
	if b.first == nil {
		return b.ServerStream.RecvMsg(m)
	}
	data := b.first.take()
	b.first = nil
	defer data.Free()
	if err := b.codec.Unmarshal(data, m); err != nil {
		return status.Errorf(codes.Internal, "grpc: failed to unmarshal the received message: %v", err)
	}
	return nil
}

// call serves a call of another gRPC server; the name of an unknown method is empty.
func (s *Server) call(ss grpc.ServerStream, name string) error {
	serve := s.calls[name]
	if serve == nil {
		method, _ := grpc.MethodFromServerStream(ss)
		return status.Errorf(codes.Unimplemented, "unknown method %s", method)
	}
	return serve(nil, ss)
}
