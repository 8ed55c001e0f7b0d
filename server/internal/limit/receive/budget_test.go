package receive_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/receive"
)

// begun is the initial time of the tests' clocks.
var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// mib is a mebibyte.
const mib = 1 << 20

// take takes bytes and fails the test if they are not available.
func take(t *testing.T, h *receive.Hold, n int64) {
	t.Helper()
	if err := h.Take(t.Context(), n); err != nil {
		t.Fatalf("Take(%d) = %v", n, err)
	}
}

// later returns a channel for the result of a Take in another goroutine.
func later(ctx context.Context, h *receive.Hold, n int64) <-chan error {
	done := make(chan error, 1)
	go func() { done <- h.Take(ctx, n) }()
	return done
}

// advance advances a clock until a channel receives a value, and fails the test if none arrives in time.
func advance(t *testing.T, manual *clocktest.Manual, done <-chan error) error {
	t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-limit.C:
			t.Fatal("nothing came within a minute")
		case <-time.After(time.Millisecond):
			manual.Advance(100 * time.Millisecond)
		}
	}
}

func TestAHoldWaitsForTheBudgetAndIsRefused(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	first, second := b.Hold(nil), b.Hold(nil)
	take(t, first, mib)
	first.Complete() // no longer limited by slowness: the server handles it
	if err := advance(t, manual, later(t.Context(), second, mib/2)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Take without room = %v, want UNAVAILABLE", err)
	}
	waits := later(t.Context(), second, mib/2)
	first.Return(mib)
	if err := advance(t, manual, waits); err != nil {
		t.Errorf("Take when bytes are returned = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	third := b.Hold(nil)
	if err := third.Take(ctx, mib); !fault.Is(err, fault.Canceled) {
		t.Errorf("Take with a context that is done = %v, want CANCELLED", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if err := third.Take(late, mib); !fault.Is(err, fault.DeadlineExceeded) {
		t.Errorf("Take after the deadline = %v, want DEADLINE_EXCEEDED", err)
	}
	take(t, third, 1000) // small requests have their own budget
	for _, h := range []*receive.Hold{first, second, third, third} {
		h.Release()
	}
	if n := b.Used(); n != 0 {
		t.Errorf("when all are released %d bytes are held", n)
	}
}

func TestSmallRequestsHaveABudgetOfTheirOwn(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	large := b.Hold(nil)
	take(t, large, mib)
	large.Complete()
	small := b.Hold(nil)
	take(t, small, 64<<10)
	if err := advance(t, manual, later(t.Context(), small, 1)); err == nil {
		t.Error("a request that is no longer small takes what is kept for small ones")
	}
}

func TestSlowReceiversAreEvicted(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	var mu sync.Mutex
	var evicted []string
	hold := func(name string, n int64) *receive.Hold {
		var h *receive.Hold
		h = b.Hold(func() {
			mu.Lock()
			defer mu.Unlock()
			evicted = append(evicted, name)
			go h.Release() // as the handler does at the end of its body
		})
		take(t, h, n)
		return h
	}
	complete := hold("complete", mib/4)
	complete.Complete()
	hold("stalled", mib/4)
	hold("stalled and larger", mib/2)
	manual.Advance(2 * time.Second)
	if err := advance(t, manual, later(t.Context(), b.Hold(nil), mib/2)); err != nil {
		t.Errorf("Take beside stalled requests = %v, want success when the largest has been evicted", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(evicted) == 0 || evicted[0] != "stalled and larger" {
		t.Errorf("evicted %v, want the larger of the stalled first", evicted)
	}
	for _, name := range evicted {
		if name == "complete" {
			t.Error("a request that was received was evicted")
		}
	}
}

func TestAHoldThatCannotBeEvictedStays(t *testing.T) {
	manual := clocktest.NewManual(begun)
	b := receive.New(receive.Options{Bytes: mib, Clock: manual})
	take(t, b.Hold(nil), mib)
	manual.Advance(2 * time.Second)
	if err := advance(t, manual, later(t.Context(), b.Hold(nil), mib/2)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Take beside a stalled hold without evict = %v, want UNAVAILABLE", err)
	}
}

// stuck is a body that returns some bytes and then blocks until it is closed.
type stuck struct {
	part  io.Reader
	ended chan struct{}
}

// Read implements io.Reader.
func (s *stuck) Read(p []byte) (int, error) {
	if n, err := s.part.Read(p); err == nil {
		return n, nil
	}
	<-s.ended
	return 0, errors.New("closed")
}

// Close implements io.Closer.
func (s *stuck) Close() error { close(s.ended); return nil }

func TestBodiesAreCountedAndReleased(t *testing.T) {
	b := receive.New(receive.Options{Bytes: mib, Wait: time.Millisecond})
	request := func(body io.Reader, length int64) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.ContentLength = length
		return r
	}
	r := request(strings.NewReader(strings.Repeat("x", mib/2)), -1)
	release := b.Body(httptest.NewRecorder(), r)
	if n, err := io.Copy(io.Discard, r.Body); n != mib/2 || err != nil || b.Used() != mib/2 {
		t.Errorf("read %d bytes, %v; %d are held, want %d", n, err, b.Used(), mib/2)
	}
	too := request(strings.NewReader(strings.Repeat("x", mib)), mib)
	other := b.Body(httptest.NewRecorder(), too)
	if _, err := io.Copy(io.Discard, too.Body); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a body beyond the budget: %v, want UNAVAILABLE", err)
	}
	other()
	release()
	if b.Used() != 0 {
		t.Errorf("when all are released %d bytes are held", b.Used())
	}
	streamed := request(strings.NewReader(strings.Repeat("x", 4*mib)), -1)
	release = b.Body(httptest.NewRecorder(), streamed)
	receive.Stream(streamed)
	if n, err := io.Copy(io.Discard, streamed.Body); n != 4*mib || err != nil || b.Used() > 32<<10 {
		t.Errorf("of a body that is not kept %d bytes were read, %v; %d are held, want at most one piece", n, err, b.Used())
	}
	release()
	if b.Used() != 0 {
		t.Errorf("when it is released %d bytes are held", b.Used())
	}
	half := &stuck{part: strings.NewReader("half"), ended: make(chan struct{})}
	r = request(half, 100_000)
	defer b.Body(httptest.NewRecorder(), r)()
	go half.Close()
	if _, err := io.ReadAll(r.Body); err == nil || fault.Is(err, fault.Unavailable) {
		t.Errorf("a body that breaks off: %v, want its own error", err)
	}
}

// frame returns an HTTP/2 frame.
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], stream)
	return append(head, payload...)
}

// message returns the first bytes of a gRPC message: the header, and a part of the announced length.
func message(length, part int) []byte {
	head := make([]byte, 5, 5+part)
	binary.BigEndian.PutUint32(head[1:], uint32(length))
	return append(head, make([]byte, part)...)
}

// preface is the connection preface of HTTP/2.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// one is a listener that accepts one connection.
type one struct {
	net.Listener
	conn net.Conn
}

// Accept implements net.Listener.
func (o one) Accept() (net.Conn, error) { return o.conn, nil }

// counted returns a connection whose bytes are counted, and its other end.
func counted(t *testing.T, b *receive.Budget) (server, client net.Conn) {
	t.Helper()
	client, inner := net.Pipe()
	server, err := b.Listener(t.Context(), one{conn: inner}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(); _ = client.Close() })
	return server, client
}

func TestMessagesOfAConnectionAreCounted(t *testing.T) {
	const (
		data, headers, reset = 0, 1, 3
		end, padded          = 1, 8
	)
	steps := []struct {
		name string
		from []byte // the client's bytes
		to   []byte // the server's bytes
		want int64  // held afterwards
	}{
		{"the preface and settings", append([]byte(preface), frame(4, 0, 0, make([]byte, 6))...), nil, 0},
		{"headers", frame(headers, 4, 1, make([]byte, 30)), nil, 0},
		{"a part of a message", frame(data, 0, 1, message(1000, 100)), nil, 105},
		{"more of it, padded", frame(data, padded, 1, append([]byte{7}, make([]byte, 100+7)...)), nil, 205},
		{"its end and part of the next", frame(data, 0, 1, append(make([]byte, 800), message(500, 10)...)), nil, 15},
		{"a second stream", append(frame(headers, 4, 3, nil), frame(data, 0, 3, message(50, 20))...), nil, 40},
		{"data of no stream", frame(data, 0, 5, message(50, 20)), nil, 40},
		{"the client resets it", frame(reset, 0, 3, make([]byte, 4)), nil, 15},
		{"the server ends the first", nil, frame(headers, 4|end, 1, make([]byte, 20)), 0},
		{"data after the end", frame(data, 0, 1, make([]byte, 300)), nil, 0},
		{"a whole message and the end", append(frame(headers, 4, 7, nil), frame(data, end, 7, message(10, 10))...), nil, 0},
		{"half a message and the end", append(frame(headers, 4, 9, nil), frame(data, end, 9, message(10, 5))...), nil, 0},
	}
	for _, piece := range []int{1, 3, 10, 1 << 20} { // sizes of the pieces in which the bytes arrive
		b := receive.New(receive.Options{})
		server, client := counted(t, b)
		for _, step := range steps {
			written := make(chan error, 1)
			go func() {
				var err error
				if len(step.from) > 0 { // a write of no bytes to a pipe blocks
					_, err = client.Write(step.from)
				}
				if len(step.to) > 0 {
					_, err = io.ReadFull(client, make([]byte, len(step.to)))
				}
				written <- err
			}()
			got, buf := 0, make([]byte, piece)
			for got < len(step.from) {
				n, err := server.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				got += n
			}
			for part := step.to; len(part) > 0; part = part[min(piece, len(part)):] {
				if _, err := server.Write(part[:min(piece, len(part))]); err != nil {
					t.Fatal(err)
				}
			}
			if err := <-written; err != nil {
				t.Fatalf("after %s: %v", step.name, err)
			}
			if used := b.Used(); used != step.want {
				t.Errorf("in pieces of %d, after %s: %d bytes are held, want %d", piece, step.name, used, step.want)
			}
		}
	}
}

func TestAConnectionBeyondTheBudgetIsClosed(t *testing.T) {
	b := receive.New(receive.Options{Bytes: 100_000, Wait: time.Millisecond})
	full := b.Hold(nil)
	take(t, full, 100_000)
	full.Complete()
	server, client := counted(t, b)
	go func() {
		_, _ = client.Write(append([]byte(preface), frame(1, 4, 1, nil)...))
		for range 20 {
			if _, err := client.Write(frame(0, 0, 1, message(1<<20, 16_000))); err != nil {
				return
			}
		}
	}()
	if _, err := io.Copy(io.Discard, server); !fault.Is(err, fault.Unavailable) {
		t.Errorf("reading without room = %v, want UNAVAILABLE", err)
	}
	if _, err := client.Write([]byte("x")); err == nil {
		t.Error("the connection stays open")
	}
}

func TestAStreamIsReadAtThePaceOfItsReader(t *testing.T) {
	b := receive.New(receive.Options{})
	const messages, size = 40, 10_000
	var all bytes.Buffer
	for range messages {
		all.Write(message(size, size))
	}
	r := httptest.NewRequest(http.MethodPost, "/", &all)
	r, release := b.Stream(httptest.NewRecorder(), r)
	defer release()
	read := make(chan int, 1000)
	go func() {
		defer close(read)
		buf := make([]byte, 8<<10)
		for {
			n, err := r.Body.Read(buf)
			read <- n
			if err != nil {
				return
			}
		}
	}()
	taken := receive.MessageTaken(r.Context())
	sum, took := 0, 0
	for n := range read {
		sum += n
		if ahead := sum - took*(size+5); ahead > 120_000 {
			t.Fatalf("%d bytes were read ahead of what was taken", ahead)
		}
		if sum >= (took+1)*(size+5) && sum-took*(size+5) > 60_000 || sum == messages*(size+5) {
			taken()
			took++
		}
	}
	if sum != messages*(size+5) {
		t.Errorf("read %d bytes, want %d", sum, messages*(size+5))
	}
}

// TestAStreamThatIsClosedIsNotRead closes a stream whose reader waits for room in the budget. gRPC waits for the reader
// at the end of a call.
func TestAStreamThatIsClosedIsNotRead(t *testing.T) {
	body := bytes.NewReader(bytes.Join([][]byte{message(40_000, 40_000), message(40_000, 40_000)}, nil))
	r, release := receive.New(receive.Options{}).Stream(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", body))
	defer release()
	if _, err := io.CopyN(io.Discard, r.Body, 80_010); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.Body.Read(make([]byte, 10))
	}()
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// FuzzConnection sends arbitrary bytes of a peer. The count must never be negative or exceed the received bytes.
func FuzzConnection(f *testing.F) {
	f.Add(append([]byte(preface), frame(0, 8, 1, []byte{200, 1})...), 3)
	f.Add(append(append([]byte(preface), frame(1, 4, 1, nil)...), frame(0, 8, 1, append([]byte{2}, message(99, 9)...))...), 1)
	f.Add(append(append([]byte(preface), frame(1, 4, 1, nil)...), frame(0, 0, 1, nil)...), 100)
	f.Fuzz(func(t *testing.T, sent []byte, piece int) {
		b := receive.New(receive.Options{Bytes: 1 << 40})
		server, client := counted(t, b)
		go func() {
			_, _ = client.Write(sent)
			_ = client.Close()
		}()
		buf := make([]byte, 1+min(max(piece, 0), 1000))
		for {
			_, err := server.Read(buf)
			if used := b.Used(); used < 0 || used > int64(len(sent)) {
				t.Fatalf("%d bytes are held of %d that came", used, len(sent))
			}
			if err != nil {
				break
			}
		}
		_ = server.Close()
		if used := b.Used(); used != 0 {
			t.Errorf("%d bytes are held of a connection that is closed", used)
		}
	})
}
