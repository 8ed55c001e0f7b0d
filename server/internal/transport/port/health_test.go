package port_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"clave/server/internal/transport/port"
)

// TestHealth checks that a port responds with ok until the storage fails, and does not reveal the cause.
func TestHealth(t *testing.T) {
	var broken atomic.Bool
	addr := serve(t, port.Handlers{REST: answers("rest"), Identity: answers("identity"), Site: answers("site"), Health: func() error {
		if broken.Load() {
			return errors.New("disk on fire")
		}
		return nil
	}})
	for _, tt := range []struct {
		broken bool
		status int
		text   string
	}{{false, http.StatusOK, "ok"}, {true, http.StatusServiceUnavailable, "The log has the cause"}} {
		broken.Store(tt.broken)
		res, err := http.Get("http://" + addr + port.HealthPath)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != tt.status || !strings.Contains(string(text), tt.text) || strings.Contains(string(text), "fire") {
			t.Errorf("broken %t: %d %q, %v; want %d and %q", tt.broken, res.StatusCode, text, err, tt.status, tt.text)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q, want no-store", got)
		}
	}
	if got := get(t, "http://"+addr+"/__/auth/action"); got != "identity" {
		t.Errorf("GET /__/auth/action reached %q, want identity", got)
	}
	plain := serve(t, port.Handlers{Site: answers("site")})
	if got := get(t, "http://"+plain+port.HealthPath); got != "site" {
		t.Errorf("GET %s of a port without health reached %q, want the site", port.HealthPath, got)
	}
}
