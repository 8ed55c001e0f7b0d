package port

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/limit/slots"
)

// preface is the beginning of an HTTP/2 connection with prior knowledge (RFC 9113 §3.4); three bytes distinguish it
// from HTTP/1.1, which has no method that begins with them.
var preface = []byte("PRI")

// sniffTimeout is the time limit for the first bytes of a new connection, which show its protocol.
const sniffTimeout = 10 * time.Second

// split accepts the connections of one listener and passes each to one of two listeners: gRPC, or HTTP of any version.
// Without TLS a connection that begins with HTTP/2's preface is gRPC. With TLS a connection whose client offers only
// HTTP/2 is gRPC: browsers and HTTP libraries offer HTTP/1.1 too.
type split struct {
	listener   net.Listener
	tls        *tls.Config
	clock      clock.Clock
	log        *slog.Logger
	slots      *slots.Slots
	grpc, http *side
	// calls reports whether a gRPC server accepts connections; otherwise all are HTTP connections.
	calls func() bool
	wg    sync.WaitGroup
}

// side is a listener that receives its connections from a split.
type side struct {
	addr  net.Addr
	conns chan net.Conn // never closed; done ends both ends
	done  chan struct{}
	once  sync.Once
}

// newSplit returns a split of a port's listener.
func newSplit(o Options, calls func() bool) *split {
	newSide := func() *side {
		return &side{addr: o.Listener.Addr(), conns: make(chan net.Conn), done: make(chan struct{})}
	}
	s := &split{listener: o.Listener, clock: o.Clock, log: o.Log, slots: o.Connections, grpc: newSide(), http: newSide(), calls: calls}
	if o.TLS != nil {
		s.tls = notingOffers(o.TLS)
	}
	return s
}

// accept accepts until ctx is done or the listener fails, and returns once every connection has been passed on.
func (s *split) accept(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.listener.Close() })
	defer stop()
	defer s.wg.Wait()
	defer s.close()
	return Accept(ctx, s.listener, s.clock, func(conn net.Conn) {
		if conn = s.slots.Conn(conn); conn != nil {
			s.wg.Go(func() { s.route(ctx, &lazyDeadline{Conn: conn}) })
		}
	})
}

// close ends both sides.
func (s *split) close() {
	_ = s.http.Close()
	_ = s.grpc.Close()
}

// route detects the protocol of a connection and passes it on.
func (s *split) route(ctx context.Context, conn net.Conn) {
	if s.tls != nil {
		s.routeTLS(ctx, conn)
		return
	}
	head := make([]byte, 0, len(preface))
	quiet := time.AfterFunc(sniffTimeout, func() { _ = conn.Close() })
	for len(head) < len(preface) && bytes.HasPrefix(preface, head) {
		n, err := conn.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if err != nil {
			quiet.Stop()
			_ = conn.Close() // no request was received, so there is no response
			return
		}
	}
	if !quiet.Stop() {
		return
	}
	to := s.http
	if bytes.Equal(head, preface) && s.calls() {
		to = s.grpc
	}
	to.give(&replayed{Conn: conn, head: head})
}

// give passes a connection to the listener's Accept, or closes it when the side has ended.
func (s *side) give(conn net.Conn) {
	select {
	case s.conns <- conn:
	case <-s.done:
		_ = conn.Close()
	}
}

// Accept implements net.Listener.
func (s *side) Accept() (net.Conn, error) {
	select {
	case conn := <-s.conns:
		return conn, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *side) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// Addr implements net.Listener.
func (s *side) Addr() net.Addr { return s.addr }

// replayed is a connection whose first bytes were read and are returned again.
type replayed struct {
	net.Conn
	head []byte
}

// Read implements net.Conn.
func (r *replayed) Read(p []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	return r.Conn.Read(p)
}
