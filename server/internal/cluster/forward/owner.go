package forward

import (
	"context"
	"net/http"
)

// How a request reaches the node that owns its session. A session of WebChannel is kept at one node, which may be one
// that does not lead, and its requests may arrive at any node. ToOwner forwards such a request directly to the owner,
// where it is served by a handler of ServeOwned. The owner does not forward it again (IsForwardedToOwner), so no
// request goes round.
//
// A node of an earlier version forwards all sessions to the leader. So a node begins sessions only while the leader
// forwards requests to their owners (RoutesSessions).

// headerOwner is set in a request that was forwarded to the owner of its session. Like headerPort, it is accepted only
// from inner connections.
const headerOwner = "Clave-Owner"

// ServeOwned sets the handlers by which this node serves requests whether it leads or not: those of sessions that it
// owns, by the ports at which they arrived at other nodes, and those of services that every node has, by their names.
func (n *Node) ServeOwned(handlers map[string]http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mu.owners = handlers
}

// RoutesSessions reports whether the leader forwards requests to the owners of sessions.
func (n *Node) RoutesSessions() bool {
	leader, _ := n.o.Leader()
	routes := n.routes.Load()
	return routes != nil && *routes == leader
}

// arrived is the key of the context of a request that was forwarded to the owner of its session.
type arrived struct{}

// IsForwardedToOwner reports whether the request of a context was forwarded to this node as the owner of its session.
func IsForwardedToOwner(ctx context.Context) bool { return ctx.Value(arrived{}) != nil }

// ownerAttempts is how often a request is sent to the owner of its session. The second time it has a new connection.
const ownerAttempts = 2

// ToOwner forwards a request of a port to the inner address of the node that owns its session, and copies the response.
// It returns false if that node is not reached, and nothing has been written then.
func (n *Node) ToOwner(w http.ResponseWriter, r *http.Request, port, address string) bool {
	body := newSource(r)
	for range ownerAttempts {
		ctx, cancel := context.WithCancel(r.Context())
		out := n.outgoing(ctx, r, body, Leader{Address: address}, port)
		out.Header.Set(headerOwner, "1")
		done := n.exchange(w, r, body, out, cancel)
		cancel()
		if done {
			return true
		}
	}
	return false
}

// owned serves a request of a session that another node has forwarded.
func (n *Node) owned(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	handler := n.mu.owners[r.Header.Get(headerPort)]
	n.mu.Unlock()
	if handler == nil || n.ending.Ended() {
		w.Header().Set(headerRefused, "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	n.asClient(r)
	ctx, stop := n.ending.Within(context.WithValue(r.Context(), arrived{}, true))
	defer stop()
	handler.ServeHTTP(w, r.WithContext(ctx))
}
