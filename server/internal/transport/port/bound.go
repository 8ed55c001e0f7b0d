package port

import (
	"net/http"
	"slices"

	"clave/server/internal/httpx/clientaddr"
)

// CountsResponse reports whether a port counts the response to a request in its budget while the client does not read
// it. Others count those of back channels and of calls of gRPC.
func CountsResponse(r *http.Request) bool {
	return !IsCall(r) && !isBackChannel(r)
}

// isBackChannel reports whether a request is a back channel of WebChannel.
func isBackChannel(r *http.Request) bool { return r.Method == http.MethodGet && IsStream(r.URL.Path) }

// bound serves a request by a handler, and bounds the time and the memory of its body and of its response. forwarded is
// set if the handler forwards calls of gRPC. Otherwise a call is a request like others, whatever answers it.
func (p *Port) bound(w http.ResponseWriter, r *http.Request, by http.Handler, forwarded bool) {
	if isBackChannel(r) { // which bounds its writes by itself
		by.ServeHTTP(w, r)
		return
	}
	if forwarded && IsCall(r) { // Its responses are bounded there.
		p.limitBodyTime(w, r)
		defer p.o.Budget.Body(w, r)()
		by.ServeHTTP(w, r)
		return
	}
	u := p.newSlowWriter(w, r)
	if r.URL.Path != HealthPath {
		slot := p.o.Responses.Take(clientaddr.Address(r, p.o.ProxyHops), u.cut)
		defer slot.Release()
		if slot == nil || !p.beginRead(u, r) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
			return
		}
	}
	p.limitBodyTime(w, r)
	defer p.o.Budget.Body(w, r)()
	whole := false
	defer func() { u.finish(whole) }()
	by.ServeHTTP(u, r)
	whole = true
}

// beginRead waits for room for the response. It returns false if there is none.
func (p *Port) beginRead(u *slowWriter, r *http.Request) bool {
	// Other calls may wait for locks.
	if r.Method != http.MethodGet || !slices.Contains(restPrefixes, firstOf(r.URL.Path)) || r.URL.Query().Has("transaction") {
		return p.o.Budget.AwaitRoom(r.Context()) == nil
	}
	begun, err := p.o.Budget.BeginRead(r.Context())
	if err == nil {
		u.begun = begun
	}
	return err == nil
}
