package grpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/model/wire"
	"clave/server/internal/transport/calls"
)

// deferred is the value that the codec decodes: the message if it is small, and otherwise its bytes.
type deferred struct {
	message any
	// late holds the bytes of a large message until it may be parsed; nil for a parsed message.
	late mem.BufferSlice
	// refused is the error of a message that was parsed and may not be served; gRPC would make it INTERNAL.
	refused error
	// taken is called when the message's bytes have been taken from the transport.
	taken func()
}

// unmarshalDeferred fills a deferred message.
func (c *codec) unmarshalDeferred(data mem.BufferSlice, l *deferred) error {
	l.taken()
	if data.Len() < parse.Large {
		err := c.Unmarshal(data, l.message)
		if fault.Is(err, fault.InvalidArgument) {
			l.refused, err = err, nil
		}
		return err
	}
	data.Ref()
	l.late = data
	return nil
}

// open parses a deferred message once it may be parsed. The share, which is nil for a small message, must be released
// when the message is not needed any more.
func (d *common) open(ctx context.Context, l *deferred) (*parse.Share, error) {
	if l.refused != nil {
		return nil, wire.Status(l.refused).Err()
	}
	if l.late == nil {
		return nil, nil
	}
	defer func() { l.late.Free() }()
	// While the message waits for its turn its bytes count in the budget of requests. Once it is admitted, its share
	// counts what parsing takes.
	n := int64(l.late.Len())
	waiting := d.o.Budget.Hold(nil)
	waiting.Complete()
	defer waiting.Release()
	if err := waiting.Take(ctx, n); err != nil {
		return nil, wire.Status(err).Err()
	}
	l.join()
	memory := n
	if m, ok := l.message.(calls.Decoder); ok {
		var err error
		if memory, err = wire.BinaryMemory(l.late[0].ReadOnlyData(), m.Message()); err != nil {
			return nil, wire.Status(err).Err()
		}
	}
	share, err := d.o.Parsing.Admit(ctx, Address(ctx, d.o.ProxyHops), memory)
	if err != nil {
		return nil, wire.Status(err).Err()
	}
	if err := d.codec.Unmarshal(l.late, l.message); err != nil {
		share.Release()
		if fault.Is(err, fault.InvalidArgument) {
			return nil, wire.Status(err).Err()
		}
		return nil, status.Errorf(codes.Internal, "grpc: error unmarshalling request: %v", err)
	}
	return share, nil
}

// join joins the bytes of a large message.
func (l *deferred) join() {
	whole := l.late.MaterializeToBuffer(mem.DefaultBufferPool())
	l.late.Free()
	l.late = mem.BufferSlice{whole}
}

// boundedStream is a stream whose large messages wait until they may be parsed. A message holds its share until
// something is sent or the next one is received: from then on the message itself is not needed.
type boundedStream struct {
	grpc.ServerStream
	common *common
	// call has the last message's share, if it has any. A stream may receive and send at the same time.
	call *parse.Call
	// ended is set at the end of the call, when a message may still be received.
	ended atomic.Bool
	// out is the message that is being sent, and raw its encoded form.
	out outgoing
	raw Raw
}

// newBoundedStream returns a stream with an empty queue.
func newBoundedStream(ss grpc.ServerStream, d *common) *boundedStream {
	return &boundedStream{ServerStream: ss, common: d, call: parse.Within(ss.Context()), out: outgoing{queue: newQueue(&d.transit)}}
}

// Context implements grpc.ServerStream.
func (s *boundedStream) Context() context.Context { return s.call }

// RecvMsg implements grpc.ServerStream.
func (s *boundedStream) RecvMsg(m any) error {
	s.done()
	l := &deferred{message: m, taken: receive.MessageTaken(s.Context())}
	if err := s.ServerStream.RecvMsg(l); err != nil {
		return err
	}
	share, err := s.common.open(s.Context(), l)
	s.call.Hold(share)
	if s.ended.Load() {
		s.done()
	}
	return err
}

// end ends the use of the stream.
func (s *boundedStream) end() {
	s.ended.Store(true)
	s.done()
	s.out.queue.end()
}

// SendMsg implements grpc.ServerStream. It returns when there is room for the next message, so that its caller need not
// hold that message meanwhile.
func (s *boundedStream) SendMsg(m any) error {
	s.done()
	s.out.message = m
	// The documents of Listen's responses are shared by all streams that receive them, so they are not counted.
	if _, shared := m.(*wire.Listened); !shared {
		buffers, err := s.common.encoded(s.Context(), m)
		if err != nil {
			return err
		}
		s.raw.data = buffers
		s.out.message = &s.raw
	}
	err := s.ServerStream.SendMsg(&s.out)
	s.out.message = nil
	if err != nil {
		return err
	}
	return s.out.queue.room(s.Context())
}

// done returns the last message's share.
func (s *boundedStream) done() { s.call.Release() }
