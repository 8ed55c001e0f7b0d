package guard

import (
	"context"
	"errors"
	"sync"
	"time"

	"clave/server/engine"
	"clave/server/resource"
)

// expiryBeat is how often the tokens of listeners are looked at.
const expiryBeat = 30 * time.Second

// watch knows on which documents the permits of live targets rest.
type watch struct {
	// wake has room for one signal, that there is a database to follow; it is never closed.
	wake chan struct{}
	mu   struct {
		sync.Mutex
		permits map[resource.Document]map[*permit]struct{}
		// following are the databases that are followed or about to be.
		following map[resource.Database]bool
		fresh     []resource.Database
	}
}

// newWatch returns a watch of nothing.
func newWatch() *watch {
	w := &watch{wake: make(chan struct{}, 1)}
	w.mu.permits = make(map[resource.Document]map[*permit]struct{})
	w.mu.following = make(map[resource.Database]bool)
	return w
}

// follow notes the documents that a permit rests on now, in place of earlier ones.
func (w *watch) follow(p *permit, names []resource.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	w.dropLocked(p)
	if p.mu.closed {
		return
	}
	p.mu.looked = names
	for _, name := range names {
		if w.mu.permits[name] == nil {
			w.mu.permits[name] = make(map[*permit]struct{})
		}
		w.mu.permits[name][p] = struct{}{}
	}
	if len(names) == 0 || w.mu.following[p.db] {
		return
	}
	w.mu.following[p.db] = true
	w.mu.fresh = append(w.mu.fresh, p.db)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// drop forgets a permit whose target has ended.
func (w *watch) drop(p *permit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.closed = true
	w.dropLocked(p)
}

// dropLocked takes a permit off the documents that it rests on.
func (w *watch) dropLocked(p *permit) {
	for _, name := range p.mu.looked {
		delete(w.mu.permits[name], p)
		if len(w.mu.permits[name]) == 0 {
			delete(w.mu.permits, name)
		}
	}
	p.mu.looked = nil
}

// takeFresh returns the databases to begin to follow.
func (w *watch) takeFresh() []resource.Database {
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh := w.mu.fresh
	w.mu.fresh = nil
	return fresh
}

// touched returns the permits that rest on documents which commits have changed; with lost set, all of the database's.
func (w *watch) touched(db resource.Database, commits []engine.Commit, lost bool) map[*permit]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[*permit]bool)
	add := func(permits map[*permit]struct{}) {
		for p := range permits {
			out[p] = true
		}
	}
	for _, c := range commits {
		for _, change := range c.Changes {
			add(w.mu.permits[change.Name])
		}
	}
	if lost {
		for name, permits := range w.mu.permits {
			if name.DB == db {
				add(permits)
			}
		}
	}
	return out
}

// Run authorizes live targets again when a document changes that a decision depends on, and when a caller's token expires,
// and ends the sessions of open streams that were revoked. It returns when ctx is done.
func (g *Guard) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var followers sync.WaitGroup
	defer followers.Wait()
	defer cancel()
	beat, stop := g.clock.After(expiryBeat)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat:
			now := g.clock.Now()
			g.recheck(func(p *permit) bool { return p.expired(now) })
			beat, stop = g.clock.After(expiryBeat)
		case <-g.sessions.wake:
			g.endRevoked(ctx)
		case <-g.watch.wake:
			for _, db := range g.watch.takeFresh() {
				sub := g.engine.Subscribe(db)
				// What changed before the subscription began is asked for again at once.
				g.recheckAll(g.watch.touched(db, nil, true))
				followers.Go(func() { g.follow(ctx, db, sub) })
			}
		}
	}
}

// follow has targets asked again for the changes of one database, until ctx ends.
func (g *Guard) follow(ctx context.Context, db resource.Database, sub *engine.Subscription) {
	defer sub.Close()
	for {
		commits, err := sub.Next(ctx)
		switch {
		case ctx.Err() != nil || errors.Is(err, engine.ErrClosed):
			return
		case err != nil:
			sub.Close()
			sub = g.engine.Subscribe(db)
			g.recheckAll(g.watch.touched(db, nil, true))
		default:
			g.recheckAll(g.watch.touched(db, commits, false))
		}
	}
}

// recheckAll authorizes the targets of permits again.
func (g *Guard) recheckAll(permits map[*permit]bool) {
	if len(permits) > 0 {
		g.recheck(func(p *permit) bool { return permits[p] })
	}
}

// recheck authorizes the targets again whose permits are chosen.
func (g *Guard) recheck(choose func(*permit) bool) {
	g.hub.Reauthorize(func(key any) bool {
		p, ok := key.(*permit)
		return ok && choose(p)
	})
}
