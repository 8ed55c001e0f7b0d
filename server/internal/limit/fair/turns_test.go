package fair_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/fair"
	"clave/server/test/kit/wait"
)

// TestMain fails if the tests leak goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The costs of work for which a call needs no turn, and of a whole slice.
const little, slice = 64, 1024

// begin starts a call of a client and returns its turn with its context.
func begin(ctx context.Context, q *fair.Queue, client string) (*fair.Turn, context.Context) {
	ctx = q.Within(ctx, client, "")
	return fair.Of(ctx), ctx
}

// take starts a call that has a turn.
func take(t *testing.T, q *fair.Queue, client string) (*fair.Turn, context.Context) {
	t.Helper()
	turn, ctx := begin(t.Context(), q, client)
	if err := turn.Step(ctx, little+1); err != nil {
		t.Fatal(err)
	}
	return turn, ctx
}

// wait starts a call that waits for a turn, and then works for the cost of steps slices. It returns once the call
// waits.
func await(t *testing.T, q *fair.Queue, calls *sync.WaitGroup, client string, steps int, worked func(client string)) {
	t.Helper()
	before := q.Waiting()
	calls.Go(func() {
		turn, ctx := begin(t.Context(), q, client)
		for range steps {
			if err := turn.Step(ctx, slice); err != nil {
				t.Error(err)
			}
			worked(client)
		}
		turn.Rest()
	})
	wait.Until(t, "the call waits", func() bool { return q.Waiting() == before+1 })
}

// TestClientsTakeTurns lets many calls of one client wait before a call of another.
func TestClientsTakeTurns(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1})
	first, _ := take(t, q, "a")
	var calls sync.WaitGroup
	var order []string // One worker: the calls work one after another.
	for _, client := range []string{"a", "a", "a", "b"} {
		await(t, q, &calls, client, 2, func(client string) { order = append(order, client) })
	}
	first.Rest()
	calls.Wait()
	if at := slices.Index(order, "b"); len(order) != 8 || at > 1 {
		t.Errorf("the clients worked in the order %v, want b second at the latest", order)
	}
}

// TestASliceEnds lets a call work on while another one waits.
func TestASliceEnds(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1})
	long, ctx := take(t, q, "a")
	if err := long.Step(ctx, 10*slice); err != nil { // no call waits
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	ended := make(chan struct{})
	await(t, q, &calls, "b", 1, func(string) { close(ended) })
	if err := long.Step(ctx, 1); err != nil { // it returns when the other call has ended its turn
		t.Fatal(err)
	}
	<-ended
	long.Rest()
	calls.Wait()
}

// TestLittleWorkNeedsNoTurn works while another call has the only turn.
func TestLittleWorkNeedsNoTurn(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1})
	long, _ := take(t, q, "a")
	turn, ctx := begin(t.Context(), q, "a")
	if err := errors.Join(turn.Start(ctx), turn.Step(ctx, little)); err != nil {
		t.Fatal(err)
	}
	turn.Rest()
	long.Rest()
	(*fair.Turn)(nil).Rest()
	if ctx := (*fair.Queue)(nil).Within(t.Context(), "a", ""); fair.Of(ctx) != nil {
		t.Error("a context without a queue has a turn")
	}
}

// TestALentTurnIsPassedOn lets a call wait for its client while another call waits.
func TestALentTurnIsPassedOn(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1})
	slow, ctx := take(t, q, "a")
	slow.Lend()
	var calls sync.WaitGroup
	await(t, q, &calls, "b", 1, func(string) {})
	calls.Wait() // only because the queue took the turn
	slow.Return()
	if err := slow.Step(ctx, 1); err != nil {
		t.Fatal(err)
	}
	slow.Lend()
	slow.Return()
	slow.Rest()
	for range 2 { // there is still exactly one worker
		turn, _ := take(t, q, "c")
		gone, cancel := context.WithCancel(t.Context())
		late, lateCtx := begin(gone, q, "d")
		cancel()
		if err := late.Step(lateCtx, slice); !errors.Is(err, context.Canceled) {
			t.Errorf("a second call: %v, want it to wait until its context ends", err)
		}
		turn.Rest()
	}
}

// TestWaitingCallsHaveALimit lets more calls of a client wait than may.
func TestWaitingCallsHaveALimit(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1, Waiting: 2})
	first, _ := take(t, q, "a")
	var calls sync.WaitGroup
	await(t, q, &calls, "a", 1, func(string) {})
	await(t, q, &calls, "a", 1, func(string) {})
	turn, ctx := begin(t.Context(), q, "a")
	if err := turn.Start(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a third waiting call: %v, want UNAVAILABLE", err)
	}
	await(t, q, &calls, "b", 1, func(string) {})
	first.Rest()
	calls.Wait()
	if got := q.Waiting(); got != 0 {
		t.Errorf("%d calls wait at the end", got)
	}
}
