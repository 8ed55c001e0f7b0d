package forward

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// maxKept is the maximum size of a body that is kept for a retry.
const maxKept = 64 << 10

// source is the body of a request that may be sent several times. It keeps the bytes that were read, up to a limit,
// until a node has begun the request. One attempt reads at a time: the reader of a failed attempt may still wait for
// the client, and the bytes that it receives are for the next attempt.
type source struct {
	from io.Reader
	mu   sync.Mutex
	more sync.Cond // signalled when there are more bytes or an attempt was closed; its lock is mu
	// kept holds the bytes from offset base.
	kept []byte
	base int
	err  error
	// reading is set during a read, and dropping once no bytes need to be kept for a retry.
	reading, dropping bool
}

// newSource returns the source of a request, or nil if it has no body.
func newSource(r *http.Request) *source {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil
	}
	s := &source{from: r.Body}
	s.more.L = &s.mu
	return s
}

// whole reports whether all bytes that were read are kept.
func (s *source) whole() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base == 0 && !s.dropping
}

// held returns the number of bytes that are kept.
func (s *source) held() int64 {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.kept))
}

// failed returns the error of the client's body, or nil if it has not failed.
func (s *source) failed() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// release stops keeping bytes: the request was begun and is not retried.
func (s *source) release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropping = true
}

// begin returns the body for an attempt.
func (s *source) begin() io.ReadCloser { return &attempt{source: s} }

// attempt is the body of one attempt.
type attempt struct {
	*source
	at     int
	closed bool
}

// Read implements io.Reader.
func (a *attempt) Read(p []byte) (int, error) {
	s := a.source
	s.mu.Lock()
	defer s.mu.Unlock()
	for !a.closed {
		switch {
		case a.at < s.base+len(s.kept):
			n := copy(p, s.kept[a.at-s.base:])
			a.at += n
			if s.dropping {
				s.kept, s.base = s.kept[a.at-s.base:], a.at
			}
			return n, nil
		case s.err != nil:
			return 0, s.err
		case s.reading:
			s.more.Wait()
		default:
			s.readLocked(p)
		}
	}
	return 0, http.ErrBodyReadAfterClose
}

// readLocked reads more bytes through a buffer.
func (s *source) readLocked(p []byte) {
	s.reading = true
	s.mu.Unlock()
	n, err := s.from.Read(p)
	s.mu.Lock()
	s.reading = false
	s.kept, s.err = append(s.kept, p[:n]...), err
	if len(s.kept) > maxKept {
		s.dropping = true
	}
	s.more.Broadcast()
}

// Close implements io.Closer. The server closes the request's own body.
func (a *attempt) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.more.Broadcast()
	return nil
}
