package forward

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"clave/server/internal/limit/quota"
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

// waiters are the requests that wait for a leader, with the bytes that they hold. A request counts as at least
// perRequest bytes, so that the number of requests is limited, too.
type waiters struct {
	bytes      *quota.Quota
	perRequest int64
	n          atomic.Int64
}

// newWaiters returns waiters of at most a number of requests and of bytes, of which half may be those of one network.
func newWaiters(most int, bytes int64) *waiters {
	return &waiters{bytes: quota.New(quota.Options{Bytes: bytes, Network: bytes / 2}), perRequest: bytes / int64(most)}
}

// Waiting returns the number of requests that wait for a leader.
func (n *Node) Waiting() int { return int(n.waiters.n.Load()) }

// admit counts a request of a client that holds a number of bytes and is about to wait. It returns nil beyond the
// bounds. The caller must call leave when the wait is over.
func (n *Node) admit(client netip.Addr, bytes int64) (leave func()) {
	w := n.waiters
	share := w.bytes.Share(quota.Network(client))
	if share.Take(max(bytes, w.perRequest)) != nil {
		n.o.Meter.Limited(waitingLimit)
		return nil
	}
	w.n.Add(1)
	return func() {
		w.n.Add(-1)
		share.Shrink(0)
	}
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
// is over. held is the number of bytes that the client's request holds meanwhile. It returns false if ctx is done, late
// receives, or too many requests wait.
func (n *Node) await(ctx context.Context, client netip.Addr, held int64, pause bool, served, moved <-chan struct{}, late <-chan time.Time) bool {
	leave := n.admit(client, held)
	if leave == nil {
		return false
	}
	defer leave()
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
