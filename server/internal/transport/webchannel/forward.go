package webchannel

import (
	"context"
	"io"
	"strconv"
)

// take removes the message that recv has returned. It no longer counts as waiting.
func (s *session) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.in) == 0 {
		return // The session has ended.
	}
	if text := s.mu.in[0]; s.handler.o.Moves != nil && !s.mu.answered && s.mu.givenBytes <= maxGiven {
		s.mu.given = append(s.mu.given, text)
		s.mu.givenBytes += weight(text)
	}
	s.mu.inBytes -= weight(s.mu.in[0])
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

// accept accepts the messages of a forward request: each message once, and requests in the order of their numbers. ack
// is the last array that the client has, or -1. ok is false if the session has ended or the request cannot belong to
// it.
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

// besideMessage is the approximate memory of a waiting message beside its text, in bytes. Without it, a client could
// have millions of messages of one byte wait.
const besideMessage = 64

// weight returns the number of bytes for which a waiting message counts.
func weight(data string) int { return besideMessage + len(data) }

// size returns the number of bytes for which messages count.
func size(maps []forwardMap) int {
	n := 0
	for _, m := range maps {
		n += weight(m.data)
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
			s.mu.inBytes += weight(m.data)
		}
	}
	signal(s.arrived)
}

// maxEarly is the maximum number of forward requests that wait for a missing one. Clients have at most ten requests in
// progress.
const maxEarly = 32

// full reports whether too many of the client's messages wait for the stream to accept more.
func (s *session) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.inBytes > s.handler.o.MaxBody && !s.mu.closed
}
