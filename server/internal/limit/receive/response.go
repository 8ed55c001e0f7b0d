package receive

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"clave/server/internal/base/clock"
)

// LargeResponse is the length in bytes from which a response takes its bytes of the budget before it is sent. Shorter
// ones are counted only if their clients read slowly.
const LargeResponse = 64 << 10

// mostWaiting is the number of large responses that may wait for the budget before further requests are refused. Each
// holds its document while it waits.
const mostWaiting = 4

// Responses are the large responses that a client has not read yet, of one connection or of one request. It is safe for
// concurrent use. nil counts nothing.
type Responses struct {
	budget  *Budget
	cut     func()
	refused atomic.Int64
	mu      struct {
		sync.Mutex
		holds map[*Hold]struct{}
		ended bool
	}
}

// Responses returns an empty set. The budget calls cut, which must not block, if the client reads slowly while others
// wait: it must end the connection or the request.
func (b *Budget) Responses(cut func()) *Responses {
	r := &Responses{budget: b, cut: cut}
	r.mu.holds = make(map[*Hold]struct{})
	return r
}

// Take takes n bytes for a response that is about to be sent. The caller must call written when the client has received
// it. Take waits for the budget, and returns Unavailable if there is no room. A response larger than half the budget
// takes that.
func (r *Responses) Take(ctx context.Context, n int64) (written func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	b := r.budget
	hold := b.Hold(r.cut)
	r.mu.Lock()
	ended := r.mu.ended
	if !ended {
		r.mu.holds[hold] = struct{}{}
	}
	r.mu.Unlock()
	if ended {
		hold.Release()
		return func() {}, nil
	}
	written = func() {
		r.mu.Lock()
		delete(r.mu.holds, hold)
		r.mu.Unlock()
		hold.Release()
	}
	b.responses.Add(1)
	defer b.responses.Add(-1)
	if err := hold.Take(ctx, min(n, b.o.Bytes/2)); err != nil {
		written()
		return nil, err
	}
	return written, nil
}

// Refuse counts a call of the connection that is refused, and returns how many were.
func (r *Responses) Refuse() int64 {
	if r == nil {
		return 0
	}
	return r.refused.Add(1)
}

// Cut ends the connection or the request.
func (r *Responses) Cut() {
	if r != nil && r.cut != nil {
		r.cut()
	}
}

// End releases all responses. Nothing is counted from then on.
func (r *Responses) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.ended = true
	for hold := range r.mu.holds {
		hold.Release()
	}
	clear(r.mu.holds)
}

// AwaitRoom waits while many large responses wait for the budget, because another request may need one, too. It returns
// Unavailable if that lasts, and CANCELLED or DEADLINE_EXCEEDED if ctx is done.
func (b *Budget) AwaitRoom(ctx context.Context) error {
	if b.responses.Load() < mostWaiting {
		return nil
	}
	late, stop := b.o.Clock.After(b.o.Wait)
	defer stop()
	for b.responses.Load() >= mostWaiting {
		again, stopAgain := b.o.Clock.After(slowAfter / 20)
		select {
		case <-again:
		case <-late:
			stopAgain()
			return errFull()
		case <-ctx.Done():
			stopAgain()
			return errGone(ctx)
		}
		stopAgain()
	}
	return nil
}

// mostReads is the maximum number of reads whose responses have not taken their bytes yet. They need the processor and
// the disk only, so more would not be faster.
const mostReads = 64

// BeginRead waits until a read may begin, and returns the errors of AwaitRoom. The caller must call end when the
// response has taken its bytes. Reads that wait for locks must not begin this way.
func (b *Budget) BeginRead(ctx context.Context) (end func(), err error) {
	if err := b.AwaitRoom(ctx); err != nil {
		return nil, err
	}
	end = sync.OnceFunc(func() { <-b.reads })
	select {
	case b.reads <- struct{}{}:
		return end, nil
	default:
	}
	late, stop := b.o.Clock.After(b.o.Wait)
	defer stop()
	select {
	case b.reads <- struct{}{}:
		return end, nil
	case <-late:
		return nil, errFull()
	case <-ctx.Done():
		return nil, errGone(ctx)
	}
}

// remote is the address of a client with the responses of its connection. gRPC passes it to the calls.
type remote struct {
	net.Addr
	responses *Responses
}

// ResponsesOf returns the responses of the connection with a client at an address, or those of the request with a
// context. It returns nil if they are not counted.
func ResponsesOf(ctx context.Context, client net.Addr) *Responses {
	if s, ok := ctx.Value(streamKey{}).(*stream); ok {
		return s.responses
	}
	if r, ok := client.(remote); ok {
		return r.responses
	}
	return nil
}

// cutBy returns a function that ends the writing of a response.
func cutBy(control *http.ResponseController) func() {
	// Writers without deadlines, as in tests, have no connection to wait for.
	return func() { _ = control.SetWriteDeadline(clock.Passed()) }
}
