package webchannel

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"time"
)

// How a back channel works. The session keeps every array until the client acknowledges it. serveBack writes the arrays after the client's last one
// and then waits for output; it never removes an array. If the channel is cut, its successor therefore continues at the client's number without
// loss. The channel ends after BackLife or BackBytes or, for a client that does not stream, after one response. The client then opens the next one, which
// replaces a channel that is still attached.

// serveBack writes the session's arrays to its client, beginning after the last array that the client has. It returns
// when the client must open another back channel, or has disconnected.
func (s *session) serveBack(w http.ResponseWriter, r *http.Request, b *back, have int, q backQuery) {
	defer s.detach(b)
	o := &s.handler.o
	control := http.NewResponseController(w)
	life, stopLife := o.Clock.After(o.BackLife)
	defer stopLife()
	writeHeader(w)
	if q.streaming {
		s.ensureOutput(have)
	}
	// The timer is not set anew for each chunk: when it fires, the rest of the time since the last chunk is awaited.
	quiet, stopQuiet := o.Clock.After(q.hold)
	defer func() { stopQuiet() }()
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }() // net/http writes the end of the response
	last := o.Clock.Now()
	var arrays []array
	sent := 0
	for {
		var more bool
		if arrays, more = s.unsent(arrays[:0], b, have); len(arrays) > 0 {
			have = arrays[len(arrays)-1].id
			n, ok := s.write(w, control, arrays)
			clear(arrays) // The session holds the payloads until they are acknowledged, and no longer.
			sent += n
			if !ok || !q.streaming && !more || sent > o.BackBytes {
				return
			}
			if r.ProtoMajor >= 2 { // An expired deadline ends a stream of HTTP/2 even if nothing is written.
				_ = control.SetWriteDeadline(time.Time{})
			}
			last = o.Clock.Now()
			continue
		}
		if s.stalled(b) {
			return
		}
		select {
		case <-s.output:
		// output holds one signal. This loop may have received a signal for its successor, so it sends the signal again.
		case <-b.replaced:
			signal(s.output)
			return
		case <-s.done:
			return
		case <-r.Context().Done():
			signal(s.output)
			return
		case <-quiet:
			rest := q.hold - o.Clock.Now().Sub(last)
			if rest <= 0 {
				s.keepAlive()
				rest = q.hold
			}
			quiet, stopQuiet = o.Clock.After(rest)
		case <-life:
			return
		}
	}
}

// backQuery holds the parameters of a back channel's address.
type backQuery struct {
	// streaming is false for a client that requires each answer to end.
	streaming bool
	// hold is the maximum time without output.
	hold time.Duration
}

// piece is the number of bytes that are written under one deadline. A client that reads slowly but steadily is not disconnected.
const piece = 16 << 10

// write writes and flushes arrays as one chunk and returns its length. A client that does not read a piece of it in time is disconnected. The last
// deadline remains set.
func (s *session) write(w http.ResponseWriter, control *http.ResponseController, arrays []array) (n int, ok bool) {
	n = chunkSize(arrays)
	pieces := bufio.NewWriterSize(&timed{w: w, control: control, session: s}, min(n, piece))
	if writeArrays(pieces, arrays) != nil || pieces.Flush() != nil || control.Flush() != nil {
		return n, false
	}
	return n, true
}

// timed is a writer that splits its input into pieces, each with its own deadline.
type timed struct {
	w       io.Writer
	control *http.ResponseController
	session *session
}

// Write implements io.Writer.
func (t *timed) Write(b []byte) (n int, err error) {
	o := &t.session.handler.o
	for part := range slices.Chunk(b, piece) {
		// Some writers, such as those of tests, do not support deadlines. The limits of the connection then apply.
		_ = t.control.SetWriteDeadline(o.Clock.Now().Add(o.WriteTimeout))
		written, err := t.w.Write(part)
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

// attach attaches a new back channel and replaces an older one. have is the last array that the client has. It returns nil if the session has ended
// or cannot continue from there.
func (s *session) attach(have int) *back {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed || have > s.mu.written || len(s.mu.out) > 0 && have < s.mu.out[0].id-1 || len(s.mu.out) == 0 && have < s.mu.last {
		return nil
	}
	if s.mu.back != nil {
		close(s.mu.back.replaced)
	}
	s.mu.seen = s.handler.o.Clock.Now()
	s.ackLocked(have)
	s.mu.back = &back{replaced: make(chan struct{})}
	return s.mu.back
}

// detach ends a back channel, unless a newer one has replaced it.
func (s *session) detach(b *back) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.back == b {
		s.mu.back = nil
		s.mu.seen = s.handler.o.Clock.Now()
	}
}

// maxChunk is the size in bytes from which a chunk receives no further arrays. Clients process only complete chunks: if a slow connection is cut, an
// incomplete chunk must be sent again.
const maxChunk = 64 << 10

// unsent appends arrays after a number to dst for the attached back channel, at most one chunk. more reports whether there are more.
func (s *session) unsent(dst []array, b *back, have int) (arrays []array, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	arrays = dst
	if s.mu.back != b {
		return arrays, false
	}
	size := 0
	for _, a := range s.mu.out {
		if a.id <= have {
			continue
		}
		if size += len(a.payload); len(arrays) > 0 && size > maxChunk {
			return arrays, true
		}
		arrays = append(arrays, a)
		s.mu.written = max(s.mu.written, a.id)
	}
	return arrays, false
}

// stalled reports whether the attached back channel has written all arrays while the stream waits for an acknowledgement. The client acknowledges
// when the back channel ends.
func (s *session) stalled(b *back) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.back == b && s.mu.stalled && s.mu.written == s.mu.last
}

// ensureOutput ensures that there is output to write immediately. The client uses it to detect proxies that buffer responses.
func (s *session) ensureOutput(have int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.last <= have && !s.mu.closed {
		s.appendLocked(noop)
	}
}

// keepAlive queues an empty array so that the connection is not idle.
func (s *session) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mu.closed {
		s.appendLocked(noop)
	}
}
