package forward_test

import (
	"context"
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

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/port"
	"clave/server/test/kit/wait"
)

// sendLarge sends a request with large headers.
func sendLarge(ctx context.Context, m *member) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.addr+"/v1/x", http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Large", strings.Repeat("x", 30<<10))
	return http.DefaultClient.Do(r)
}

// wantRefused sends a request to a node without a leader, which must refuse it at once.
func wantRefused(t *testing.T, m *member) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := sendLarge(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "1" {
		t.Errorf("a request beyond the limit: %s %v, want 503 with Retry-After", res.Status, res.Header)
	}
}

// TestRequestsThatWaitForALeaderAreBounded lets requests and calls wait for a leader. More than the limit are refused
// at once, and those that wait are served.
func TestRequestsThatWaitForALeaderAreBounded(t *testing.T) {
	const most = 4
	b := newBallot()
	leader := join(t, "a", secret, b, time.Hour)
	follower := joinAs(t, forward.Options{Name: "b", Secret: []byte(secret), Leader: b.get, LeaderTimeout: time.Hour, MaxWaiting: most})
	var running sync.WaitGroup
	codes200 := make(chan int, most)
	for range most {
		running.Go(func() {
			code, _ := request(t, follower, http.MethodPost, "x")
			codes200 <- code
		})
	}
	wait.Until(t, "the requests do not wait", func() bool { return follower.Waiting() == most })
	wantRefused(t, follower)
	conn, err := grpc.NewClient(follower.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Invoke(t.Context(), "/google.firestore.v1.Firestore/Commit", wrapperspb.String("x"), &wrapperspb.StringValue{}); status.Code(err) != codes.Unavailable {
		t.Errorf("a call beyond the limit ends with %v, want Unavailable", err)
	}
	b.elect(leader)
	leader.lead(port.Handlers{REST: echo})
	running.Wait()
	close(codes200)
	for code := range codes200 {
		if code != http.StatusOK {
			t.Errorf("a request that waited is answered %d, want 200", code)
		}
	}
	if n := follower.Waiting(); n != 0 {
		t.Errorf("%d requests wait, want none", n)
	}
	if code, _ := request(t, follower, http.MethodPost, "x"); code != http.StatusOK {
		t.Errorf("a request after them is answered %d, want 200", code)
	}
}

// TestBytesThatWaitForALeaderAreBounded lets a request with large headers wait. A second one is refused at once.
func TestBytesThatWaitForALeaderAreBounded(t *testing.T) {
	b := newBallot()
	counts := meter.New(clock.System(), nil)
	follower := joinAs(t, forward.Options{Name: "b", Secret: []byte(secret), Leader: b.get, LeaderTimeout: time.Hour, MaxWaitingBytes: 40 << 10, Meter: counts})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if res, err := sendLarge(ctx, follower); err == nil {
			_ = res.Body.Close()
			t.Errorf("a request that waits is answered %s", res.Status)
		}
	})
	wait.Until(t, "the request does not wait", func() bool { return follower.Waiting() == 1 })
	wantRefused(t, follower)
	if n := counts.All().Limits["leader-wait"]; n != 1 {
		t.Errorf("%d requests are counted as refused, want 1", n)
	}
	cancel()
	running.Wait()
	wait.Until(t, "a request waits whose client has disconnected", func() bool { return follower.Waiting() == 0 })
}
