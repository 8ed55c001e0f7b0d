package listen

import (
	"context"

	"clave/server/internal/model/resource"
)

// Settle waits until the streams of a project's databases, or of all databases if project is empty, have sent all
// changes that were committed before the call. It returns ctx's error if ctx ends first. It does not wait for streams
// that end meanwhile.
func (h *Hub) Settle(ctx context.Context, project string) error {
	h.mu.Lock()
	readers := make(map[resource.Database]*feedReader)
	for db, f := range h.mu.databases {
		if project == "" || db.Project == project {
			readers[db] = f
		}
	}
	h.mu.Unlock()
	for db, f := range readers {
		if err := f.reach(ctx, h.o.Engine.Latest(db)); err != nil && ctx.Err() != nil {
			return ctx.Err() // any other error ends the feed reader and its streams
		}
	}
	h.mu.Lock()
	var passed []<-chan struct{}
	for s := range h.mu.streams {
		if readers[s.feed.name] == s.feed {
			passed = append(passed, s.barrier())
		}
	}
	h.mu.Unlock()
	for _, p := range passed {
		select {
		case <-p:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// barrier returns a channel that is closed once the stream has sent all that is queued for it now, or has ended.
func (s *Stream) barrier() <-chan struct{} {
	b := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		close(b)
		return b
	}
	s.mu.barriers = append(s.mu.barriers, b)
	s.signal()
	return b
}

// openBarriers closes the first n of the stream's barriers, or all of them when n is negative.
func (s *Stream) openBarriers(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 {
		n = len(s.mu.barriers)
	}
	for _, b := range s.mu.barriers[:n] {
		close(b)
	}
	s.mu.barriers = s.mu.barriers[n:]
}
