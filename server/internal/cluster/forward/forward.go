package forward

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/transport/port"
)

// How a request over HTTP is forwarded; proxy.go is for calls of gRPC. forward sends it to the leader (send) and copies
// the response piece by piece (pass). While there is no leader it waits for one, up to Options.LeaderTimeout, and then
// returns UNAVAILABLE, which SDKs retry.
//
// A request is retried only if the leader can't have begun it (there was no connection, or the response has
// headerRefused), or if its method changes nothing. The retry needs the whole body, so source keeps the bytes that were
// read, up to a limit, until a response arrives. Any other request that is cut gets UNAVAILABLE, unless its client may
// have received a part of the response.
//
// A response that is cut in the middle must not look complete, so the client's connection or stream is aborted.

// againAfter is the pause of a request after a failed connection to the leader.
const againAfter = 50 * time.Millisecond

// TextNoLeader is the text of the error that clients receive while there is no leader. Their SDKs retry.
const TextNoLeader = "No node serves the database at the moment. Please try again."

// Forward returns a handler that forwards the requests of a port to the leader, and serves them here once this node
// leads.
func (n *Node) Forward(port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.forward(w, r, port) })
}

// forward forwards a request to the leader, or refuses it if there is none for a while.
func (n *Node) forward(w http.ResponseWriter, r *http.Request, port string) {
	late, stop := n.o.Clock.After(n.o.LeaderTimeout)
	defer stop()
	body := newSource(r)
	for {
		handler, served := n.local(port)
		if handler != nil {
			if body != nil { // an attempt may have read from it
				body.release()
				r = r.WithContext(r.Context())
				r.Body = body.begin()
			}
			handler.ServeHTTP(w, r)
			return
		}
		leader, moved := n.o.Leader()
		reachable := leader.Address != "" && leader.Node != n.o.Name
		if reachable && n.send(w, r, body, leader, port) {
			return
		}
		if !n.await(r.Context(), clientaddr.Address(r, n.o.ProxyHops), heldBy(r)+body.held(), reachable, served, moved, late) {
			n.refuse(w, r) // also if this node stops: its client is still connected
			return
		}
	}
}

// send sends a request to the leader and copies the response. It returns false if the request may be retried.
func (n *Node) send(w http.ResponseWriter, r *http.Request, body *source, leader Leader, port string) (done bool) {
	ctx, cancel := n.during(leader).Within(r.Context())
	defer cancel()
	return n.exchange(w, r, body, n.outgoing(ctx, r, body, leader, port), cancel)
}

// exchange sends out to another node, for a client's request r, and copies the response. cancel ends the context of
// out. It returns false if the request may be retried.
func (n *Node) exchange(w http.ResponseWriter, r *http.Request, body *source, out *http.Request, cancel context.CancelFunc) (done bool) {
	res, err := n.transport.RoundTrip(out)
	if err != nil {
		switch {
		case r.Context().Err() != nil:
			return true // the client has disconnected, or this node stops
		case body.failed() != nil:
			n.refuseBody(w, r, body.failed())
			return true
		case body.whole() && (errors.Is(err, errNotReached) || isSafe(r.Method)):
			return false
		}
		n.o.Log.Debug("a forwarded request was cut", "node", out.URL.Host, "path", r.URL.Path, "error", err)
		n.refuse(w, r)
		return true
	}
	// The transport checks the context of a request only after the whole body is sent, which for a stream is at its end.
	defer context.AfterFunc(out.Context(), func() { _ = res.Body.Close() })()
	defer func() {
		cancel() // otherwise Close waits for the client's next message
		_ = res.Body.Close()
	}()
	if res.Header.Get(headerRefused) != "" {
		if body.whole() {
			return false
		}
		n.refuse(w, r)
		return true
	}
	body.release()
	defer func() { n.count(r, res.StatusCode, res.Trailer.Get(headerCounted)) }()
	n.pass(r, w, res)
	return true
}

// isSafe reports whether requests of a method change nothing.
func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// hopByHop lists the headers of a single connection (RFC 9110 §7.6.1).
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// outgoing returns the request to the leader.
func (n *Node) outgoing(ctx context.Context, r *http.Request, body *source, leader Leader, port string) *http.Request {
	header := r.Header.Clone()
	for _, listed := range header["Connection"] {
		for name := range strings.SplitSeq(listed, ",") {
			header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		header.Del(name)
	}
	if header["User-Agent"] == nil {
		header["User-Agent"] = []string{""} // otherwise the transport adds its own
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	header.Del(headerOwner)
	header.Set(headerPort, port)
	header.Set(headerClient, r.RemoteAddr)
	header.Set(headerScheme, scheme)
	out := &http.Request{
		Method: r.Method, Host: r.Host, Header: header, ContentLength: r.ContentLength,
		URL: &url.URL{Scheme: "https", Host: leader.Address, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery},
	}
	if body != nil {
		out.Body = body.begin()
	}
	return out.WithContext(ctx)
}

// refuse writes the error for a missing or lost leader.
func (n *Node) refuse(w http.ResponseWriter, r *http.Request) {
	n.count(r, http.StatusServiceUnavailable, "")
	w.Header().Set("Retry-After", "1")
	httpjson.WriteError(w, http.StatusServiceUnavailable, fault.Unavailable.String(), TextNoLeader)
}

// closedRequest is the HTTP status of CANCELLED.
const closedRequest = 499

// refuseBody writes the error for a body that the client did not send to its end, or for which there is no memory.
func (n *Node) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	code, status, text := http.StatusServiceUnavailable, fault.Unavailable, fault.FromError(err).Message
	if !fault.Is(err, fault.Unavailable) {
		code, status, text = closedRequest, fault.Canceled, "The request's body was not sent to its end."
	}
	n.count(r, code, "")
	httpjson.WriteError(w, code, status.String(), text)
}

// copyBytes is the size of the buffers for copying responses.
const copyBytes = 32 << 10

// buffers holds the buffers for copying responses.
var buffers = sync.Pool{New: func() any { b := make([]byte, copyBytes); return &b }}

// pass copies a response, piece by piece as it arrives.
func (n *Node) pass(r *http.Request, w http.ResponseWriter, res *http.Response) {
	header := w.Header()
	for name, values := range res.Header {
		header[name] = values
	}
	for _, name := range hopByHop {
		header.Del(name)
	}
	w.WriteHeader(res.StatusCode)
	control := http.NewResponseController(w)
	_ = control.Flush() // if flushing is not supported, the end of the response flushes
	unread := int64(streamWindow)
	if !port.CountsResponse(r) {
		unread += copyBytes
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for {
		length, err := res.Body.Read(*buffer)
		if length > 0 && !n.give(r.Context(), w, control, (*buffer)[:length], unread) {
			return
		}
		switch {
		case errors.Is(err, io.EOF):
			for name, values := range res.Trailer {
				if name != headerCounted {
					header[http.TrailerPrefix+name] = values
				}
			}
			return
		case err != nil:
			panic(http.ErrAbortHandler) // so that the part does not look complete
		}
	}
}

// give writes a piece of a response to the client. unread is the number of bytes that this node may hold while the
// client does not read, and that its port does not count: what the inner connection has received, and the piece. give
// returns false if the client has disconnected, or is slow while other requests need the memory.
func (n *Node) give(ctx context.Context, w http.ResponseWriter, control *http.ResponseController, data []byte, unread int64) bool {
	defer n.o.Budget.IfSlow(ctx, unread, nil, func() { _ = control.SetWriteDeadline(clock.Passed()) })()
	if _, err := w.Write(data); err != nil {
		return false
	}
	err := control.Flush()
	return err == nil || errors.Is(err, http.ErrNotSupported)
}

// Status requests a path of a port from the leader like a client, and returns the status of the response. It does not
// wait for a leader.
func (n *Node) Status(ctx context.Context, port, path string) (int, error) {
	if handler, _ := n.local(port); handler != nil {
		return http.StatusOK, nil
	}
	leader, _ := n.o.Leader()
	if leader.Address == "" || leader.Node == n.o.Name {
		return 0, errNotReached
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+leader.Address+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	r.Header.Set(headerPort, port)
	res, err := n.transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	if err := res.Body.Close(); err != nil {
		return 0, err
	}
	if res.Header.Get(headerRefused) != "" {
		return 0, errNotReached
	}
	return res.StatusCode, nil
}
