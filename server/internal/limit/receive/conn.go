package receive

import (
	"context"
	"net"
	"sync"
)

// Listener returns a listener for gRPC whose connections count the bytes of incomplete messages. It closes a connection
// if the budget is used up, or if the connection receives slowly while others wait: gRPC has no way to refuse a message
// that has begun, and clients reconnect. Connections don't wait for the budget once ctx is done.
func (b *Budget) Listener(ctx context.Context, ln net.Listener) net.Listener {
	return &listener{Listener: ln, ctx: ctx, budget: b}
}

// listener counts the connections that it accepts.
type listener struct {
	net.Listener
	ctx    context.Context
	budget *Budget
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(l.ctx, l.budget, c), nil
}

// conn is a connection that is counted.
type conn struct {
	net.Conn
	hold *Hold
	// responses are the large responses that the client has not read.
	responses *Responses
	// ctx is the context of the listener, because connections have no context.
	ctx context.Context
	// in and out follow the frames. The reading goroutine uses in, and the writing goroutine out.
	in, out frameScanner
	mu      struct {
		sync.Mutex
		streams map[uint32]*messages
		// open is the number of incomplete bytes of all streams, and counted the number of these that were taken from
		// the budget.
		open, counted int64
	}
}

// newConn returns a counted connection.
func newConn(ctx context.Context, b *Budget, inner net.Conn) *conn {
	c := &conn{Conn: inner, ctx: ctx}
	c.hold = b.Hold(func() { _ = inner.Close() })
	c.responses = b.Responses(func() { _ = inner.Close() })
	c.mu.streams = make(map[uint32]*messages)
	c.in = frameScanner{skip: prefaceLength, begun: c.received, ended: c.finished, onData: c.data}
	c.out = frameScanner{begun: func(byte, byte, uint32) {}, ended: c.sent}
	return c
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	c.mu.Lock()
	c.in.scan(p[:n])
	grown := c.reconcileLocked()
	c.mu.Unlock()
	if grown > 0 {
		if full := c.hold.Take(c.ctx, grown); full != nil {
			_ = c.Close()
			return 0, full
		}
	}
	return n, err
}

// reconcileLocked returns to the budget the bytes that are no longer open, or returns the number of bytes to take from
// it; mu is held.
func (c *conn) reconcileLocked() (grown int64) {
	grown = c.mu.open - c.mu.counted
	c.mu.counted = c.mu.open
	if grown < 0 {
		c.hold.Return(-grown)
	}
	return grown
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.mu.Lock()
	c.out.scan(p[:n])
	if c.mu.open < c.mu.counted {
		c.reconcileLocked()
	}
	c.mu.Unlock()
	return n, err
}

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return remote{c.Conn.RemoteAddr(), c.responses} }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.hold.Release()
	c.responses.End()
	return c.Conn.Close()
}

// received records the header of a frame from the client; mu is held.
func (c *conn) received(kind, _ byte, stream uint32) {
	if kind == frameHeaders && c.mu.streams[stream] == nil {
		c.mu.streams[stream] = &messages{}
	}
}

// data takes data from the client; mu is held.
func (c *conn) data(stream uint32, piece []byte) {
	if m := c.mu.streams[stream]; m != nil {
		before := m.open
		m.feed(piece)
		c.mu.open += m.open - before
	}
}

// finished records the end of a frame from the client; mu is held.
func (c *conn) finished(kind, flags byte, stream uint32) { c.removeStream(kind, flags, stream) }

// sent records a frame to the client, which may end a stream that the client has not ended; mu is held.
func (c *conn) sent(kind, flags byte, stream uint32) { c.removeStream(kind, flags, stream) }

// removeStream removes a stream that a frame ends; mu is held.
func (c *conn) removeStream(kind, flags byte, stream uint32) {
	ends := kind == frameReset || flags&flagEndStream != 0 && (kind == frameData || kind == frameHeaders)
	if m := c.mu.streams[stream]; m != nil && ends {
		c.mu.open -= m.open
		delete(c.mu.streams, stream)
	}
}
