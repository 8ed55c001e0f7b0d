package forward

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/readindex"
)

// recorded is a listener that keeps its connections.
type recorded struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

// Accept implements net.Listener.
func (l *recorded) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.conns = append(l.conns, conn)
	}
	return conn, err
}

// cut closes all connections and returns how many there were.
func (l *recorded) cut() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.conns)
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
	return n
}

// electorate reports the leader to some nodes.
type electorate struct {
	mu      sync.Mutex
	leader  Leader
	changed chan struct{}
}

// get returns the leader.
func (e *electorate) get() (Leader, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader, e.changed
}

// elect makes the node at an address the leader.
func (e *electorate) elect(address string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leader = Leader{Node: address, Address: address, Epoch: e.leader.Epoch + 1}
	close(e.changed)
	e.changed = make(chan struct{})
}

// listenInner returns an inner listener.
func listenInner(t *testing.T) *recorded {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return &recorded{Listener: ln}
}

// runNode runs a node and returns it with its listener.
func runNode(t *testing.T, secret string, e *electorate) (*Node, *recorded) {
	t.Helper()
	ln := listenInner(t)
	n, err := New(Options{Name: ln.Addr().String(), Secret: []byte(secret), Listener: ln, Leader: e.get, LeaderTimeout: time.Minute, Grace: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	return n, ln
}

// newElectorate returns an electorate without a leader.
func newElectorate() *electorate { return &electorate{changed: make(chan struct{})} }

// offers returns the handlers of a leader whose read index has a given number.
func offers(seq int64) map[string]http.Handler {
	return map[string]http.Handler{IndexService: AnswerIndex(func(_ context.Context, r readindex.Request) (readindex.Index, error) {
		index := readindex.Index{Seq: seq, Rules: "rules", Versions: make(map[string]clock.Version)}
		for i, name := range r.Databases {
			index.Versions[name] = clock.Version(i + 1)
		}
		if r.After == seq {
			return index, errors.New("nothing is known")
		}
		return index, nil
	})}
}

// indexFrom requests a read index for two databases.
func indexFrom(t *testing.T, n *Node, after int64) (readindex.Index, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return n.Index(ctx, readindex.Request{After: after, Wait: after%2 == 1, Databases: []string{"p/(default)", "p/other"}})
}

// TestIndexStream requests read indexes from a leader that refuses once, closes the connection, stops leading, and from
// the next leader. Each kind of request must use one connection.
func TestIndexStream(t *testing.T) {
	e := newElectorate()
	one, at := runNode(t, "secret", e)
	follower, _ := runNode(t, "secret", e)
	want := func(seq int64) {
		t.Helper()
		index, err := indexFrom(t, follower, 0)
		versions := map[string]clock.Version{"p/(default)": 1, "p/other": 2}
		if err != nil || index.Seq != seq || index.Rules != "rules" || !reflect.DeepEqual(index.Versions, versions) {
			t.Errorf("Index = %+v, %v; want row %d", index, err, seq)
		}
	}
	if _, err := indexFrom(t, follower, 0); !errors.Is(err, errNotReached) {
		t.Errorf("Index without a leader = %v, want errNotReached", err)
	}
	one.Serve(offers(7))
	e.elect(one.o.Name)
	for range 10 {
		want(7)
	}
	for _, after := range []int64{7, 1, 3} {
		if _, err := indexFrom(t, follower, after); (err != nil) != (after == 7) {
			t.Errorf("Index after row %d = %v", after, err)
		}
	}
	if n := at.cut(); n != 2 {
		t.Errorf("the leader had %d connections, want one for each kind of request", n)
	}
	want(7)
	one.Serve(nil)
	if _, err := indexFrom(t, follower, 0); !errors.Is(err, errIndex) {
		t.Errorf("Index of a node that does not lead = %v, want errIndex", err)
	}
	two, _ := runNode(t, "secret", e)
	two.Serve(offers(8))
	e.elect(two.o.Name)
	want(8)
	stranger, _ := runNode(t, "another", e)
	if index, err := indexFrom(t, stranger, 0); err == nil {
		t.Errorf("Index of a node without the secret = %+v, want an error", index)
	}
}

// TestIndexRequestsEndWithTheLeader waits for a leader's response until another node is elected, and until the request
// is cancelled.
func TestIndexRequestsEndWithTheLeader(t *testing.T) {
	e := newElectorate()
	leader, _ := runNode(t, "secret", e)
	follower, _ := runNode(t, "secret", e)
	entered := make(chan struct{}, 1)
	leader.Serve(map[string]http.Handler{IndexService: AnswerIndex(func(ctx context.Context, _ readindex.Request) (readindex.Index, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return readindex.Index{}, ctx.Err()
	})})
	e.elect(leader.o.Name)
	ended := make(chan error, 1)
	go func() {
		_, err := indexFrom(t, follower, 0)
		ended <- err
	}()
	<-entered
	e.elect("127.0.0.1:1")
	if err := <-ended; err == nil {
		t.Error("a request to a leader that was replaced has a response")
	}
	e.elect(leader.o.Name)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := follower.Index(ctx, readindex.Request{Wait: true})
		ended <- err
	}()
	<-entered
	cancel()
	if err := <-ended; err == nil {
		t.Error("a request that was given up has a response")
	}
}

// TestIndexOfAnEarlierVersion requests read indexes from a leader that does not support streams.
func TestIndexOfAnEarlierVersion(t *testing.T) {
	settings, err := identity([]byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	ln := listenInner(t)
	only := new(http.Protocols)
	only.SetHTTP2(true)
	earlier := &http.Server{Handler: offers(9)[IndexService], TLSConfig: settings, Protocols: only}
	go func() { _ = earlier.ServeTLS(ln, "", "") }()
	defer earlier.Close()
	e := newElectorate()
	follower, _ := runNode(t, "secret", e)
	e.elect(ln.Addr().String())
	for range 3 {
		if index, err := indexFrom(t, follower, 0); err != nil || index.Seq != 9 || index.Versions["p/other"] != 2 {
			t.Errorf("Index = %+v, %v; want row 9", index, err)
		}
	}
	if n := ln.cut(); n != 2 {
		t.Errorf("the leader had %d connections, want one to find that it has no streams, and one for requests", n)
	}
}

// FuzzIndexFrames parses arbitrary frames of a peer. The encoding of a parsed frame must be the same bytes.
func FuzzIndexFrames(f *testing.F) {
	request, err := appendRequest(nil, readindex.Request{Wait: true, Lease: true, After: -1, Databases: []string{"p/(default)", ""}}, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(request, true)
	for _, leases := range []bool{false, true} {
		f.Add(appendIndex(nil, &readindex.Index{Seq: 1, Rules: "r", Versions: map[string]clock.Version{"a": 5}, Lease: time.Second}, []string{"a", "b"}, leases), leases)
	}
	f.Add(appendIndex(nil, nil, nil, true), true)
	f.Fuzz(func(t *testing.T, frame []byte, leases bool) {
		whole := endFrame(append(beginFrame(nil), frame...))
		if read, err := readFrame(bufio.NewReader(bytes.NewReader(whole)), nil); err != nil || !bytes.Equal(read, frame) {
			t.Errorf("readFrame of %x = %x, %v", whole, read, err)
		}
		if _, err := readFrame(bufio.NewReader(bytes.NewReader(whole[:len(whole)-1])), nil); err == nil {
			t.Errorf("readFrame of %x without its last byte has no error", whole)
		}
		if r, err := parseRequest(frame, leases); err == nil {
			if again, err := appendRequest(nil, r, leases); err != nil || !bytes.Equal(again, frame) {
				t.Errorf("parseRequest(%x) = %+v, which is encoded as %x", frame, r, again)
			}
		}
		names := []string{"a", "b"}
		if index, err := parseIndex(frame, names, leases); err == nil {
			again := appendIndex(nil, index, names, leases)
			if other, err := parseIndex(again, names, leases); err != nil || !reflect.DeepEqual(other, index) {
				t.Errorf("parseIndex(%x) = %+v, and of its encoding %+v, %v", frame, index, other, err)
			}
		}
	})
}

// TestIndexRequestsEndWithTheConnection gives requests up at the moment in which their connection breaks. The end of a
// request must not use the stream's connection afterwards, which may be closed, or that of the next request.
func TestIndexRequestsEndWithTheConnection(t *testing.T) {
	for range 2000 {
		near, far := net.Pipe()
		s := &indexStream{conn: near, in: bufio.NewReader(near), stop: func() {}}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = far.Read(make([]byte, 64)) // the request
			cancel()
			_ = far.Close()
		}()
		s.mu.Lock()
		if index, err := s.exchangeLocked(ctx, readindex.Request{Wait: true}); err == nil {
			t.Errorf("a request on a broken connection returned %+v", index)
		}
		s.closeLocked()
		s.mu.Unlock()
	}
}
