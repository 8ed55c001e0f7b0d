package console

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the hosts by which pages may name a console: localhost, loopback addresses and the following.
type Hosts struct {
	// Names are host names and IP addresses in lower case.
	Names []string
	// AnyAddress accepts every IP address, for a console that listens on all addresses of the machine.
	AnyAddress bool
}

// Has reports whether a Host header names the console. A foreign page can resolve its own name to this machine (DNS
// rebinding), but its requests have that name.
func (h Hosts) Has(header string) bool {
	name, _, err := net.SplitHostPort(header)
	if err != nil {
		name = header
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.IsLoopback() || h.AnyAddress || slices.Contains(h.Names, name)
	}
	return name == "localhost" || slices.Contains(h.Names, name)
}

// Relay returns the handler of a console's port at a node that does not lead. It refuses requests whose Host header
// does not name this console, and gives the others to forward, which sends them to the leader.
func Relay(hosts Hosts, forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts.Has(r.Host) {
			setHeaders(w.Header())
			refuse(w, isPage(r), errOtherName(r.Host))
			return
		}
		forward.ServeHTTP(w, r)
	})
}

// relayedKey is the key of the mark of requests from other nodes' consoles.
type relayedKey struct{}

// FromNodes returns a handler for the requests that Relay at other nodes has accepted. It gives them to h, the handler
// of this node's console, which does not check their Host header again: that names the other node's console.
func FromNodes(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), relayedKey{}, true)))
	})
}

// relayed reports whether another node's console has accepted a request.
func relayed(r *http.Request) bool { return r.Context().Value(relayedKey{}) != nil }
