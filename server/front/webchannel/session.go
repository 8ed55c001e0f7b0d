package webchannel

import (
	"context"
	"io"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"clave/server/fault"
	"clave/server/front/budget"
	"clave/server/front/slots"
	"clave/server/parsing"
)

// How a session keeps order. Both directions number their messages, and neither side is given a message twice.
//
// Forward: requests have numbers (RID), and messages numbers of their own. accept keeps a request that overtook another one (early) until the
// missing one arrives, and drops messages whose number it has passed: those of a repeated request. The stream takes the messages one by one (recv, take).
//
// Back: send numbers a message and queues it as an array (out). A back channel (back.go) writes the arrays after the client's last one. An array is
// removed only when the client acknowledges it (ackLocked), with a forward request or the next back channel. send blocks while too many bytes
// are not acknowledged (room): so a slow client slows down its own stream, and no other one.
//
// The session ends with its stream (finish), whose last array has the result, or when the client is silent for too long (stale).

// session is one stream of a client.
type session struct {
	handler *Handler
	id      string
	// rpc is the stream's name, and database the database in the address of the handshake.
	rpc, database string
	// authorization is the header of the handshake.
	authorization string
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

		// in holds the client's messages that the stream hasn't received.
		in      []string
		inBytes int
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
		hold *budget.Hold
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
	if !closed {
		s.finish(ctx, s.handler.serve(ctx, s))
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
	if s.mu.closed {
		return
	}
	s.mu.closed = true
	s.mu.slot.Release()
	s.mu.in, s.mu.early, s.mu.out = nil, nil, nil
	s.mu.inBytes, s.mu.earlyBytes, s.mu.outBytes = 0, 0, 0
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

// take removes the message that recv has returned. It no longer counts as waiting.
func (s *session) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.in) == 0 {
		return // The session has ended.
	}
	s.mu.inBytes -= len(s.mu.in[0])
	s.mu.in[0] = ""
	s.mu.in = s.mu.in[1:]
	s.countLocked()
}

// recv waits for the client's next message and returns it. The message remains in the queue until take removes it.
func (s *session) recv(ctx context.Context) (string, error) {
	for {
		s.mu.Lock()
		if len(s.mu.in) > 0 {
			m := s.mu.in[0]
			s.mu.Unlock()
			return m, nil
		}
		closed := s.mu.closed
		s.mu.Unlock()
		if closed {
			return "", io.EOF
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-s.done:
		case <-s.arrived:
		}
	}
}

// send queues a message for the client and waits until there is room for the next one, so that the caller need not keep that message meanwhile. If
// more is set, another message follows immediately, and the client needs both: small messages are then written together.
func (s *session) send(ctx context.Context, json []byte, more bool) error {
	return s.sendPayload(ctx, message(json), more)
}

// sendPayload does the same as send for the payload of a message, which other sessions may have too.
func (s *session) sendPayload(ctx context.Context, payload []byte, more bool) error {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return errSessionEnded()
	}
	s.queueLocked(payload)
	s.mu.unannounced += len(payload)
	ready, b := !more || s.mu.unannounced > maxChunk, s.mu.back
	if ready {
		s.mu.unannounced = 0
	}
	s.mu.Unlock()
	if ready {
		s.announce(b)
	}
	s.handler.limitHeld()
	return s.room(ctx)
}

// room waits until the unacknowledged bytes are below the limit.
func (s *session) room(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.mu.closed {
			s.mu.Unlock()
			return errSessionEnded()
		}
		if s.mu.outBytes <= s.handler.maxUnacked() {
			s.mu.Unlock()
			return nil
		}
		s.mu.stalled = true
		s.notifyLocked() // acknowledgements free space, and require that all arrays are written
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
		case <-s.space:
		}
	}
}

// errSessionEnded returns the error of a session that has ended.
func errSessionEnded() error { return fault.E(fault.Canceled, "The client has disconnected.") }

// appendLocked numbers and queues a payload, and notifies the back channel; mu is held.
func (s *session) appendLocked(payload []byte) {
	s.queueLocked(payload)
	s.notifyLocked()
}

// queueLocked numbers and queues a payload; mu is held.
func (s *session) queueLocked(payload []byte) {
	s.mu.last++
	s.mu.out = append(s.mu.out, array{id: s.mu.last, payload: payload})
	s.mu.outBytes += len(payload)
	s.countLocked()
}

// notifyLocked notifies the back channel of queued arrays; mu is held.
func (s *session) notifyLocked() {
	s.mu.unannounced = 0
	signal(s.output)
}

// countLocked updates the handler's count of held bytes; mu is held.
func (s *session) countLocked() {
	now := s.mu.inBytes + s.mu.earlyBytes + s.mu.outBytes
	s.handler.held.Add(int64(now - s.mu.counted))
	s.mu.counted = now
	s.keepLocked()
}

// keepLocked counts the messages that wait for the stream in the budget if they are large; mu is held. The session is ended if they wait for long
// while requests need the bytes.
func (s *session) keepLocked() {
	now := s.mu.inBytes + s.mu.earlyBytes
	if now < parsing.Large {
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

// ackLocked drops the arrays up to a number; mu is held.
func (s *session) ackLocked(id int) {
	n := 0
	for n < len(s.mu.out) && s.mu.out[n].id <= id {
		s.mu.outBytes -= len(s.mu.out[n].payload)
		s.mu.out[n].payload = nil
		n++
	}
	if n > 0 {
		s.mu.out = s.mu.out[n:]
		s.countLocked()
		s.mu.stalled = false // the stream sets it again if this is not enough
		signal(s.space)
	}
}

// state is the content of the response to a forward request.
type state struct {
	attached      bool
	last, unacked int
}

// append appends the state's JSON.
func (st state) append(b []byte) []byte {
	attached := int64(0)
	if st.attached {
		attached = 1
	}
	b = strconv.AppendInt(append(b, '['), attached, 10)
	b = strconv.AppendInt(append(b, ','), int64(st.last), 10)
	return append(strconv.AppendInt(append(b, ','), int64(st.unacked), 10), ']')
}

// accept accepts the messages of a forward request: each message once, and requests in the order of their numbers. ack is the last array that the
// client has, or -1. ok is false if the session has ended or the request cannot belong to it.
func (s *session) accept(rid, ack int, maps []forwardMap) (st state, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed || ack > s.mu.written {
		return st, false
	}
	s.mu.seen = s.handler.o.Clock.Now()
	s.ackLocked(ack)
	switch {
	case rid < s.mu.nextRID: // a repeated request
	case rid-s.mu.nextRID > maxEarly:
		return st, false
	default:
		s.mu.earlyBytes += size(maps) - size(s.mu.early[rid])
		s.mu.early[rid] = maps
	}
	for {
		maps, there := s.mu.early[s.mu.nextRID]
		if !there {
			break
		}
		delete(s.mu.early, s.mu.nextRID)
		s.mu.earlyBytes -= size(maps)
		s.mu.nextRID++
		s.takeLocked(maps)
	}
	s.countLocked()
	if s.mu.earlyBytes > s.handler.o.MaxBody {
		// Requests that wait for a missing one must not fill the memory.
		return st, false
	}
	st = state{attached: s.mu.back != nil, last: s.mu.written}
	for _, a := range s.mu.out {
		if a.id <= s.mu.written {
			st.unacked += len(a.payload)
		}
	}
	return st, true
}

// size returns the number of bytes of messages.
func size(maps []forwardMap) int {
	n := 0
	for _, m := range maps {
		n += len(m.data)
	}
	return n
}

// takeLocked passes messages to the stream, except repeated ones. mu is held.
func (s *session) takeLocked(maps []forwardMap) {
	for _, m := range maps {
		if m.id < s.mu.nextMap {
			continue
		}
		s.mu.nextMap = m.id + 1
		if s.mu.over.IsZero() {
			s.mu.in = append(s.mu.in, m.data)
			s.mu.inBytes += len(m.data)
		}
	}
	signal(s.arrived)
}

// maxEarly is the maximum number of forward requests that wait for a missing one. Clients have at most ten requests in progress.
const maxEarly = 32

// full reports whether too many of the client's messages wait for the stream to accept more.
func (s *session) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.inBytes > s.handler.o.MaxBody && !s.mu.closed
}
