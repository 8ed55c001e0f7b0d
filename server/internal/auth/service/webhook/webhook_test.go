package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/webhook"
)

// Caller implements blocking.Caller.
var _ blocking.Caller = (*webhook.Caller)(nil)

// function runs a server with a function of each kind. called is closed when /slow is called.
func function(t *testing.T) (url string, called chan struct{}) {
	t.Helper()
	called = make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Kind", r.Header.Get("Content-Type"))
		_, _ = io.Copy(w, r.Body)
	})
	mux.HandleFunc("POST /refuse", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not you", http.StatusForbidden) })
	mux.HandleFunc("POST /elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("POST /endless", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) })
	mux.HandleFunc("POST /slow", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server detects a disconnected client only after the request was read
		close(called)
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, called
}

func TestPost(t *testing.T) {
	url, _ := function(t)
	c := webhook.New(webhook.Options{})
	t.Cleanup(func() { _ = c.Close() })
	for _, tt := range []struct {
		path   string
		status int
		answer string
	}{
		{"/echo", 200, `{"data":1}`}, {"/refuse", 403, "not you\n"}, {"/elsewhere", 307, ""}, {"/nowhere", 404, "404 page not found\n"},
	} {
		status, answer, err := c.Post(t.Context(), url+tt.path, []byte(`{"data":1}`))
		if err != nil || status != tt.status || string(answer) != tt.answer {
			t.Errorf("Post(%s) = %d %q, %v; want %d %q", tt.path, status, answer, err, tt.status, tt.answer)
		}
	}
	if _, answer, err := c.Post(t.Context(), url+"/endless", nil); err == nil {
		t.Errorf("an endless answer was taken: %d bytes", len(answer))
	}
}

func TestPostEndsWithItsContext(t *testing.T) {
	url, called := function(t)
	c := webhook.New(webhook.Options{})
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-called; cancel() }()
	if _, _, err := c.Post(ctx, url+"/slow", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Post = %v, want context.Canceled", err)
	}
}

// TestErrorsHaveNoSecret lets requests to addresses with a secret fail in each way.
func TestErrorsHaveNoSecret(t *testing.T) {
	url, _ := function(t)
	c := webhook.New(webhook.Options{})
	t.Cleanup(func() { _ = c.Close() })
	const secret = "?key=hunter2"
	for _, uri := range []string{
		url + "/endless" + secret, "http://127.0.0.1:1/f" + secret, "http://user:hunter2@127.0.0.1:1/f", "http://10.0.0.1/f" + secret, "ftp://127.0.0.1/" + secret, "http://[::1/" + secret,
		"http://a b/" + secret,
	} {
		_, _, err := c.Post(t.Context(), uri, nil)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Post(%s): %v, want an error without the secret", uri, err)
		}
		if shown := webhook.Shown(uri); strings.Contains(shown, "hunter2") {
			t.Errorf("Shown(%s) = %s", uri, shown)
		}
	}
}

func TestPostRefusesUnsafeAddresses(t *testing.T) {
	for _, tt := range []struct {
		uri   string
		plain bool
		want  string
	}{
		{"http://functions.example.org/f", false, "not encrypted"}, {"http://10.0.0.1/f", false, "not encrypted"},
		{"file:///etc/passwd", true, "not an http or https"}, {"https://", false, "not an http or https"}, {"f", true, "not an http or https"}, {"http://[::1", true, "missing"},
	} {
		if _, _, err := webhook.New(webhook.Options{Plain: tt.plain}).Post(t.Context(), tt.uri, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Post(%s), plain %v: %v, want %q", tt.uri, tt.plain, err, tt.want)
		}
	}
}
