package process_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"clave/server/internal/base/process"
)

// TestEndingCancelsContexts checks contexts that were created before the ending and after it, and those whose work has
// ended.
func TestEndingCancelsContexts(t *testing.T) {
	e := process.NewEnding()
	before, stop := e.Within(t.Context())
	defer stop()
	if before.Err() != nil || e.Ended() {
		t.Fatalf("before the ending: %v, %v", before.Err(), e.Ended())
	}
	_, done := e.Within(t.Context())
	done()
	e.End()
	e.End()
	<-e.Done()
	after, stop := e.Within(t.Context())
	defer stop()
	if before.Err() == nil || after.Err() == nil || !e.Ended() {
		t.Errorf("after the ending: %v, %v, %v", before.Err(), after.Err(), e.Ended())
	}
}

// TestWorkIsAContext ends works by each of the reasons, with a child and without one. Only the end of the Ending calls
// the function.
func TestWorkIsAContext(t *testing.T) {
	type key struct{}
	for _, tt := range []struct {
		name  string
		end   func(cancel context.CancelFunc, e *process.Ending, w *process.Work)
		calls bool
	}{
		{"the parent", func(cancel context.CancelFunc, _ *process.Ending, _ *process.Work) { cancel() }, false},
		{"the Ending", func(_ context.CancelFunc, e *process.Ending, _ *process.Work) { e.End() }, true},
		{"the work", func(_ context.CancelFunc, _ *process.Ending, w *process.Work) { w.Stop() }, false},
	} {
		for _, used := range []bool{false, true} {
			parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
			defer cancel()
			e := process.NewEnding()
			defer e.Begin(t.Context()).Stop()
			w := e.Begin(parent)
			defer w.Stop()
			e.Begin(t.Context()).Stop()
			child := parent
			if used {
				var release context.CancelFunc
				child, release = context.WithCancel(w)
				defer release()
			}
			called := make(chan struct{})
			stop := process.OnEnd(context.WithValue(w, key{}, "other"), func() { close(called) })
			if w.Err() != nil || child.Err() != nil || w.Value(key{}) != "value" {
				t.Errorf("before the end: %v, %v, %v", w.Err(), child.Err(), w.Value(key{}))
			}
			tt.end(cancel, e, w)
			if w.Err() == nil || !errors.Is(context.Cause(w), context.Canceled) {
				t.Errorf("after the end of %s: %v, %v", tt.name, w.Err(), context.Cause(w))
			}
			<-w.Done()
			if used {
				<-child.Done()
			}
			if tt.calls {
				<-called
			} else if !stop() {
				t.Errorf("the end of %s has called the function", tt.name)
			}
		}
	}
}

// TestOnEndAfterTheEnd registers a function for a work that begins after the end.
func TestOnEndAfterTheEnd(t *testing.T) {
	e := process.NewEnding()
	e.End()
	w := e.Begin(t.Context())
	defer w.Stop()
	called := make(chan struct{})
	process.OnEnd(w, func() { close(called) })
	<-called
}

// TestWorksEndOnce begins, stops and ends many works concurrently. Each is done afterwards, and those that were not
// stopped call their function.
func TestWorksEndOnce(t *testing.T) {
	e := process.NewEnding()
	var working, calls sync.WaitGroup
	for i := range 200 {
		working.Go(func() {
			w := e.Begin(t.Context())
			if i%2 == 0 {
				w.Stop()
				return
			}
			calls.Add(1)
			process.OnEnd(w, calls.Done)
			<-w.Done()
		})
	}
	e.End()
	working.Wait()
	calls.Wait()
}
