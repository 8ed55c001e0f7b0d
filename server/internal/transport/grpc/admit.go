package grpc

import (
	"context"
	"sync"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/tap"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/model/wire"
)

// mostRefused is the number of refused calls after which a connection is closed: gRPC keeps some memory of each until
// its deadline.
const mostRefused = 1000

// admitted is a call that has a slot. The slot is released when the call has ended for the client and for the server: a
// client that resets its calls at once must not occupy more goroutines than there are slots.
type admitted struct {
	mu struct {
		sync.Mutex
		// serving is the number of handlers that run, and gone is set once the client's call has ended.
		serving int
		gone    bool
	}
	slot *slots.Slot
}

// admittedKey is the key of an *admitted in a context.
type admittedKey struct{}

// admit takes a slot for a call whose headers have arrived. Its message may arrive at any time or never.
func (d *common) admit(ctx context.Context, call *tap.Info) (context.Context, error) {
	from := Address(metadata.NewIncomingContext(ctx, call.Header), d.o.ProxyHops)
	within, end := context.WithCancel(ctx)
	slot := d.o.Calls.Take(from, end)
	if slot == nil {
		end()
		if r := receive.ResponsesOf(ctx, clientOf(ctx)); r.Refuse() > mostRefused {
			r.Cut()
		}
		return nil, wire.Status(fault.E(fault.Unavailable, "The server has too many calls. Try again.")).Err()
	}
	a := &admitted{slot: slot}
	context.AfterFunc(within, a.leave)
	return context.WithValue(within, admittedKey{}, a), nil
}

// serving records that a handler of a call begins, and returns a function that records its end.
func serving(ctx context.Context) (end func()) {
	a, ok := ctx.Value(admittedKey{}).(*admitted)
	if !ok {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mu.serving++
	return a.served
}

// served records that a handler has ended.
func (a *admitted) served() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mu.serving--; a.mu.gone && a.mu.serving == 0 {
		a.slot.Release()
	}
}

// leave records the end of the client's call.
func (a *admitted) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mu.gone = true; a.mu.serving == 0 {
		a.slot.Release()
	}
}
