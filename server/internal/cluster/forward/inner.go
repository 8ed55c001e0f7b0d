package forward

import (
	"crypto/tls"
	"net/http"

	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/port"
)

// The headers of a forwarded request: the port at which it arrived, the client's address, and whether the client's
// connection was https. The forwarding node sets them, whatever the client sent, and they are accepted only from inner
// connections.
const (
	headerPort   = "Clave-Port"
	headerClient = "Clave-Client"
	headerScheme = "Clave-Scheme"
)

// headerCounted is a trailer with what the leader has counted of a request (meter.Counted).
const headerCounted = "Clave-Counted"

// headerRefused is set in the response of a node that has not begun a request because it does not lead.
const headerRefused = "Clave-Refused"

// inner serves a forwarded request if this node leads. If the node has the lease and is about to serve, the request
// waits.
func (n *Node) inner(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == checkPath {
		refuseCall(w)
		return
	}
	if r.Header.Get(headerOwner) != "" {
		n.owned(w, r)
		return
	}
	name := r.Header.Get(headerPort)
	late, stop := n.o.Clock.After(n.o.LeaderTimeout)
	defer stop()
	if port.IsStream(r.URL.Path) {
		ctx, stop := n.ending.Within(r.Context())
		defer stop()
		r = r.WithContext(ctx)
	}
	for {
		// Handlers are checked before the leader: they are set from the moment at which this node leads, which Options.Leader
		// may report a little later. Each iteration takes both channels before it decides, so no change is missed.
		handler, served := n.local(name)
		if handler != nil {
			n.asClient(r)
			if port.IsCall(r) {
				w.Header().Set(http.TrailerPrefix+headerServed, "1") // not sent if the handler panics
			}
			ctx, counted := meter.Noting(r.Context())
			handler.ServeHTTP(w, r.WithContext(ctx))
			if counted.Transport != "" {
				w.Header().Set(http.TrailerPrefix+headerCounted, counted.String())
			}
			return
		}
		leader, moved := n.o.Leader()
		// While there is no leader the request waits here, since this node may be about to lead. After a refusal the sender
		// looks for the leader again.
		refused := leader.Node != "" && leader.Node != n.o.Name || n.ending.Ended()
		leave := func() {}
		if !refused {
			leave = n.admit(clientaddr.Address(&http.Request{RemoteAddr: r.Header.Get(headerClient), Header: r.Header}, n.o.ProxyHops), heldBy(r))
			refused = leave == nil
		}
		if !refused {
			select {
			case <-served:
			case <-moved:
			case <-late:
				refused = true
			case <-n.ending.Done():
				refused = true
			case <-r.Context().Done():
				refused = true
			}
			leave()
		}
		if refused {
			w.Header().Set(headerRefused, "1")
			if port.IsCall(r) {
				refuseCall(w)
			} else {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
	}
}

// asClient restores a request to its form at the port where it arrived.
func (n *Node) asClient(r *http.Request) {
	r.RemoteAddr = r.Header.Get(headerClient)
	r.TLS = nil
	if r.Header.Get(headerScheme) == "https" {
		r.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	for _, name := range []string{headerPort, headerClient, headerScheme, headerOwner} {
		r.Header.Del(name)
	}
}
