package grpc

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

// gRPC holds the messages of a stream for which its client's window has no room, up to 64 KiB and one message. If all
// streams together hold crowded bytes or more, a stream holds at most one message or mostQueued bytes before the next
// one is read and encoded, so that hundreds of clients that read slowly don't fill the memory. Messages smaller than
// countedFrom are not counted.
const (
	crowded     = 4 << 20
	mostQueued  = 16 << 10
	countedFrom = 4 << 10
)

// queue counts the bytes that gRPC holds of the messages of one stream while it is served.
type queue struct {
	// all is the number of bytes of all streams.
	all *atomic.Int64
	// whole is set if small messages are counted, too.
	whole bool
	// left, of capacity one, receives when bytes have left the queue. It is never closed.
	left chan struct{}
	mu   struct {
		sync.Mutex
		bytes int
		ended bool
	}
}

// newQueue returns an empty queue.
func newQueue(all *atomic.Int64) *queue {
	return &queue{all: all, left: make(chan struct{}, 1)}
}

// add adds n bytes of a message to the count; n may be negative.
func (q *queue) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.ended {
		return
	}
	q.mu.bytes += n
	q.all.Add(int64(n))
	if n < 0 {
		select {
		case q.left <- struct{}{}:
		default:
		}
	}
}

// end ends the counting: gRPC does not free the messages of a connection that was cut.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.ended = true
	q.all.Add(int64(-q.mu.bytes))
	q.mu.bytes = 0
}

// held returns the number of bytes that gRPC holds.
func (q *queue) held() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.bytes
}

// full reports whether the next message must wait.
func (q *queue) full() bool { return q.all.Load() > crowded && q.held() > mostQueued }

// room waits until the next message may be read and encoded. It returns the status of ctx if that ends first.
func (q *queue) room(ctx context.Context) error {
	for q.full() {
		select {
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		case <-q.left:
		}
	}
	return nil
}

// outgoing is a message that is sent on a stream; the codec counts it in the queue.
type outgoing struct {
	message any
	queue   *queue
}

// marshalOutgoing marshals a message and counts its large buffers until gRPC has written them.
func (c *codec) marshalOutgoing(o *outgoing) (mem.BufferSlice, error) {
	buffers, err := c.Marshal(o.message)
	if err != nil {
		return nil, err
	}
	buffers = slices.Clone(buffers) // another message may share them
	if o.queue.whole {
		n := buffers.Len()
		o.queue.add(n)
		return append(buffers, onFreed(func() { o.queue.add(-n) })), nil
	}
	for i, b := range buffers {
		if b.Len() < countedFrom {
			continue
		}
		data := b.ReadOnlyData()
		buffers[i] = mem.NewBuffer(&data, &counted{buffer: b, queue: o.queue})
		o.queue.add(len(data))
	}
	return buffers, nil
}

// counted is the pool of a single buffer, which gRPC returns to it once it has written it.
type counted struct {
	buffer mem.Buffer
	queue  *queue
}

// Get implements mem.BufferPool. It is not called, since nothing is taken from the pool.
func (c *counted) Get(length int) *[]byte { b := make([]byte, length); return &b }

// Put implements mem.BufferPool.
func (c *counted) Put(*[]byte) {
	n := c.buffer.Len()
	c.buffer.Free()
	c.queue.add(-n)
}
