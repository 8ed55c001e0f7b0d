package hosting_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"clave/server/internal/transport/hosting"
)

// serviceSection rewrites paths to services. One of them has no origin.
const serviceSection = `{
	"public": "dist",
	"redirects": [{"source": "/api/old", "destination": "/api/new", "type": 302}],
	"rewrites": [
		{"source": "/api/admin/**", "run": {"serviceId": "backoffice", "region": "us-east1"}},
		{"source": "/nowhere/**", "run": {"serviceId": "nowhere"}},
		{"source": "/twice/**", "run": {"serviceId": "backoffice"}},
		{"source": "/pages/*", "run": {"serviceId": "backoffice"}},
		{"source": "/away/*", "run": {"serviceId": "nowhere"}},
		{"source": "/away/*", "destination": "/api/admin/file.txt"},
		{"source": "/pages/*", "destination": "/missing.html"},
		{"source": "/pages/*", "destination": "/api/admin/file.txt"},
		{"source": "**", "destination": "/index.html"}
	],
	"headers": [{"source": "**", "headers": [{"key": "Cache-Control", "value": "no-cache"}, {"key": "X-Frame-Options", "value": "DENY"}]}]
}`

// serviceSite returns a running site. The handler is its service "backoffice".
func serviceSite(t *testing.T, service http.Handler, o hosting.Options) *httptest.Server {
	t.Helper()
	backend := httptest.NewServer(service)
	t.Cleanup(backend.Close)
	origin, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	o.Services = map[string]*url.URL{"backoffice": origin}
	o.Log = slog.New(slog.DiscardHandler)
	return siteOf(t, o)
}

// siteOf returns a running site with the given options.
func siteOf(t *testing.T, o hosting.Options) *httptest.Server {
	t.Helper()
	config, err := hosting.Parse([]byte(serviceSection))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.New(config, fstest.MapFS{"index.html": {Data: []byte("home")}, "api/admin/file.txt": {Data: []byte("file")}}, o)
	server := httptest.NewServer(site)
	t.Cleanup(func() {
		server.Close()
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// do sends a request and returns the response with its body.
func do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// request sends a request.
func request(t *testing.T, method, address, body string, header http.Header) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	return r
}

func TestServiceIsReached(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), body)
	})
	server := serviceSite(t, echo, hosting.Options{})
	for _, tt := range []struct {
		method, path, body string
		status             int
		want, cache        string
	}{
		{"POST", "/api/admin/codigo", `{"code":"x"}`, 201, `POST /api/admin/codigo {"code":"x"}`, "no-store"},
		{"GET", "/api/admin/a%2Fb?c=d%20e", "", 201, "GET /api/admin/a%2Fb?c=d%20e ", "no-store"},
		{"DELETE", "/twice/x", "", 201, "DELETE /twice/x ", "no-store"},
		{"GET", "/api/admin/file.txt", "", 200, "file", "no-cache"},
		{"GET", "/other", "", 200, "home", "no-cache"},
		{"POST", "/other", "x", 405, "Method Not Allowed\n", "no-cache"},
		{"POST", "/nowhere/x", "x", 501, "firebase.json rewrites this path to the service \"nowhere\", which has no address. Start Clave with --service nowhere=URL.\n", "no-cache"},
		{"GET", "/nowhere/x", "", 501, "firebase.json rewrites this path to the service \"nowhere\", which has no address. Start Clave with --service nowhere=URL.\n", "no-cache"},
	} {
		res, body := do(t, request(t, tt.method, server.URL+tt.path, tt.body, nil))
		if res.StatusCode != tt.status || body != tt.want || res.Header.Get("Cache-Control") != tt.cache || res.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s %s: %d %q %v, want %d %q, Cache-Control %q and X-Frame-Options", tt.method, tt.path, res.StatusCode, body, res.Header, tt.status, tt.want, tt.cache)
		}
		if got := len(res.Header.Values("Cache-Control")); got > 1 {
			t.Errorf("%s %s: Cache-Control is there %d times", tt.method, tt.path, got)
		}
	}
}

// TestServiceReceivesTheClientsAddress checks the headers that describe the client to a service. Clients must not be
// able to set them.
func TestServiceReceivesTheClientsAddress(t *testing.T) {
	seen := make(chan *http.Request, 1)
	record := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	sent := http.Header{
		"X-Forwarded-For": {"10.0.0.1, 192.0.2.9"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"evil.example"}, "Forwarded": {"for=10.0.0.1"},
		"Connection": {"X-Secret, Upgrade"}, "Upgrade": {"websocket"}, "X-Secret": {"hop"}, "Proxy-Authorization": {"x"}, "Authorization": {"Bearer t"},
	}
	for _, tt := range []struct {
		trust      bool
		addr, prot string
	}{{false, "127.0.0.1", "http"}, {true, "192.0.2.9", "https"}} {
		server := serviceSite(t, record, hosting.Options{TrustProxy: tt.trust})
		do(t, request(t, "POST", server.URL+"/api/admin/x", "", sent))
		h := (<-seen).Header
		for name, want := range map[string]string{
			"X-Forwarded-For": tt.addr, "X-Forwarded-Proto": tt.prot, "X-Forwarded-Host": strings.TrimPrefix(server.URL, "http://"), "Forwarded": "",
			"Upgrade": "", "X-Secret": "", "Proxy-Authorization": "", "Authorization": "Bearer t",
		} {
			if got := strings.Join(h.Values(name), "|"); got != want {
				t.Errorf("trust %v: the service got %s: %q, want %q", tt.trust, name, got, want)
			}
		}
	}
}

// TestServiceReceivesAppCheckTokens sends requests with an App Check token and without one. The service, which checks
// it, receives the header as the client sent it.
func TestServiceReceivesAppCheckTokens(t *testing.T) {
	const name = "X-Firebase-Appcheck" // its canonical form
	seen := make(chan http.Header, 1)
	server := serviceSite(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }), hosting.Options{Production: true})
	for _, sent := range [][]string{nil, {"e30.e30.c2ln"}, {"e30.e30.c2ln", "another"}} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			do(t, request(t, method, server.URL+"/api/admin/x", "{}", http.Header{name: sent, "Authorization": {"Bearer id"}}))
			if got := <-seen; !slices.Equal(got[name], sent) || got.Get("Authorization") != "Bearer id" {
				t.Errorf("%s with the tokens %q: the service receives %q", method, sent, got[name])
			}
		}
	}
	header := http.Header{name: {"e30.e30.c2ln"}, "Connection": {"X-Firebase-AppCheck"}}
	do(t, request(t, "GET", server.URL+"/api/admin/x", "", header))
	if got := <-seen; len(got[name]) > 0 {
		t.Errorf("a header for the connection alone: the service receives %q", got[name])
	}
}

func TestServiceBodyIsLimited(t *testing.T) {
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			return // the proxy ended the request
		}
		fmt.Fprint(w, n)
	})
	server := serviceSite(t, count, hosting.Options{})
	const limit = 32 << 20
	for _, tt := range []struct {
		size   int
		sized  bool
		status int
	}{{limit, true, 200}, {limit + 1, true, 413}, {limit + 1, false, 413}} {
		r := request(t, "POST", server.URL+"/api/admin/x", "", nil)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(make([]byte, tt.size))), -1
		if tt.sized {
			r.ContentLength = int64(tt.size)
		}
		if res, body := do(t, r); res.StatusCode != tt.status {
			t.Errorf("%d bytes, with a length %v: %d %.80q, want %d", tt.size, tt.sized, res.StatusCode, body, tt.status)
		}
	}
}

func TestServiceThatFails(t *testing.T) {
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := serviceSite(t, slow, hosting.Options{ServiceTime: 50 * time.Millisecond})
	if res, body := do(t, request(t, "GET", server.URL+"/api/admin/x", "", nil)); res.StatusCode != 504 || !strings.Contains(body, `"backoffice" did not answer within`) {
		t.Errorf("slow: %d %q, want 504", res.StatusCode, body)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	origin, err := url.Parse(gone.URL)
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	var log bytes.Buffer
	server = siteOf(t, hosting.Options{Services: map[string]*url.URL{"backoffice": origin}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	res, body := do(t, request(t, "POST", server.URL+"/api/admin/x", "", nil))
	if res.StatusCode != 502 || body != "The service \"backoffice\" does not answer.\n" || res.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("down: %d %q %v, want 502", res.StatusCode, body, res.Header)
	}
	if !strings.Contains(log.String(), "connection refused") || !strings.Contains(log.String(), origin.Host) {
		t.Errorf("the log is %q, want the cause and the address", &log)
	}
}

// TestAnInvalidRequestIsNotAFailureOfTheService sends requests that cannot be read or forwarded. The client is refused,
// and the log has no failure.
func TestAnInvalidRequestIsNotAFailureOfTheService(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	t.Cleanup(backend.Close)
	origin, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := siteOf(t, hosting.Options{Services: map[string]*url.URL{"backoffice": origin}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	const head = " /api/admin/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for name, sent := range map[string]string{
		"an invalid length of a chunk":  "POST" + head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
		"a chunk that ends too late":    "POST" + head + "Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
		"a body that ends too early":    "POST" + head + "Content-Length: 10\r\n\r\nabc",
		"a chunked body without an end": "POST" + head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(conn, sent)
		if err == nil {
			err = conn.(*net.TCPConn).CloseWrite()
		}
		answer, readErr := io.ReadAll(conn)
		if err := errors.Join(err, readErr, conn.Close()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if status, _, _ := strings.Cut(string(answer), "\r\n"); status != "HTTP/1.1 400 Bad Request" {
			t.Errorf("%s: %q, want 400", name, status)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log is %q, want none of it", &log)
	}
}

// TestAFileStandsInForAService checks that a later rewrite with the same source answers a GET that the service cannot
// answer.
func TestAFileStandsInForAService(t *testing.T) {
	status := http.StatusOK
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "service", status) })
	server := serviceSite(t, service, hosting.Options{})
	check := func(method, path string, want int, text string) {
		t.Helper()
		res, body := do(t, request(t, method, server.URL+path, "", nil))
		if res.StatusCode != want || strings.TrimSpace(body) != text || res.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s %s of a service that answers %d: %d %q %v, want %d %q", method, path, status, res.StatusCode, body, res.Header, want, text)
		}
	}
	for _, status = range []int{200, 404, 500} {
		check("GET", "/pages/a", status, "service")
	}
	for _, status = range []int{502, 503, 504} {
		check("GET", "/pages/a", 200, "file")
		check("POST", "/pages/a", status, "service")
		check("GET", "/twice/a", status, "service") // only "**" matches too
	}
	check("GET", "/away/a", 200, "file")
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server = serviceSite(t, slow, hosting.Options{ServiceTime: 50 * time.Millisecond})
	check("GET", "/pages/a", 200, "file")
	gone := httptest.NewServer(http.NotFoundHandler())
	origin, err := url.Parse(gone.URL)
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	server = siteOf(t, hosting.Options{Services: map[string]*url.URL{"backoffice": origin}, Log: slog.New(slog.DiscardHandler)})
	check("GET", "/pages/a", 200, "file")
}

// TestServiceOfASiteThatIsNotBuilt checks that services work without a site.
func TestServiceOfASiteThatIsNotBuilt(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "service") }))
	t.Cleanup(backend.Close)
	origin, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	config, err := hosting.Parse([]byte(serviceSection))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.Folder(config, filepath.Join(t.TempDir(), "nowhere"), hosting.Options{Services: map[string]*url.URL{"backoffice": origin}})
	server := httptest.NewServer(site)
	t.Cleanup(func() {
		server.Close()
		_ = site.Close()
	})
	for path, want := range map[string]int{"/api/admin/x": 200, "/other": 503} {
		if res, body := do(t, request(t, "POST", server.URL+path, "", nil)); res.StatusCode != want {
			t.Errorf("%s: %d %q, want %d", path, res.StatusCode, body, want)
		}
	}
}

func TestServicesOfASection(t *testing.T) {
	config, err := hosting.Parse([]byte(serviceSection))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(config.Services()); got != "[backoffice nowhere]" {
		t.Errorf("Services() = %s", got)
	}
}

// TestARequestThatCannotBeForwarded sends requests that the server accepts and HTTP/1.1 does not allow. The client is
// refused, and the log has no failure.
func TestARequestThatCannotBeForwarded(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	t.Cleanup(backend.Close)
	origin, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := siteOf(t, hosting.Options{Services: map[string]*url.URL{"backoffice": origin}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, tt := range []struct{ name, method, trailer string }{
		{"a method with a space", "GE T", ""},
		{"a method with another request", "GET / HTTP/1.1\r\nHost: y\r\n\r\nGET", ""},
		{"a method that is not ASCII", "GÉT", ""},
		{"a trailer with a space in its name", "POST", "a b"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/admin/x", strings.NewReader("text"))
		r.Method = tt.method
		if tt.trailer != "" {
			r.Trailer = http.Header{tt.trailer: nil}
		}
		server.Config.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want 400", tt.name, w.Code, w.Body)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log is %q, want none of it", &log)
	}
}
