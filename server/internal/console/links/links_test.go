package links

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"clave/server/internal/console/session"
)

// TestAddressesOfLinks shows a link at the console of a node, and the console that needs none.
func TestAddressesOfLinks(t *testing.T) {
	const origin = "http://127.0.0.1:4000"
	until := time.Date(2026, 11, 26, 12, 0, 0, 1, time.UTC)
	for link, want := range map[Link]session.Address{
		{}:                {URL: origin + "/"},
		{"secret", until}: {URL: origin + "/?link=secret", Until: until.Truncate(time.Second)},
	} {
		if got := link.address(origin); got != want {
			t.Errorf("the address of %+v = %+v, want %+v", link, got, want)
		}
	}
}

// TestTheServiceForLinks requests a link from the service of a leader, and from that of a leader without a console.
func TestTheServiceForLinks(t *testing.T) {
	request := func(service http.Handler) (*httptest.ResponseRecorder, string) {
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"write": true}`)))
		return w, w.Body.String()
	}
	write := false
	m := Maker(func(_ context.Context, in session.LinkRequest) (Link, error) {
		write = in.Write
		return Link{Secret: "secret"}, nil
	})
	var link Link
	if w, body := request(m.Handler()); w.Code != http.StatusOK || json.Unmarshal([]byte(body), &link) != nil || link.Secret != "secret" || !write {
		t.Errorf("a request for a link that may write: %d %s, write = %v", w.Code, body, write)
	}
	pages, service := Without("node-1")
	for name, handler := range map[string]http.Handler{"pages": pages, "service": service} {
		if w, body := request(handler); w.Code < 400 || !strings.Contains(body, "node-1, runs without a console") {
			t.Errorf("the %s of a leader without a console: %d %s", name, w.Code, body)
		}
	}
}
