package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/transport/webchannel"
)

// How nodes that share a store serve WebChannel. A Listen session begins at the node at which its first request
// arrives, and stays there. If that node does not lead, the ids of its sessions begin with its name (ownerOf), so that
// the other nodes forward requests to it. All other sessions are the leader's, and their ids name no node. A session
// whose node has ended, or no longer serves reads, is unknown: its client begins a new one and resumes with its token.
// A session whose client has received nothing is continued by the node (webchannel.Moves).

// ownerBytes is the number of bytes of a hash that name a node.
const ownerBytes = 9

// ownerOf returns the name of a node in the ids of its sessions.
func ownerOf(node string) string {
	sum := sha256.Sum256([]byte(node))
	return base64.RawURLEncoding.EncodeToString(sum[:ownerBytes])
}

// addressWait is the time for which a request waits until it is known where its session's node is.
const addressWait = time.Second

// toOwner forwards a request to the node with a name of ownerOf. It returns false if there is no such node, or it is
// not reached.
func (n *nodes) toOwner(w http.ResponseWriter, r *http.Request, port, owner string) bool {
	find := func(inner map[string]string) string {
		for node, address := range inner {
			if ownerOf(node) == owner {
				return address
			}
		}
		return ""
	}
	known := find(n.members.Inner())
	if known != "" && n.node.ToOwner(w, r, port, known) {
		return true
	}
	// The node may have begun a moment ago.
	ctx, cancel := context.WithTimeout(r.Context(), addressWait)
	defer cancel()
	now := find(n.members.NextInner(ctx))
	return now != "" && now != known && n.node.ToOwner(w, r, port, now)
}

// found reports whether the other nodes can find the sessions of this node.
func (n *nodes) found() bool { return n.node.RoutesSessions() && n.members.Inner()[n.name] == n.inner }

// serveOwned lets the inner listener serve requests of this node's sessions by the handlers of its ports.
func (n *nodes) serveOwned() {
	handlers := make(map[string]http.Handler)
	for _, name := range n.forwarded {
		handlers[name] = n.ports[name].Handler()
	}
	n.node.ServeOwned(handlers)
}

// sessions returns a handler of a port that forwards requests of other nodes' sessions to these nodes. here serves all
// other requests, and those whose node is not reached.
func (n *nodes) sessions(port string, here http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if owner := webchannel.SessionOwner(r); owner != "" && owner != n.owner && !forward.IsForwardedToOwner(r.Context()) {
			if n.toOwner(w, r, port, owner) {
				return
			}
		}
		here.ServeHTTP(w, r)
	})
}

// channels returns the handler of WebChannel while this node does not lead. It serves the sessions of this node, and
// begins sessions while the node serves reads. next forwards requests to the leader.
func (n *nodes) channels(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := n.follower.Load()
		switch {
		case webchannel.SessionOwner(r) != "" || forward.IsForwardedToOwner(r.Context()):
			n.ownChannel(w, r, next)
		case f == nil || !webchannel.BeginsListen(r) || !n.found() || !f.channel(w, r, true):
			next.ServeHTTP(w, r)
		}
	})
}

// moves returns the sessions that continue at another part of this node, or nil without other nodes.
func (a *App) moves() *webchannel.Moves {
	if a.nodes == nil {
		return nil
	}
	return a.nodes.moves
}

// movedWait is the time for which a request waits until a part of this node continues its session.
const movedWait = 10 * time.Second

// ownChannel serves a request of a session of this node. A session that is being moved is continued by the next parts
// that serve reads, or, once this node leads, by the handler to which next then leads.
func (n *nodes) ownChannel(w http.ResponseWriter, r *http.Request, next http.Handler) {
	late, stop := clock.System().After(movedWait)
	defer stop()
	for {
		if f := n.follower.Load(); f != nil && f.channel(w, r, false) {
			return
		}
		if !n.moves.Has(r) {
			webchannel.UnknownSession(w, r)
			return
		}
		if n.leads.Load() {
			next.ServeHTTP(w, r)
			return
		}
		again, stopAgain := clock.System().After(movedPause)
		select {
		case <-again:
			stopAgain()
			continue
		case <-late:
		case <-r.Context().Done():
		}
		stopAgain()
		webchannel.UnknownSession(w, r)
		return
	}
}

// movedPause is the pause between attempts of ownChannel.
const movedPause = 20 * time.Millisecond

// channel serves a request of a session at this node. A session begins once the node has everything that was
// acknowledged before its request. It returns false if this node can't serve it.
func (f *follower) channel(w http.ResponseWriter, r *http.Request, begins bool) bool {
	s, ok := f.reads.Current()
	if !ok || !begins && s.ending.Ended() && f.app.nodes.moves.Has(r) {
		return false
	}
	if begins {
		var done func()
		if s, _, done = f.enter(r.Context(), func() forward.Reading { return forward.Lasting }); s == nil {
			return false
		}
		done()
	}
	// Responses to slow clients may last longer than s. They need only the session, which ends with s.
	ctx, stop := s.cut.Within(r.Context())
	defer stop()
	s.channels.ServeHTTP(w, r.WithContext(ctx))
	return true
}
