package forward_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/cluster/forward"
	"clave/server/internal/limit/receive"
	"clave/server/internal/observe/meter"
	grpctransport "clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
)

// ballot holds the current leader.
type ballot struct {
	mu      sync.Mutex
	leader  forward.Leader
	changed chan struct{}
}

// newBallot returns a ballot without a leader.
func newBallot() *ballot { return &ballot{changed: make(chan struct{})} }

// get returns the leader.
func (b *ballot) get() (forward.Leader, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leader, b.changed
}

// elect makes a node the leader.
func (b *ballot) elect(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leader = forward.Leader{Node: m.name, Address: m.inner, Epoch: b.leader.Epoch + 1}
	close(b.changed)
	b.changed = make(chan struct{})
}

// member is a node with one port.
type member struct {
	*forward.Node
	name, inner, addr string
	port              *port.Port
	stop              func()
}

// listen listens on a free port.
func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// join runs a node that forwards requests.
func join(t *testing.T, name, secret string, b *ballot, timeLimit time.Duration) *member {
	t.Helper()
	return joinWith(t, name, secret, b, timeLimit, nil, nil)
}

// joinWith is join with a budget and a meter.
func joinWith(t *testing.T, name, secret string, b *ballot, timeLimit time.Duration, bytes *receive.Budget, counts *meter.Meter) *member {
	t.Helper()
	return joinAs(t, forward.Options{Name: name, Secret: []byte(secret), Leader: b.get, LeaderTimeout: timeLimit, Budget: bytes, Meter: counts})
}

// joinAs runs a node with options, of which the listener and the grace are set.
func joinAs(t *testing.T, o forward.Options) *member {
	t.Helper()
	inner, public := listen(t), listen(t)
	name := o.Name
	m := &member{name: name, inner: inner.Addr().String(), addr: public.Addr().String()}
	var err error
	o.Listener, o.Grace = inner, 100*time.Millisecond
	m.Node, err = forward.New(o)
	if err != nil {
		t.Fatal(err)
	}
	calls := grpctransport.NewRouter(grpctransport.RouterOptions{
		Here: func(context.Context, string, []byte) (context.Context, *grpctransport.Server, func()) {
			return nil, nil, nil
		},
		Forward: func(ss grpc.ServerStream, method string, first *grpctransport.Raw) (bool, error) {
			return m.ForwardCall(ss, "test", method, first)
		},
	})
	m.port = port.New(port.Options{
		Name: "test", Listener: public, Log: slog.New(slog.DiscardHandler), Grace: 100 * time.Millisecond, Budget: o.Budget,
		Handlers: port.Handlers{Forward: m.Forward("test"), GRPC: calls},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	for what, run := range map[string]func(context.Context) error{"node": m.Run, "port": m.port.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("%s: the %s ended with %v", name, what, err)
			}
		})
	}
	m.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(m.stop)
	return m
}

// lead sets the handlers that a node serves as the leader.
func (m *member) lead(h port.Handlers) {
	m.port.Replace(h)
	m.Serve(map[string]http.Handler{"test": m.port.Handler()})
}

// echo responds with the parts of a request that a server receives.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/plain")
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	_, _ = io.WriteString(w, strings.Join([]string{r.Method, r.Host, r.URL.RequestURI(), host, r.Header.Get("Clave-Client"), r.Header.Get("X-Forwarded-For"), string(body)}, " "))
	if r.TLS != nil {
		_, _ = io.WriteString(w, " https")
	}
})

// request sends a request to a node and returns status and body.
func request(t *testing.T, m *member, method, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+m.addr+"/v1/a%2Fb?c=d", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "clave.example"
	r.Header.Set("Clave-Client", "6.6.6.6:6")
	r.Header.Set("X-Forwarded-For", "1.2.3.4")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

const secret = "a secret of thirty-two bytes or more"

// TestARequestIsForwardedAsItCame checks what the leader receives from a request at another node, and that a client
// cannot set its own address.
func TestARequestIsForwardedAsItCame(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Minute), join(t, "b", secret, b, time.Minute)
	waiting := make(chan string, 1)
	go func() { // before a node leads
		_, text := request(t, follower, http.MethodPost, "early")
		waiting <- text
	}()
	b.elect(leader)
	leader.lead(port.Handlers{REST: echo})
	if text := <-waiting; !strings.HasSuffix(text, "early") {
		t.Errorf("a request that waited for a leader was answered %q", text)
	}
	const want = "PUT clave.example /v1/a%2Fb?c=d 127.0.0.1 6.6.6.6:6 1.2.3.4 body"
	for _, at := range []*member{leader, follower} {
		code, text := request(t, at, http.MethodPut, "body")
		if at == follower && code == http.StatusOK { // the header is the node's own and is not forwarded
			text = strings.Replace(text, " 127.0.0.1  ", " 127.0.0.1 6.6.6.6:6 ", 1)
		}
		if code != http.StatusOK || text != want {
			t.Errorf("node %s answers %d %q, want %q", at.name, code, text, want)
		}
	}
}

// TestWrongSecretsAreRefused forwards a request from a node with another secret, and sends one to the leader's inner
// listener without a client certificate.
func TestWrongSecretsAreRefused(t *testing.T) {
	b := newBallot()
	leader := join(t, "a", secret, b, time.Minute)
	unknown := join(t, "b", "another secret of thirty-two bytes", b, 200*time.Millisecond)
	b.elect(leader)
	leader.lead(port.Handlers{REST: echo})
	if code, text := request(t, unknown, http.MethodPost, "x"); code != http.StatusServiceUnavailable || !strings.Contains(text, "UNAVAILABLE") {
		t.Errorf("a node with another secret answers %d %q, want UNAVAILABLE", code, text)
	}
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+leader.inner+"/v1/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Clave-Port", "test")
	if res, err := client.Do(r); err == nil {
		_ = res.Body.Close()
		t.Errorf("the inner listener answers %d to a client without a certificate", res.StatusCode)
	}
}

// TestARequestIsForwardedOnce configures two nodes with each other as the leader.
func TestARequestIsForwardedOnce(t *testing.T) {
	one, other := newBallot(), newBallot()
	first, second := join(t, "a", secret, one, 300*time.Millisecond), join(t, "b", secret, other, 300*time.Millisecond)
	one.elect(second)
	other.elect(first)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if code, text := request(t, first, method, ""); code != http.StatusServiceUnavailable {
			t.Errorf("%s without a leader: %d %q, want 503", method, code, text)
		}
	}
}

// dripping is a gRPC server with one method, which sends the requested number of messages of a size and then waits.
func dripping(size int, sent chan<- struct{}) *grpc.Server {
	return grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, ss grpc.ServerStream) error {
		if err := ss.RecvMsg(&wrapperspb.StringValue{}); err != nil {
			return err
		}
		if err := ss.SendMsg(wrapperspb.String(strings.Repeat("x", size))); err != nil {
			return err
		}
		sent <- struct{}{}
		<-ss.Context().Done()
		return ss.Context().Err()
	}))
}

// single is a gRPC server whose GracefulStop does not wait for open streams.
type single struct{ *grpc.Server }

// GracefulStop implements port.GRPC.
func (s single) GracefulStop() { s.Stop() }

// TestACutCallIsUnavailable interrupts gRPC streams: the leader stops, or another node leads while the old leader does
// not respond.
func TestACutCallIsUnavailable(t *testing.T) {
	for name, cut := range map[string]func(b *ballot, leader, next *member){
		"the leader stops":   func(_ *ballot, leader, _ *member) { leader.stop() },
		"another node leads": func(b *ballot, _, next *member) { b.elect(next) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBallot()
			leader, follower, next := join(t, "a", secret, b, time.Second), join(t, "b", secret, b, time.Second), join(t, "c", secret, b, time.Second)
			sent := make(chan struct{}, 1)
			server := dripping(10, sent)
			b.elect(leader)
			leader.lead(port.Handlers{GRPC: single{server}})
			conn, err := grpc.NewClient(follower.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Listen")
			if err != nil {
				t.Fatal(err)
			}
			if err := ss.SendMsg(wrapperspb.String("go")); err != nil {
				t.Fatal(err)
			}
			var got wrapperspb.StringValue
			if err := ss.RecvMsg(&got); err != nil || len(got.Value) != 10 {
				t.Fatalf("first answer = %q, %v", got.Value, err)
			}
			<-sent
			cut(b, leader, next)
			if err := ss.RecvMsg(&got); status.Code(err) != codes.Unavailable || errors.Is(err, io.EOF) {
				t.Errorf("a stream that was cut ends with %v, want Unavailable", err)
			}
		})
	}
}

// TestACutMessageIsUnavailable interrupts the leader in the middle of a message. The client must not receive a protocol
// error, which SDKs do not retry.
func TestACutMessageIsUnavailable(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Second), join(t, "b", secret, b, time.Second)
	b.elect(leader)
	leader.Serve(map[string]http.Handler{"test": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		_, _ = w.Write([]byte{0, 0, 0, 0, 100, 1, 2, 3})
		panic(http.ErrAbortHandler)
	})})
	conn, err := grpc.NewClient(follower.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Invoke(t.Context(), "/google.firestore.v1.Firestore/RunQuery", wrapperspb.String("go"), &wrapperspb.StringValue{})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("a message that was cut ends with %v, want Unavailable", err)
	}
}

// TestServices calls a service of the leader. Requests to a client port and requests with a wrong secret must not reach
// it.
func TestServices(t *testing.T) {
	b := newBallot()
	one, two := join(t, "one", "secret", b, time.Second), join(t, "two", "secret", b, time.Second)
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(append([]byte("done "), body...))
	})
	b.elect(one)
	one.Serve(map[string]http.Handler{"release": service})
	leader, _ := b.get()
	client, err := forward.NewClient([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for who, c := range map[string]*forward.Client{"a command": client, "a node": two.Client()} {
		if code, answer, err := c.Call(t.Context(), leader, "release", []byte("x")); code != http.StatusAccepted || string(answer) != "done x" || err != nil {
			t.Errorf("Call of %s = %d %q, %v; want 202 and done x", who, code, answer, err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+two.addr+"/", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Clave-Port", "release")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode == http.StatusAccepted {
		t.Error("a client's request reached a service by a header")
	}
	at := forward.Leader{Node: "two", Address: two.inner}
	if _, _, err := client.Call(t.Context(), at, "release", nil); !errors.Is(err, forward.ErrNotLeading) {
		t.Errorf("Call of a node that does not lead = %v, want ErrNotLeading", err)
	}
	unknown, err := forward.NewClient([]byte("another secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer unknown.Close()
	if code, _, err := unknown.Call(t.Context(), leader, "release", nil); err == nil {
		t.Errorf("an unknown client's Call = %d, want an error", code)
	}
}
