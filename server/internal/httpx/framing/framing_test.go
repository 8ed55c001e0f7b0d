package framing_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"clave/server/internal/httpx/framing"
)

// TestUncertainEndsCloseTheConnection sends two requests at once. The second one is answered only if the end of the
// first one is certain.
func TestUncertainEndsCloseTheConnection(t *testing.T) {
	server := httptest.NewServer(framing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, r.Method+" "+string(body))
	})))
	t.Cleanup(server.Close)
	const second = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for _, tt := range []struct {
		name, request string
		body          string
		answers       int
	}{
		{"a length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "POST ab", 2},
		{"no body", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET ", 2},
		{"chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "POST ab", 1},
		{"chunks beside a length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "POST ab", 1},
		{"a length beside chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "POST ", 1},
		{"HTTP/1.0", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET ", 1},
		{"HTTP/1.0 with chunks", "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n", "POST ", 1},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.WriteString(conn, tt.request+second); err != nil {
			t.Fatal(err)
		}
		in, answers := bufio.NewReader(conn), 0
		for {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				break
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if answers++; answers == 1 && (string(body) != tt.body || res.Close != (tt.answers == 1)) {
				t.Errorf("%s: %q, the connection ends: %v; want %q, %v", tt.name, body, res.Close, tt.body, tt.answers == 1)
			}
		}
		_ = conn.Close()
		if answers != tt.answers {
			t.Errorf("%s: %d answers, want %d", tt.name, answers, tt.answers)
		}
	}
}

// TestOtherVersionsKeepTheirConnections calls Check for a request of HTTP/2, which frames its bodies itself.
func TestOtherVersionsKeepTheirConnections(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x"))
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/2.0", 2, 0
	w := httptest.NewRecorder()
	framing.Check(w, r)
	if got := w.Header().Get("Connection"); got != "" {
		t.Errorf("Connection: %q for HTTP/2, want none", got)
	}
}
