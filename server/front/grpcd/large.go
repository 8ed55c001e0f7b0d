package grpcd

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"clave/server/fault"
	"clave/server/front/budget"
	"clave/server/wire"
)

// A parsed message takes many times the memory of its bytes. So at most maxLarge bytes of messages from largeMessage on
// are parsed and served at the same time; the others wait unparsed.
const (
	largeMessage = 64 << 10
	maxLarge     = 2 * maxMessage
)

// newLarge returns the budget for large messages.
func newLarge() *semaphore.Weighted { return semaphore.NewWeighted(maxLarge) }

// deferred is the value that the codec decodes: the message if it is small, and otherwise its bytes.
type deferred struct {
	message any
	// late holds the bytes of a large message until the budget has space to parse it; nil for a parsed message.
	late mem.BufferSlice
	// taken is called when the message's bytes have been taken from the transport.
	taken func()
}

// unmarshalDeferred fills a deferred message.
func (c *codec) unmarshalDeferred(data mem.BufferSlice, l *deferred) error {
	l.taken()
	if data.Len() < largeMessage {
		return c.Unmarshal(data, l.message)
	}
	data.Ref()
	l.late = data
	return nil
}

// open parses a deferred message once the budget has space. The returned function, if not nil, returns the space.
func (d *common) open(ctx context.Context, l *deferred) (release func(), err error) {
	if l.late == nil {
		return nil, nil
	}
	defer l.late.Free()
	n := int64(l.late.Len())
	waiting := d.o.Budget.Hold(nil)
	waiting.Complete()
	defer waiting.Release()
	if err := waiting.Take(ctx, n); err != nil {
		return nil, wire.Status(err).Err()
	}
	if err := d.large.Acquire(ctx, n); err != nil {
		return nil, wire.Status(fault.Wrap(err, fault.Canceled, "The request was given up while it waited.")).Err()
	}
	if err := d.codec.Unmarshal(l.late, l.message); err != nil {
		d.large.Release(n)
		return nil, status.Errorf(codes.Internal, "grpc: error unmarshalling request: %v", err)
	}
	return func() { d.large.Release(n) }, nil
}

// bounded returns the methods of the service. Their large requests wait for the budget and hold their share until the response.
func (d *common) bounded(methods []grpc.MethodDesc) []grpc.MethodDesc {
	methods = slices.Clone(methods)
	for i := range methods {
		handle := methods[i].Handler
		if own, ok := handlers[methods[i].MethodName]; ok {
			handle = own
		}
		methods[i].Handler = func(srv any, ctx context.Context, decode func(any) error, between grpc.UnaryServerInterceptor) (any, error) {
			var release func()
			out, err := handle(srv, ctx, func(m any) error {
				l := &deferred{message: m, taken: budget.MessageTaken(ctx)}
				err := decode(l)
				if err == nil {
					release, err = d.open(ctx, l)
				}
				return err
			}, between)
			if release != nil {
				release()
			}
			return out, err
		}
	}
	return methods
}

// boundedStream is a stream whose large messages wait until the budget has space for them. A message holds it until something is
// sent or the next one is received: from then on the message itself is not needed.
type boundedStream struct {
	grpc.ServerStream
	common *common
	// release returns the last message's share of the budget, if it has any. A stream may receive and send at the same
	// time.
	release atomic.Pointer[func()]
	// ended is set at the end of the call, when a message may still be received.
	ended atomic.Bool
	// out is the message that is being sent.
	out outgoing
}

// newBoundedStream returns a stream with an empty queue.
func newBoundedStream(ss grpc.ServerStream, d *common) *boundedStream {
	return &boundedStream{ServerStream: ss, common: d, out: outgoing{queue: newQueue(&d.transit)}}
}

// RecvMsg implements grpc.ServerStream.
func (s *boundedStream) RecvMsg(m any) error {
	s.done()
	l := &deferred{message: m, taken: budget.MessageTaken(s.Context())}
	if err := s.ServerStream.RecvMsg(l); err != nil {
		return err
	}
	release, err := s.common.open(s.Context(), l)
	if release != nil {
		s.release.Store(&release)
		if s.ended.Load() {
			s.done()
		}
	}
	return err
}

// end ends the use of the stream.
func (s *boundedStream) end() {
	s.ended.Store(true)
	s.done()
	s.out.queue.end()
}

// SendMsg implements grpc.ServerStream. It returns when there is room for the next message, so that its caller need not hold
// that message meanwhile.
func (s *boundedStream) SendMsg(m any) error {
	s.done()
	s.out.message = m
	err := s.ServerStream.SendMsg(&s.out)
	s.out.message = nil
	if err != nil {
		return err
	}
	return s.out.queue.room(s.Context())
}

// done returns the last message's share of the budget.
func (s *boundedStream) done() {
	if release := s.release.Swap(nil); release != nil {
		(*release)()
	}
}
