package grpc

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"

	"clave/server/internal/limit/slots"
	"clave/server/test/kit/wait"
)

// TestACallHasItsSlotUntilItsHandlerEnds admits calls that their clients reset. A call whose handler still runs keeps
// its slot, so that resets don't multiply the handlers.
func TestACallHasItsSlotUntilItsHandlerEnds(t *testing.T) {
	p := slots.New(slots.Options{All: 10, Network: 10})
	o := Options{Calls: p}
	o.EnsureDefaults()
	d := commonOf(o)
	admit := func() (ctx context.Context, reset func()) {
		t.Helper()
		ctx, reset = context.WithCancel(peer.NewContext(t.Context(), &peer.Peer{Addr: &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 1}}))
		ctx, err := d.admit(ctx, &tap.Info{Header: metadata.MD{}})
		if err != nil {
			t.Fatal(err)
		}
		return ctx, reset
	}
	running, resetRunning := admit()
	end := serving(running)
	nested := serving(running)
	idle, resetIdle := admit()
	ended, resetEnded := admit()
	serving(ended)()
	if got := p.Taken(); got != 3 {
		t.Errorf("%d slots are taken by three calls that are open, want 3", got)
	}
	resetRunning()
	resetIdle()
	resetEnded()
	wait.Until(t, "the calls without a handler keep their slots", func() bool { return p.Taken() == 1 })
	<-idle.Done()
	nested()
	if got := p.Taken(); got != 1 {
		t.Errorf("%d slots are taken by a call whose handler runs, want 1", got)
	}
	end()
	wait.Until(t, "the call with a handler keeps its slot after the handler's end", func() bool { return p.Taken() == 0 })
	serving(t.Context())() // of a request of HTTP, whose slot the port has
}
