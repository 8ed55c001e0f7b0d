package forward_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/cluster/forward"
)

// TestAttempt serves reads with handlers that can serve them, that cannot, and that fail after a part of the response.
func TestAttempt(t *testing.T) {
	const body = `{"structuredQuery": {}}`
	serve := func(status int, texts ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if text, err := io.ReadAll(r.Body); string(text) != body || err != nil {
				t.Errorf("the handler reads %q, %v", text, err)
			}
			w.Header().Set("Content-Type", "application/json")
			if status != 0 {
				w.WriteHeader(status)
			}
			for _, text := range texts {
				_, _ = io.WriteString(w, text)
			}
		}
	}
	late := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "[")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "error]")
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    bool
		status  int
		text    string
	}{
		{"a response", serve(0, "[", "]"), true, http.StatusOK, "[]"},
		{"an empty response", serve(0), true, http.StatusOK, ""},
		{"another error", serve(http.StatusForbidden, "no"), true, http.StatusForbidden, "no"},
		{"unavailable", serve(http.StatusServiceUnavailable, "not now"), false, 0, ""},
		{"unavailable after a part", late, true, http.StatusOK, "[error]"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/projects/p/databases/d/documents:runQuery", strings.NewReader(body))
		if forward.ReadingOf(r) != forward.Brief {
			t.Fatal("the request is no read")
		}
		w := &recorded{ResponseRecorder: httptest.NewRecorder()}
		if got := forward.Attempt(w, r, tt.handler); got != tt.want {
			t.Errorf("%s: Attempt = %v, want %v", tt.name, got, tt.want)
		}
		if tt.want {
			if w.Code != tt.status || w.Body.String() != tt.text {
				t.Errorf("%s: %d %q, want %d %q", tt.name, w.Code, w.Body, tt.status, tt.text)
			}
			continue
		}
		if w.touched || len(w.Header()) > 0 {
			t.Errorf("%s: something was written: %d %v %q", tt.name, w.Code, w.Header(), w.Body)
		}
		if text, err := io.ReadAll(r.Body); string(text) != body || err != nil {
			t.Errorf("%s: the body is %q, %v afterwards", tt.name, text, err)
		}
	}
}

// recorded is a ResponseWriter that records whether the response has begun.
type recorded struct {
	*httptest.ResponseRecorder
	touched bool
}

// WriteHeader implements http.ResponseWriter.
func (r *recorded) WriteHeader(status int) {
	r.touched = true
	r.ResponseRecorder.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorded) Write(b []byte) (int, error) {
	r.touched = true
	return r.ResponseRecorder.Write(b)
}
