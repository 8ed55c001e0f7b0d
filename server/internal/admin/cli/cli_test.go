package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/httpx/accountkey"
)

// servers are the ports of a server, which note what they receive; mu is held meanwhile.
type servers struct {
	admin, public *httptest.Server
	got           []string
	// refused makes the token endpoint refuse keys, and issued counts its tokens.
	refused bool
	issued  int
	mu      sync.Mutex
}

// open starts the ports, and returns a key of the server.
func open(t *testing.T) (s *servers, key *accountkey.Key) {
	t.Helper()
	s = &servers{}
	note := func(port string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if r.URL.Path == accountkey.TokenPath {
				if s.refused {
					w.WriteHeader(http.StatusUnauthorized)
					_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"Unknown key."}`)
					return
				}
				s.issued++
				_, _ = io.WriteString(w, `{"access_token":"ya29.secret","expires_in":3600}`)
				return
			}
			s.got = append(s.got, port+" "+r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
			_, _ = io.WriteString(w, `{}`)
		}
	}
	s.admin, s.public = httptest.NewServer(note("admin")), httptest.NewServer(note("public"))
	t.Cleanup(s.admin.Close)
	t.Cleanup(s.public.Close)
	made, err := serviceaccount.NewKey("p", "deployer", s.public.URL+accountkey.TokenPath)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, made.File, 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err = accountkey.Read(file); err != nil {
		t.Fatal(err)
	}
	return s, key
}

// run runs a proxy until the test ends.
func run(t *testing.T, s *servers, key *accountkey.Key, c *clocktest.Manual) *Proxy {
	t.Helper()
	origin, err := key.Origin()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	p, err := New(t.Context(), Options{Admin: s.admin.URL, Public: origin, Tokens: accountkey.NewTokens(key, &http.Client{Transport: transport}, c), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// send sends a request to a URL and returns the status and the response.
func send(t *testing.T, method, url string) (int, string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestProxy sends requests of the CLI by the proxy, and expects them at the port that has their API, with the token.
func TestProxy(t *testing.T) {
	s, key := open(t)
	c := clocktest.NewManual(time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC))
	p := run(t, s, key, c)
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/firestore/v1/projects/p/databases/(default)/documents:commit?alt=json", "public POST /v1/projects/p/databases/(default)/documents:commit?alt=json"},
		{"PATCH", "/firestore/v1/projects/p/databases/d/collectionGroups/g/fields/%60a%2Fb%60", "admin PATCH /v1/projects/p/databases/d/collectionGroups/g/fields/%60a%2Fb%60"},
		{"GET", "/admin/v1/projects/p/releases", "admin GET /v1/projects/p/releases"},
		{"GET", "/admin/v1/projects/p/services/127.0.0.1", "admin GET /v1/projects/p/services/127.0.0.1"},
		{"GET", "/identity/admin/v2/projects/p/config", "public GET /identitytoolkit.googleapis.com/v2/projects/p/config"},
		{"POST", "/google/identitytoolkit/v3/relyingparty/uploadAccount", "public POST /www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount"},
	} {
		s.got = nil
		if code, text := send(t, tt.method, p.URL()+tt.path); code != http.StatusOK || !slices.Equal(s.got, []string{tt.want + " Bearer ya29.secret"}) {
			t.Errorf("%s: %d %s, the server got %q, want %q", tt.path, code, text, s.got, tt.want)
		}
	}
	s.got = nil
	for path, want := range map[string]int{
		p.URL() + "/other/v1/projects/p/secrets": 501, p.URL() + "/google/oauth2/v3/token": 501,
		strings.Replace(p.URL(), p.secret, "x", 1) + "/admin/v1/projects/p/releases": 404, strings.Replace(p.URL(), p.secret, "", 1): 404,
	} {
		if code, text := send(t, "GET", path); code != want || len(s.got) > 0 || strings.Contains(text, "ya29") {
			t.Errorf("%s: %d %s, want %d and nothing at the server, which got %q", path, code, text, want, s.got)
		}
	}
	if s.issued != 1 {
		t.Errorf("%d tokens were requested for requests of one minute, want 1", s.issued)
	}
	c.Advance(58 * time.Minute)
	if send(t, "GET", p.URL()+"/admin/v1/projects/p/releases"); s.issued != 2 {
		t.Errorf("%d tokens were requested after the first has ended nearly, want 2", s.issued)
	}
	s.refused = true
	c.Advance(time.Hour)
	if code, text := send(t, "GET", p.URL()+"/admin/v1/projects/p/releases"); code != http.StatusUnauthorized || !strings.Contains(text, "Unknown key.") {
		t.Errorf("with a revoked key: %d %s", code, text)
	}
}

// TestEnvironment expects the CLI's variables and configuration without any credential.
func TestEnvironment(t *testing.T) {
	s, key := open(t)
	p := run(t, s, key, clocktest.NewManual(time.Unix(0, 0)))
	folder := t.TempDir()
	environ := []string{"PATH=/bin", "FIREBASE_TOKEN=1//x", "GOOGLE_APPLICATION_CREDENTIALS=/k.json", "FIRESTORE_EMULATOR_HOST=127.0.0.1:1", "HTTPS_PROXY=http://10.0.0.1", "FIRESTORE_URL=https://other", "XDG_CONFIG_HOME=/home"}
	got, err := Environment(environ, p, folder, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range removed {
		if slices.ContainsFunc(got, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			t.Errorf("the CLI gets %s", name)
		}
	}
	for _, want := range []string{"PATH=/bin", "FIRESTORE_URL=" + p.URL() + "/firestore", "FIREBASE_RULES_URL=" + p.URL() + "/admin", "XDG_CONFIG_HOME=" + folder} {
		if !slices.Contains(got, want) {
			t.Errorf("the CLI does not get %s, but %q", want, got)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "configstore", "firebase-tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var configuration struct{ User struct{ Email string } }
	if err := json.Unmarshal(text, &configuration); err != nil || configuration.User.Email != "deployer@p.iam.gserviceaccount.com" {
		t.Errorf("the configuration is %s, %v", text, err)
	}
	for _, tt := range []struct{ args, want []string }{
		{[]string{"deploy"}, []string{"deploy", "--project", "p"}},
		{[]string{"deploy", "-P", "q"}, []string{"deploy", "-P", "q"}},
		{[]string{"--project=q", "deploy"}, []string{"--project=q", "deploy"}},
	} {
		if got := Arguments(tt.args, "p"); !slices.Equal(got, tt.want) {
			t.Errorf("Arguments(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

// TestTokensAreNotSentInTheClear refuses servers on other machines without TLS, by both of their URLs.
func TestTokensAreNotSentInTheClear(t *testing.T) {
	const here, there, safe = "http://127.0.0.1:4001", "http://data.example.org:4001", "https://data.example.org:4001"
	for _, tt := range []struct {
		admin, public string
		ok            bool
	}{{here, here, true}, {safe, safe, true}, {there, safe, false}, {safe, there, false}, {"ftp://127.0.0.1", here, false}, {here + "/path", here, false}} {
		p, err := New(t.Context(), Options{Admin: tt.admin, Public: tt.public})
		if (err == nil) != tt.ok {
			t.Errorf("administration at %s and documents at %s: %v, want accepted: %t", tt.admin, tt.public, err, tt.ok)
		}
		if err == nil {
			_ = p.listener.Close()
		}
	}
}
