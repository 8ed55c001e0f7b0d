package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/transport/port"
)

// TestAuthsReadinessIsShownToPages requests the path that shows whether Auth is ready, as a page of another origin
// does.
func TestAuthsReadinessIsShownToPages(t *testing.T) {
	a := buildApp(t, config.ModeStart, []string{"--project", "demo-cors", "--memory"})
	const origin = "http://page.example"
	found := false
	for _, c := range a.components.All {
		port, ok := c.(*port.Port)
		if !ok {
			continue
		}
		request := func(method string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "/", nil)
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Headers", "X-Client-Version")
			w := httptest.NewRecorder()
			port.Handler().ServeHTTP(w, r)
			return w
		}
		ready := request(http.MethodGet)
		if !strings.Contains(ready.Body.String(), "authEmulator") {
			continue
		}
		found = true
		preflight := request(http.MethodOptions)
		for method, w := range map[string]*httptest.ResponseRecorder{"GET": ready, "OPTIONS": preflight} {
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("%s /: Access-Control-Allow-Origin is %q, want %s", method, got, origin)
			}
		}
		if got := preflight.Header().Get("Access-Control-Allow-Headers"); preflight.Code != http.StatusNoContent || got != "X-Client-Version" {
			t.Errorf("OPTIONS /: %d, allowed headers %q; want 204, X-Client-Version", preflight.Code, got)
		}
	}
	if !found {
		t.Error("no port shows that Auth is ready")
	}
}
