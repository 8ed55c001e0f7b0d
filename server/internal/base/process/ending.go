package process

import (
	"context"
	"sync"
)

// Ending ends all its contexts at once when End is called. It is safe for concurrent use.
type Ending struct {
	mu    sync.Mutex
	done  chan struct{}
	ended bool
	// first is the first piece of work in progress.
	first *Work
}

// NewEnding returns an Ending for which End has not been called.
func NewEnding() *Ending { return &Ending{done: make(chan struct{})} }

// Within returns a context that is done when ctx is done or End is called. The caller must call stop when its work is
// done.
func (e *Ending) Within(ctx context.Context) (within context.Context, stop context.CancelFunc) {
	w := e.Begin(ctx)
	return w, w.Stop
}

// Begin begins a piece of work. Its context is done when ctx is done or End is called. The caller must call Stop when
// the work is done.
func (e *Ending) Begin(ctx context.Context) *Work {
	w := &Work{Context: ctx, ending: e}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		w.end()
		return w
	}
	w.next, w.listed = e.first, true
	if e.first != nil {
		e.first.previous = w
	}
	e.first = w
	return w
}

// remove removes a work from the list.
func (e *Ending) remove(w *Work) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !w.listed {
		return
	}
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		e.first = w.next
	}
	if w.next != nil {
		w.next.previous = w.previous
	}
	w.previous, w.next, w.listed = nil, nil, false
}

// End ends all contexts. Further calls have no effect.
func (e *Ending) End() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return
	}
	e.ended = true
	close(e.done)
	for w := e.first; w != nil; {
		next := w.next
		w.previous, w.next, w.listed = nil, nil, false
		w.end()
		w = next
	}
	e.first = nil
}

// Done returns a channel that End closes.
func (e *Ending) Done() <-chan struct{} { return e.done }

// Ended reports whether End was called.
func (e *Ending) Ended() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}
