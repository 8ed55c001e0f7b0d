package forward

import (
	"maps"
	"net/http"
)

// Attempt serves a Brief request by a handler. It returns false if the handler responded with 503 before anything else,
// for example because index definitions are changing at this node. Nothing has been written then, and the request, with
// its body, can be forwarded.
func Attempt(w http.ResponseWriter, r *http.Request, handler http.Handler) bool {
	a := &attempted{ResponseWriter: w, header: make(http.Header)}
	handler.ServeHTTP(a, r)
	if a.unavailable {
		if r.GetBody != nil {
			r.Body, _ = r.GetBody() // which returns no error
		}
		return false
	}
	a.begin()
	return true
}

// attempted is the response to a request that may be forwarded instead. Its headers are those of the handler until the
// response begins.
type attempted struct {
	http.ResponseWriter
	header             http.Header
	begun, unavailable bool
}

// Header implements http.ResponseWriter.
func (a *attempted) Header() http.Header {
	if a.begun {
		return a.ResponseWriter.Header()
	}
	return a.header
}

// begin begins the response.
func (a *attempted) begin() {
	if !a.begun {
		a.begun = true
		maps.Copy(a.ResponseWriter.Header(), a.header)
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *attempted) WriteHeader(status int) {
	if status == http.StatusServiceUnavailable && !a.begun {
		a.unavailable = true
	}
	if a.unavailable {
		return
	}
	a.begin()
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *attempted) Write(b []byte) (int, error) {
	if a.unavailable {
		return len(b), nil
	}
	a.begin()
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *attempted) Unwrap() http.ResponseWriter { return a.ResponseWriter }
