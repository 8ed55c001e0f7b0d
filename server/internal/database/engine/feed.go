package engine

import (
	"context"
	"errors"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// ErrLagged is returned by Subscription.Next if its reader was so slow that the commits it has missed are no longer in
// the log.
var ErrLagged = errors.New("engine: the subscription has lost commits that are no longer kept")

// maxQueued is the maximum number of commits in a subscription's queue. The reader reads further ones from the log.
const maxQueued = 4096

// feed delivers the commits of one database to its subscriptions. Its methods are called with Engine.mu held.
type feed struct {
	subs   map[*Subscription]struct{}
	closed bool
}

// publish passes a commit to every subscription. A commit without changes has to be read from the log.
func (f *feed) publish(c document.Commit) {
	for s := range f.subs {
		if c.Changes == nil {
			s.leave()
		} else {
			s.push(c)
		}
	}
}

// close ends every subscription.
func (f *feed) close() {
	f.closed = true
	for s := range f.subs {
		s.end()
	}
}

// Subscription returns the commits of one database in the order of versions, each once.
type Subscription struct {
	e     *Engine
	db    *database
	start clock.Version
	// most is the maximum length of the queue. follows is set if the log retains the other commits for the reader.
	most    int
	follows bool
	// ready, of capacity one, receives when there may be commits. It is never closed.
	ready chan struct{}
	mu    struct {
		sync.Mutex
		queue []document.Commit
		// behind is set if commits after seen are not in the queue and have to be read from the log.
		behind bool
		seen   clock.Version // the last commit that the reader received
		ended  bool
	}
}

// Subscribe returns a subscription to the commits of a database from now on. It never blocks commits: a slow reader
// receives commits from the log.
func (e *Engine) Subscribe(name resource.Database) *Subscription {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.subscribeLocked(name)
}

// subscribeLocked is Subscribe, with Engine.mu held.
func (e *Engine) subscribeLocked(name resource.Database) *Subscription {
	s := &Subscription{e: e, ready: make(chan struct{}, 1), most: maxQueued}
	db, err := e.databaseLocked(name)
	if err != nil {
		s.mu.ended = true
		return s
	}
	s.db, s.start = db, db.latest
	s.mu.seen = s.start
	if db.feed.subs == nil {
		db.feed.subs = make(map[*Subscription]struct{})
	}
	db.feed.subs[s] = struct{}{}
	return s
}

// Start returns the version after which the subscription's commits begin. A commit with this version or an earlier one
// is not delivered.
func (s *Subscription) Start() clock.Version { return s.start }

// push adds a commit to the queue, or leaves it in the log when the queue is full.
func (s *Subscription) push(c document.Commit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.mu.ended || s.mu.behind:
	case len(s.mu.queue) >= s.most:
		s.mu.queue, s.mu.behind = nil, true
	default:
		s.mu.queue = append(s.mu.queue, c)
	}
	s.signal()
}

// leave leaves a commit in the log.
func (s *Subscription) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.behind = true
	s.signal()
}

// signal wakes the reader.
func (s *Subscription) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// end ends the subscription.
func (s *Subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.ended = true
	s.signal()
}

// Next waits for commits and returns all available ones. It returns ErrClosed after Close, and ErrLagged if commits are
// lost. It must be called by one goroutine only.
func (s *Subscription) Next(ctx context.Context) ([]document.Commit, error) {
	for {
		s.mu.Lock()
		queue, behind, ended := s.mu.queue, s.mu.behind, s.mu.ended
		s.mu.queue = nil
		if n := len(queue); n > 0 {
			s.mu.seen = queue[n-1].Version
		}
		s.mu.Unlock()
		switch {
		case ended:
			return nil, ErrClosed
		case len(queue) > 0:
			return queue, nil
		case behind:
			return s.catchUp(ctx)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.ready:
		}
	}
}

// catchUp reads from the log the commits that did not fit into the queue. When it has read all, it switches back to the
// queue.
func (s *Subscription) catchUp(ctx context.Context) ([]document.Commit, error) {
	s.e.mu.Lock()
	upto := s.db.latest
	s.e.mu.Unlock()
	var out []document.Commit
	err := s.changes(ctx, s.mu.seen, upto, func(c document.Commit) error {
		out = append(out, c)
		if len(out) == s.most/4 {
			return errEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
	case err != nil:
		return nil, errors.Join(ErrLagged, err)
	}
	if len(out) > 0 {
		s.mu.seen = out[len(out)-1].Version // Only the reader's goroutine accesses it while behind.
	}
	s.e.mu.Lock()
	s.mu.Lock()
	// Commits are published with Engine.mu held, so none is published between this comparison and the switch to the queue.
	if s.db.latest <= s.mu.seen || len(out) == 0 && s.db.latest == upto {
		s.mu.behind = false
	}
	s.mu.Unlock()
	s.e.mu.Unlock()
	if len(out) == 0 {
		return s.Next(ctx)
	}
	return out, nil
}

// Close ends the subscription; a waiting Next returns.
func (s *Subscription) Close() {
	s.end()
	if s.db == nil {
		return
	}
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	delete(s.db.feed.subs, s)
	delete(s.db.kept, s)
}
