// Package clientaddr finds the network address and the scheme of a client behind reverse proxies. Each trusted proxy
// appends to X-Forwarded-For the address of its own client; the client may have forged the entries before. The
// header of RFC 7239, Forwarded, is not read.
package clientaddr

import (
	"net/http"
	"net/netip"
	"strings"
)

// maxEntries is the maximum number of entries of X-Forwarded-For that are read, counted from the last.
const maxEntries = 64

// Client returns the address of a client. remote is the address of the connection, with or without a port. values are
// the X-Forwarded-For headers of the request, and hops is the number of trusted proxies that appended to them; with
// zero the headers are ignored. For a request that passed fewer proxies, and for an entry that is not an address, it
// returns the address of the connection. The result has no zone, and an IPv4 address never has the form of an IPv6
// address. It is invalid only if remote is not an address.
func Client(remote string, values []string, hops int) netip.Addr {
	own, _ := parse(remote)
	if hops <= 0 || hops > maxEntries {
		return own
	}
	entry, ok := fromLast(values, hops)
	if !ok {
		return own
	}
	if seen, ok := parse(entry); ok {
		return seen
	}
	return own
}

// Address returns the address of the client of an HTTP request.
func Address(r *http.Request, hops int) netip.Addr {
	return Client(r.RemoteAddr, r.Header.Values("X-Forwarded-For"), hops)
}

// Scheme returns "https" or "http": that of the connection, or, behind trusted proxies, the one that the outermost of
// them wrote into X-Forwarded-Proto.
func Scheme(r *http.Request, hops int) string {
	if r.TLS != nil {
		return "https"
	}
	if hops > 0 {
		values := r.Header.Values("X-Forwarded-Proto")
		entry, ok := fromLast(values, hops)
		if !ok { // Most proxies replace the header instead of appending to it.
			entry, _ = fromLast(values, 1)
		}
		if strings.EqualFold(entry, "https") {
			return "https"
		}
	}
	return "http"
}

// fromLast returns the nth entry from the end of a list that may come in several headers, or false if it is shorter.
func fromLast(values []string, n int) (string, bool) {
	for i := len(values) - 1; i >= 0; i-- {
		rest := values[i]
		for rest != "" {
			cut := strings.LastIndexByte(rest, ',')
			entry := strings.TrimSpace(rest[cut+1:])
			rest = rest[:max(cut, 0)]
			if entry == "" {
				continue
			}
			if n--; n == 0 {
				return entry, true
			}
		}
	}
	return "", false
}

// parse parses an address in the forms that proxies write: plain, with a port, or IPv6 in brackets. It returns false
// for other texts.
func parse(entry string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(entry); err == nil {
		return clean(ap.Addr()), true
	}
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		entry, _ = strings.CutSuffix(inner, "]")
	}
	a, err := netip.ParseAddr(entry)
	if err != nil {
		return netip.Addr{}, false
	}
	return clean(a), true
}

// clean returns the canonical form of an address: without a zone, and IPv4 not as IPv6.
func clean(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
