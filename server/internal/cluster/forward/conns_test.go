package forward

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc/connectivity"
)

// TestAConnectionToANodeThatIsAboutToLeadStays checks that a connection stays open to a node that has the lease and
// does not serve yet. Calls wait there.
func TestAConnectionToANodeThatIsAboutToLeadStays(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	leader := Leader{Node: "a", Address: ln.Addr().String()}
	n, err := New(Options{
		Name: "a", Secret: []byte("a secret of thirty-two bytes or more"), Listener: ln, LeaderTimeout: time.Minute, Grace: time.Millisecond,
		Leader: func() (Leader, <-chan struct{}) { return leader, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	one, err := n.conns.take(leader)
	if err != nil {
		t.Fatal(err)
	}
	// A machine under load may refuse the first attempts to connect, because each has a second.
	for state := one.GetState(); state != connectivity.Ready; state = one.GetState() {
		one.Connect()
		if late, end := context.WithTimeout(t.Context(), time.Minute); !one.WaitForStateChange(late, state) {
			t.Fatalf("the connection stays %v", state)
		} else {
			end()
		}
	}
	n.conns.answer = 30 * time.Second // less than LeaderTimeout
	n.conns.check(t.Context(), one)
	if state := one.GetState(); state != connectivity.Ready {
		t.Errorf("the connection is %v, want it open", state)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
