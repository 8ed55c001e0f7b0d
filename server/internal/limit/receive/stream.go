package receive

import (
	"context"
	"net/http"
	"sync"
)

// ahead is the maximum size in bytes of a stream's complete messages that wait. Beyond it no more is read.
const ahead = 64 << 10

// Stream counts the body of a request that is a gRPC stream: the message that is being received. The caller must call
// release when the stream has ended, and serve the request that is returned. The server must call Taken on the
// request's context for each message that it takes: gRPC's http.Handler reads any number of messages ahead, so the body
// blocks it.
func (b *Budget) Stream(w http.ResponseWriter, r *http.Request) (with *http.Request, release func()) {
	inner := &body{ReadCloser: r.Body, ctx: r.Context()}
	s := &stream{body: inner}
	s.mu.Cond = sync.NewCond(&s.mu.Mutex)
	control := http.NewResponseController(w)
	inner.hold = b.Hold(inner.evictBy(control))
	s.responses = b.Responses(cutBy(control))
	stop := context.AfterFunc(r.Context(), s.close)
	r = r.WithContext(context.WithValue(r.Context(), streamKey{}, s))
	r.Body = s
	return r, func() {
		stop()
		s.close()
		inner.hold.Release()
		s.responses.End()
	}
}

// streamKey is the key of a *stream in a context.
type streamKey struct{}

// MessageTaken returns a function to call when a message of a stream has been received. It does nothing if messages are
// not counted this way.
func MessageTaken(ctx context.Context) func() {
	if s, ok := ctx.Value(streamKey{}).(*stream); ok {
		return s.taken
	}
	return func() {}
}

// stream is the body of a gRPC stream.
type stream struct {
	*body
	messages messages
	counted  int64
	// responses are the large responses that the client has not read.
	responses *Responses
	mu        struct {
		sync.Mutex
		*sync.Cond
		// waiting holds the lengths of the complete messages that were not taken, and sum is their sum.
		waiting []int64
		sum     int64
		closed  bool
	}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	for s.mu.sum >= ahead && !s.mu.closed {
		s.mu.Wait()
	}
	s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.ReadCloser.Read(p[:min(len(p), chunk)])
	s.messages.each = s.complete
	s.messages.feed(p[:n])
	switch grown := s.messages.open - s.counted; {
	case grown > 0:
		if s.err = s.hold.Take(s.ctx, grown); s.err != nil {
			return 0, s.err
		}
	case grown < 0:
		s.hold.Return(-grown)
	}
	s.counted = s.messages.open
	return n, s.why(err)
}

// Close implements io.Closer. It ends a blocked read, for which gRPC waits after the end of a call.
func (s *stream) Close() error {
	s.close()
	return s.ReadCloser.Close()
}

// complete records that a message of n bytes is complete.
func (s *stream) complete(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.waiting = append(s.mu.waiting, n)
	s.mu.sum += n
}

// taken records that the server has taken a message.
func (s *stream) taken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.waiting) > 0 {
		s.mu.sum -= s.mu.waiting[0]
		s.mu.waiting = s.mu.waiting[1:]
	}
	s.mu.Broadcast()
}

// close ends a blocked read.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.closed = true
	s.mu.Broadcast()
}
