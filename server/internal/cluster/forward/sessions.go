package forward

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/transport/webchannel"
)

// How nodes that share a store serve WebChannel. A Listen session begins at the node at which its first request
// arrives, and stays there. If that node does not lead, the ids of its sessions begin with its name (OwnerOf), so that
// the other nodes forward requests to it. All other sessions are the leader's, and their ids name no node. A session
// whose node has ended, or no longer serves reads, is unknown: its client begins a new one and resumes with its token.
// A session whose client has received nothing is continued by the node (webchannel.Moves).

// ownerBytes is the number of bytes of a hash that name a node.
const ownerBytes = 9

// OwnerOf returns the name of a node in the ids of its sessions.
func OwnerOf(node string) string {
	sum := sha256.Sum256([]byte(node))
	return base64.RawURLEncoding.EncodeToString(sum[:ownerBytes])
}

// addressWait is the time for which a request waits until it is known where its session's node is.
const addressWait = time.Second

// Addresses are the inner addresses of the nodes.
type Addresses interface {
	// Inner returns the inner addresses by the names of the nodes.
	Inner() map[string]string
	// NextInner returns them after the next change, or when ctx is done.
	NextInner(ctx context.Context) map[string]string
}

// Sessions routes the requests of WebChannel's sessions to the nodes that own them.
type Sessions struct {
	Node      *Node
	Addresses Addresses
	// Inner is the inner address of this node.
	Inner string
	// Moves are the sessions that continue at another part of this node.
	Moves *webchannel.Moves
	// leads is set once the ports serve as the leader's.
	leads atomic.Bool
}

// Lead lets sessions that are being moved continue at the leader that this node is now.
func (s *Sessions) Lead() { s.leads.Store(true) }

// Owner returns the name of this node in the ids of its sessions.
func (s *Sessions) Owner() string { return OwnerOf(s.Node.o.Name) }

// toOwner forwards a request to the node with a name of OwnerOf. It returns false if there is no such node, or it is
// not reached.
func (s *Sessions) toOwner(w http.ResponseWriter, r *http.Request, port, owner string) bool {
	find := func(inner map[string]string) string {
		for node, address := range inner {
			if OwnerOf(node) == owner {
				return address
			}
		}
		return ""
	}
	known := find(s.Addresses.Inner())
	if known != "" && s.Node.ToOwner(w, r, port, known) {
		return true
	}
	// The node may have begun a moment ago.
	ctx, cancel := context.WithTimeout(r.Context(), addressWait)
	defer cancel()
	now := find(s.Addresses.NextInner(ctx))
	return now != "" && now != known && s.Node.ToOwner(w, r, port, now)
}

// found reports whether the other nodes can find the sessions of this node.
func (s *Sessions) found() bool {
	return s.Node.RoutesSessions() && s.Addresses.Inner()[s.Node.o.Name] == s.Inner
}

// Route returns a handler of a port that forwards requests of other nodes' sessions to these nodes. here serves all
// other requests, and those whose node is not reached.
func (s *Sessions) Route(port string, here http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if owner := webchannel.SessionOwner(r); owner != "" && owner != s.Owner() && !IsForwardedToOwner(r.Context()) {
			if s.toOwner(w, r, port, owner) {
				return
			}
		}
		here.ServeHTTP(w, r)
	})
}

// Serve serves a request of a session of this node, or begins one. It returns false if the node can't.
type Serve func(w http.ResponseWriter, r *http.Request, begins bool) bool

// Here returns the handler of WebChannel of a node that does not lead. leader forwards requests to the leader.
func (s *Sessions) Here(serve Serve, leader http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case webchannel.SessionOwner(r) != "" || IsForwardedToOwner(r.Context()):
			s.own(w, r, serve, leader)
		case !webchannel.BeginsListen(r) || !s.found() || !serve(w, r, true):
			leader.ServeHTTP(w, r)
		}
	})
}

// movedWait is the time for which a request waits until a part of this node continues its session, and movedPause the
// pause between attempts.
const (
	movedWait  = 10 * time.Second
	movedPause = 20 * time.Millisecond
)

// own serves a request of a session of this node. A session that is being moved is continued by the next parts that
// serve reads, or, once this node leads, by the handler to which leader then leads.
func (s *Sessions) own(w http.ResponseWriter, r *http.Request, serve Serve, leader http.Handler) {
	ctx, stop := context.WithTimeout(r.Context(), movedWait)
	defer stop()
	for !serve(w, r, false) {
		if s.leads.Load() && s.Moves.Has(r) {
			leader.ServeHTTP(w, r)
			return
		}
		if !s.Moves.Has(r) || clock.Sleep(ctx, clock.System(), movedPause) != nil {
			webchannel.UnknownSession(w, r)
			return
		}
	}
}
