package port_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/limit/receive"
	"clave/server/internal/limit/slots"
	"clave/server/internal/transport/port"
	"clave/server/test/kit/wait"
)

// asCall is the encoded header content-type: application/grpc.
const asCall = "\x0f\x10\x10application/grpc"

// unreadStreams sends n GETs with a further encoded header over HTTP/2 and reads no body: the client's windows are 0.
// It returns a channel that receives each stream that the server resets.
func unreadStreams(t *testing.T, address string, n int, header string) <-chan uint32 {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const noWindow = "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00"
	all := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + noWindow)
	for i := range n {
		get := "\x82\x86\x84\x41\x01a" + header // GET http://a/ (RFC 7541, appendix A)
		all = append(all, 0, 0, byte(len(get)), 1, 5)
		all = binary.BigEndian.AppendUint32(all, uint32(2*i+1))
		all = append(all, get...)
	}
	if _, err := conn.Write(all); err != nil {
		t.Fatal(err)
	}
	resets := make(chan uint32, n)
	go func() {
		defer close(resets)
		for {
			var head [9]byte
			if _, err := io.ReadFull(conn, head[:]); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, conn, int64(head[0])<<16|int64(head[1])<<8|int64(head[2])); err != nil {
				return
			}
			if head[3] == 3 {
				resets <- binary.BigEndian.Uint32(head[5:])
			}
		}
	}()
	return resets
}

// TestUnreadResponsesAreCounted leaves responses unread over HTTP/2. They must be counted in the budget, which ends
// them if others need the memory.
func TestUnreadResponsesAreCounted(t *testing.T) {
	for _, tt := range []struct {
		name          string
		body, streams int
		// counted is the number of bytes of the budget, of 1 MiB, that the responses take.
		counted int64
		// refused is the number of responses for which there is no room.
		refused int
	}{
		{"a short response", 5, 4, 4 * 48 << 10, 0},
		{"a response in pieces", 40 << 10, 4, 4 * 48 << 10, 0},
		{"a large response", 400 << 10, 4, 2 * (400 + 48) << 10, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := receive.New(receive.Options{Bytes: 1 << 20, Wait: 500 * time.Millisecond})
			ln := listener(t)
			run(t, port.Options{Listener: ln, Budget: b, Handlers: port.Handlers{Site: answers(strings.Repeat("x", tt.body))}})
			resets := unreadStreams(t, ln.Addr().String(), tt.streams, "")
			for range tt.refused {
				<-resets
			}
			wait.Until(t, "the unread responses are not counted", func() bool { return b.Used() == tt.counted })
			for b.Used() > 0 {
				request := b.Hold(nil)
				err := request.Take(t.Context(), 1<<20) // which waits for slow responses to be ended
				request.Release()
				if err == nil {
					break
				}
			}
			for range tt.streams - tt.refused {
				if _, ok := <-resets; !ok {
					t.Fatal("the connection was closed, want its streams reset")
				}
			}
		})
	}
}

// TestResponsesHaveSlots leaves more responses unread than there are slots, and reads another one: also if the requests
// are calls of gRPC, at a port without a server for them.
func TestResponsesHaveSlots(t *testing.T) {
	for _, header := range []string{"", asCall} {
		ln := listener(t)
		p := slots.New(slots.Options{All: 3})
		run(t, port.Options{Listener: ln, Responses: p, Handlers: port.Handlers{Site: answers("site"), Health: func() error { return nil }}})
		_ = unreadStreams(t, ln.Addr().String(), 3, header)
		wait.Until(t, "the unread responses have no slots", func() bool { return p.Taken() == 3 })
		for path, want := range map[string]int{"/": http.StatusServiceUnavailable, port.HealthPath: http.StatusOK} {
			res, err := http.Get("http://" + ln.Addr().String() + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("GET %s beside them (%q): %s, want %d", path, header, res.Status, want)
			}
		}
	}
}

// TestConnectionsCanBeHijacked takes over a connection, as libraries for websockets do.
func TestConnectionsCanBeHijacked(t *testing.T) {
	ln := listener(t)
	run(t, port.Options{Listener: ln, Handlers: port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			t.Error("the writer is no http.Hijacker")
			return
		}
		conn, _, err := hijacker.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		// The client's check fails if this does.
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhijacked")
		_ = conn.Close()
	})}})
	if got := get(t, "http://"+ln.Addr().String()+"/"); got != "hijacked" {
		t.Errorf("the response is %q, want that of the hijacked connection", got)
	}
}

// TestConnectionsHaveSlots opens more connections than there are slots.
func TestConnectionsHaveSlots(t *testing.T) {
	ln := listener(t)
	p := slots.New(slots.Options{All: 2})
	run(t, port.Options{Listener: ln, Connections: p, Handlers: port.Handlers{Site: answers("site")}})
	var held []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	wait.Until(t, "the connections have no slots", func() bool { return p.Taken() == 2 })
	if res, err := http.Get("http://" + ln.Addr().String() + "/"); err == nil {
		_ = res.Body.Close()
		t.Errorf("a third connection is served: %s", res.Status)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	wait.Until(t, "closed connections keep their slots", func() bool { return p.Taken() == 0 })
	if got := get(t, "http://"+ln.Addr().String()+"/"); got != "site" {
		t.Errorf("after that: %q, want the site", got)
	}
}

// TestCopiesAreBounded copies a response as http.ServeContent does, by an io.ReaderFrom, and does not read it.
func TestCopiesAreBounded(t *testing.T) {
	b := receive.New(receive.Options{Bytes: 1 << 20, Wait: time.Millisecond})
	ln := listener(t)
	run(t, port.Options{Listener: ln, Budget: b, Handlers: port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(io.ReaderFrom); !ok {
			t.Error("the writer is no io.ReaderFrom")
		}
		_, _ = io.CopyN(w, strings.NewReader(strings.Repeat("x", 40<<10)), 40<<10) // it fails at the end of the test
	})}})
	_ = unreadStreams(t, ln.Addr().String(), 2, "")
	wait.Until(t, "the unread responses are not counted", func() bool { return b.Used() == 2*48<<10 })
}

// TestAClientThatReadsNothingIsDisconnected does not read a response over HTTP/1.1. The server's clock is late, so the
// time limit has passed when it is set.
func TestAClientThatReadsNothingIsDisconnected(t *testing.T) {
	ended := make(chan error, 1)
	ln := listener(t)
	late := clocktest.NewManual(time.Now().Add(-time.Hour))
	run(t, port.Options{Listener: ln, Clock: late, Handlers: port.Handlers{REST: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 16<<10)); err != nil {
				ended <- err
				return
			}
		}
	})}})
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /v1/ HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the response ended with %v, want the time limit", err)
	}
}

// TestDeadlinesAfterTheEndOfAResponse ends responses that have ended already, as happens when a client disconnects at
// that moment. It must have no effect: the writer belongs to the next request on the connection, or to none.
func TestDeadlinesAfterTheEndOfAResponse(t *testing.T) {
	for name, choose := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2":   func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		t.Run(name, func(t *testing.T) {
			ln := listener(t)
			served := make(chan *http.ResponseController, 1)
			run(t, port.Options{Listener: ln, Handlers: port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "site") // the client's check fails if this does
				served <- http.NewResponseController(w)
			})}})
			only := new(http.Protocols)
			choose(only)
			transport := &http.Transport{Protocols: only}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport, Timeout: time.Minute}
			for i := range 3 {
				res, err := client.Get("http://" + ln.Addr().String() + "/")
				if err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
				text, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || string(text) != "site" {
					t.Fatalf("request %d: %q, %v", i, text, err)
				}
				if err := (<-served).SetWriteDeadline(clock.Passed()); err != nil {
					t.Errorf("the deadline after request %d: %v", i, err)
				}
			}
		})
	}
}
