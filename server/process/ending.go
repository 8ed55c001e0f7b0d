package process

import (
	"context"
	"sync"
)

// Ending ends all its contexts at once when End is called. It is safe for concurrent use.
type Ending struct {
	mu      sync.Mutex
	done    chan struct{}
	ended   bool
	cancels map[*context.CancelFunc]struct{}
}

// NewEnding returns an Ending for which End has not been called.
func NewEnding() *Ending {
	return &Ending{done: make(chan struct{}), cancels: make(map[*context.CancelFunc]struct{})}
}

// Within returns a context that is done when ctx is done or End is called. The caller must call stop when its work is done.
func (e *Ending) Within(ctx context.Context) (within context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		cancel()
		return ctx, cancel
	}
	e.cancels[&cancel] = struct{}{}
	return ctx, func() {
		e.mu.Lock()
		delete(e.cancels, &cancel)
		e.mu.Unlock()
		cancel()
	}
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
	for cancel := range e.cancels {
		(*cancel)()
	}
	clear(e.cancels)
}

// Done returns a channel that End closes.
func (e *Ending) Done() <-chan struct{} { return e.done }

// Ended reports whether End was called.
func (e *Ending) Ended() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}
