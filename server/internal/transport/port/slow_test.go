package port_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/transport/port"
)

// run runs a port until the test ends and returns a channel for its error.
func run(t *testing.T, o port.Options) <-chan error {
	t.Helper()
	o.Name, o.Log = "test", slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	finished := make(chan struct{})
	go func() { done <- port.New(o).Run(ctx); close(finished) }()
	t.Cleanup(func() { cancel(); <-finished })
	return done
}

// listener listens on a free port.
func listener(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// weak is a listener that fails some times before it accepts.
type weak struct {
	net.Listener
	fails atomic.Int32
	err   error
}

// Accept implements net.Listener.
func (w *weak) Accept() (net.Conn, error) {
	if w.fails.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", w.err)}
	}
	return w.Listener.Accept()
}

func TestAcceptContinuesWhenFilesRunOut(t *testing.T) {
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED} {
		ln := &weak{Listener: listener(t), err: err}
		ln.fails.Store(3)
		run(t, port.Options{Listener: ln, Handlers: port.Handlers{REST: answers("rest")}})
		if got := get(t, "http://"+ln.Addr().String()+"/"); got != "Ok\n" {
			t.Errorf("after %v the port answered %q, want Ok", err, got)
		}
	}
}

func TestAListenerThatFailedEndsThePort(t *testing.T) {
	broken := errors.New("broken")
	ln := &weak{Listener: listener(t), err: broken}
	ln.fails.Store(1)
	if err := <-run(t, port.Options{Listener: ln, Handlers: port.Handlers{REST: answers("rest")}}); !errors.Is(err, broken) {
		t.Errorf("Run = %v, want the listener's error: a port that accepts nothing must not look alive", err)
	}
}

func TestSlowBodiesAreCutOff(t *testing.T) {
	read := make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
		_, _ = io.WriteString(w, "read")
	})
	for _, tt := range []struct {
		name string
		o    port.Options
		send func(net.Conn) // after the headers of a body of 10 bytes
	}{
		{"a body that stands still", port.Options{BodyQuiet: 30 * time.Millisecond}, func(net.Conn) {}},
		{"a body that arrives without a pause, but too late", port.Options{BodyWhole: time.Nanosecond}, func(c net.Conn) { fmt.Fprint(c, "1234567890") }},
	} {
		o := tt.o
		o.Listener, o.Handlers = listener(t), port.Handlers{REST: handler}
		run(t, o)
		conn, err := net.Dial("tcp", o.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
		tt.send(conn)
		if err := <-read; err == nil {
			t.Errorf("%s: the handler read it to its end, want an error", tt.name)
		}
	}
}

func TestAnAnswerMayTakeLongerThanABody(t *testing.T) {
	const quiet = time.Second // within which a loaded machine reads the body too
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		after := time.NewTimer(3 * quiet)
		select {
		case <-after.C:
		case <-r.Context().Done():
			t.Error("a request was ended after its body had arrived")
		}
		fmt.Fprintf(w, "%s %v", body, err)
	})
	ln := listener(t)
	run(t, port.Options{Listener: ln, BodyQuiet: quiet, Handlers: port.Handlers{REST: handler}})
	for range 2 { // the second on the same connection
		resp, err := http.Post("http://"+ln.Addr().String()+"/v1/x", "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(text) != "body <nil>" {
			t.Errorf("answer %q, %v, want the body", text, err)
		}
	}
}

func TestAPanicInAnAnswerCutsItOff(t *testing.T) {
	addr := serve(t, port.Handlers{REST: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "[{}")
		_ = http.NewResponseController(w).Flush()
		panic("boom")
	})})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the interrupted answer %q looked complete", text)
	}
}

func TestServicesAreForTheSitesOwnPages(t *testing.T) {
	addr := serve(t, port.Handlers{Site: answers("site"), REST: answers("rest")})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, "http://"+addr+"/api/admin/codigo", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://evil.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("pages of %s may call the services of the site, want no other page to", got)
	}
}
