package webchannel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
)

// The numbers in the response to a handshake.
const (
	wireVersion   = 8
	serverVersion = 15
	// clientKeepAlive is the keep-alive interval sent to clients. They wait for one and a half times as long.
	clientKeepAlive = 30 * time.Second
)

// prefixNames is the number of host names over which browsers on this machine are distributed.
const prefixNames = 9

// handshake begins a session.
func (h *Handler) handshake(w http.ResponseWriter, r *http.Request, rpc string, at address) {
	f, ok := h.readForward(w, r)
	if !ok {
		return
	}
	rid, err := parseNumber(at.request) // The numbers of later requests must not overflow.
	if err != nil {
		http.Error(w, "Bad request: RID is not a number.", http.StatusBadRequest)
		return
	}
	if h.o.Offline != nil && h.o.Offline(at.database) {
		http.Error(w, "Offline by a fault of the project", http.StatusServiceUnavailable)
		return
	}
	s := h.register(rpc, rid)
	if s == nil {
		http.Error(w, "Too many sessions", http.StatusServiceUnavailable)
		return
	}
	s.identify(at.database, headerOf(r, at, f, "Authorization"), headerOf(r, at, f, appcheck.Header))
	s.address = clientaddr.Address(r, h.o.ProxyHops)
	if !s.occupy(h.o.Streams.Take(s.address, func() { go h.drop(s) })) {
		h.drop(s)
		http.Error(w, "Too many sessions", http.StatusServiceUnavailable)
		return
	}
	s.accept(rid, -1, f.maps)
	h.limitHeld()
	select {
	case h.starts <- s:
	case <-r.Context().Done(): // the client has disconnected, or no more sessions begin
		h.drop(s)
		http.Error(w, "No sessions begin here at the moment", http.StatusServiceUnavailable)
		return
	}
	writeHeader(w)
	if r.ProtoMajor >= 2 {
		// The browser then sends concurrent requests on one connection.
		w.Header().Set("X-Client-Wire-Protocol", "h2")
	}
	hello := fmt.Sprintf(`[[0,["c",%q,%q,%d,%d,%d]]]`,
		s.id, h.hostPrefix(r.Host, r.Header.Get("Origin")), wireVersion, serverVersion, clientKeepAlive.Milliseconds())
	_, _ = w.Write(appendChunk(nil, []byte(hello)))
}

// headerOf returns a header of the handshake. Current SDKs send it in the body, older ones in the address, and other
// clients as a header of the request.
func headerOf(r *http.Request, at address, f *forward, name string) string {
	if a := f.headers.Get(name); a != "" {
		return a
	}
	if a := parseHeaders(at.headers).Get(name); a != "" {
		return a
	}
	return r.Header.Get(name)
}

// hostPrefix returns a prefix for the host name of the back channel. Browsers limit the connections to a host name to
// six; with a prefix the limit holds for each session. It is used only for localhost, because all names below localhost
// are this machine, and not for pages of the same origin, whose content security policy may forbid other origins.
func (h *Handler) hostPrefix(host, origin string) string {
	name, _, _ := strings.Cut(host, ":")
	_, from, _ := strings.Cut(origin, "://")
	if name != "localhost" || from == host {
		return ""
	}
	return "w" + strconv.Itoa(int(h.prefixes.Add(1)%prefixNames)+1)
}

// readForward reads and parses the body of a POST. If ok is false, it has responded with an error.
func (h *Handler) readForward(w http.ResponseWriter, r *http.Request) (f *forward, ok bool) {
	body, err := readBody(http.MaxBytesReader(w, r.Body, int64(h.o.MaxBody)))
	if err != nil {
		var big *http.MaxBytesError
		switch {
		case errors.As(err, &big):
			http.Error(w, "Request too large", http.StatusRequestEntityTooLarge)
		case fault.Is(err, fault.Unavailable):
			http.Error(w, fault.FromError(err).Message, http.StatusServiceUnavailable)
		default:
			http.Error(w, "Bad request: the body could not be read.", http.StatusBadRequest)
		}
		return nil, false
	}
	f, err = parseForward(body)
	if err != nil {
		http.Error(w, "Bad request: the form can't be parsed.", http.StatusBadRequest)
		return nil, false
	}
	return f, true
}

// pieces holds buffers of 32 KiB with which bodies are read. Most bodies are much smaller, so a buffer for each would
// cost more than the body.
var pieces = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// readBody reads a body to its end.
func readBody(from io.Reader) (string, error) {
	piece := pieces.Get().(*[32 << 10]byte)
	defer pieces.Put(piece)
	var body strings.Builder
	_, err := io.CopyBuffer(&body, from, piece[:])
	return body.String(), err
}

// forward handles a request of the forward channel.
func (h *Handler) forward(w http.ResponseWriter, r *http.Request, s *session, at address) {
	if s.full() {
		http.Error(w, "Too much is waiting", http.StatusServiceUnavailable)
		h.drop(s)
		return
	}
	f, ok := h.readForward(w, r)
	if !ok {
		return
	}
	rid, err := strconv.Atoi(at.request)
	ack, ackErr := parseAck(at.ack)
	if err != nil || ackErr != nil {
		http.Error(w, "Bad request: RID or AID is not a number.", http.StatusBadRequest)
		return
	}
	st, ok := s.accept(rid, ack, f.maps)
	h.limitHeld()
	if !ok {
		h.drop(s) // the client begins a new session if its session is unknown
		unknownSession(w)
		return
	}
	writeHeader(w)
	_, _ = w.Write(appendChunk(nil, st.append(nil)))
}

// parseAck parses the number of the last array that a client has. An empty text means -1.
func parseAck(s string) (int, error) {
	if s == "" {
		return -1, nil
	}
	return strconv.Atoi(s)
}

// backward handles a back channel.
func (h *Handler) backward(w http.ResponseWriter, r *http.Request, s *session, at address) {
	have, err := parseAck(at.ack)
	if err != nil {
		http.Error(w, "Bad request: AID is not a number.", http.StatusBadRequest)
		return
	}
	query := backQuery{streaming: at.once != "1", hold: h.o.KeepAlive}
	if ms, err := strconv.Atoi(at.timeout); err == nil && ms > 0 && !query.streaming {
		query.hold = min(time.Duration(ms)*time.Millisecond, h.o.KeepAlive)
	}
	have = max(have, 0) // The response to the handshake has number 0. A client that has not received it has no session.
	b := s.attach(have)
	if b == nil {
		unknownSession(w)
		return
	}
	s.serveBack(w, r, b, have, query)
}

// compact returns a JSON text without white space.
func compact(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}
