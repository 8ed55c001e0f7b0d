package forward_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/transport/port"
)

// The methods of the tests: unary, and with streams in both directions.
const (
	unary  = "/google.firestore.v1.Firestore/Commit"
	stream = "/google.firestore.v1.Firestore/Write"
)

// handle returns a gRPC server whose calls are served by a function.
func handle(f func(ss grpc.ServerStream) error) port.Handlers {
	return port.Handlers{GRPC: single{grpc.NewServer(grpc.MaxRecvMsgSize(32<<20), grpc.UnknownServiceHandler(func(_ any, ss grpc.ServerStream) error { return f(ss) }))}}
}

// dial connects to a node.
func dial(t *testing.T, m *member) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(m.addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(32<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// open opens a stream at a node.
func open(ctx context.Context, t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, stream)
	if err != nil {
		t.Fatal(err)
	}
	return ss
}

// TestACallIsForwardedAsItCame checks what the leader receives from a call at another node, and what the client gets:
// metadata, the client's address, the deadline, large messages, trailers, and a status with details.
func TestACallIsForwardedAsItCame(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Second), join(t, "b", secret, b, time.Second)
	leader.lead(handle(func(ss grpc.ServerStream) error {
		var in wrapperspb.BytesValue
		if err := ss.RecvMsg(&in); err != nil {
			return err
		}
		md, _ := metadata.FromIncomingContext(ss.Context())
		p, _ := peer.FromContext(ss.Context())
		until, _ := ss.Context().Deadline()
		for name, want := range map[string]string{"authorization": "Bearer t", "google-cloud-resource-prefix": "projects/p", "x-some-bin": "\x00\xff", "x-forwarded-for": "1.2.3.4"} {
			if got := md.Get(name); !slices.Equal(got, []string{want}) {
				t.Errorf("the leader has %s = %q, want %q", name, got, want)
			}
		}
		if got := append(md.Get("clave-client"), md.Get("clave-port")...); len(got) > 0 || !strings.HasPrefix(p.Addr.String(), "127.0.0.1:") {
			t.Errorf("the leader has the client %v and %q, want its address only", p.Addr, got)
		}
		if left := time.Until(until); left > time.Hour || left < time.Minute {
			t.Errorf("the leader has a deadline in %v, want the client's", left)
		}
		if err := errors.Join(ss.SetHeader(metadata.Pairs("x-head", "h")), ss.SendMsg(&in)); err != nil {
			return err
		}
		ss.SetTrailer(metadata.Pairs("x-tail", "t"))
		st, err := status.New(codes.FailedPrecondition, "no ü").WithDetails(durationpb.New(time.Second))
		if err != nil {
			return err
		}
		return st.Err()
	}))
	b.elect(leader)
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer t", "google-cloud-resource-prefix", "projects/p",
		"x-some-bin", "\x00\xff", "x-forwarded-for", "1.2.3.4", "clave-client", "6.6.6.6:6", "clave-port", "release", "keep-alive", "timeout=5", "upgrade", "h2c"), time.Hour)
	defer cancel()
	for _, size := range []int{0, 10, 5 << 20} {
		ss := open(ctx, t, dial(t, follower))
		if err := errors.Join(ss.SendMsg(wrapperspb.Bytes(make([]byte, size))), ss.CloseSend()); err != nil {
			t.Fatal(err)
		}
		var out wrapperspb.BytesValue
		if err := ss.RecvMsg(&out); err != nil || len(out.Value) != size {
			t.Fatalf("%d bytes came back as %d, %v", size, len(out.Value), err)
		}
		err := ss.RecvMsg(&out)
		st := status.Convert(err)
		if st.Code() != codes.FailedPrecondition || st.Message() != "no ü" || len(st.Details()) != 1 {
			t.Errorf("the call ends with %v and details %v, want the leader's", err, st.Details())
		}
		header, _ := ss.Header()
		if h, tail := header.Get("x-head"), ss.Trailer().Get("x-tail"); len(h) != 1 || len(tail) != 1 {
			t.Errorf("header %q and trailer %q, want the leader's", h, tail)
		}
		for name := range ss.Trailer() {
			if strings.HasPrefix(name, "clave-") {
				t.Errorf("the client gets the nodes' own trailer %s", name)
			}
		}
	}
	leader.lead(handle(func(grpc.ServerStream) error { return status.Error(codes.Internal, "own") }))
	if err := dial(t, follower).Invoke(t.Context(), unary, &wrapperspb.BytesValue{}, &wrapperspb.BytesValue{}); status.Convert(err).Message() != "own" {
		t.Errorf("an internal error of the leader is %v, want it", err)
	}
}

// TestACallWithAnyHeadersIsForwarded sends headers that gRPC servers accept and gRPC clients do not send. Proxies add
// such headers, for example the client's city.
func TestACallWithAnyHeadersIsForwarded(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Second), join(t, "b", secret, b, time.Second)
	got := make(chan metadata.MD, 1)
	leader.lead(handle(func(ss grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(ss.Context())
		got <- md
		return status.Error(codes.DataLoss, "served")
	}))
	b.elect(leader)
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &only}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+follower.addr+unary, bytes.NewReader(make([]byte, 5)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "X-Forwarded-For": {"Málaga, 1.2.3.4"}, "X-A+b": {"c"}, "Upgrade-Insecure": {"1"}, "Authorization": {"Bearer t"}}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if code := res.Header.Get("Grpc-Status"); code != strconv.Itoa(int(codes.DataLoss)) {
		t.Fatalf("the call ends with status %q, %q, want the leader's", code, res.Header.Get("Grpc-Message"))
	}
	md := <-got
	if via, token := md.Get("x-forwarded-for"), md.Get("authorization"); !slices.Equal(via, []string{"M?laga, 1.2.3.4"}) || !slices.Equal(token, []string{"Bearer t"}) {
		t.Errorf("the leader has the proxies %q and the token %q", via, token)
	}
}

// TestStreamsAreForwarded sends messages in both directions in turn, closes the client's side, and cancels a call.
func TestStreamsAreForwarded(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Second), join(t, "b", secret, b, time.Second)
	ended := make(chan error, 1)
	leader.lead(handle(func(ss grpc.ServerStream) error {
		for {
			var m wrapperspb.StringValue
			if err := ss.RecvMsg(&m); err != nil {
				ended <- err
				if errors.Is(err, io.EOF) {
					return ss.SendMsg(wrapperspb.String("end"))
				}
				return err
			}
			if err := ss.SendMsg(&m); err != nil {
				return err
			}
		}
	}))
	b.elect(leader)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	conn := dial(t, follower)
	whole, given := open(ctx, t, conn), open(ctx, t, conn)
	var got wrapperspb.StringValue
	for _, text := range []string{"one", "two", "three"} {
		for _, ss := range []grpc.ClientStream{whole, given} {
			if err := errors.Join(ss.SendMsg(wrapperspb.String(text)), ss.RecvMsg(&got)); err != nil || got.Value != text {
				t.Fatalf("%q came back as %q, %v", text, got.Value, err)
			}
		}
	}
	if err := errors.Join(whole.CloseSend(), whole.RecvMsg(&got)); err != nil || got.Value != "end" || !errors.Is(<-ended, io.EOF) {
		t.Errorf("after the end of the client's side: %q, %v", got.Value, err)
	}
	if err := whole.RecvMsg(&got); !errors.Is(err, io.EOF) {
		t.Errorf("the call ends with %v, want EOF", err)
	}
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the leader's side of a canceled call ends with %v, want Canceled", err)
	}
}

// TestCallsFindTheLeader makes calls while no node leads, while the leader no longer leads, and while it is gone. A
// call that the leader cannot have begun waits for the next leader.
func TestCallsFindTheLeader(t *testing.T) {
	for name, first := range map[string]func(t *testing.T, b *ballot, one *member){
		"no leader":          func(*testing.T, *ballot, *member) {},
		"another leads":      func(_ *testing.T, b *ballot, one *member) { b.elect(one) }, // without handlers
		"the leader is gone": func(_ *testing.T, b *ballot, one *member) { one.stop(); b.elect(one) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBallot()
			one, follower, next := join(t, "a", secret, b, 100*time.Millisecond), join(t, "b", secret, b, time.Minute), join(t, "c", secret, b, time.Minute)
			first(t, b, one)
			answered := make(chan error, 1)
			go func() {
				answered <- dial(t, follower).Invoke(t.Context(), unary, wrapperspb.String("x"), &wrapperspb.StringValue{})
			}()
			next.lead(handle(func(ss grpc.ServerStream) error {
				var m wrapperspb.StringValue
				if err := ss.RecvMsg(&m); err != nil || m.Value != "x" {
					return status.Errorf(codes.DataLoss, "%q, %v", m.Value, err)
				}
				return ss.SendMsg(&m)
			}))
			b.elect(next)
			if err := <-answered; err != nil {
				t.Errorf("the call = %v, want it at the next leader", err)
			}
		})
	}
	b := newBallot()
	if err := dial(t, join(t, "a", secret, b, 50*time.Millisecond)).Invoke(t.Context(), unary, wrapperspb.String("x"), &wrapperspb.StringValue{}); status.Code(err) != codes.Unavailable {
		t.Errorf("a call without a leader = %v, want Unavailable", err)
	}
	leader, stranger := join(t, "c", secret, b, time.Second), join(t, "d", "another secret of thirty-two bytes", b, 200*time.Millisecond)
	leader.lead(handle(func(grpc.ServerStream) error { return status.Error(codes.DataLoss, "served") }))
	b.elect(leader)
	if err := dial(t, stranger).Invoke(t.Context(), unary, wrapperspb.String("x"), &wrapperspb.StringValue{}); status.Code(err) != codes.Unavailable {
		t.Errorf("a call at a node with another secret = %v, want Unavailable", err)
	}
}
