package quota_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/quota"
)

// TestMain fails if the tests leak goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errFull is the error of a full quota.
var errFull = errors.New("full")

// take takes bytes for a new share and fails if it is refused.
func take(t *testing.T, q *quota.Quota, network string, n int64) *quota.Share {
	t.Helper()
	s := q.Share(network)
	if err := s.Take(n); err != nil {
		t.Fatalf("Take(%d) for %q: %v", n, network, err)
	}
	return &s
}

// waiting starts a Wait and returns once it waits. The channel receives its result.
func waiting(ctx context.Context, t *testing.T, q *quota.Quota, s *quota.Share, n int64) chan error {
	t.Helper()
	before := q.Waiting()
	ended := make(chan error, 1)
	go func() { ended <- s.Wait(ctx, n) }()
	for q.Waiting() == before {
		select {
		case err := <-ended:
			t.Fatalf("Wait(%d) did not wait: %v", n, err)
		default:
		}
	}
	return ended
}

// TestANetworkHasItsPart takes bytes for networks and for clients without one.
func TestANetworkHasItsPart(t *testing.T) {
	q := quota.New(quota.Options{Bytes: 100, Network: 40, Full: errFull})
	first, other, own := q.Share("a"), q.Share("b"), q.Share("")
	second := first.Sibling()
	for _, step := range []struct {
		name  string
		share *quota.Share
		n     int64
		want  error
	}{
		{"its part", &first, 30, nil}, {"more than its part", &second, 11, errFull}, {"the rest of its part", &second, 10, nil}, {"a byte more", &first, 1, errFull},
		{"another network", &other, 40, nil}, {"too much for all", &own, 21, errFull}, {"the rest", &own, 20, nil}, {"nothing", &first, 0, nil},
	} {
		if err := step.share.Take(step.n); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.name, err, step.want)
		}
	}
	if own.Shrink(0); own.Take(20) != nil {
		t.Error("returned bytes can't be taken")
	}
	first.Shrink(0)
	if err := second.Take(31); !errors.Is(err, errFull) {
		t.Errorf("more than the part after a share was returned: %v", err)
	}
	if err := second.Take(30); err != nil {
		t.Errorf("the part after a share was returned: %v", err)
	}
	if got := q.Used(); got != 100 {
		t.Errorf("%d bytes are used, want 100", got)
	}
	for _, s := range []*quota.Share{&first, &second, &other, &own} {
		s.Shrink(0)
	}
	if got := q.Used(); got != 0 || q.Networks() != 0 {
		t.Errorf("%d bytes and %d networks at the end, want none", got, q.Networks())
	}
}

// TestAnotherNetworkPasses lets requests of a network wait for its part: those of others must be served at once.
func TestAnotherNetworkPasses(t *testing.T) {
	q := quota.New(quota.Options{Bytes: 100, Network: 50})
	held := take(t, q, "a", 50)
	more := q.Share("a")
	waits := waiting(t.Context(), t, q, &more, 10)
	other := q.Share("b")
	if err := other.Wait(t.Context(), 50); err != nil {
		t.Fatal(err)
	}
	held.Shrink(45)
	select {
	case err := <-waits:
		t.Errorf("the network got 10 bytes of 5: %v", err)
	default:
	}
	held.Shrink(40)
	if err := <-waits; err != nil {
		t.Error(err)
	}
}

// TestNetworksTakeTurns lets requests of two networks wait for the whole quota. They must be served in turn.
func TestNetworksTakeTurns(t *testing.T) {
	q := quota.New(quota.Options{Bytes: 10})
	held := take(t, q, "x", 10)
	var mu sync.Mutex
	var order []string
	var all []chan error
	for _, name := range []string{"a", "a", "a", "b", "b"} {
		s := q.Share(name)
		before := q.Waiting()
		ended := make(chan error, 1)
		go func() {
			err := s.Wait(t.Context(), 10)
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			s.Shrink(0)
			ended <- err
		}()
		for q.Waiting() == before { // the next one comes later
		}
		all = append(all, ended)
	}
	held.Shrink(0)
	for _, ended := range all {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := len(order); got != 5 || order[0] != "a" || order[1] != "b" || order[2] != "a" || order[3] != "b" {
		t.Errorf("served in the order %v, want a b a b a", order)
	}
}

// TestALargeRequestIsServed lets a request that needs more than the network's part wait behind another one, and small
// ones of another network behind it.
func TestALargeRequestIsServed(t *testing.T) {
	q := quota.New(quota.Options{Bytes: 100, Network: 50})
	first, own := take(t, q, "b", 30), take(t, q, "a", 1)
	large, small := q.Share("a"), q.Share("b")
	waits := waiting(t.Context(), t, q, &large, 1000)
	own.Shrink(0) // From now on it waits for all clients.
	behind := waiting(t.Context(), t, q, &small, 10)
	first.Shrink(0)
	if err := <-waits; err != nil || large.Held() != 100 {
		t.Fatalf("the large request holds %d bytes, %v; want all 100", large.Held(), err)
	}
	large.Shrink(90)
	if err := <-behind; err != nil {
		t.Error(err)
	}
}

// TestAWaitEnds cancels a request that others must not pass.
func TestAWaitEnds(t *testing.T) {
	q := quota.New(quota.Options{Bytes: 100})
	take(t, q, "a", 60)
	ctx, cancel := context.WithCancel(t.Context())
	large, small := q.Share("b"), q.Share("c")
	gone := waiting(ctx, t, q, &large, 41)
	behind := waiting(t.Context(), t, q, &small, 40)
	cancel()
	if err := <-gone; !fault.Is(err, fault.Canceled) || large.Held() != 0 {
		t.Errorf("a request whose context ended: %v and %d bytes, want CANCELLED and none", err, large.Held())
	}
	if err := <-behind; err != nil {
		t.Error(err)
	}
	if err := large.Wait(ctx, 1); !fault.Is(err, fault.Canceled) {
		t.Errorf("a request whose context has ended: %v, want CANCELLED", err)
	}
}

// TestAWaitPresses lets a request wait for long. Who holds the bytes must learn it, again after the same time.
func TestAWaitPresses(t *testing.T) {
	manual := clocktest.NewManual(time.Unix(1_800_000_000, 0))
	q := quota.New(quota.Options{Bytes: 10, Pressed: time.Second, Clock: manual})
	held, more := take(t, q, "a", 10), q.Share("b")
	pressed := q.Pressed()
	waits := waiting(t.Context(), t, q, &more, 5)
	select {
	case <-pressed:
		t.Error("pressed at once")
	default:
	}
	for range 2 {
		for ended := false; !ended; { // The request may not have begun to wait for the time.
			manual.Advance(time.Second)
			select {
			case <-pressed:
				ended = true
			default:
				runtime.Gosched()
			}
		}
		pressed = q.Pressed()
	}
	held.Shrink(0)
	if err := <-waits; err != nil || more.Held() != 5 {
		t.Errorf("the request holds %d bytes, %v; want 5", more.Held(), err)
	}
}

// TestNetworkNames checks which clients count together.
func TestNetworkNames(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32", "2001:db8::1": "2001:db8::/64", "127.0.0.1": "", "::1": "", "::ffff:127.0.0.1": "",
	} {
		if got := quota.Network(netip.MustParseAddr(address)); got != want {
			t.Errorf("Network(%s) = %q, want %q", address, got, want)
		}
	}
	if got := quota.Network(netip.Addr{}); got != "" {
		t.Errorf("Network of no address = %q, want none", got)
	}
}

// TestConcurrentShares takes, waits, cancels and returns at random in many goroutines. At no time must more be held
// than there is, and at the end everything must have come back.
func TestConcurrentShares(t *testing.T) {
	const most, part = 1000, 400
	q := quota.New(quota.Options{Bytes: most, Network: part, Full: errFull})
	var all sync.WaitGroup
	for seed := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			network := []string{"a", "b", "c", ""}[seed%4]
			for range 500 {
				s := q.Share(network)
				if r.IntN(8) == 0 {
					_ = s.Take(0)
				} else if r.IntN(2) == 0 {
					_ = s.Take(r.Int64N(part))
				} else {
					ctx, cancel := context.WithCancel(t.Context())
					if r.IntN(3) == 0 {
						go cancel()
					}
					if err := s.Wait(ctx, 1+r.Int64N(most)); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
					cancel()
				}
				if used := q.Used(); used > most {
					t.Errorf("%d of %d bytes are used", used, most)
				}
				s.Shrink(s.Held() / 2)
				s.Shrink(0)
			}
		})
	}
	all.Wait()
	if q.Used() != 0 || q.Waiting() != 0 || q.Networks() != 0 {
		t.Errorf("%d bytes, %d requests and %d networks at the end, want none", q.Used(), q.Waiting(), q.Networks())
	}
}

// BenchmarkTake takes and returns bytes of a network.
func BenchmarkTake(b *testing.B) {
	q := quota.New(quota.Options{Bytes: 1 << 20, Network: 1 << 19})
	s := q.Share("192.0.2.1/32")
	if err := s.Take(1); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Take(512); err != nil {
			b.Fatal(err)
		}
		s.Shrink(1)
	}
}
