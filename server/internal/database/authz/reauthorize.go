package authz

import (
	"context"
	"time"
)

// expiryInterval is the interval at which the tokens of listeners are checked.
const expiryInterval = 30 * time.Second

// Run re-authorizes live targets when their callers' tokens have expired, and ends the revoked sessions of open
// streams. The hub re-authorizes targets for changes of documents that the rules looked up. Run returns when ctx is
// done.
func (g *Guard) Run(ctx context.Context) error {
	tick, stop := g.clock.After(expiryInterval)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
			now := g.clock.Now()
			g.hub.Reauthorize(func(key any) bool {
				p, ok := key.(*liveTarget)
				return ok && p.expired(now)
			})
			tick, stop = g.clock.After(expiryInterval)
		case <-g.sessions.wake:
			g.endRevoked(ctx)
		}
	}
}
