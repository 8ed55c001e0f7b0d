package webchannel

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/slots"
)

// How a session survives the end of its handler, such as at a hand-over. A client that has received nothing takes the
// end of its stream for the loss of its connection: the web SDK then shows what it has stored, which may be nothing. So
// a session whose stream ends with its handler before it has sent anything is moved: its back channel ends, as it does
// from time to time, and the handler that gets the session's next request continues it. The client's messages are
// received again.

// maxGiven is the maximum number of bytes of messages that a session keeps to be moved.
const maxGiven = 64 << 10

// movedFor is the time for which a moved session waits for a handler.
const movedFor = 15 * time.Second

// Moves holds the sessions that are moved between handlers of a node.
type Moves struct {
	mu struct {
		sync.Mutex
		sessions map[string]*moved
	}
}

// moved is a session between two handlers. Its fields are those of session.
type moved struct {
	rpc, database, authorization, appCheck string
	address                                netip.Addr
	slot                                   *slots.Slot
	in                                     []string
	nextRID, nextMap                       int
	early                                  map[int][]forwardMap
	out                                    []array
	last, written                          int
	at                                     time.Time
}

// NewMoves returns Moves without sessions.
func NewMoves() *Moves {
	m := &Moves{}
	m.mu.sessions = make(map[string]*moved)
	return m
}

// Has reports whether a request is for a session that waits for a handler.
func (m *Moves) Has(r *http.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.sessions[r.URL.Query().Get("SID")] != nil
}

// put adds a session.
func (m *Moves) put(id string, s *moved) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.sessions[id] = s
}

// take removes a session of a stream and returns it, or nil.
func (m *Moves) take(id, rpc string) *moved {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.mu.sessions[id]
	if s == nil || s.rpc != rpc {
		return nil
	}
	delete(m.mu.sessions, id)
	return s
}

// sweep ends the sessions that have waited too long.
func (m *Moves) sweep(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.mu.sessions {
		if now.Sub(s.at) > movedFor {
			s.slot.Release()
			delete(m.mu.sessions, id)
		}
	}
}

// move ends a session whose stream has ended with err and that another handler is to continue. It returns false if the
// client is to receive the end.
func (s *session) move(err error) bool {
	moves := s.handler.o.Moves
	if moves == nil || !fault.Is(err, fault.Unavailable) {
		return false
	}
	s.mu.Lock()
	if s.mu.closed || s.mu.answered || s.mu.givenBytes > maxGiven {
		s.mu.Unlock()
		return false
	}
	moves.put(s.id, &moved{
		rpc: s.rpc, database: s.database, authorization: s.authorization, appCheck: s.appCheck, address: s.address, slot: s.mu.slot,
		in: append(s.mu.given, s.mu.in...), nextRID: s.mu.nextRID, nextMap: s.mu.nextMap, early: s.mu.early,
		out: s.mu.out, last: s.mu.last, written: s.mu.written, at: s.handler.o.Clock.Now(),
	})
	s.mu.slot = nil
	s.closeLocked()
	s.mu.Unlock()
	s.handler.drop(s)
	return true
}

// adopt continues a moved session. It returns nil if there is none, or this handler begins no sessions any more.
func (h *Handler) adopt(ctx context.Context, id, rpc string) *session {
	if h.o.Moves == nil {
		return nil
	}
	m := h.o.Moves.take(id, rpc)
	if m == nil {
		return nil
	}
	s := newSession(h, id, m.nextRID)
	s.rpc, s.address = m.rpc, m.address
	s.identify(m.database, m.authorization, m.appCheck)
	s.mu.slot, s.mu.in, s.mu.nextMap, s.mu.early = m.slot, m.in, m.nextMap, m.early
	s.mu.out, s.mu.last, s.mu.written = m.out, m.last, m.written
	for _, text := range m.in {
		s.mu.inBytes += weight(text)
	}
	for _, maps := range m.early {
		s.mu.earlyBytes += size(maps)
	}
	for _, a := range m.out {
		s.mu.outBytes += len(a.payload)
	}
	s.mu.Lock()
	s.countLocked()
	s.mu.Unlock()
	h.mu.Lock()
	h.mu.sessions[id] = s
	h.mu.Unlock()
	select {
	case h.starts <- s:
		return s
	case <-ctx.Done():
		h.drop(s)
		return nil
	}
}
