package port

import (
	"errors"
	"net"
	"runtime"
	"sync"
	"time"

	"clave/server/internal/base/clock"
)

// Why writes are joined. The HTTP/2 server of net/http writes to its connection whenever it has no frame at the moment:
// the header, the body and the end of a short response are three writes, each with a system call. A coalescer returns
// from a small write at once, and a goroutine that has let the others run first writes what has arrived meanwhile.

// coalescer is a connection that joins small writes while it has no deadline for them. An error of a joined write is
// returned by the following ones.
type coalescer struct {
	net.Conn
	mu struct {
		sync.Mutex
		*sync.Cond
		// enabled is set by join, and limited while writes have a deadline.
		enabled, limited bool
		// writing is set while a goroutine writes, or is about to, and since is the time when it began.
		writing bool
		since   time.Time
		// waiting holds the bytes that are not written, nil without any; its length is at most mostJoined.
		waiting *[]byte
		err     error
	}
}

// mostJoined is the maximum number of bytes that wait, and thus the length of a joined write. Larger writes are made
// directly.
const mostJoined = 4 << 10

// joins holds buffers of joined writes as *[]byte. Quiet connections have none.
var joins = sync.Pool{New: func() any {
	b := make([]byte, 0, mostJoined)
	return &b
}}

// newCoalescer returns a connection that writes directly until join.
func newCoalescer(inner net.Conn) *coalescer {
	j := &coalescer{Conn: inner}
	j.mu.Cond = sync.NewCond(&j.mu.Mutex)
	return j
}

// join begins to join writes.
func (j *coalescer) join() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mu.enabled = true
}

// Write implements net.Conn.
func (j *coalescer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	small := j.mu.enabled && !j.mu.limited && len(p) <= mostJoined
	for j.mu.err == nil && j.mu.writing && !(small && j.waitingLocked()+len(p) <= mostJoined) {
		j.mu.Wait()
		small = small && !j.mu.limited
	}
	switch {
	case j.mu.err != nil:
		return 0, j.mu.err
	case !small:
		j.beginLocked()
		defer j.endLocked()
		return j.writeLocked(p)
	}
	if j.mu.waiting == nil {
		j.mu.waiting = joins.Get().(*[]byte)
	}
	*j.mu.waiting = append(*j.mu.waiting, p...)
	if !j.mu.writing {
		j.beginLocked()
		go j.writeWaiting()
	}
	return len(p), nil
}

// waitingLocked returns the number of waiting bytes; mu is held.
func (j *coalescer) waitingLocked() int {
	if j.mu.waiting == nil {
		return 0
	}
	return len(*j.mu.waiting)
}

// writeLocked writes to the inner connection; mu is held, but not during the write.
func (j *coalescer) writeLocked(p []byte) (int, error) {
	j.mu.Unlock()
	defer j.mu.Lock()
	return j.Conn.Write(p)
}

// beginLocked begins a goroutine's turn to write; mu is held.
func (j *coalescer) beginLocked() { j.mu.writing, j.mu.since = true, clock.System().Now() }

// endLocked ends a goroutine's turn to write; mu is held.
func (j *coalescer) endLocked() {
	j.mu.writing = false
	j.mu.Broadcast()
}

// writeWaiting writes the waiting bytes until there are none.
func (j *coalescer) writeWaiting() {
	runtime.Gosched() // The goroutines that have the next frames run first.
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.endLocked()
	for j.mu.waiting != nil {
		b := j.mu.waiting
		j.mu.waiting = nil
		j.mu.Broadcast() // There is room again.
		j.beginLocked()
		if j.mu.err == nil {
			_, j.mu.err = j.writeLocked(*b)
		}
		*b = (*b)[:0]
		joins.Put(b)
	}
}

// stalledWrite is the time after which a write in progress is stalled: its client does not read.
const stalledWrite = 100 * time.Millisecond

// SetWriteDeadline implements net.Conn. While there is a deadline, writes are direct. crypto/tls sets one of several
// seconds to close a connection, but closes a connection at once if a write is in progress. A stalled write, which is
// none for crypto/tls, is therefore ended at once.
func (j *coalescer) SetWriteDeadline(t time.Time) error {
	j.mu.Lock()
	j.mu.limited = !t.IsZero()
	stalled := j.mu.limited && j.mu.writing && clock.System().Now().Sub(j.mu.since) > stalledWrite
	j.mu.Unlock()
	if stalled {
		t = clock.Passed()
	}
	return j.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (j *coalescer) SetDeadline(t time.Time) error {
	return errors.Join(j.SetReadDeadline(t), j.SetWriteDeadline(t))
}
