package webchannel

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/api"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/calls"
)

// Options configure a Handler. A zero limit means the default that its comment gives.
type Options struct {
	// Firestore serves the streams.
	Firestore *api.Server
	// Tokens identifies callers.
	Tokens token.Callers
	// AppCheck decides about clients by their App Check tokens; nil allows all.
	AppCheck *appcheck.Checker
	// Offline reports whether a fault makes a database unreachable, for tests: its handshakes are refused, because clients
	// take a session that begins for a connection. nil refuses none.
	Offline func(database string) bool
	// Owner is the name of this handler in the ids of its sessions, in letters, digits, - and _, so that nodes can find it
	// (SessionOwner). Empty for ids without a name.
	Owner string
	// ListenOnly omits the Write stream.
	ListenOnly bool
	// ProxyHops is how many trusted reverse proxies append the client's address to X-Forwarded-For.
	ProxyHops int
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// MaxSessions is the maximum number of sessions; 20,000.
	MaxSessions int
	// MaxBody is the maximum size of a forward request in bytes, and of the waiting messages of a client; 36 MiB.
	MaxBody int
	// MaxUnacked is the number of bytes that a client may leave unacknowledged before its stream waits; 1 MiB.
	MaxUnacked int
	// MaxHeld is the maximum number of waiting bytes of all clients, in both directions; 512 MiB. From a thirty-second of
	// it on, each client may have little more than half a chunk unacknowledged.
	MaxHeld int
	// BackBytes is the number of bytes after which a back channel is ended, so that the client acknowledges; 512 KiB.
	BackBytes int
	// BackLife is the maximum lifetime of a back channel; 4 minutes.
	BackLife time.Duration
	// KeepAlive is the interval of keep-alive messages on an idle back channel; 25 s.
	KeepAlive time.Duration
	// WriteTimeout is the time limit for a client to read a piece of a chunk; 30 s.
	WriteTimeout time.Duration
	// Idle is how long a session may be without a request; 90 s.
	Idle time.Duration
	// Linger is how long a session is kept after the end of its stream, so that its client receives the end; 30 s.
	Linger time.Duration
	// Streams bounds the sessions; nil means a bound of the handler's own.
	Streams *slots.Slots
	// Parsing limits the memory of large messages that are parsed; nil means a separate limit.
	Parsing *parse.Limit
	// Budget counts the messages that wait for streams; nil means a separate budget.
	Budget *receive.Budget
	// Moves receives sessions at the end of the handler whose clients have received nothing, and has those that the
	// handler continues; nil for none.
	Moves *Moves
	// Ended is the text of the error of streams that end with the handler; empty means that the server is stopping.
	Ended string
	// Meter counts streams; nil counts nothing.
	Meter *meter.Meter
	// Log receives internal errors; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Ended == "" {
		o.Ended = "The server is stopping. Please try again."
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Parsing == nil {
		o.Parsing = parse.New(0)
	}
	if o.Budget == nil {
		o.Budget = receive.New(receive.Options{Clock: o.Clock})
	}
	if o.Streams == nil {
		o.Streams = slots.New(slots.Options{All: o.MaxSessions})
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		limit *int
		value int
	}{{&o.MaxSessions, 20000}, {&o.MaxBody, 36 << 20}, {&o.MaxUnacked, 1 << 20}, {&o.MaxHeld, 512 << 20}, {&o.BackBytes, 512 << 10}} {
		if *d.limit == 0 {
			*d.limit = d.value
		}
	}
	for _, d := range []struct{ limit, value *time.Duration }{
		{&o.BackLife, ptr(4 * time.Minute)}, {&o.KeepAlive, ptr(25 * time.Second)}, {&o.WriteTimeout, ptr(30 * time.Second)},
		{&o.Idle, ptr(90 * time.Second)}, {&o.Linger, ptr(30 * time.Second)},
	} {
		if *d.limit == 0 {
			*d.limit = *d.value
		}
	}
}

// ptr returns a pointer to a duration.
func ptr(d time.Duration) *time.Duration { return &d }

// Validate returns an error if a required option is missing.
func (o *Options) Validate() error {
	if o.Firestore == nil || o.Tokens == nil {
		return errors.New("webchannel: needs a Firestore server and a token verifier")
	}
	return nil
}

// Handler serves the sessions of all clients. Sessions begin only while Run is running.
type Handler struct {
	o Options
	// calls contains the streams by name.
	calls map[string]call
	// counted counts the streams.
	counted *meter.Calls
	// starts passes new sessions to Run.
	starts chan *session
	// prefixes counts the host names given to browsers on this machine.
	prefixes atomic.Uint32
	// held is the number of bytes that all sessions hold.
	held atomic.Int64
	// limiting is held while sessions that hold too many bytes are ended.
	limiting sync.Mutex
	mu       struct {
		sync.Mutex
		sessions map[string]*session
	}
}

// call serves the stream of a session for its caller.
type call func(ctx context.Context, c token.Caller, s *session) error

// New returns a handler for /google.firestore.v1.Firestore/{Listen,Write}/channel.
func New(o Options) (*Handler, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	streams := make(map[string]call)
	for _, c := range calls.All {
		if c.Message != nil {
			streams[c.Name] = served(o.Firestore, c)
		}
	}
	h := newHandler(o, streams) // which counts all, since handlers with the same Meter share the counters
	if o.ListenOnly {
		delete(streams, "Write")
	}
	return h, nil
}

// newHandler returns a handler for the given streams.
func newHandler(o Options, streams map[string]call) *Handler {
	h := &Handler{o: o, calls: streams, starts: make(chan *session), counted: o.Meter.Calls("webchannel", nil, slices.Collect(maps.Keys(streams)))}
	h.mu.sessions = make(map[string]*session)
	return h
}

// all returns the sessions.
func (h *Handler) all() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.mu.sessions))
}

// Sessions returns the number of sessions.
func (h *Handler) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.mu.sessions)
}

// drop ends a session.
func (h *Handler) drop(s *session) {
	h.mu.Lock()
	delete(h.mu.sessions, s.id)
	h.mu.Unlock()
	s.close()
}

// find returns a session of a stream.
func (h *Handler) find(id, rpc string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.mu.sessions[id]
	if s == nil || s.rpc != rpc {
		return nil
	}
	return s
}

// register creates a session with an id that cannot be guessed. At the maximum number of sessions it ends the session
// that has been without a back channel the longest, because clients that abandon sessions must not block others. It
// returns nil if all sessions have one.
func (h *Handler) register(rpc string, rid int) *session {
	s := newSession(h, h.sessionID(), rid)
	s.rpc = rpc
	h.mu.Lock()
	var detached *session
	if len(h.mu.sessions) >= h.o.MaxSessions {
		if detached = h.longestDetachedLocked(); detached == nil {
			h.mu.Unlock()
			return nil
		}
		delete(h.mu.sessions, detached.id)
	}
	h.mu.sessions[s.id] = s
	h.mu.Unlock()
	if detached != nil {
		detached.close()
	}
	return s
}

// maxUnacked returns the current limit of bytes that are kept for a client that does not acknowledge them. The limit is
// low while all clients together have many such bytes; otherwise hundreds of slow sessions would have to be ended to
// free memory. Streams wait at the limit and encode no further messages.
func (h *Handler) maxUnacked() int {
	if h.held.Load() < int64(h.o.MaxHeld/crowdedDivisor) {
		return h.o.MaxUnacked
	}
	return min(h.o.MaxUnacked, maxChunk/2)
}

// crowdedDivisor determines when the limit is low: while the clients hold more than MaxHeld/crowdedDivisor.
const crowdedDivisor = 32

// limitHeld ends the sessions that hold the most bytes until all together hold at most MaxHeld. Clients that send too
// much or do not read must not fill the memory.
func (h *Handler) limitHeld() {
	if h.held.Load() <= int64(h.o.MaxHeld) {
		return
	}
	// One call at a time, because concurrent calls would end several sessions for the same excess.
	h.limiting.Lock()
	defer h.limiting.Unlock()
	for h.held.Load() > int64(h.o.MaxHeld) {
		var largest *session
		most := 0
		for _, s := range h.all() {
			if n := s.holds(); n > most {
				largest, most = s, n
			}
		}
		if largest == nil {
			return
		}
		h.drop(largest)
	}
}

// longestDetachedLocked returns the session that has been without a back channel the longest, or nil if all have one;
// mu is held.
func (h *Handler) longestDetachedLocked() *session {
	var detached *session
	var since time.Time
	for _, s := range h.mu.sessions {
		if seen, attached := s.lastSeen(); !attached && (detached == nil || seen.Before(since)) {
			detached, since = s, seen
		}
	}
	return detached
}

// rpcOf returns the name of the stream in a path, or "".
func (h *Handler) rpcOf(path string) string {
	path, ok := strings.CutPrefix(path, pathPrefix)
	rpc, ok2 := strings.CutSuffix(path, pathSuffix)
	if !ok || !ok2 || h.calls[rpc] == nil {
		return ""
	}
	return rpc
}

// ServeHTTP handles one request of a session, or a handshake.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rpc := h.rpcOf(r.URL.Path)
	at, ok := parseAddress(r.URL.RawQuery)
	switch {
	case rpc == "":
		http.NotFound(w, r)
		return
	case !ok:
		http.Error(w, "Bad request: the query can't be parsed.", http.StatusBadRequest)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	sid := at.session
	switch {
	case sid == "" && r.Method == http.MethodPost:
		h.handshake(w, r, rpc, at)
	case sid == "":
		http.Error(w, "Bad request: a session begins with a POST.", http.StatusBadRequest)
	default:
		s := h.find(sid, rpc)
		if s == nil {
			s = h.adopt(r.Context(), sid, rpc)
		}
		switch {
		// The client sends this when it closes, and ignores the response. An unknown session is therefore not an error.
		case at.kind == "terminate":
			if s != nil {
				h.drop(s)
			}
			writeHeader(w)
		case s == nil:
			unknownSession(w)
		case r.Method == http.MethodGet:
			h.backward(w, r, s, at)
		default:
			h.forward(w, r, s, at)
		}
	}
}

// unknownSession responds to a request for an unknown session with the text that clients require.
func unknownSession(w http.ResponseWriter) {
	writeHeader(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte("<H1>Unknown SID</H1>"))
}

// The headers of all responses, which share these values.
var (
	plainText = []string{"text/plain; charset=utf-8"}
	noSniff   = []string{"nosniff"}
	noStore   = []string{"private, max-age=0, no-store"}
	unbuffer  = []string{"no"}
)

// writeHeader sets the headers of all responses.
func writeHeader(w http.ResponseWriter) {
	head := w.Header()
	head["Content-Type"] = plainText
	head["X-Content-Type-Options"] = noSniff
	head["Cache-Control"] = noStore
	head["X-Accel-Buffering"] = unbuffer
}
