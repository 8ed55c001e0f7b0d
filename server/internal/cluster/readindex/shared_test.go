package readindex

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSharedCallsBeginAfterTheirCallers has many concurrent callers. No caller may receive the result of a call that
// began before it, and only one call may be in progress at a time.
func TestSharedCallsBeginAfterTheirCallers(t *testing.T) {
	var clock, calls, under atomic.Int64
	s := shared[int64]{Call: func(context.Context) (int64, error) {
		if under.Add(1) != 1 {
			t.Error("two calls are under way")
		}
		defer under.Add(-1)
		calls.Add(1)
		return clock.Add(1), nil
	}}
	var callers sync.WaitGroup
	const each = 200
	for range 8 {
		callers.Go(func() {
			for range each {
				came := clock.Add(1)
				if began, err := s.Do(t.Context()); err != nil || began < came {
					t.Errorf("the caller of time %d shares the call that began at %d, %v", came, began, err)
				}
			}
		})
	}
	callers.Wait()
	if n := calls.Load(); n > 8*each {
		t.Errorf("%d calls for %d callers", n, 8*each)
	}
}

// TestSharedCallsContinueWithoutTheirCallers cancels a caller that waits for its turn. The next caller takes the turn,
// and errors reach all callers.
func TestSharedCallsContinueWithoutTheirCallers(t *testing.T) {
	enter, leave := make(chan struct{}), make(chan struct{})
	failure := errors.New("failed")
	s := shared[int]{Call: func(context.Context) (int, error) {
		enter <- struct{}{}
		<-leave
		return 0, failure
	}}
	var callers sync.WaitGroup
	callers.Go(func() {
		if _, err := s.Do(t.Context()); !errors.Is(err, failure) {
			t.Errorf("Do = %v, want the call's error", err)
		}
	})
	<-enter
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Do(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Do of a caller that has left = %v, want Canceled", err)
	}
	leave <- struct{}{}
	callers.Go(func() {
		if _, err := s.Do(t.Context()); !errors.Is(err, failure) {
			t.Errorf("Do = %v, want the call's error", err)
		}
	})
	<-enter
	leave <- struct{}{}
	callers.Wait()
}
