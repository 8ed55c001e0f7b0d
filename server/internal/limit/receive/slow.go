package receive

import (
	"context"
	"sync"
	"time"
)

// stallAfter is the time after which a write to a client is slow.
const stallAfter = 100 * time.Millisecond

// IfSlow counts n bytes of a response if writing them to the client takes long, until done is called. evict, which must
// not block, is called if there is no room for them, or if the client is slow while other requests wait. It is not
// called after done. slow, which must not block, is called first; nil does nothing. It may still be called after done.
func (b *Budget) IfSlow(ctx context.Context, n int64, slow, evict func()) (done func()) {
	s := &stalled{budget: b, bytes: n, end: evict}
	timer := time.AfterFunc(stallAfter, func() {
		if slow != nil {
			slow()
		}
		s.count(ctx)
	})
	return func() {
		timer.Stop()
		s.done()
	}
}

// stalled is a write that may be slow.
type stalled struct {
	budget *Budget
	bytes  int64
	end    func()
	mu     struct {
		sync.Mutex
		ended bool
		// release ends the counting; nil until it begins.
		release func()
	}
}

// count counts the bytes.
func (s *stalled) count(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hold := s.budget.Hold(s.evict)
	s.mu.Lock()
	ended := s.mu.ended
	if !ended {
		s.mu.release = func() {
			cancel()
			hold.Release()
		}
	}
	s.mu.Unlock()
	if ended {
		hold.Release()
		return
	}
	if hold.Take(ctx, s.bytes) != nil {
		s.evict()
	}
}

// evict ends the write unless it has ended.
func (s *stalled) evict() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mu.ended {
		s.end()
	}
}

// done ends the counting.
func (s *stalled) done() {
	s.mu.Lock()
	s.mu.ended = true
	release := s.mu.release
	s.mu.Unlock()
	if release != nil {
		release()
	}
}
