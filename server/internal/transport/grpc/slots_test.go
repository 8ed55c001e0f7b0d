package grpc

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"clave/server/internal/limit/slots"
	"clave/server/internal/transport/calls"
	"clave/server/test/kit/wait"
)

// within is a stream with a context and nothing else.
type within struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements grpc.ServerStream.
func (w within) Context() context.Context { return w.ctx }

// TestStreamsHaveSlots opens more streams than there are slots. The network with the most loses one to another network.
func TestStreamsHaveSlots(t *testing.T) {
	p := slots.New(slots.Options{All: 2, Network: 2})
	o := Options{Streams: p}
	o.EnsureDefaults()
	d := commonOf(o)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := func(method, address string) <-chan codes.Code {
		from := peer.NewContext(ctx, &peer.Peer{Addr: &net.TCPAddr{IP: net.ParseIP(address), Port: 1}})
		ended := make(chan codes.Code, 1)
		go func() {
			info := &grpc.StreamServerInfo{FullMethod: "/" + calls.Service + "/" + method, IsClientStream: true, IsServerStream: true}
			ended <- status.Code(d.stream(nil, within{ctx: from}, info, func(_ any, ss grpc.ServerStream) error {
				<-ss.Context().Done()
				return ss.Context().Err()
			}))
		}()
		return ended
	}
	oldest := open("Listen", "192.0.2.1")
	wait.Until(t, "the first stream has no slot", func() bool { return p.Taken() == 1 })
	newer := open("Write", "192.0.2.1")
	wait.Until(t, "the second stream has no slot", func() bool { return p.Taken() == 2 })
	if got := <-open("Listen", "192.0.2.1"); got != codes.Unavailable {
		t.Errorf("a third stream of the network: %v, want Unavailable", got)
	}
	other := open("Listen", "192.0.2.2")
	if got := <-oldest; got != codes.Unavailable {
		t.Errorf("the oldest stream ended with %v when another network opened one, want Unavailable", got)
	}
	select {
	case got := <-newer:
		t.Errorf("the newer stream ended with %v", got)
	case got := <-other:
		t.Errorf("the other network's stream ended with %v", got)
	default:
	}
	cancel()
	<-newer
	<-other
	if got := p.Taken(); got != 0 {
		t.Errorf("%d slots are taken after the end of all streams", got)
	}
}
