package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/app"
)

func TestHealth(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != app.HealthPath {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		code   int
		text   string
	}{
		{"well", []string{server.URL}, http.StatusOK, 0, "ok"},
		{"well, with a slash", []string{server.URL + "/"}, http.StatusOK, 0, "ok"},
		{"not well", []string{server.URL}, http.StatusServiceUnavailable, 1, "503"},
		{"moved elsewhere", []string{server.URL}, http.StatusMovedPermanently, 1, "301"},
		{"no server", []string{gone.URL}, 0, 1, "does not respond"},
		{"no URL", []string{"localhost"}, 0, 2, "expected a URL"},
		{"two URLs", []string{server.URL, server.URL}, 0, 2, "one URL"},
		{"help", []string{"--help"}, 0, 0, app.HealthPath},
	} {
		if tt.status != 0 {
			status = tt.status
		}
		if code, text := output(t, append([]string{"health"}, tt.args...)...); code != tt.code || !strings.Contains(text, tt.text) {
			t.Errorf("%s: %d %q, want %d and %q", tt.name, code, text, tt.code, tt.text)
		}
	}
}
