package site

import (
	"context"
	"net/http"
	"sync/atomic"

	"clave/server/internal/app/config"
	"clave/server/internal/transport/hosting/versions"
)

// Follow returns the site of a node while it does not lead: own, that of its firebase.json, and that of the node that
// leads, to which forward forwards, once one was deployed. has reports whether the node's replica has a key, and with
// latest set, whether it has one that was written before the call.
func Follow(c *config.Config, own, forward http.Handler, has func(ctx context.Context, key []byte, latest bool) (found, known bool)) http.Handler {
	if !c.Production() || !c.Runs("hosting") {
		return own
	}
	return &Followed{Own: own, Forward: forward, Deployable: c.Deployable(), Deployed: func(ctx context.Context) (found, known bool) {
		return has(ctx, versions.StateKey(), c.Deployable())
	}}
}

// Followed is the site of a node while it does not lead. Once a site was deployed, the node that leads serves it, so
// that requests that begin after a release get that release, whatever node they reach. Until then the site of this
// node's firebase.json is served.
type Followed struct {
	// Own is the site of this node's firebase.json; nil if it has none. Forward forwards to the node that leads.
	Own, Forward http.Handler
	// Deployed reports whether a site was deployed before the call; known is false while the node can't tell.
	// Deployable is set if one may be deployed while the node runs.
	Deployed   func(ctx context.Context) (found, known bool)
	Deployable bool
	// deployed is set once a site was deployed, and never if none will be.
	deployed, never atomic.Bool
}

// ServeHTTP implements http.Handler.
func (f *Followed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.Own == nil || f.forwards(r.Context()) {
		f.Forward.ServeHTTP(w, r)
		return
	}
	f.Own.ServeHTTP(w, r)
}

// forwards reports whether requests are forwarded.
func (f *Followed) forwards(ctx context.Context) bool {
	switch {
	case f.deployed.Load():
		return true
	case f.never.Load():
		return false
	}
	found, known := f.Deployed(ctx)
	switch {
	case !known:
		return f.Deployable
	case found:
		f.deployed.Store(true)
	case !f.Deployable:
		f.never.Store(true)
	}
	return found
}
