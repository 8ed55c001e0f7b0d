package guard

import (
	"context"
	"sync"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/fault"
	"clave/server/listen"
	"clave/server/live"
	"clave/server/operation"
	"clave/server/resource"
	"clave/server/token"
)

// liveTarget authorizes one target of a stream. Its pointer is the authorization's key.
type liveTarget struct {
	guard   *Guard
	caller  token.Caller
	db      resource.Database
	target  *live.Target
	expires time.Time
	mu      struct {
		sync.Mutex
		looked []resource.Document // what the last decision depends on
		closed bool
	}
}

// expired reports whether the caller's token has ended.
func (p *liveTarget) expired(now time.Time) bool {
	return !p.expires.IsZero() && !now.Before(p.expires)
}

// check decides whether the target may be shown, and registers the documents on which the decision depends, so that a
// change of one of them re-authorizes the target. An expired token ends the stream, as recorded in production.
//
// For a past version at, the rules are applied to that version, and then also to the latest state if a document that
// they looked up has changed since: an older version must not restore a revoked right.
func (p *liveTarget) check(ctx context.Context, at clock.Version) error {
	g := p.guard
	if p.expired(g.clock.Now()) {
		return &listen.StreamError{Err: fault.E(fault.Internal, "The caller's credentials have expired.")}
	}
	for ; ; at = 0 {
		seen, err := p.decide(ctx, at)
		if err != nil {
			return err
		}
		names := make([]resource.Document, 0, len(seen))
		for name := range seen {
			names = append(names, name)
		}
		g.watch.note(p, names)
		stale, err := p.stale(ctx, seen)
		if err != nil || !stale {
			return err
		}
	}
}

// decide applies the rules to the state of the database at a version, or to the latest state for 0, and returns the
// documents that they looked up.
func (p *liveTarget) decide(ctx context.Context, at clock.Version) (map[resource.Document]*document.Document, error) {
	reading, err := p.guard.engine.Read(ctx, p.db, operation.At{ReadTime: at})
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	seen := make(map[resource.Document]*document.Document)
	look := func(ctx context.Context, name resource.Document) (*document.Document, error) {
		d, err := reading.Get(ctx, name)
		if err == nil {
			seen[name] = d
		}
		return d, err
	}
	access := p.guard.access(p.caller, p.db, look)
	if p.target.Query != nil {
		return seen, access.list(ctx, p.target.Query)
	}
	for _, name := range p.target.Documents {
		d, err := reading.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := access.get(ctx, name, d); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// stale reports whether one of the documents has changed since it was read. The watch detects later changes.
func (p *liveTarget) stale(ctx context.Context, seen map[resource.Document]*document.Document) (bool, error) {
	if len(seen) == 0 {
		return false, nil
	}
	reading, err := p.guard.engine.Read(ctx, p.db, operation.At{})
	if err != nil {
		return false, err
	}
	defer reading.Close()
	for name, old := range seen {
		d, err := reading.Get(ctx, name)
		if err != nil {
			return false, err
		}
		if (d == nil) != (old == nil) || d != nil && d.UpdateTime != old.UpdateTime {
			return true, nil
		}
	}
	return false, nil
}
