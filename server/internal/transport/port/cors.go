package port

import "net/http"

// exposed are the response headers that pages of other origins may read.
const exposed = "x-client-wire-protocol, x-http-session-id, x-http-initial-response, retry-after"

// Values of headers, which all responses share.
var (
	exposedHeaders = []string{exposed}
	allowed        = []string{"true"}
	byOrigin       = []string{"Origin"}
)

// WithCORS lets pages of every origin call a handler that serves a port's other paths than those of the APIs, in
// development.
func WithCORS(next http.Handler) http.Handler { return withCORS(next, true) }

// withCORS lets pages of every origin call the API, as Firebase does: credentials are tokens that a page must hold, not
// cookies that a browser would add. The origin is echoed because WebChannel sends requests with credentials, for which
// "*" is not enough. It responds to all OPTIONS requests. privateNetwork allows pages of public networks to call this
// server in a private one (the Private Network Access draft), as development needs.
func withCORS(next http.Handler, privateNetwork bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h["Access-Control-Allow-Origin"] = []string{origin}
		h["Access-Control-Allow-Credentials"] = allowed
		h["Access-Control-Expose-Headers"] = exposedHeaders
		h["Vary"] = byOrigin
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		h.Add("Vary", "Access-Control-Request-Headers")
		h.Set("Access-Control-Allow-Methods", "DELETE,GET,HEAD,PATCH,POST,PUT")
		if requested := r.Header.Get("Access-Control-Request-Headers"); requested != "" {
			h.Set("Access-Control-Allow-Headers", requested)
		}
		if privateNetwork && r.Header.Get("Access-Control-Request-Private-Network") == "true" {
			h.Set("Access-Control-Allow-Private-Network", "true")
		}
		h.Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
	})
}
