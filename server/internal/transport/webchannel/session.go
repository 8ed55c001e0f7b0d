package webchannel

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
)

// How a session keeps order. Both directions number their messages, and neither side is given a message twice.
//
// Forward: requests have numbers (RID), and messages numbers of their own. accept keeps a request that overtook another
// one (early) until the missing one arrives, and drops messages whose number it has passed: those of a repeated
// request. The stream takes the messages one by one (recv, take).
//
// Back: send numbers a message and queues it as an array (out). A back channel (back.go) writes the arrays after the
// client's last one. An array is removed only when the client acknowledges it (ackLocked), with a forward request or
// the next back channel. send blocks while too many bytes are not acknowledged (room): so a slow client slows down its
// own stream, and no other one.
//
// The session ends with its stream (finish), whose last array has the result, or when the client is silent for too long
// (stale).

// session is one stream of a client.
type session struct {
	handler *Handler
	id      string
	// rpc is the stream's name, and database the database in the address of the handshake.
	rpc, database string
	// authorization and appCheck are headers of the handshake (identify).
	authorization, appCheck string
	// address is the client's network address at the handshake.
	address netip.Addr
	// done is closed when the session has ended.
	done chan struct{}
	// arrived is signalled when a message may have arrived for the stream; one element, never closed.
	arrived chan struct{}
	// space is signalled when the stream may send again; one element, never closed.
	space chan struct{}
	// output is signalled when the back channel may have something to write; one element, never closed.
	output chan struct{}
	mu     struct {
		sync.Mutex
		closed bool
		// slot is the session's slot among the streams; nil before the handshake has taken it.
		slot *slots.Slot
		// cancel ends the stream; nil until it runs.
		cancel context.CancelFunc
		// over is the time when the stream ended; zero if it has not.
		over time.Time
		// seen is the time of the client's last request, or of the end of its last back channel.
		seen time.Time

		// headBytes is the number of bytes of the handshake's parts beyond the usual ones.
		headBytes int
		// in holds the client's messages that the stream hasn't received.
		in      []string
		inBytes int
		// given holds those that it has received, until answered, which is set once it has sent something.
		given      []string
		givenBytes int
		answered   bool
		// nextRID is the number of the next forward request, and early holds requests that arrived before it.
		nextRID    int
		early      map[int][]forwardMap
		earlyBytes int
		// nextMap is the number of the next message.
		nextMap int

		// out holds the arrays that the client hasn't acknowledged.
		out      []array
		outBytes int
		// unannounced is the number of bytes that were queued since output was signalled.
		unannounced int
		// stalled is set while the stream waits for an acknowledgement.
		stalled bool
		// last is the number of the last queued array, and written that of the last one that a back channel received.
		last, written int
		// back is the attached back channel, or nil.
		back *back
		// counted is the number of this session's bytes that Handler.held includes.
		counted int
		// hold is the waiting messages' share of the budget, and kept its size; nil unless they are large.
		hold *receive.Hold
		kept int
	}
}

// newSession returns a session. rid is the request number of its handshake.
func newSession(h *Handler, id string, rid int) *session {
	s := &session{
		handler: h, id: id, done: make(chan struct{}),
		arrived: make(chan struct{}, 1), space: make(chan struct{}, 1), output: make(chan struct{}, 1),
	}
	s.mu.nextRID = rid
	s.mu.early = make(map[int][]forwardMap)
	s.mu.seen = h.o.Clock.Now()
	return s
}

// usualHead is the number of bytes of a handshake's parts that do not count among the held bytes: an ID token has about
// one KiB, and an App Check token as much.
const usualHead = 4 << 10

// identify sets the database of the handshake and its headers, before the session runs. They are copied, because they
// may be parts of a much larger request, which they would keep in memory.
func (s *session) identify(database, authorization, appCheck string) {
	s.database, s.authorization, s.appCheck = strings.Clone(database), strings.Clone(authorization), strings.Clone(appCheck)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return
	}
	s.mu.headBytes = max(len(database)+len(authorization)+len(appCheck)-usualHead, 0)
	s.countLocked()
}

// signal puts a value into a channel of one element, unless it has one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run serves the stream until it ends, and sends the result to the client.
func (s *session) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.mu.cancel = cancel
	closed := s.mu.closed
	s.mu.Unlock()
	if closed {
		return
	}
	err := s.handler.serve(ctx, s)
	if ctx.Err() != nil && s.move(err) { // the handler ends
		return
	}
	s.finish(ctx, err)
	if ctx.Err() != nil {
		s.writeRest()
	}
}

// finish queues the end of the stream.
func (s *session) finish(ctx context.Context, err error) {
	payload := bye
	if err != nil {
		payload = message(s.handler.failure(ctx, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.over = s.handler.o.Clock.Now()
	s.mu.in, s.mu.inBytes = nil, 0
	if !s.mu.closed {
		s.appendLocked(payload)
	}
	s.countLocked()
}

// writeRest writes the arrays that the client of the attached back channel does not have, unless the session ends
// before.
func (s *session) writeRest() {
	s.mu.Lock()
	b := s.mu.back
	s.mu.Unlock()
	if b == nil {
		return
	}
	select {
	case b.turn <- struct{}{}:
		for more, ok := true, true; more && ok; {
			more, ok = s.writeNext(b, maxChunk)
		}
		<-b.turn
	case <-s.done:
	}
}

// occupy gives the session its slot, which it releases at its end. It returns false if there is no slot.
func (s *session) occupy(slot *slots.Slot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.slot = slot
	if s.mu.closed {
		slot.Release()
	}
	return slot != nil
}

// close ends the session. It may be called repeatedly.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeLocked()
}

// closeLocked is close with mu held.
func (s *session) closeLocked() {
	if s.mu.closed {
		return
	}
	s.mu.closed = true
	s.mu.slot.Release()
	s.mu.in, s.mu.early, s.mu.out, s.mu.given = nil, nil, nil, nil
	s.mu.headBytes, s.mu.inBytes, s.mu.earlyBytes, s.mu.outBytes = 0, 0, 0, 0
	s.countLocked()
	close(s.done)
	if s.mu.cancel != nil {
		s.mu.cancel()
	}
}

// stale reports whether the stream ended more than Linger ago, or the client has made no request for longer than Idle.
func (s *session) stale(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &s.handler.o
	if !s.mu.over.IsZero() && now.Sub(s.mu.over) > o.Linger {
		return true
	}
	return s.mu.back == nil && now.Sub(s.mu.seen) > o.Idle
}

// lastSeen returns the value of seen, and whether the session has a back channel.
func (s *session) lastSeen() (seen time.Time, attached bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.seen, s.mu.back != nil
}

// countLocked updates the handler's count of held bytes; mu is held.
func (s *session) countLocked() {
	now := s.mu.headBytes + s.mu.inBytes + s.mu.earlyBytes + s.mu.outBytes
	s.handler.held.Add(int64(now - s.mu.counted))
	s.mu.counted = now
	s.keepLocked()
}

// keepLocked counts the messages that wait for the stream in the budget if they are large; mu is held. The session is
// ended if they wait for long while requests need the bytes.
func (s *session) keepLocked() {
	now := s.mu.inBytes + s.mu.earlyBytes
	if now < parse.Large {
		now = 0
	}
	if now > s.mu.kept {
		if s.mu.hold == nil {
			s.mu.hold = s.handler.o.Budget.Hold(func() { go s.handler.drop(s) })
		}
		s.mu.hold.Keep(int64(now - s.mu.kept))
	} else if now < s.mu.kept {
		s.mu.hold.Return(int64(s.mu.kept - now))
	}
	if s.mu.kept = now; now == 0 && s.mu.hold != nil {
		s.mu.hold.Release()
		s.mu.hold = nil
	}
}

// holds returns the number of bytes that the session holds.
func (s *session) holds() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.counted
}
