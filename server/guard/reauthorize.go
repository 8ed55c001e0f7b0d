package guard

import (
	"context"
	"errors"
	"sync"
	"time"

	"clave/server/document"
	"clave/server/engine"
	"clave/server/resource"
)

// expiryInterval is the interval at which the tokens of listeners are checked.
const expiryInterval = 30 * time.Second

// watch records the documents on which the decisions about live targets depend.
//
// A decision (liveTarget.check) first records the documents that the rules looked up (note), and then compares them
// with the latest state. The comparison detects earlier changes. The subscription of the database (Guard.follow)
// detects later ones, and re-authorizes the targets that depend on a changed document. A database is subscribed to when
// the first decision depends on one of its documents; targets that were authorized before the subscription began are
// re-authorized.
type watch struct {
	// wake has a capacity of one and signals that there is a database to follow; it is never closed.
	wake chan struct{}
	mu   struct {
		sync.Mutex
		targets map[resource.Document]map[*liveTarget]struct{}
		// following are the databases that are followed or about to be.
		following map[resource.Database]bool
		fresh     []resource.Database
	}
}

// newWatch returns a watch of nothing.
func newWatch() *watch {
	w := &watch{wake: make(chan struct{}, 1)}
	w.mu.targets = make(map[resource.Document]map[*liveTarget]struct{})
	w.mu.following = make(map[resource.Database]bool)
	return w
}

// note replaces the documents on which the decision about a target depends.
func (w *watch) note(p *liveTarget, names []resource.Document) {
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
		if w.mu.targets[name] == nil {
			w.mu.targets[name] = make(map[*liveTarget]struct{})
		}
		w.mu.targets[name][p] = struct{}{}
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

// drop removes a target that has ended.
func (w *watch) drop(p *liveTarget) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.closed = true
	w.dropLocked(p)
}

// dropLocked removes a target from the documents that it depends on; both locks are held.
func (w *watch) dropLocked(p *liveTarget) {
	for _, name := range p.mu.looked {
		delete(w.mu.targets[name], p)
		if len(w.mu.targets[name]) == 0 {
			delete(w.mu.targets, name)
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

// touched returns the targets that depend on documents which commits have changed; with lost set, all of the
// database's.
func (w *watch) touched(db resource.Database, commits []document.Commit, lost bool) map[*liveTarget]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[*liveTarget]bool)
	add := func(targets map[*liveTarget]struct{}) {
		for p := range targets {
			out[p] = true
		}
	}
	for _, c := range commits {
		for _, change := range c.Changes {
			add(w.mu.targets[change.Name])
		}
	}
	if lost {
		for name, targets := range w.mu.targets {
			if name.DB == db {
				add(targets)
			}
		}
	}
	return out
}

// Run re-authorizes live targets when a document changes on which a decision depends, and when a caller's token
// expires. It ends the revoked sessions of open streams. It returns when ctx is done.
func (g *Guard) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var followers sync.WaitGroup
	defer followers.Wait()
	defer cancel()
	tick, stop := g.clock.After(expiryInterval)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
			now := g.clock.Now()
			g.reauthorize(func(p *liveTarget) bool { return p.expired(now) })
			tick, stop = g.clock.After(expiryInterval)
		case <-g.sessions.wake:
			g.endRevoked(ctx)
		case <-g.watch.wake:
			for _, db := range g.watch.takeFresh() {
				sub := g.engine.Subscribe(db)
				// A document may have changed between the decision and the subscription.
				g.reauthorizeAll(g.watch.touched(db, nil, true))
				followers.Go(func() { g.follow(ctx, db, sub) })
			}
		}
	}
}

// follow re-authorizes targets for the changes of one database, until ctx is done.
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
			g.reauthorizeAll(g.watch.touched(db, nil, true))
		default:
			g.reauthorizeAll(g.watch.touched(db, commits, false))
		}
	}
}

// reauthorizeAll re-authorizes targets.
func (g *Guard) reauthorizeAll(targets map[*liveTarget]bool) {
	if len(targets) > 0 {
		g.reauthorize(func(p *liveTarget) bool { return targets[p] })
	}
}

// reauthorize re-authorizes the targets that choose accepts.
func (g *Guard) reauthorize(choose func(*liveTarget) bool) {
	g.hub.Reauthorize(func(key any) bool {
		p, ok := key.(*liveTarget)
		return ok && choose(p)
	})
}
