package webchannel

import (
	"net/http"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
)

// How a back channel works. The session keeps every array until the client acknowledges it. serveBack writes the arrays
// after the client's last one and then waits for output; it never removes an array. If the channel is cut, its
// successor therefore continues at the client's number without loss. The channel ends after BackLife or BackBytes or,
// for a client that does not stream, after one response. The client then opens the next one, which replaces a channel
// that is still attached. While serveBack waits, the stream's goroutine may write (announce): a message then needs no
// other goroutine.

// back is a hanging GET.
type back struct {
	// replaced is closed when a newer back channel replaces it.
	replaced chan struct{}
	// turn has an element while a goroutine writes: the request's own, or the stream's if little waits. Its capacity is
	// one. The goroutine may use the fields below, except leaving.
	turn chan struct{}
	// leaving is set when the request must end although a write is in progress.
	leaving atomic.Bool
	// open is set while arrays may be written.
	open bool
	w    http.ResponseWriter
	// control is that of w.
	control *http.ResponseController
	// deadline is the deadline of writes; zero if there is none.
	deadline time.Time
	// clears is set if a deadline must not remain: an expired one ends a stream of HTTP/2 even if nothing is written.
	clears bool
	// streaming is that of the request's backQuery.
	streaming bool
	// have is the number of the last array that was written, and sent the number of bytes that were.
	have, sent int
	// last is the time of the last chunk.
	last time.Time
	// arrays is used again for each chunk.
	arrays []array
}

// newBack returns a back channel that is not open.
func newBack() *back { return &back{replaced: make(chan struct{}), turn: make(chan struct{}, 1)} }

// begin opens a back channel for a request. have is the last array that the client has.
func (b *back) begin(w http.ResponseWriter, r *http.Request, have int, streaming bool, now time.Time) {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.w, b.control, b.clears = w, http.NewResponseController(w), r.ProtoMajor >= 2
	b.open, b.streaming, b.have, b.last = true, streaming, have, now
}

// leaveAfter is the time after which a write in progress fails when its request must end. The client does not read
// then.
const leaveAfter = time.Second

// end closes a back channel.
func (b *back) end(c clock.Clock) {
	select {
	case b.turn <- struct{}{}:
	default:
		late, stop := c.After(leaveAfter)
		defer stop()
		select {
		case b.turn <- struct{}{}:
		case <-late:
			b.leaving.Store(true)
			_ = b.control.SetWriteDeadline(clock.Passed())
			b.turn <- struct{}{}
		}
	}
	b.open = false
	_ = b.control.SetWriteDeadline(time.Time{}) // net/http writes the end of the response
	<-b.turn
}

// serveBack writes the session's arrays to its client, beginning after the last array that the client has. It returns
// when the client must open another back channel, or has disconnected.
func (s *session) serveBack(w http.ResponseWriter, r *http.Request, b *back, have int, q backQuery) {
	o := &s.handler.o
	life, stopLife := o.Clock.After(o.BackLife)
	defer stopLife()
	writeHeader(w)
	if q.streaming {
		s.ensureOutput(have)
	}
	b.begin(w, r, have, q.streaming, o.Clock.Now())
	defer b.end(o.Clock)
	defer s.detach(b)
	// The timer is not set anew for each chunk: when it fires, the rest of the time since the last chunk is awaited.
	quiet, stopQuiet := o.Clock.After(q.hold)
	defer func() { stopQuiet() }()
	for {
		more, last, ok := s.writeTurn(b)
		switch {
		case !ok:
			return
		case more:
			continue
		case s.stalled(b):
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

// attach attaches a new back channel and replaces an older one. have is the last array that the client has. It returns
// nil if the session has ended or cannot continue from there.
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
	s.mu.back = newBack()
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

// stalled reports whether the attached back channel has written all arrays while the stream waits for an
// acknowledgement. The client acknowledges when the back channel ends.
func (s *session) stalled(b *back) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.back == b && s.mu.stalled && s.mu.written == s.mu.last
}

// ensureOutput ensures that there is output to write immediately. The client uses it to detect proxies that buffer
// responses.
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
