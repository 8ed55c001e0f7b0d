package fair_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"clave/server/internal/limit/fair"
)

// occupy takes the only place of a queue and returns a function that frees it.
func occupy(t *testing.T, q *fair.Queue) (release func()) {
	t.Helper()
	inside, leave := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() { ended <- q.Do(context.Background(), "first", func() { close(inside); <-leave }) }()
	<-inside
	return func() {
		close(leave)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// enqueue starts a request and returns once it waits in the queue.
func enqueue(ctx context.Context, q *fair.Queue, client string, work func()) (ended chan error) {
	ended = make(chan error, 1)
	before := q.Waiting()
	go func() { ended <- q.Do(ctx, client, work) }()
	for q.Waiting() == before {
		select {
		case err := <-ended:
			ended <- err
			return ended
		default:
		}
	}
	return ended
}

// TestWholeWorkTakesTurns lets work of one client wait before that of others.
func TestWholeWorkTakesTurns(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1, Waiting: -1})
	release := occupy(t, q)
	var order []string // one worker: the requests run one after another
	var all []chan error
	for _, client := range []string{"a", "a", "a", "a", "b", "c", "b"} {
		all = append(all, enqueue(t.Context(), q, client, func() { order = append(order, client) }))
	}
	release()
	for _, ended := range all {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if want := []string{"a", "b", "c", "a", "b", "a", "a"}; !slices.Equal(order, want) {
		t.Errorf("clients were served in the order %v, want %v", order, want)
	}
}

// errFull is the error of a full queue.
var errFull = errors.New("full")

// TestAClientHasALimitOfWaitingWork checks the error beyond it.
func TestAClientHasALimitOfWaitingWork(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1, Waiting: 2, Full: errFull})
	release := occupy(t, q)
	nothing := func() {}
	waiting := []chan error{enqueue(t.Context(), q, "a", nothing), enqueue(t.Context(), q, "a", nothing)}
	if err := q.Do(t.Context(), "a", func() { t.Error("it ran") }); !errors.Is(err, errFull) {
		t.Errorf("a third request of a client: %v, want errFull", err)
	}
	waiting = append(waiting, enqueue(t.Context(), q, "b", nothing))
	release()
	for _, ended := range waiting {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestCanceledWork ends the context of work that waits.
func TestCanceledWork(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1, Waiting: -1})
	release := occupy(t, q)
	ctx, cancel := context.WithCancel(t.Context())
	gone := enqueue(ctx, q, "a", func() { t.Error("it ran") })
	stays := enqueue(t.Context(), q, "b", func() {})
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request: %v, want Canceled", err)
	}
	release()
	if err := <-stays; err != nil {
		t.Error(err)
	}
	for range 3 { // the place is free again
		if err := q.Do(t.Context(), "c", func() {}); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkDo runs work that costs nothing.
func BenchmarkDo(b *testing.B) {
	q := fair.New(fair.Options{Workers: 1, Waiting: 32})
	for b.Loop() {
		if err := q.Do(b.Context(), "192.0.2.1", func() {}); err != nil {
			b.Fatal(err)
		}
	}
}
