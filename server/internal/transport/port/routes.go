package port

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/transport/hosting"
)

// The prefixes of the paths of each interface.
var (
	channelPrefixes  = []string{"/google.firestore.v1.Firestore/"}
	restPrefixes     = []string{"/v1/", "/v1beta1/"}
	identityPrefixes = []string{
		"/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/", "/www.googleapis.com/", "/iamcredentials.googleapis.com/",
		"/oauth2.googleapis.com/", "/securetoken.google.com/", "/firebaseappcheck.googleapis.com/", "/content-firebaseappcheck.googleapis.com/", "/__/",
	}
)

// signInPages is the prefix of the pages to which connectAuthEmulator sends clients that sign in at a provider.
const signInPages = "/emulator/auth/"

// firstOf returns the first part of a path with the slashes around it, or nothing.
func firstOf(path string) string {
	if i := strings.IndexByte(strings.TrimPrefix(path, "/"), '/'); i >= 0 {
		return path[:i+2]
	}
	return ""
}

// IsCall reports whether a request is a call of gRPC.
func IsCall(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// forwarding returns the handler of a port whose interfaces another server serves.
func (p *Port) forwarding(d Handlers) http.Handler {
	interfaces := slices.Concat(channelPrefixes, restPrefixes, identityPrefixes)
	others := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case d.Reserved != nil && strings.HasPrefix(path, hosting.ReservedPrefix):
			d.Reserved.ServeHTTP(w, r)
		case d.Site != nil && !strings.HasPrefix(path, signInPages) && !slices.Contains(interfaces, firstOf(path)) && (d.IdentityHost == nil || !d.IdentityHost(r.Host)):
			d.Site.ServeHTTP(w, r)
		default:
			p.cors(d.Forward).ServeHTTP(w, r)
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case d.GRPC != nil && IsCall(r):
			p.call(d.GRPC, w, r)
		case d.Health != nil && r.URL.Path == HealthPath:
			health(d.Health, d.Role).ServeHTTP(w, r)
		default:
			p.bound(w, r, others, true)
		}
	})
}

// routes returns the handler that routes each request.
func (p *Port) routes(d Handlers) http.Handler {
	if d.Forward != nil {
		return p.forwarding(d)
	}
	api := map[string]http.Handler{}
	add := func(h http.Handler, prefixes []string) {
		for _, prefix := range prefixes {
			if h != nil {
				api[prefix] = p.cors(h)
			}
		}
	}
	add(d.WebChannel, channelPrefixes)
	add(d.REST, restPrefixes)
	add(d.Identity, identityPrefixes)
	add(d.Control, []string{"/emulator/"})
	// The order is that of precedence: gRPC by its content type, whatever the path; then reserved paths and hosts; then
	// the prefixes of the APIs. The site serves the other paths, so that none of its rewrites can match an API's path.
	others := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Health != nil && r.URL.Path == HealthPath {
			health(d.Health, d.Role).ServeHTTP(w, r)
			return
		}
		if d.Reserved != nil && strings.HasPrefix(r.URL.Path, hosting.ReservedPrefix) {
			d.Reserved.ServeHTTP(w, r)
			return
		}
		if d.Identity != nil && d.IdentityHost != nil && d.IdentityHost(r.Host) {
			p.cors(d.Identity).ServeHTTP(w, r)
			return
		}
		if h, ok := api[identityPrefixes[0]]; ok && d.Control == nil && strings.HasPrefix(r.URL.Path, signInPages) {
			h.ServeHTTP(w, r)
			return
		}
		if h, ok := api[firstOf(r.URL.Path)]; ok {
			h.ServeHTTP(w, r)
			return
		}
		p.fallback(d, w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.GRPC != nil && IsCall(r) {
			p.call(d.GRPC, w, r)
			return
		}
		// All further requests have a single body, which must arrive in time and within the budget. The messages of a gRPC
		// call are bounded individually.
		p.bound(w, r, others, false)
	})
}

// call serves a call of gRPC on a connection of an HTTP server.
func (p *Port) call(g GRPC, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	slot := p.o.Calls.Take(clientaddr.Address(r, p.o.ProxyHops), cancel)
	if slot == nil {
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
		return
	}
	defer slot.Release()
	r, release := p.o.Budget.Stream(w, r.WithContext(ctx))
	defer release()
	g.ServeHTTP(w, r)
}

// cors lets pages of every origin call a handler.
func (p *Port) cors(next http.Handler) http.Handler { return withCORS(next, p.o.PrivateNetwork) }

// fallback serves a path that names no API: with the site if there is one, and otherwise with the only API handler.
func (p *Port) fallback(d Handlers, w http.ResponseWriter, r *http.Request) {
	switch {
	case d.Site != nil:
		d.Site.ServeHTTP(w, r)
	case d.Hub != nil:
		p.cors(d.Hub).ServeHTTP(w, r)
	case r.URL.Path == "/" && d.REST != nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("Ok\n")) // the official emulator's response when it is ready
	case d.REST != nil:
		p.cors(d.REST).ServeHTTP(w, r)
	case d.Identity != nil:
		p.cors(d.Identity).ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}
