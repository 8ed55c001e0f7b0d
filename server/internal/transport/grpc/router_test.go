package grpc

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

// TestRouter serves one call locally, forwards another one and a large one, and serves all calls locally once the node
// leads. A message that was read for the decision must be served or forwarded completely.
func TestRouter(t *testing.T) {
	_, s := connectServer(t)
	var served, forwarded, done atomic.Int64
	counts := meter.New(clock.System(), nil)
	r := NewRouter(RouterOptions{
		Meter: counts,
		Here: func(ctx context.Context, method string, _ []byte) (context.Context, *Server, func()) {
			if !strings.HasSuffix(method, "/GetDocument") {
				return nil, nil, nil
			}
			served.Add(1)
			return ctx, s, func() { done.Add(1) }
		},
		Forward: func(ss grpc.ServerStream, method string, first *Raw) (bool, error) {
			if strings.HasSuffix(method, "/Rollback") {
				return true, nil
			}
			if first != nil {
				forwarded.Add(int64(first.Len()))
			}
			return false, status.Error(codes.Aborted, method)
		},
	})
	conn := connectTo(t, r)
	get := &pb.GetDocumentRequest{Name: name}
	want := func(method string, in any, code codes.Code) {
		t.Helper()
		if err := call(as(t, "Bearer owner"), conn, method, in, &pb.Document{}); status.Code(err) != code {
			t.Errorf("%s = %v, want %v", method, err, code)
		}
	}
	want("GetDocument", get, codes.NotFound)
	if served.Load() != 1 || done.Load() != 1 {
		t.Errorf("a read was served %d times and ended %d times, want once", served.Load(), done.Load())
	}
	update := &pb.UpdateDocumentRequest{Document: &pb.Document{Name: name}}
	want("UpdateDocument", update, codes.Aborted)
	large := &pb.GetDocumentRequest{Name: name + strings.Repeat("x", parse.Large)}
	want("GetDocument", large, codes.Aborted)
	if n := forwarded.Load(); n < parse.Large || served.Load() != 1 {
		t.Errorf("%d bytes were forwarded and %d calls served here, want the large call forwarded", n, served.Load())
	}
	want("Unheard", get, codes.Aborted)
	want("Rollback", &pb.RollbackRequest{Database: database}, codes.Unavailable)
	r.Lead(s)
	want("UpdateDocument", update, codes.OK)
	want("GetDocument", get, codes.OK)
	want("Unheard", get, codes.Unimplemented)
	got := make(map[string]map[fault.Code]uint64)
	for _, m := range counts.AllForwarded() {
		got[m.Transport+" "+m.Method] = m.Codes
	}
	aborted := map[fault.Code]uint64{fault.Aborted: 1}
	if all := map[string]map[fault.Code]uint64{"grpc UpdateDocument": aborted, "grpc GetDocument": aborted, "grpc other": aborted}; !reflect.DeepEqual(got, all) {
		t.Errorf("forwarded calls are counted as %v, want %v", got, all)
	}
}

// TestForwardedMessagesAreCounted forwards messages to a leader that does not respond until the budget is used up. A
// message counts until the leader's response begins, even if the client reads the response slowly.
func TestForwardedMessagesAreCounted(t *testing.T) {
	for _, tt := range []struct {
		name          string
		bytes, length int
	}{
		{"small messages", 150_000, parse.Large - 1000},
		{"large messages", 40_000_000, 16_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := receive.New(receive.Options{Bytes: int64(tt.bytes), Wait: time.Millisecond})
			arrived, respond := make(chan struct{}), make(chan bool)
			conn := connectTo(t, NewRouter(RouterOptions{
				Budget: b,
				Here:   func(context.Context, string, []byte) (context.Context, *Server, func()) { return nil, nil, nil },
				Forward: func(ss grpc.ServerStream, _ string, _ *Raw) (bool, error) {
					arrived <- struct{}{}
					if !<-respond {
						return false, nil
					}
					err := ss.SendMsg(&pb.RunQueryResponse{})
					arrived <- struct{}{}
					<-ss.Context().Done()
					return false, err
				},
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			send := func() grpc.ClientStream {
				ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+calls.Service+"/RunQuery")
				if err != nil {
					t.Fatal(err)
				}
				if err := ss.SendMsg(&pb.RunQueryRequest{Parent: strings.Repeat("x", tt.length)}); err != nil {
					t.Fatal(err)
				}
				return ss
			}
			_, _ = send(), send()
			<-arrived
			<-arrived
			third := send()
			refused := make(chan error, 1)
			go func() { refused <- third.RecvMsg(&pb.RunQueryResponse{}) }()
			select {
			case err := <-refused:
				if status.Code(err) != codes.Unavailable {
					t.Errorf("a message beyond the budget = %v, want Unavailable", err)
				}
			case <-arrived:
				t.Fatal("a message beyond the budget is forwarded")
			}
			respond <- true
			respond <- true
			<-arrived
			<-arrived
			if used := b.Used(); used != 0 {
				t.Errorf("%d bytes are held by calls whose responses have begun, want none", used)
			}
			fourth := send()
			<-arrived
			respond <- false
			if err := fourth.RecvMsg(&pb.RunQueryResponse{}); err == nil || status.Code(err) == codes.Unavailable {
				t.Errorf("a message beside calls whose responses have begun = %v, want it forwarded", err)
			}
		})
	}
}

// TestMessagesOfForwardedStreamsAreCounted receives messages of a stream that is forwarded to a leader that does not
// read them.
func TestMessagesOfForwardedStreamsAreCounted(t *testing.T) {
	b := receive.New(receive.Options{Bytes: 2_500_000, Wait: time.Millisecond})
	conn := connectTo(t, NewRouter(RouterOptions{
		Budget: b,
		Here:   func(context.Context, string, []byte) (context.Context, *Server, func()) { return nil, nil, nil },
		Forward: func(ss grpc.ServerStream, _ string, _ *Raw) (bool, error) {
			for range 3 {
				var one, two, three Raw
				if err := errors.Join(ss.RecvMsg(&one), ss.RecvMsg(&two)); err != nil {
					return false, err
				}
				if used := b.Used(); used < 2_000_000 {
					t.Errorf("%d bytes are held by two messages, want 2 MB", used)
				}
				if err := ss.RecvMsg(&three); status.Code(err) != codes.Unavailable {
					t.Errorf("a message beyond the budget = %v, want Unavailable", err)
				}
				second := two.Copy()
				for _, m := range []*Raw{&one, &two, second} {
					m.Free()
				}
				if used := b.Used(); used != 0 {
					t.Errorf("%d bytes are held by messages that were sent, want none", used)
				}
			}
			return false, status.Error(codes.Aborted, "read")
		},
	}))
	ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/"+calls.Service+"/Write")
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		if err := ss.SendMsg(&pb.WriteRequest{Database: strings.Repeat("x", 1_000_000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ss.RecvMsg(&pb.WriteResponse{}); status.Code(err) != codes.Aborted {
		t.Errorf("the call = %v", err)
	}
}

// TestARouterForwardsWhatThisNodeCannotServe makes calls that the server cannot serve, before and after its first
// message. A call is forwarded only if its client has received no message.
func TestARouterForwardsWhatThisNodeCannotServe(t *testing.T) {
	fail := func(messages int) grpc.StreamHandler {
		return func(_ any, ss grpc.ServerStream) error {
			for range messages {
				if err := ss.SendMsg(&pb.RunQueryResponse{}); err != nil {
					return err
				}
			}
			return status.Error(codes.Unavailable, "changing")
		}
	}
	s := &Server{calls: map[string]grpc.StreamHandler{"RunQuery": fail(0), "BatchGetDocuments": fail(1)}}
	var under atomic.Int64
	conn := connectTo(t, NewRouter(RouterOptions{
		Here: func(ctx context.Context, _ string, _ []byte) (context.Context, *Server, func()) {
			under.Add(1)
			return ctx, s, func() { under.Add(-1) }
		},
		Forward: func(ss grpc.ServerStream, _ string, first *Raw) (bool, error) {
			if under.Load() != 0 {
				t.Error("a call is forwarded while it is served here")
			}
			return false, ss.SendMsg(first.Copy())
		},
	}))
	receive := func(method string) func() error {
		ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/"+calls.Service+"/"+method)
		if err == nil {
			err = errors.Join(ss.SendMsg(&pb.RunQueryRequest{}), ss.CloseSend())
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() error { return ss.RecvMsg(&pb.RunQueryResponse{}) }
	}
	if err := receive("RunQuery")(); err != nil {
		t.Errorf("a query that this node can't serve = %v, want it forwarded", err)
	}
	gets := receive("BatchGetDocuments")
	if first, last := gets(), gets(); first != nil || status.Code(last) != codes.Unavailable {
		t.Errorf("gets that end after a document = %v and %v, want a document and Unavailable", first, last)
	}
}
