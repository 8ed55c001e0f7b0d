package port

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/test/kit/wait"
)

// gate is a connection whose writes wait. It reports each write and then takes its result.
type gate struct {
	net.Conn
	begun   chan string
	results chan error
}

// Write implements net.Conn.
func (g *gate) Write(p []byte) (int, error) {
	g.begun <- string(p)
	return len(p), <-g.results
}

// newGate returns a gate, and a connection on it that joins writes.
func newGate() (*gate, *coalescer) {
	g := &gate{begun: make(chan string), results: make(chan error)}
	j := newCoalescer(g)
	j.join()
	return g, j
}

// mustWrite writes to a connection.
func mustWrite(t *testing.T, w io.Writer, p []byte) {
	t.Helper()
	if n, err := w.Write(p); n != len(p) || err != nil {
		t.Fatalf("Write of %d bytes: %d, %v", len(p), n, err)
	}
}

// TestSmallWritesAreJoined makes small writes, and then a large one, while another one is in progress.
func TestSmallWritesAreJoined(t *testing.T) {
	g, j := newGate()
	mustWrite(t, j, []byte("first"))
	if got := <-g.begun; got != "first" {
		t.Fatalf("the inner connection receives %q", got)
	}
	mustWrite(t, j, []byte("header "))
	mustWrite(t, j, []byte("body "))
	mustWrite(t, j, []byte("end"))
	large := make(chan error, 1)
	go func() {
		_, err := j.Write(make([]byte, mostJoined+1))
		large <- err
	}()
	g.results <- nil
	if got, want := <-g.begun, "header body end"; got != want {
		t.Errorf("the next write is %q, want %q", got, want)
	}
	g.results <- nil
	if got := <-g.begun; len(got) != mostJoined+1 {
		t.Errorf("after them %d bytes are written, want the large write", len(got))
	}
	select {
	case err := <-large:
		t.Errorf("the large write returned %v before it was made", err)
	default:
	}
	g.results <- nil
	if err := <-large; err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	mustWrite(t, j, []byte("lost"))
	<-g.begun
	g.results <- broken
	wait.Until(t, "no write returns the error", func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return !j.mu.writing
	})
	if _, err := j.Write([]byte("after it")); !errors.Is(err, broken) {
		t.Errorf("Write after a failed one = %v, want its error", err)
	}
}

// TestWritesWaitForRoom makes more small writes than may be joined while the connection takes none.
func TestWritesWaitForRoom(t *testing.T) {
	g, j := newGate()
	const writes, size = 10, mostJoined / 4
	go func() {
		for range writes {
			if _, err := j.Write(make([]byte, size)); err != nil {
				t.Error(err)
			}
		}
	}()
	for left := writes * size; left > 0; {
		n := len(<-g.begun)
		if n > mostJoined {
			t.Errorf("%d bytes waited, want at most %d", n, mostJoined)
		}
		left -= n
		g.results <- nil
	}
}

// pair returns the ends of a connection over TCP.
func pair(t *testing.T) (here, there net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if here, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close() })
	if there, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	return here, there
}

// TestJoinedWritesKeepTheirOrder makes writes of many sizes, and closes the connection as crypto/tls does.
func TestJoinedWritesKeepTheirOrder(t *testing.T) {
	here, there := pair(t)
	j := newCoalescer(here)
	j.join()
	var want []byte
	for i := range 2000 {
		part := bytes.Repeat([]byte{byte(i)}, 1+i*i%(2*mostJoined))
		want = append(want, part...)
	}
	received := make(chan []byte, 1)
	go func() {
		got, _ := io.ReadAll(there)
		received <- got
	}()
	for i, from := 0, 0; i < 2000; i++ {
		to := from + 1 + i*i%(2*mostJoined)
		mustWrite(t, j, want[from:to])
		from = to
	}
	if err := j.SetWriteDeadline(clock.System().Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, j, []byte("closed"))
	_ = j.SetWriteDeadline(clock.Passed())
	_ = j.Close()
	if got := <-received; !bytes.Equal(got, append(want, "closed"...)) {
		t.Errorf("%d bytes arrived, want all %d in their order", len(got), len(want)+len("closed"))
	}
}

// stuck is a connection whose client does not read: a write lasts until its deadline.
type stuck struct {
	net.Conn
	begun, passed chan struct{}
}

// Write implements net.Conn.
func (s *stuck) Write([]byte) (int, error) {
	s.begun <- struct{}{}
	<-s.passed
	return 0, os.ErrDeadlineExceeded
}

// SetWriteDeadline implements net.Conn. Later deadlines do not pass during the test.
func (s *stuck) SetWriteDeadline(at time.Time) error {
	if at.Equal(clock.Passed()) {
		close(s.passed)
	}
	return nil
}

// TestAStalledWriteDoesNotDelayTheClose sets the deadline with which crypto/tls closes a connection whose client does
// not read.
func TestAStalledWriteDoesNotDelayTheClose(t *testing.T) {
	s := &stuck{begun: make(chan struct{}), passed: make(chan struct{})}
	j := newCoalescer(s)
	j.join()
	mustWrite(t, j, []byte("a response"))
	<-s.begun
	j.mu.Lock()
	j.mu.since = j.mu.since.Add(-2 * stalledWrite)
	j.mu.Unlock()
	if err := j.SetWriteDeadline(clock.System().Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Write([]byte("closed")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the last write: %v, want the deadline of the stalled one", err)
	}
}
