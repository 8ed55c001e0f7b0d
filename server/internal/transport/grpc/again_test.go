package grpc

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/transport/calls"
)

// TestAListenCallIsServedAgain lets a Listen call end before its client has received anything: twice at this node and
// once at the leader. The client must not notice, and the server that serves it in the end must receive all of its
// messages in order. Once the client has received a message, the end is its own. So it is for Write, which changes
// something.
func TestAListenCallIsServedAgain(t *testing.T) {
	unavailable := status.Error(codes.Unavailable, "ended")
	// echo receives messages, and sends the content of each after the first fails calls.
	var served atomic.Int64
	serve := func(ss grpc.ServerStream, receive func() (string, error), fails int64) error {
		n := served.Add(1)
		for range 2 {
			text, err := receive()
			if err != nil {
				return err
			}
			if n <= fails {
				return unavailable
			}
			if err := ss.SendMsg(&pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: &pb.TargetChange{ResumeToken: []byte(text)}}}); err != nil {
				return err
			}
		}
		return unavailable
	}
	handler := func(fails int64) grpc.StreamHandler {
		return func(_ any, ss grpc.ServerStream) error {
			return serve(ss, func() (string, error) {
				var m pb.ListenRequest
				err := ss.RecvMsg(&m)
				return m.GetDatabase(), err
			}, fails)
		}
	}
	const fails = 3
	s := &Server{calls: map[string]grpc.StreamHandler{"Listen": handler(fails), "Write": handler(fails)}}
	conn := connectTo(t, NewRouter(RouterOptions{
		Here: func(ctx context.Context, _ string, _ []byte) (context.Context, *Server, func()) {
			if served.Load()%2 != 0 {
				return nil, nil, nil
			}
			return ctx, s, func() {}
		},
		Forward: func(ss grpc.ServerStream, _ string, _ *Raw) (bool, error) {
			return false, serve(ss, func() (string, error) {
				var m Raw
				if err := ss.RecvMsg(&m); err != nil {
					return "", err
				}
				var request pb.ListenRequest
				data := m.take()
				defer data.Free()
				err := newCodec().Unmarshal(data, &request)
				return request.GetDatabase(), err
			}, fails)
		},
	}))
	open := func(method string) grpc.ClientStream {
		served.Store(0)
		ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/"+calls.Service+"/"+method)
		if err == nil {
			err = errors.Join(ss.SendMsg(&pb.ListenRequest{Database: "one"}), ss.SendMsg(&pb.ListenRequest{Database: "two"}))
		}
		if err != nil {
			t.Fatal(err)
		}
		return ss
	}
	ss := open("Listen")
	for _, want := range []string{"one", "two"} {
		var m pb.ListenResponse
		if err := ss.RecvMsg(&m); err != nil || string(m.GetTargetChange().GetResumeToken()) != want {
			t.Fatalf("the client received %v, %v; want %s", &m, err, want)
		}
	}
	if err := ss.RecvMsg(&pb.ListenResponse{}); status.Code(err) != codes.Unavailable {
		t.Errorf("the end after a message = %v, want Unavailable", err)
	}
	if n := served.Load(); n != fails+1 {
		t.Errorf("the call was served %d times, want %d", n, fails+1)
	}
	if err := open("Write").RecvMsg(&pb.WriteResponse{}); status.Code(err) != codes.Unavailable || served.Load() != 1 {
		t.Errorf("a Write call ended with %v and was served %d times, want Unavailable after one", err, served.Load())
	}
}
