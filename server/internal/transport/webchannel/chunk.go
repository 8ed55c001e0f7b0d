package webchannel

import (
	"bufio"
	"os"
	"slices"
	"sync"
	"time"
)

// maxChunk is the size in bytes from which a chunk receives no further arrays. Clients process only complete chunks: if
// a slow connection is cut, an incomplete chunk must be sent again.
const maxChunk = 64 << 10

// announce has queued arrays written to a back channel, or nil: at once by the caller if they are at most a piece and
// the channel waits, and otherwise by the channel's own goroutine.
func (s *session) announce(b *back) {
	if b != nil {
		select {
		case b.turn <- struct{}{}:
			more, ok := s.writeNext(b, piece)
			<-b.turn
			if ok && !more {
				return
			}
		default:
		}
	}
	signal(s.output)
}

// writeTurn writes the next chunk when no other goroutine writes. It returns the results of writeNext and the time of
// the last chunk. It does not wait after the session's end, because another goroutine may write to a client that does
// not read.
func (s *session) writeTurn(b *back) (more bool, last time.Time, ok bool) {
	select {
	case b.turn <- struct{}{}:
	case <-s.done:
		return false, last, false
	}
	defer func() { <-b.turn }()
	more, ok = s.writeNext(b, maxChunk)
	return more, b.last, ok
}

// writeNext writes one chunk of the arrays that the client of a back channel does not have, if there are any. more
// reports whether there are further ones. ok is false if the channel must end. The caller has b.turn. most is that of
// unsent.
func (s *session) writeNext(b *back, most int) (more, ok bool) {
	if !b.open {
		return false, false
	}
	b.arrays, more = s.unsent(b.arrays[:0], b, b.have, most)
	if len(b.arrays) == 0 {
		return more, true
	}
	b.have = b.arrays[len(b.arrays)-1].id
	n, ok := s.write(b)
	clear(b.arrays) // The session holds the payloads until they are acknowledged, and no longer.
	b.sent += n
	if !ok || !b.streaming && !more || b.sent > s.handler.o.BackBytes {
		b.open = false
		return false, false
	}
	if b.clears {
		b.deadline = time.Time{}
		_ = b.control.SetWriteDeadline(b.deadline)
	}
	b.last = s.handler.o.Clock.Now()
	return more, true
}

// piece is the number of bytes that are written under one deadline. A client that reads slowly but steadily is not
// disconnected.
const piece = 16 << 10

// smallPiece is the size in bytes of the buffers of smallPieces, in which small chunks are joined.
const smallPiece = 2 << 10

// smallPieces holds buffers that are used again. A client that does not read blocks the buffer of its chunk, which
// therefore must not be large.
var smallPieces = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, smallPiece) }}

// write writes and flushes b.arrays as one chunk and returns its length. A client that does not read a piece of it in
// time is disconnected. The last deadline remains set.
func (s *session) write(b *back) (n int, ok bool) {
	n = chunkSize(b.arrays)
	out := &timed{back: b, session: s}
	if n > smallPiece {
		return n, writeChunk(bufio.NewWriterSize(out, min(n, piece)), b)
	}
	joined := smallPieces.Get().(*bufio.Writer)
	defer smallPieces.Put(joined)
	defer joined.Reset(nil)
	joined.Reset(out)
	return n, writeChunk(joined, b)
}

// writeChunk writes b.arrays as one chunk to b through a buffer, and reports whether it could.
func writeChunk(buffer *bufio.Writer, b *back) bool {
	return writeArrays(buffer, b.arrays) == nil && buffer.Flush() == nil && b.control.Flush() == nil
}

// timed is a writer that splits its input into pieces, each with its own deadline.
type timed struct {
	back    *back
	session *session
}

// Write implements io.Writer.
func (t *timed) Write(b []byte) (n int, err error) {
	o := &t.session.handler.o
	for part := range slices.Chunk(b, piece) {
		t.back.setDeadline(o.Clock.Now(), o.WriteTimeout)
		if t.back.leaving.Load() { // The deadline may have replaced the one of back.end.
			return n, os.ErrDeadlineExceeded
		}
		written, err := t.back.w.Write(part)
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

// setDeadline sets the deadline of a write, unless the present one leaves most of the time.
func (b *back) setDeadline(now time.Time, timeout time.Duration) {
	if b.deadline.Sub(now) > timeout-timeout/deadlineStep {
		return
	}
	b.deadline = now.Add(timeout)
	// Some writers, such as those of tests, do not support deadlines. The limits of the connection then apply.
	_ = b.control.SetWriteDeadline(b.deadline)
}

// deadlineStep is the part of the time limit by which the deadline of a write may be too early. Setting it for each
// chunk costs more than the rest of a small one's write, except the system call.
const deadlineStep = 6

// unsent appends arrays after a number to dst for the attached back channel, at most one chunk. more reports whether
// there are more. most is maxChunk, or less: then no array is returned if the first one is larger.
func (s *session) unsent(dst []array, b *back, have, most int) (arrays []array, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	arrays = dst
	if s.mu.back != b || len(s.mu.out) == 0 {
		return arrays, false
	}
	size := 0
	for _, a := range s.mu.out[max(have+1-s.mu.out[0].id, 0):] { // The numbers are consecutive.
		if size += len(a.payload); size > most && (len(arrays) > 0 || most < maxChunk) {
			return arrays, true
		}
		arrays = append(arrays, a)
		s.mu.written = max(s.mu.written, a.id)
	}
	return arrays, false
}
