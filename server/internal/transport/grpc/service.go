package grpc

import (
	"cmp"
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/model/wire"
	"clave/server/internal/transport/calls"
)

// serviceDesc returns the description of the service for gRPC, from the table of calls.
func (d *common) serviceDesc() *grpc.ServiceDesc {
	desc := &grpc.ServiceDesc{ServiceName: calls.Service}
	for _, call := range calls.All {
		switch {
		case call.Message != nil:
			desc.Streams = append(desc.Streams, grpc.StreamDesc{
				StreamName: call.Name, ClientStreams: true, ServerStreams: true,
				Handler: func(_ any, ss grpc.ServerStream) error { return d.both(call, ss) },
			})
		case call.Answers:
			desc.Streams = append(desc.Streams, grpc.StreamDesc{
				StreamName: call.Name, ServerStreams: true,
				Handler: func(_ any, ss grpc.ServerStream) error { return d.many(call, ss) },
			})
		default:
			desc.Methods = append(desc.Methods, grpc.MethodDesc{MethodName: call.Name, Handler: d.one(call)})
		}
	}
	return desc
}

// one returns the handler of a call with one message each way. A large request waits until it may be parsed, and holds
// its share until the response.
func (d *common) one(call *calls.Call) grpc.MethodHandler {
	info := &grpc.UnaryServerInfo{FullMethod: "/" + calls.Service + "/" + call.Name}
	return func(_ any, ctx context.Context, decode func(any) error, between grpc.UnaryServerInterceptor) (any, error) {
		defer serving(ctx)()
		r := call.Request()
		l := &deferred{message: r, taken: receive.MessageTaken(ctx)}
		if err := decode(l); err != nil {
			return nil, err
		}
		share, err := d.open(ctx, l)
		if err != nil {
			return nil, err
		}
		defer share.Release()
		if call.Brief && !r.InTransaction() {
			end, err := d.o.Budget.BeginRead(ctx)
			if err != nil {
				return nil, wire.Status(err).Err()
			}
			defer end()
		}
		out, err := between(parse.With(ctx, share), r, info, func(ctx context.Context, _ any) (any, error) { return d.serveOne(ctx, r) })
		share.Release()
		if err != nil {
			return nil, err
		}
		return d.response(ctx, out)
	}
}

// serveOne serves a call with one response.
func (d *common) serveOne(ctx context.Context, r calls.Request) (out any, err error) {
	caller, err := d.caller(ctx, r.Resource())
	if err = cmp.Or(err, caller.Refused); err != nil {
		return nil, err
	}
	err = r.Serve(ctx, d.o.Firestore, caller, func(m calls.Response) error {
		out = m
		return nil
	})
	return out, err
}

// many serves a call with a stream of responses.
func (d *common) many(call *calls.Call, ss grpc.ServerStream) error {
	r := call.Request()
	if err := ss.RecvMsg(r); err != nil {
		return err
	}
	caller, err := d.caller(ss.Context(), r.Resource())
	if err = cmp.Or(err, caller.Refused); err != nil {
		return err
	}
	return r.Serve(ss.Context(), d.o.Firestore, caller, func(m calls.Response) error { return ss.SendMsg(m) })
}

// firstTime is the time limit for the first message of a stream.
const firstTime = 30 * time.Second

// receiveFirst receives the first message of a stream. It returns an error if that does not arrive in time.
func (s *messages) receiveFirst() error {
	type received struct {
		message calls.Decoder
		err     error
	}
	first := make(chan received, 1)
	go func() { // It ends with the stream.
		m, err := s.receive()
		first <- received{m, err}
	}()
	late := time.NewTimer(firstTime)
	defer late.Stop()
	select {
	case r := <-first:
		s.first = r.message
		return r.err
	case <-late.C:
		return wire.Status(fault.E(fault.DeadlineExceeded, "The stream's first message did not arrive within %v.", firstTime)).Err()
	case <-s.ss.Context().Done():
		return status.FromContextError(s.ss.Context().Err()).Err()
	}
}

// both serves a call with streams both ways. The caller is known once the first message has arrived, because that
// message names the database.
func (d *common) both(call *calls.Call, ss grpc.ServerStream) error {
	s := &messages{call: call, ss: ss}
	if err := s.receiveFirst(); err != nil {
		return err
	}
	caller, err := d.caller(ss.Context(), s.first.Resource())
	if err != nil {
		return err
	}
	return call.Stream(ss.Context(), d.o.Firestore, caller, s)
}

// messages are the streams of a call. The first message was read and is returned again.
type messages struct {
	call  *calls.Call
	ss    grpc.ServerStream
	first calls.Decoder
}

// receive reads the client's next message.
func (s *messages) receive() (calls.Decoder, error) {
	m := s.call.Message()
	return m, s.ss.RecvMsg(m)
}

// Recv implements calls.Messages.
func (s *messages) Recv() (calls.Decoder, error) {
	if first := s.first; first != nil {
		s.first = nil
		return first, nil
	}
	return s.receive()
}

// Send implements calls.Messages.
func (s *messages) Send(m any) error { return s.ss.SendMsg(m) }
