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
func (az *Authorizer) Run(ctx context.Context) error {
	tick, stop := az.clock.After(expiryInterval)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
			az.hub.Reauthorize(func(key any) bool {
				p, ok := key.(*liveTarget)
				return ok && p.expired(p.now())
			})
			tick, stop = az.clock.After(expiryInterval)
		case <-az.sessions.wake:
			az.endRevoked(ctx)
		}
	}
}
