package listen

import (
	"context"
	"errors"
	"slices"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// feedReader takes the commits of one database and passes their changes to the affected streams.
type feedReader struct {
	hub  *Hub
	name resource.Database
	sub  *engine.Subscription
	// early is the number of waiters when the last wait for commits began. Only run accesses it.
	early int
	// streams is the number of open streams, guarded by Hub.mu.
	streams int
	mu      struct {
		sync.Mutex
		// version is the version up to which all commits are applied.
		version clock.Version
		views   routes
		// dependents are the targets whose authorization depends on a document, by its path.
		dependents map[string]map[*activeTarget]struct{}
		// waiters are streams that wait until version is at least theirs.
		waiters []waiter
		// endWait ends the wait for the next commit, so that waiters are served; nil if there is none.
		endWait context.CancelFunc
		// ended is the reason why there will be no more commits, or nil.
		ended error
		// firstBytes is the size of all first snapshots.
		firstBytes int
		// touched lists the streams with changes of the current commit.
		touched []*Stream
	}
}

// waiter is a stream that waits for a version.
type waiter struct {
	version clock.Version
	done    chan struct{} // closed by the feed reader
}

// newFeedReader returns a feed reader that is not running yet.
func newFeedReader(h *Hub, db resource.Database) *feedReader {
	f := &feedReader{hub: h, name: db, sub: h.o.Engine.Subscribe(db)}
	f.mu.version = f.sub.Start()
	f.mu.views = newRoutes()
	f.mu.dependents = make(map[string]map[*activeTarget]struct{})
	return f
}

// run applies commits until ctx ends, the last stream closes or the engine is closed.
func (f *feedReader) run(ctx context.Context) {
	defer f.sub.Close()
	for {
		commits, err := f.next(ctx)
		switch {
		case err == nil:
			for _, c := range commits {
				f.apply(ctx, c)
				f.hub.relieve()
			}
		case ctx.Err() != nil || errors.Is(err, engine.ErrClosed):
			f.end(f.closed(ctx, err))
			return
		case errors.Is(err, engine.ErrLagged):
			if !f.restart(ctx) {
				return
			}
		case errors.Is(err, context.Canceled):
			f.releaseWaiters(f.early)
		default:
			f.hub.o.Log.Error("commits cannot be followed", "database", f.name.String(), "error", err)
			f.end(err)
			return
		}
	}
}

// closed returns the error for the streams after the engine has closed the subscription: the database does not exist,
// or the engine is closed or can't read it any more.
func (f *feedReader) closed(ctx context.Context, err error) error {
	r, missing := f.engine().Read(ctx, f.name, request.At{})
	if missing == nil {
		r.Close()
	} else if fault.Is(missing, fault.NotFound) {
		return missing
	}
	return fault.Wrap(err, fault.Unavailable, "The live queries of this server have ended. Please try again.")
}

// next waits for commits. It returns context.Canceled if there are none and a stream waits for a version.
func (f *feedReader) next(ctx context.Context) ([]document.Commit, error) {
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.mu.endWait = cancel
	if f.early = len(f.mu.waiters); f.early > 0 {
		cancel()
	}
	f.mu.Unlock()
	commits, err := f.sub.Next(wait)
	f.mu.Lock()
	f.mu.endWait = nil
	f.mu.Unlock()
	if errors.Is(err, engine.ErrLagged) && wait.Err() != nil && ctx.Err() == nil {
		// The wait was ended while the subscription read from the log: it has commits, so it won't wait.
		return f.sub.Next(ctx)
	}
	return commits, err
}

// releaseWaiters releases the first n waiters. It is called when no commit was left to apply after they began to wait,
// so everything committed before has been applied. Later waiters may have read commits that are not applied yet.
func (f *feedReader) releaseWaiters(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.mu.waiters[:n] {
		f.mu.version = max(f.mu.version, w.version)
		close(w.done)
	}
	f.mu.waiters = slices.Delete(f.mu.waiters, 0, n)
}

// reach waits until all commits up to a version that has been read are applied.
func (f *feedReader) reach(ctx context.Context, v clock.Version) error {
	f.mu.Lock()
	if f.mu.version >= v {
		f.mu.Unlock()
		return nil
	}
	if f.mu.ended != nil {
		defer f.mu.Unlock()
		return f.mu.ended
	}
	w := waiter{version: v, done: make(chan struct{})}
	f.mu.waiters = append(f.mu.waiters, w)
	if f.mu.endWait != nil {
		f.mu.endWait()
	}
	f.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.ended
}

// end ends all streams with an error.
func (f *feedReader) end(err error) {
	f.mu.Lock()
	f.mu.ended = err
	for _, w := range f.mu.waiters {
		close(w.done)
	}
	f.mu.waiters = nil
	f.mu.Unlock()
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.hub.retireLocked(f)
	for s := range f.hub.mu.streams {
		if s.feed == f {
			s.fail(err)
		}
	}
}

// restart subscribes anew after commits were lost, and resets all targets.
func (f *feedReader) restart(ctx context.Context) bool {
	f.hub.o.Log.Warn("the listeners fell behind the log of commits; all of them are reset", "database", f.name.String())
	f.hub.mu.Lock()
	f.sub.Close()
	f.sub = f.engine().Subscribe(f.name)
	streams := make([]*Stream, 0, f.streams)
	for s := range f.hub.mu.streams {
		if s.feed == f {
			streams = append(streams, s)
		}
	}
	f.hub.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.version = max(f.mu.version, f.sub.Start())
	for _, v := range f.mu.views.byKey {
		v.unload()
		f.dropFirstLocked(v)
		v.since = f.mu.version
	}
	for _, s := range streams {
		s.lag()
	}
	return ctx.Err() == nil
}

// apply applies one commit to the views and their streams.
func (f *feedReader) apply(ctx context.Context, c document.Commit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stageDependents(c)
	var judge query.Judge
	for _, v := range f.mu.views.affected(c.Changes) {
		d := v.change(ctx, c.Version, &judge, v.hits)
		v.hits = nil
		// A view with a window may change without a delta: in its reserve, or while the window is loaded.
		if d != nil || v.windowed() {
			f.touchLocked(v, c.Version)
		}
		if d == nil {
			continue
		}
		for _, t := range v.subs {
			f.stage(t, d)
		}
	}
	f.mu.version = max(f.mu.version, c.Version)
	// The queues are filled before f.mu is released, so a stream that has waited for this version (reach) finds its
	// changes in its queue.
	for _, s := range f.mu.touched {
		s.push(s.staged)
		s.staged = nil
	}
	f.mu.touched = f.mu.touched[:0]
}

// stage records a change for a target's stream until the whole commit is computed. mu is held.
func (f *feedReader) stage(t *activeTarget, d *delta) {
	s := t.stream
	if s.staged == nil {
		f.mu.touched = append(f.mu.touched, s)
	}
	s.staged = append(s.staged, entry{target: t, delta: d})
}
