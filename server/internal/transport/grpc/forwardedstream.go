package grpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/receive"
	"clave/server/internal/model/wire"
)

// unread is the number of bytes of a forwarded call's responses that this node may hold beyond those in the queue while
// the client does not read: what the connection to the leader has received.
const unread = 64 << 10

// forwardedStream is the stream of a forwarded call. Its responses are counted as those of calls that are served here,
// whatever their size. While its client is slow, what the connection to the leader has received for it counts in the
// budget.
type forwardedStream struct {
	grpc.ServerStream
	ctx    context.Context
	cancel context.CancelFunc
	budget *receive.Budget
	out    outgoing
	// evicted is set if the call was ended because its client was slow.
	evicted atomic.Bool
}

// newForwardedStream returns a stream under another context. The caller must call end.
func (r *Router) newForwardedStream(ctx context.Context, ss grpc.ServerStream) *forwardedStream {
	p := &forwardedStream{ServerStream: ss, budget: r.common.o.Budget, out: outgoing{queue: newQueue(&r.common.transit)}}
	p.out.queue.whole = true
	p.ctx, p.cancel = context.WithCancel(ctx)
	return p
}

// Context implements grpc.ServerStream.
func (p *forwardedStream) Context() context.Context { return p.ctx }

// SendMsg implements grpc.ServerStream. It returns when there is room for the next message.
func (p *forwardedStream) SendMsg(m any) error {
	p.out.message = m
	err := p.ServerStream.SendMsg(&p.out)
	p.out.message = nil
	if err != nil || !p.out.queue.full() {
		return err
	}
	defer p.budget.IfSlow(p.ctx, unread, nil, p.evict)()
	return p.out.queue.room(p.ctx)
}

// evict ends the call because its client is slow.
func (p *forwardedStream) evict() {
	p.evicted.Store(true)
	p.cancel()
}

// why returns the error of a call that has ended with err.
func (p *forwardedStream) why(err error) error {
	if p.evicted.Load() {
		return wire.Status(fault.E(fault.Unavailable, "The client reads too slowly, and the server has too many responses in progress. Try again.")).Err()
	}
	return err
}

// end ends the use of the stream.
func (p *forwardedStream) end() {
	p.cancel()
	p.out.queue.end()
}
