package grpc

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/limit/receive"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/transport/calls"
	"clave/server/test/kit/wait"
)

// TestForwardedResponsesWaitForRoom forwards a call with endless responses to a client that reads none of them, beside
// many bytes of other streams. Few responses are queued, and the rest counts in the budget. A request that needs the
// bytes ends the call with UNAVAILABLE.
func TestForwardedResponsesWaitForRoom(t *testing.T) {
	for method, lasts := range map[string]bool{"RunQuery": false, "Write": true} {
		t.Run(method, func(t *testing.T) {
			const size = 1000 // calls that are served here count larger ones only
			b := receive.New(receive.Options{Bytes: unread})
			sent := make(chan int, 1)
			r := NewRouter(RouterOptions{
				Budget: b,
				Here:   func(context.Context, string, []byte) (context.Context, *Server, func()) { return nil, nil, nil },
				Forward: func(ss grpc.ServerStream, _ string, _ *Raw) (bool, error) {
					for n := 0; ; n++ {
						if err := ss.SendMsg(&pb.RunQueryResponse{Transaction: []byte(strings.Repeat("x", size))}); err != nil {
							sent <- n
							return false, err
						}
					}
				},
			})
			r.common.transit.Add(crowded)
			conn := connectTo(t, r, grpc.WithInitialWindowSize(64<<10))
			ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: lasts, ServerStreams: true}, "/"+calls.Service+"/"+method)
			if err == nil {
				err = ss.SendMsg(&pb.RunQueryRequest{})
			}
			if err != nil {
				t.Fatal(err)
			}
			wait.Until(t, "the slow client is not counted", func() bool { return b.Used() == unread })
			if all := r.common.transit.Load() - crowded; all < mostQueued || all > mostQueued+2*size {
				t.Errorf("%d bytes are queued, want about %d", all, mostQueued)
			}
			request := b.Hold(nil)
			if err := request.Take(t.Context(), unread); err != nil {
				t.Errorf("a request beside the slow client: %v", err)
			}
			if n := <-sent; n < mostQueued/size {
				t.Errorf("%d responses were sent", n)
			}
			for err == nil {
				err = ss.RecvMsg(&pb.RunQueryResponse{})
			}
			if status.Code(err) != codes.Unavailable {
				t.Errorf("the call ends with %v, want Unavailable", err)
			}
			request.Release()
			wait.Until(t, "bytes are still counted", func() bool { return b.Used() == 0 && r.common.transit.Load() == crowded })
		})
	}
}

// TestForwardedResponsesArrive reads many responses of a forwarded call beside many bytes of other streams.
func TestForwardedResponsesArrive(t *testing.T) {
	const messages = 300
	r := NewRouter(RouterOptions{
		Here: func(context.Context, string, []byte) (context.Context, *Server, func()) { return nil, nil, nil },
		Forward: func(ss grpc.ServerStream, _ string, _ *Raw) (bool, error) {
			var all error
			for i := range messages {
				all = errors.Join(all, ss.SendMsg(&pb.RunQueryResponse{SkippedResults: int32(i), Transaction: make([]byte, 1000)}))
			}
			return false, all
		},
	})
	r.common.transit.Add(crowded)
	ss, err := connectTo(t, r).NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/"+calls.Service+"/RunQuery")
	if err == nil {
		err = errors.Join(ss.SendMsg(&pb.RunQueryRequest{}), ss.CloseSend())
	}
	for i := int32(0); err == nil && i < messages; i++ {
		var m pb.RunQueryResponse
		if err = ss.RecvMsg(&m); err == nil && m.SkippedResults != i {
			t.Fatalf("response %d is %d", i, m.SkippedResults)
		}
	}
	if err != nil {
		t.Error(err)
	}
}
