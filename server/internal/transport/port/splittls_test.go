package port_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"clave/server/internal/transport/port"
)

// native is a gRPC server that counts the calls over its own transport and over net/http.
type native struct {
	*grpc.Server
	byHTTP chan string
}

// ServeHTTP implements http.Handler.
func (n native) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.byHTTP <- r.URL.Path
	n.Server.ServeHTTP(w, r)
}

// settings returns the TLS configurations of a server with a certificate, and of a client that trusts it.
func settings(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePair(t, certFile, keyFile, "localhost")
	server, err := port.TLS(port.CertificateOptions{CertFile: certFile, KeyFile: keyFile})
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	// The certificate begins at the time of the manual clocks.
	return server, &tls.Config{RootCAs: roots, ServerName: "localhost", Time: func() time.Time { return begun.AddDate(0, 1, 0) }}
}

// TestTLSWhereCallsAreForwarded calls a port without a gRPC server, which forwards all requests, as on a node that does
// not lead.
func TestTLSWhereCallsAreForwarded(t *testing.T) {
	settings, client := settings(t)
	ln, forwarded := listener(t), native{grpc.NewServer(), make(chan string, 10)}
	run(t, port.Options{Listener: ln, TLS: settings, Log: slog.New(slog.DiscardHandler), Handlers: port.Handlers{Forward: forwarded}})
	conn, err := grpc.NewClient(ln.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(client)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := conn.Invoke(ctx, "/a.B/C", nil, nil); status.Code(err) != codes.Unimplemented && status.Code(err) != codes.Internal {
		t.Errorf("a gRPC client: %v, want an answer of the gRPC server", err)
	}
	if len(forwarded.byHTTP) != 1 {
		t.Errorf("%d calls were forwarded, want 1", len(forwarded.byHTTP))
	}
}

// TestTLSIsSplitByWhatTheClientOffers connects as gRPC clients, browsers and HTTP libraries do.
func TestTLSIsSplitByWhatTheClientOffers(t *testing.T) {
	settings, client := settings(t)
	ln, server := listener(t), native{grpc.NewServer(), make(chan string, 10)}
	version := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	run(t, port.Options{Listener: ln, TLS: settings, Log: slog.New(slog.DiscardHandler), Handlers: port.Handlers{GRPC: server, REST: version}})

	conn, err := grpc.NewClient(ln.Addr().String(), grpc.WithTransportCredentials(credentials.NewTLS(client.Clone())))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Invoke(t.Context(), "/a.B/C", nil, nil); status.Code(err) != codes.Unimplemented && status.Code(err) != codes.Internal {
		t.Errorf("a gRPC client: %v, want an answer of the gRPC server", err)
	}
	if len(server.byHTTP) != 0 {
		t.Errorf("a gRPC client came by HTTP: %s", <-server.byHTTP)
	}
	for _, tt := range []struct {
		http1, http2 bool
		want         string
	}{{true, false, "HTTP/1.1"}, {true, true, "HTTP/2.0"}} {
		protocols := &http.Protocols{}
		protocols.SetHTTP1(tt.http1)
		protocols.SetHTTP2(tt.http2)
		transport := &http.Transport{TLSClientConfig: client.Clone(), Protocols: protocols}
		c := &http.Client{Transport: transport}
		resp, err := c.Get("https://" + ln.Addr().String() + "/v1/x")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(text) != tt.want {
			t.Errorf("a client of HTTP/1.1 (%t) and HTTP/2 (%t) was answered by %q, %v; want %s", tt.http1, tt.http2, text, err, tt.want)
		}
		if tt.http2 { // over such a connection the content type identifies gRPC
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+ln.Addr().String()+"/a.B/C", strings.NewReader("\x00\x00\x00\x00\x00"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/grpc")
			r.Header.Set("Te", "trailers")
			resp, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if len(server.byHTTP) != 1 {
				t.Error("a gRPC call by a connection for both did not reach the gRPC server")
			}
		}
		transport.CloseIdleConnections()
	}
	silent, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(silent, "GET / HTTP/1.1\r\n\r\n")
	if _, err := io.ReadAll(silent); err != nil {
		t.Logf("a request in the clear: %v", err) // closed, with or without a reset
	}
	silent.Close()
}

// heldListener is a listener whose connections hold their writes while the handler responds.
type heldListener struct {
	net.Listener
	held    atomic.Bool
	release chan struct{}
}

// Accept implements net.Listener.
func (l *heldListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &heldConn{c, l}, err
}

// heldConn is a connection of a heldListener.
type heldConn struct {
	net.Conn
	from *heldListener
}

// Write implements net.Conn.
func (c *heldConn) Write(p []byte) (int, error) {
	if c.from.held.Load() {
		<-c.from.release
	}
	return c.Conn.Write(p)
}

// TestResponsesOverHTTP2DoNotWaitForEachWrite flushes parts of a response while a write of the connection is in
// progress.
func TestResponsesOverHTTP2DoNotWaitForEachWrite(t *testing.T) {
	settings, client := settings(t)
	ln := &heldListener{Listener: listener(t), release: make(chan struct{})}
	release := sync.OnceFunc(func() { close(ln.release) })
	run(t, port.Options{Listener: ln, TLS: settings, Handlers: port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ln.held.Store(true)
		defer ln.held.Store(false)
		defer release()
		for _, part := range []string{r.Proto, " in", " parts"} {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
		}
	})}})
	t.Cleanup(release) // A handler that waits ends before the port.
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: client, ForceAttemptHTTP2: true}, Timeout: time.Minute}
	defer c.CloseIdleConnections()
	res, err := c.Get("https://" + ln.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); string(text) != "HTTP/2.0 in parts" || err != nil {
		t.Errorf("the response is %q, %v", text, err)
	}
}
