package listen

import (
	"context"
	"sync"
	"sync/atomic"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
)

// Hub opens streams of live changes of all databases of an engine. Its methods are safe for concurrent use.
type Hub struct {
	o Options
	// wake, of capacity one, receives when Run has a feed reader to start. It is never closed.
	wake chan struct{}
	// collecting is the number of bytes of documents in first snapshots that are being read.
	collecting atomic.Int64
	// held is the number of bytes of documents that wait for clients. A document that waits for several counts once.
	held atomic.Int64
	// windows is the approximate number of bytes of documents in windows.
	windows atomic.Int64
	// targets is the number of targets of all streams.
	targets atomic.Int64
	// epoch counts the calls of Reauthorize for all targets. Decisions of earlier epochs hold for no later message.
	epoch atomic.Uint64
	mu    struct {
		sync.Mutex
		databases map[resource.Database]*feedReader
		fresh     []*feedReader // not started yet
		streams   map[*Stream]struct{}
	}
}

// New returns a hub. Its streams send nothing until Run runs.
func New(o Options) (*Hub, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	h := &Hub{o: o, wake: make(chan struct{}, 1)}
	h.mu.databases = make(map[resource.Database]*feedReader)
	h.mu.streams = make(map[*Stream]struct{})
	return h, nil
}

// Run follows the databases that are listened to, until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	beat, stop := h.o.Clock.After(h.o.Heartbeat)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat:
			h.beat()
			beat, stop = h.o.Clock.After(h.o.Heartbeat)
		case <-h.wake:
			for _, f := range h.takeFresh() {
				readers.Go(func() { f.run(ctx) })
			}
		}
	}
}

// takeFresh returns the feed readers to start.
func (h *Hub) takeFresh() []*feedReader {
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh := h.mu.fresh
	h.mu.fresh = nil
	return fresh
}

// beat makes all streams send a heartbeat if it is due, and checks for slow clients.
func (h *Hub) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Clock.Now()
	for _, f := range h.mu.databases {
		f.dropFirsts()
	}
	for s := range h.mu.streams {
		s.beat(now)
	}
}

// Open returns a stream for one client of one database. Its caller closes it.
func (h *Hub) Open(db resource.Database) *Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.mu.databases[db]
	if f == nil {
		f = newFeedReader(h, db)
		h.mu.databases[db] = f
		h.mu.fresh = append(h.mu.fresh, f)
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
	f.streams++
	s := newStream(h, f)
	h.mu.streams[s] = struct{}{}
	return s
}

// remove removes a closed stream. The last stream of a database ends its feed reader.
func (h *Hub) remove(s *Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.mu.streams[s]; !ok {
		return
	}
	delete(h.mu.streams, s)
	s.feed.streams--
	if s.feed.streams == 0 {
		h.retireLocked(s.feed)
	}
}

// retireLocked ends a feed reader, so that the next stream creates a new one.
func (h *Hub) retireLocked(f *feedReader) {
	if h.mu.databases[f.name] == f {
		delete(h.mu.databases, f.name)
	}
	f.sub.Close()
}

// Reauthorize re-authorizes, by calling Check, the open targets whose keys choose accepts; nil accepts all. A denied
// target is removed with the denial as its cause, and no later change of it is sent. With nil, no commit is sent after
// Reauthorize has returned without a decision made since.
func (h *Hub) Reauthorize(choose func(key any) bool) {
	if choose == nil {
		h.epoch.Add(1)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.mu.streams {
		s.Reauthorize(choose)
	}
}

// Streams returns how many streams are open.
func (h *Hub) Streams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.mu.streams)
}

// Targets returns how many targets are open.
func (h *Hub) Targets() int { return int(h.targets.Load()) }

// engine returns the engine.
func (f *feedReader) engine() *engine.Engine { return f.hub.o.Engine }
