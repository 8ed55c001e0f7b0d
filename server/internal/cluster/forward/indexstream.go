package forward

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/store/postgres/readlease"
)

// How a node requests read indexes. It has two streams to the leader, each a TLS connection of its own with one request
// at a time: one for reads, which share requests (package readindex), and one on which the leader may wait for the next
// row of the log. A stream is opened with its first request, and ends when it breaks, with a request that takes too
// long, and when another node leads. A leader of an earlier version has no streams, or none with leases; without
// streams its indexes are requested over HTTP.

// errIndex is the error of a node that has no read index to give, because it does not lead.
var errIndex = errors.New("cluster: the leader has no read index")

// errNoStreams is the error of a leader that has no streams.
var errNoStreams = errors.New("cluster: the leader has no streams of read indexes")

// serveIndexes responds to the requests of a stream until it breaks or this node stops. leases is set for a stream with
// leases.
func (n *Node) serveIndexes(ctx context.Context, conn net.Conn, leases bool) {
	ctx, stop := n.ending.Within(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	var holder *readlease.Holder
	if leases {
		holder = new(readlease.Holder)
	}
	var request, response []byte
	for {
		var err error
		if request, err = readFrame(in, request); err != nil {
			return
		}
		r, err := parseRequest(request, leases)
		if err != nil {
			n.o.Log.Warn("a stream of read indexes is closed", "error", err)
			return
		}
		// A lease is measured from here at the leader. The node measures it from the time at which it sent the request, which
		// is earlier.
		r.Holder, r.Received = holder, clock.System().Now()
		response = beginFrame(response)
		if index, err := n.answerIndex(ctx, r); err != nil {
			response = appendIndex(response, nil, nil, leases)
		} else {
			response = appendIndex(response, &index, r.Databases, leases)
		}
		if _, err := conn.Write(endFrame(response)); err != nil {
			return
		}
	}
}

// answerIndex returns a read index if this node leads.
func (n *Node) answerIndex(ctx context.Context, r readindex.Request) (readindex.Index, error) {
	handler, _ := n.local(IndexService)
	if answer, ok := handler.(indexHandler); ok {
		return answer(ctx, r)
	}
	return readindex.Index{}, errIndex
}

// indexStream is a stream to the leader. The zero indexStream is closed.
type indexStream struct {
	mu sync.Mutex // held during a request
	// leader is the leader of the stream; if conn is nil, it is a leader without streams.
	leader Leader
	conn   net.Conn
	leases bool // its responses may grant leases
	in     *bufio.Reader
	buffer []byte
	// stop ends the stream's registration for the end of the leader.
	stop func()
}

// request requests a read index from a leader.
func (s *indexStream) request(ctx context.Context, n *Node, leader Leader, r readindex.Request) (*readindex.Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leader != leader {
		s.closeLocked()
		s.leader = Leader{}
	}
	if s.conn == nil && s.leader == leader {
		return nil, errNoStreams
	}
	for again := s.conn != nil; ; again = false {
		if s.conn == nil {
			if err := s.openLocked(ctx, n, leader); err != nil {
				return nil, err
			}
		}
		index, err := s.exchangeLocked(ctx, r)
		if err == nil {
			return index, nil
		}
		s.closeLocked()
		if !again || errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
			return nil, fmt.Errorf("cluster: a stream of read indexes: %w", err)
		}
		// The leader has closed a stream that was not in use.
	}
}

// openLocked opens a stream. mu is held.
func (s *indexStream) openLocked(ctx context.Context, n *Node, leader Leader) error {
	settings := n.tls.Clone()
	settings.NextProtos = indexProtocols
	conn, err := dialInner(ctx, settings, "tcp", leader.Address)
	if err != nil {
		return err
	}
	protocol := conn.(*tls.Conn).ConnectionState().NegotiatedProtocol
	s.leases = protocol == sessionProtocol || protocol == leaseProtocol
	if !s.leases && protocol != indexProtocol {
		s.leader = leader
		return errors.Join(errNoStreams, conn.Close())
	}
	if protocol == sessionProtocol {
		n.routes.Store(&leader)
	}
	during, stop := n.during(leader).Within(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(during, func() { _ = conn.Close() })
	s.leader, s.conn, s.in = leader, conn, bufio.NewReader(conn)
	s.stop = func() {
		unregister()
		stop()
	}
	return nil
}

// closeLocked closes the stream. mu is held.
func (s *indexStream) closeLocked() {
	if s.conn != nil {
		s.stop()
		_ = s.conn.Close() // nothing is lost
		s.conn, s.leader = nil, Leader{}
	}
}

// exchangeLocked sends a request and reads the response. mu is held.
func (s *indexStream) exchangeLocked(ctx context.Context, r readindex.Request) (index *readindex.Index, err error) {
	until, _ := ctx.Deadline()
	if err := s.conn.SetDeadline(until); err != nil {
		return nil, err
	}
	if r.Wait { // other requests are not canceled
		defer whenDone(ctx, func() { _ = s.conn.SetDeadline(clock.Passed()) })()
	}
	if s.buffer, err = appendRequest(beginFrame(s.buffer), r, s.leases); err != nil {
		return nil, err
	}
	if _, err := s.conn.Write(endFrame(s.buffer)); err != nil {
		return nil, err
	}
	if s.buffer, err = readFrame(s.in, s.buffer); err != nil {
		return nil, err
	}
	return parseIndex(s.buffer, r.Databases, s.leases)
}

// whenDone calls end when ctx is done. After stop has returned, end is neither running nor called any more: the
// stream's connection may be closed by then, or serve another request.
func whenDone(ctx context.Context, end func()) (stop func()) {
	ended := make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(ended)
		end()
	})
	return func() {
		if !unregister() {
			<-ended
		}
	}
}
