package grpc

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/process"
	"clave/server/internal/limit/receive"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/transport/calls"
)

// TestACanceledCallLeavesItsConnection cancels queries and streams that wait for their client's window at a node,
// beside a stream on the same connection. Only the end of the node's service may close the connection, because other
// calls on it would be lost.
func TestACanceledCallLeavesItsConnection(t *testing.T) {
	sent := make(chan struct{}, 1)
	send := func(_ any, ss grpc.ServerStream) error {
		text := make([]byte, 100_000) // more than the client's first window
		for {
			select {
			case sent <- struct{}{}:
			default:
			}
			if err := ss.SendMsg(&pb.RunQueryResponse{Transaction: text}); err != nil {
				return err
			}
		}
	}
	s := &Server{calls: map[string]grpc.StreamHandler{
		"RunQuery": send,
		"Listen":   send,
		"Write": func(_ any, ss grpc.ServerStream) error {
			if err := ss.SendMsg(&pb.WriteResponse{}); err != nil {
				return err
			}
			<-ss.Context().Done()
			return status.Error(codes.Unavailable, "ended")
		},
	}}
	serving := process.NewEnding()
	conn := connectOver(t, NewRouter(RouterOptions{Here: func(ctx context.Context, _ string, _ []byte) (context.Context, *Server, func()) {
		within, stop := serving.Within(ctx)
		return within, s, stop
	}}))
	stream := func(ctx context.Context, method string, client bool) grpc.ClientStream {
		ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: client, ServerStreams: true}, "/"+calls.Service+"/"+method)
		if err != nil {
			t.Fatal(err)
		}
		if err := ss.SendMsg(&pb.RunQueryRequest{}); err != nil {
			t.Fatal(err)
		}
		return ss
	}
	beside := stream(t.Context(), "Write", true)
	if err := beside.RecvMsg(&pb.WriteResponse{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- beside.RecvMsg(&pb.WriteResponse{}) }()
	for range 100 {
		for method, client := range map[string]bool{"RunQuery": false, "Listen": true} {
			ctx, cancel := context.WithCancel(t.Context())
			ss := stream(ctx, method, client)
			select {
			case <-sent:
			case err := <-ended:
				cancel()
				t.Fatalf("the stream beside a canceled %s has ended: %v", method, err)
			}
			cancel()
			_ = ss.RecvMsg(&pb.RunQueryResponse{}) // canceled
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("the stream beside canceled calls has ended: %v", err)
	default:
	}
	_ = stream(t.Context(), "RunQuery", false)
	<-sent
	serving.End()
	if err := <-ended; status.Code(err) != codes.Unavailable {
		t.Errorf("the stream ended with %v when the node ended its service, want Unavailable", err)
	}
}

// connectOver connects to a router through a listener that counts what clients have not read, as a port of the program
// does.
func connectOver(t *testing.T, r *Router) *grpc.ClientConn {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(receive.New(receive.Options{}).Listener(t.Context(), ln)) }()
	conn, err := grpc.NewClient(ln.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		r.Stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return conn
}
