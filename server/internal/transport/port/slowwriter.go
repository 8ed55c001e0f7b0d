package port

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/limit/receive"
)

// The limits of a response whose client reads slowly.
const (
	// unreadBytes is the memory that such a response takes: its goroutine, its stream and the buffers between a file
	// and the connection.
	unreadBytes = 48 << 10
	// unreadTime is the time limit for a client to read a piece, from when its write is slow.
	unreadTime = 30 * time.Second
	// unreadPiece is the maximum number of bytes that are written under one time limit.
	unreadPiece = 32 << 10
	// buffered2 and buffered1 are the numbers of bytes of a body that net/http buffers in HTTP/2, and in HTTP/1.1,
	// before it writes.
	buffered2, buffered1 = 4 << 10, 2 << 10
)

// slowWriter is the writer of a response that may be read slowly, or not at all. In HTTP/2 a client can leave hundreds
// of responses unread on one connection, by its windows, without a timeout of the connection itself. Slow writes are
// counted in the budget, which ends them if other requests need the memory.
type slowWriter struct {
	http.ResponseWriter
	request *http.Request
	control *http.ResponseController
	budget  *receive.Budget
	clock   clock.Clock
	// written is the number of bytes of the body, and flushed is set once the header was sent.
	written int
	flushed bool
	// short holds the status and the body of a response over HTTP/2 while they are short. At the end of the response
	// its length is then known.
	short struct {
		status int
		body   []byte
	}
	// begun is called when the response has taken its bytes; it is set for reads.
	begun func()
	mu    struct {
		sync.Mutex
		// cut is set once the response is being ended, and ended at its end, after which the writer must not be used.
		cut, ended bool
	}
}

// newSlowWriter returns a writer that bounds the time and the memory of slow writes. The caller must call finish after
// the response.
func (p *Port) newSlowWriter(w http.ResponseWriter, r *http.Request) *slowWriter {
	return &slowWriter{ResponseWriter: w, request: r, control: http.NewResponseController(w), budget: p.o.Budget, clock: p.o.Clock, begun: func() {}}
}

// Unwrap returns the inner writer to http.ResponseController.
func (u *slowWriter) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// Write implements io.Writer.
func (u *slowWriter) Write(b []byte) (n int, err error) {
	if !u.flushed && u.written+len(b) <= u.buffered() {
		if u.keeps() {
			u.short.body = append(u.short.body, b...)
			n = len(b)
		} else {
			n, err = u.ResponseWriter.Write(b)
		}
		u.written += n
		return n, err
	}
	u.release()
	s := &slowWrite{writer: u}
	if len(b) >= receive.LargeResponse { // The handler holds the bytes until they are written.
		written, err := u.budget.Responses(s.end).Take(u.request.Context(), int64(len(b)))
		if err != nil {
			panic(http.ErrAbortHandler) // The header may have been sent, so the response is cut off.
		}
		defer written()
		defer s.done()
	}
	u.begun()
	for piece := range slices.Chunk(b, unreadPiece) {
		done := u.watch()
		written, err := u.ResponseWriter.Write(piece)
		done()
		u.written += written
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

// keeps reports whether the beginning of the response is kept in short.
func (u *slowWriter) keeps() bool {
	return u.request.ProtoMajor >= 2 && u.request.Method != http.MethodHead && !u.flushed
}

// WriteHeader implements http.ResponseWriter.
func (u *slowWriter) WriteHeader(status int) {
	if !u.keeps() || status < http.StatusOK { // An informational response precedes the response.
		u.ResponseWriter.WriteHeader(status)
		return
	}
	if u.short.status == 0 && u.written == 0 {
		u.short.status = status
	}
}

// release passes on what short holds. Nothing is kept from then on.
func (u *slowWriter) release() {
	if u.flushed {
		return
	}
	u.flushed = true
	if u.short.status != 0 {
		u.ResponseWriter.WriteHeader(u.short.status)
	}
	if len(u.short.body) > 0 {
		_, _ = u.ResponseWriter.Write(u.short.body) // It is buffered. Later writes report the error.
	}
	u.short.body = nil
}

// buffered returns the number of bytes that net/http buffers.
func (u *slowWriter) buffered() int {
	if u.request.ProtoMajor >= 2 {
		return buffered2
	}
	return buffered1
}

// copies holds buffers for copying.
var copies = sync.Pool{New: func() any { return new([unreadPiece]byte) }}

// ReadFrom implements io.ReaderFrom: io.Copy would make a buffer for each response.
func (u *slowWriter) ReadFrom(from io.Reader) (int64, error) {
	buffer := copies.Get().(*[unreadPiece]byte)
	defer copies.Put(buffer)
	return io.CopyBuffer(writer{u}, from, buffer[:])
}

// writer has no method but Write.
type writer struct{ io.Writer }

// FlushError flushes the written bytes. http.ResponseController calls it.
func (u *slowWriter) FlushError() error {
	u.release()
	defer u.watch()()
	return u.control.Flush()
}

// SetWriteDeadline sets the deadline of writes, as http.ResponseController does. One that has passed ends the response:
// later ones have no effect. After the end of the response it has none either.
func (u *slowWriter) SetWriteDeadline(t time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.mu.cut || u.mu.ended {
		return nil
	}
	u.mu.cut = !t.IsZero() && !t.After(u.clock.Now())
	return u.control.SetWriteDeadline(t)
}

// Hijack implements http.Hijacker, which libraries for websockets look for. The handler bounds the connection from then
// on.
func (u *slowWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	conn, rw, err := u.control.Hijack()
	u.mu.ended = err == nil
	return conn, rw, err
}

// finish writes what HTTP/2 has buffered of a body, with its length if it is short. Otherwise net/http would do it
// after the handler has returned, when nothing bounds the time of the write any more. whole is false if the handler has
// failed: then what short holds is dropped.
func (u *slowWriter) finish(whole bool) {
	u.begun()
	defer func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.mu.ended = true
	}()
	if u.request.ProtoMajor < 2 || u.request.Method == http.MethodHead || !whole && !u.flushed {
		return
	}
	bodiless := u.short.status == http.StatusNoContent || u.short.status == http.StatusNotModified
	if len(u.short.body) > 0 && !bodiless && u.Header().Get("Content-Length") == "" {
		u.Header().Set("Content-Length", strconv.Itoa(len(u.short.body)))
	}
	u.release()
	if u.written > 0 {
		_ = u.FlushError() // It fails only if the client has disconnected.
	}
}

// watch counts and times a write if it is slow, until done is called.
func (u *slowWriter) watch() (done func()) {
	s := &slowWrite{writer: u}
	release := u.budget.IfSlow(u.request.Context(), unreadBytes, s.limit, s.end)
	return func() {
		s.done()
		release()
	}
}

// cut ends the response, unless it has ended.
func (u *slowWriter) cut() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.mu.ended {
		u.mu.cut = true
		// Writers without deadlines, as in tests, have no connection to wait for.
		_ = u.control.SetReadDeadline(clock.Passed())
		_ = u.control.SetWriteDeadline(clock.Passed())
	}
}

// slowWrite is a write that may be slow. The lock of the response guards its fields.
type slowWrite struct {
	writer         *slowWriter
	limited, ended bool
}

// limit sets the time limit of the write, if it is still in progress.
func (s *slowWrite) limit() {
	u := s.writer
	u.mu.Lock()
	defer u.mu.Unlock()
	if !s.ended && !u.mu.cut {
		s.limited = true
		_ = u.control.SetWriteDeadline(u.clock.Now().Add(unreadTime))
	}
}

// end ends the response if the write is still in progress.
func (s *slowWrite) end() {
	s.writer.mu.Lock()
	ended := s.ended
	s.writer.mu.Unlock()
	if !ended {
		s.writer.cut()
	}
}

// done removes the time limit.
func (s *slowWrite) done() {
	u := s.writer
	u.mu.Lock()
	defer u.mu.Unlock()
	s.ended = true
	if s.limited && !u.mu.cut {
		_ = u.control.SetWriteDeadline(time.Time{})
	}
}
