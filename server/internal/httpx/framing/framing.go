// Package framing ends HTTP/1 connections on which the end of a request is not certain.
//
// A request with both Transfer-Encoding and Content-Length may have another end for a reverse proxy than for this
// server: what is a body to one is the next request to the other (request smuggling). RFC 9112, 6.1, requires a server
// to close the connection after the response. So does HTTP/1.0 with Transfer-Encoding, which it does not define.
// net/http removes both header fields before a handler can see that they were there together. Therefore every request
// with Transfer-Encoding ends its connection, and every one of HTTP/1.0. Clients that send the length of a body, which
// are nearly all, keep their connections.
package framing

import "net/http"

// Handler returns a handler that calls Check before next.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Check(w, r)
		next.ServeHTTP(w, r)
	})
}

// Check makes the response to a request end its connection if the end of the request is not certain. It must be called
// before the response begins.
func Check(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && (r.ProtoMinor == 0 || len(r.TransferEncoding) > 0) {
		w.Header().Set("Connection", "close")
	}
}
