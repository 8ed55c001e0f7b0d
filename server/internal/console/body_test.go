package console

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
)

// TestLargeBodiesWaitForMemory reads bodies while all memory for parsing is in use: a small one is read at once, a
// large one waits until its request ends, and one of more values than any request needs is refused.
func TestLargeBodiesWaitForMemory(t *testing.T) {
	limit := parse.New(0)
	whole, err := limit.Admit(t.Context(), netip.Addr{}, limit.Most())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	read := func(ctx context.Context, body string) (*parse.Share, error) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/delete", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		in := &call{Request: r, w: httptest.NewRecorder(), console: &Console{o: Options{Parsing: limit}}}
		return in.readBody()
	}
	list := func(n int) string { return `{"a":[` + strings.Repeat("{},", n) + `{}]}` }
	if _, err := read(ended, list(10)); err != nil {
		t.Errorf("a small body: %v", err)
	}
	if _, err := read(ended, list(parse.Large)); !fault.Is(err, fault.Canceled) {
		t.Errorf("a large body without room: %v, want CANCELLED at the end of its request", err)
	}
	if _, err := read(t.Context(), list(maxValues)); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("a body with too many values: %v, want INVALID_ARGUMENT", err)
	}
	whole.Release()
	share, err := read(t.Context(), list(parse.Large))
	if err != nil || limit.Used() < parse.MemoryOf(nil, parse.Large) {
		t.Errorf("a large body: %v and %d bytes", err, limit.Used())
	}
	share.Release()
	if n := limit.Used(); n != 0 {
		t.Errorf("%d bytes are held after the response", n)
	}
}
