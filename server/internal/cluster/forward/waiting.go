package forward

import (
	"context"
	"net/http"
	"sync"
	"time"

	"clave/server/internal/transport/grpc"
)

// Bounds of the requests that wait for a leader. Beyond them a request is refused at once, so that clients that retry
// while no node leads do not fill the memory.
const (
	maxWaiting      = 2000
	maxWaitingBytes = 32 << 20
)

// waitingLimit is the name of these bounds in the metrics.
const waitingLimit = "leader-wait"

// waiters counts the requests that wait for a leader, and the bytes that they hold.
type waiters struct {
	most      int
	mostBytes int64
	mu        struct {
		sync.Mutex
		n     int
		bytes int64
	}
}

// enter counts a request that holds a number of bytes. It returns false at the limit. The caller must call leave.
func (w *waiters) enter(bytes int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.n >= w.most || w.mu.bytes+bytes > w.mostBytes {
		return false
	}
	w.mu.n++
	w.mu.bytes += bytes
	return true
}

// leave ends the wait of a request.
func (w *waiters) leave(bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.n--
	w.mu.bytes -= bytes
}

// Waiting returns the number of requests that wait for a leader.
func (n *Node) Waiting() int {
	n.waiters.mu.Lock()
	defer n.waiters.mu.Unlock()
	return n.waiters.mu.n
}

// admit counts a request that holds a number of bytes and is about to wait. It returns false beyond the bounds.
func (n *Node) admit(bytes int64) bool {
	if n.waiters.enter(bytes) {
		return true
	}
	n.o.Meter.Limited(waitingLimit)
	return false
}

// http1Buffer is the size of the buffers of net/http for the body of a request over HTTP/1.
const http1Buffer = 4 << 10

// heldBy returns about how many bytes a request holds before its body is read: its headers, and the part of the body
// that a connection receives meanwhile.
func heldBy(r *http.Request) int64 {
	const perField = 32 // as HTTP/2 counts them
	n := int64(len(r.RequestURI))
	for name, values := range r.Header {
		for _, value := range values {
			n += int64(len(name) + len(value) + perField)
		}
	}
	window := int64(http1Buffer)
	if r.ProtoMajor >= 2 {
		window = grpc.StreamWindow
	}
	if r.ContentLength >= 0 {
		window = min(window, r.ContentLength)
	}
	return n + window
}

// await waits until a request may be retried: there is a leader or another one, or the pause after a failed connection
// is over. held is the number of bytes that the request holds meanwhile. It returns false if ctx is done, late
// receives, or too many requests wait.
func (n *Node) await(ctx context.Context, held int64, pause bool, served, moved <-chan struct{}, late <-chan time.Time) bool {
	if !n.admit(held) {
		return false
	}
	defer n.waiters.leave(held)
	var again <-chan time.Time
	if pause {
		after, stop := n.o.Clock.After(againAfter)
		defer stop()
		again = after
	}
	select {
	case <-served:
	case <-moved:
	case <-again:
	case <-late:
		return false
	case <-ctx.Done():
		return false
	}
	return true
}
