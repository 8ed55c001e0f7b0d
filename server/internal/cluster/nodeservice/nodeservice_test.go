package nodeservice_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/nodeservice"
)

// service is the name of the test's service.
const service = "greeting"

// listen listens on a free port until the test ends.
func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// join runs a node that does not lead, with services, until the test ends.
func join(t *testing.T, name string, services map[string]http.Handler) (*forward.Node, nodeservice.Node) {
	t.Helper()
	ln, nobody := listen(t), make(chan struct{})
	n, err := forward.New(forward.Options{
		Name: name, Secret: []byte("the secret of the nodes of this test"), Listener: ln,
		Leader: func() (forward.Leader, <-chan struct{}) { return forward.Leader{}, nobody },
	})
	if err != nil {
		t.Fatal(err)
	}
	n.ServeOwned(services)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Errorf("%s ended with %v", name, err)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return n, nodeservice.Node{Name: name, Inner: ln.Addr().String()}
}

// TestAsk asks nodes of which none leads: two that answer, one whose service refuses, one without the service, one that
// has ended and one that accepts connections and never says anything.
func TestAsk(t *testing.T) {
	const most = 100
	greet := func(name string) map[string]http.Handler {
		return map[string]http.Handler{service: leaderservice.Handler(most, func(_ context.Context, in struct{ To string }) (struct{ Text string }, error) {
			return struct{ Text string }{name + " greets " + in.To}, nil
		})}
	}
	refuse := leaderservice.Handler(most, func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, fault.E(fault.FailedPrecondition, "c greets nobody")
	})
	asking, a := join(t, "a", greet("a"))
	_, b := join(t, "b", greet("b"))
	_, c := join(t, "c", map[string]http.Handler{service: refuse})
	_, d := join(t, "d", nil)
	gone := listen(t)
	ended := nodeservice.Node{Name: "e", Inner: gone.Addr().String()}
	_ = gone.Close()
	silent := nodeservice.Node{Name: "f", Inner: listen(t).Addr().String()}
	answers, err := nodeservice.Ask[struct{ To string }, struct{ Text string }](t.Context(), asking.Client(), []nodeservice.Node{a, b, c, d, ended, silent}, service, struct{ To string }{"ada"})
	if err != nil || len(answers) != 6 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for i, want := range []struct {
		text   string
		code   fault.Code
		reason string
	}{
		{"a greets ada", fault.OK, ""}, {"b greets ada", fault.OK, ""}, {"", fault.FailedPrecondition, "c greets nobody"},
		{"", fault.Unavailable, "the node d"}, {"", fault.Unavailable, "the node e"}, {"", fault.Unavailable, "the node f"},
	} {
		got := answers[i]
		if got.Node != string(rune('a'+i)) || got.Out.Text != want.text || want.text != "" && got.Err != nil {
			t.Errorf("answer %d: %+v, want %q", i, got, want.text)
		}
		if want.text == "" && (!fault.Is(got.Err, want.code) || !strings.Contains(fault.Reason(got.Err), want.reason)) {
			t.Errorf("answer %d: the error %v, want %v with %q", i, got.Err, want.code, want.reason)
		}
	}
}
