package cluster

import (
	"crypto/tls"
	"net/http"

	"clave/server/front"
)

// The headers of a forwarded request: the port that it arrived at, the client's address, and whether the client's connection was https.
// They are set by the node that forwards, whatever a client sent, and are taken from inner connections only.
const (
	headerPort   = "Clave-Port"
	headerClient = "Clave-Client"
	headerScheme = "Clave-Scheme"
)

// headerRefused stands in the answer of a node that has not begun a request because it does not lead.
const headerRefused = "Clave-Refused"

// inner answers a forwarded request, if this node leads. One that has the lease and is about to serve has the request wait.
func (n *Node) inner(w http.ResponseWriter, r *http.Request) {
	port := r.Header.Get(headerPort)
	late, stop := n.o.Clock.After(n.o.Patience)
	defer stop()
	if front.IsStream(r.URL.Path) {
		ctx, stop := n.ending.Within(r.Context())
		defer stop()
		r = r.WithContext(ctx)
	}
	for {
		// Handlers come before the question who leads: they are there from the moment at which this node leads, which Options.Leader may
		// report a little later. Each turn takes both channels before it decides, so no change is missed.
		handler, served := n.local(port)
		if handler != nil {
			n.asClient(r)
			handler.ServeHTTP(w, r)
			return
		}
		leader, moved := n.o.Leader()
		// While nobody leads the request waits here: this node may be about to. A refusal has the sender choose the leader anew.
		refused := leader.Node != "" && leader.Node != n.o.Name || n.ending.Ended()
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
		}
		if refused {
			w.Header().Set(headerRefused, "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
	}
}

// asClient makes a request look as it did at the port where it arrived.
func (n *Node) asClient(r *http.Request) {
	r.RemoteAddr = r.Header.Get(headerClient)
	r.TLS = nil
	if r.Header.Get(headerScheme) == "https" {
		r.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	for _, name := range []string{headerPort, headerClient, headerScheme} {
		r.Header.Del(name)
	}
}
