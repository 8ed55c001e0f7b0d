package admin_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"clave/server/internal/admin"
	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/console/audit"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
)

// unbudgeted is a body for which there is no memory.
type unbudgeted struct{}

// Read implements io.Reader.
func (unbudgeted) Read([]byte) (int, error) {
	return 0, fault.E(fault.Unavailable, "The server is busy.")
}

// TestBodiesTakeMemory sends bodies whose parsing takes many times their size: they are counted until they are
// answered, wait while there is no memory, and have a limited number of values. A body that the port's budget has
// refused is not one that ended early.
func TestBodiesTakeMemory(t *testing.T) {
	record, err := audit.Open(audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	limit := parse.New(64 << 20)
	var used int64
	s := admin.New(admin.Options{
		Project: "p", Accounts: accounts{}, Audit: record, Log: slog.New(slog.DiscardHandler), Parsing: limit,
		Routes: []route.Route{{
			Name: "test.Use", Permission: "firebase.projects.get", Method: http.MethodPost, Pattern: "/v1/projects/{project}:use",
			Do: func(context.Context, *route.Call) (any, error) { used = limit.Used(); return nil, nil },
		}},
	})
	send := func(ctx context.Context, body io.Reader) (int, string) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:4001/v1/projects/p:use", body)
		r.Header.Set("Authorization", "Bearer deployer")
		w := httptest.NewRecorder()
		used = 0
		s.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	list := func(n int) io.Reader { return strings.NewReader(`{"a":[` + strings.Repeat("{},", n) + `{}]}`) }
	const many = 40_000
	for _, tt := range []struct {
		name string
		body io.Reader
		code int
		text string
		used int64
	}{
		{"a small body", list(10), 200, "", 0},
		{"many values", list(many), 200, "", many * 512},
		{"too many values", list(200_000), 400, "more than 100000", 0},
		{"signs of values in a text", strings.NewReader(`{"a":"` + strings.Repeat(`,[\":{`, 50_000) + `"}`), 200, "", 64 << 20},
		{"a body without memory", unbudgeted{}, 503, "The server is busy.", 0},
	} {
		if code, text := send(t.Context(), tt.body); code != tt.code || !strings.Contains(text, tt.text) || used < tt.used {
			t.Errorf("%s: %d %s with %d bytes; want %d with %q and at least %d bytes", tt.name, code, text, used, tt.code, tt.text, tt.used)
		}
	}
	if n := limit.Used(); n != 0 {
		t.Errorf("%d bytes are held after all responses", n)
	}
	share, err := limit.Admit(t.Context(), netip.Addr{}, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer share.Release()
	ended, end := context.WithCancel(t.Context())
	end()
	if code, text := send(ended, list(many)); code == http.StatusOK {
		t.Errorf("without memory: %d %s", code, text)
	}
}

// TestUploadsAreForwarded sends bodies that are larger than the memory for requests to a node that does not lead. It
// passes on those of uploads.
func TestUploadsAreForwarded(t *testing.T) {
	const size = 4 << 20
	for path, want := range map[string]bool{"/upload/v1beta1/projects/p/sites/p/versions/v/files/h": true, "/v1/projects/p/rulesets": false} {
		budget := receive.New(receive.Options{Bytes: 1 << 20, Wait: time.Millisecond})
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4001"+path, strings.NewReader(strings.Repeat("x", size)))
		release := budget.Body(w, r)
		admin.Forwarded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			if passed := n == size && err == nil; passed != want {
				t.Errorf("of the body of %s %d bytes were read, %v", path, n, err)
			}
		})).ServeHTTP(w, r)
		release()
	}
}
