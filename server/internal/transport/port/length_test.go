package port_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/transport/port"
)

// TestShortResponsesHaveALength reads responses over HTTP/1.1 and HTTP/2. A short one has its length, and one that
// fails is not complete.
func TestShortResponsesHaveALength(t *testing.T) {
	large := strings.Repeat("x", 10<<10)
	ln := listener(t)
	run(t, port.Options{Listener: ln, Handlers: port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/short":
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusTeapot) // has no effect
			_, _ = io.WriteString(w, "sho")
			_, _ = io.WriteString(w, "rt")
		case "/flushed":
			_, _ = io.WriteString(w, "fl")
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "ushed")
		case "/large":
			_, _ = io.WriteString(w, "l")
			_, _ = io.WriteString(w, large)
		case "/trailer":
			_, _ = io.WriteString(w, "body")
			w.Header().Set(http.TrailerPrefix+"X-End", "end")
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/failed":
			_, _ = io.WriteString(w, "part")
			panic(http.ErrAbortHandler)
		case "/failed-early":
			w.Header().Del("Content-Type")
			panic("a mistake")
		}
	})}})
	for _, two := range []bool{false, true} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(!two)
		transport.Protocols.SetUnencryptedHTTP2(two)
		defer transport.CloseIdleConnections()
		for _, tt := range []struct {
			path, body     string
			status, length int
		}{
			{"/short", "short", http.StatusCreated, 5},
			{"/flushed", "flushed", http.StatusOK, -1},
			{"/large", "l" + large, http.StatusOK, -1},
			{"/trailer", "body", http.StatusOK, 4},
			{"/nothing", "", http.StatusNoContent, 0},
			{"/failed-early", "Internal Server Error\n", http.StatusInternalServerError, 22},
			{"/failed", "", 0, 0},
		} {
			if tt.path == "/trailer" && two {
				tt.body += "end" // HTTP/1.1 has no trailers of bodies with a length
			}
			status, length, body, err := fetch(transport, "http://"+ln.Addr().String()+tt.path)
			if tt.status == 0 {
				if err == nil {
					t.Errorf("HTTP/2 %v, %s: status %d, body %q, want an error", two, tt.path, status, body)
				}
				continue
			}
			if err != nil || status != tt.status || length != int64(tt.length) || body != tt.body {
				t.Errorf("HTTP/2 %v, %s: status %d, length %d, body %.20q, %v, want %d, %d, %.20q", two, tt.path, status, length, body, err, tt.status, tt.length, tt.body)
			}
		}
		res, err := (&http.Client{Transport: transport}).Head("http://" + ln.Addr().String() + "/short")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusCreated {
			t.Errorf("HTTP/2 %v: HEAD: %s", two, res.Status)
		}
	}
}

// fetch returns a response with its declared length, -1 if it has none. Its trailer follows its body.
func fetch(transport http.RoundTripper, address string) (status int, length int64, body string, err error) {
	res, err := (&http.Client{Transport: transport}).Get(address)
	if err != nil {
		return 0, 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, 0, "", fmt.Errorf("after %q: %w", text, err)
	}
	return res.StatusCode, res.ContentLength, string(text) + res.Trailer.Get("X-End"), nil
}
