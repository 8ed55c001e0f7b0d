package readindex

import (
	"context"
	"sync"
)

// shared makes one call at a time for many callers. Callers that arrive during a call share the next one, which begins
// after they have arrived. Call must be set.
type shared[T any] struct {
	// Call makes a call. Its context does not depend on any of the callers.
	Call func(ctx context.Context) (T, error)
	mu   struct {
		sync.Mutex
		running bool
		next    *flight[T]
	}
}

// flight is one call of several callers.
type flight[T any] struct {
	// turn holds one message; the caller that receives it makes the call. done is closed when result and err are set.
	turn, done chan struct{}
	result     T
	err        error
}

// Do returns the result of a call that begins after Do was called.
func (s *shared[T]) Do(ctx context.Context) (result T, err error) {
	s.mu.Lock()
	if s.mu.next == nil {
		s.mu.next = &flight[T]{turn: make(chan struct{}, 1), done: make(chan struct{})}
	}
	f := s.mu.next
	if !s.mu.running {
		s.mu.running = true
		f.turn <- struct{}{}
	}
	s.mu.Unlock()
	select {
	case <-f.turn:
		s.fly(ctx, f)
	case <-f.done:
	case <-ctx.Done():
		// If this flight has the turn, another of its callers takes it.
		return result, ctx.Err()
	}
	return f.result, f.err
}

// fly makes the call of a flight and passes the turn to the next one.
func (s *shared[T]) fly(ctx context.Context, f *flight[T]) {
	s.mu.Lock()
	s.mu.next = nil // later callers join the next flight
	s.mu.Unlock()
	f.result, f.err = s.Call(context.WithoutCancel(ctx))
	close(f.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.next != nil {
		s.mu.next.turn <- struct{}{}
	} else {
		s.mu.running = false
	}
}
