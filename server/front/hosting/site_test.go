package hosting_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"clave/server/front/hosting"
)

// section is a hosting section that uses everything we know.
const section = `{
	"public": "dist", "ignore": ["**/secret.txt"], "cleanUrls": true, "trailingSlash": false,
	"redirects": [{"source": "/old", "destination": "/historia", "type": 302}],
	"rewrites": [{"source": "/LogIn", "destination": "/app.html"}, {"source": "/eventos/**", "destination": "/app.html"}],
	"headers": [
		{"source": "**", "headers": [{"key": "X-Content-Type-Options", "value": "nosniff"}]},
		{"source": "/assets/**/*.@(js|css)", "headers": [{"key": "Cache-Control", "value": "immutable"}]},
		{"source": "/@(LogIn|AdminView)", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]}
	]
}`

// newSite serves the test's files.
func newSite(t *testing.T) *hosting.Site {
	t.Helper()
	config, err := hosting.Parse([]byte(section))
	if err != nil {
		t.Fatal(err)
	}
	return hosting.New(config, fstest.MapFS{
		"index.html":            {Data: []byte("home")},
		"historia.html":         {Data: []byte("historia")},
		"calendario/index.html": {Data: []byte("calendario")},
		"app.html":              {Data: []byte("shell")},
		"404.html":              {Data: []byte("no está")},
		"secret.txt":            {Data: []byte("secret")},
		".env":                  {Data: []byte("secret")},
		"assets/a-1.js":         {Data: []byte(strings.Repeat("let x = 1;\n", 200))},
	})
}

func TestServe(t *testing.T) {
	site := newSite(t)
	tests := []struct {
		path, body string
		status     int
		header     string // "Name: value"
	}{
		{"/", "home", 200, "X-Content-Type-Options: nosniff"},
		{"/historia", "historia", 200, "Cache-Control: no-cache"},
		{"/historia.html", "", 301, "Location: /historia"},
		{"/historia.html?a=b", "", 301, "Location: /historia?a=b"},
		{"/historia/", "", 301, "Location: /historia"},
		{"/index.html", "", 301, "Location: /"},
		{"/calendario", "calendario", 200, ""},
		{"/old", "", 302, "Location: /historia"},
		{"/LogIn", "shell", 200, "X-Robots-Tag: noindex"},
		{"/eventos/abc", "shell", 200, ""},
		{"/assets/a-1.js", "", 200, "Cache-Control: immutable"},
		{"/no-existe", "no está", 404, "X-Content-Type-Options: nosniff"},
		{"/secret.txt", "no está", 404, ""},
		{"/.env", "no está", 404, ""},
		{"/../historia.html", "", 404, ""},
		{"//evil.example/historia.html", "no está", 404, ""},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		p, q, _ := strings.Cut(tt.path, "?")
		r.URL.Path, r.URL.RawQuery = p, q
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		name, value, _ := strings.Cut(tt.header, ": ")
		if w.Code != tt.status && !(tt.path == "/../historia.html" && w.Code == 301) {
			t.Errorf("GET %s: status %d, want %d", tt.path, w.Code, tt.status)
		}
		if tt.body != "" && w.Body.String() != tt.body {
			t.Errorf("GET %s: body %q, want %q", tt.path, w.Body, tt.body)
		}
		if name != "" && w.Header().Get(name) != value {
			t.Errorf("GET %s: %s = %q, want %q", tt.path, name, w.Header().Get(name), value)
		}
		if loc := w.Header().Get("Location"); strings.HasPrefix(loc, "//") {
			t.Errorf("GET %s redirects to another host: %s", tt.path, loc)
		}
	}
}

func TestCompression(t *testing.T) {
	site := newSite(t)
	get := func(accept, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/assets/a-1.js", nil)
		r.Header.Set("Accept-Encoding", accept)
		r.Header.Set("If-None-Match", etag)
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w
	}
	plain := get("", "").Body.String()
	small := get("gzip, br", "")
	if small.Header().Get("Content-Encoding") != "br" || small.Body.Len() >= len(plain) {
		t.Fatalf("encoding %q, %d bytes of %d", small.Header().Get("Content-Encoding"), small.Body.Len(), len(plain))
	}
	text, err := io.ReadAll(brotli.NewReader(small.Body))
	if err != nil || string(text) != plain {
		t.Errorf("decompressed text differs (%v)", err)
	}
	if w := get("br", small.Header().Get("Etag")); w.Code != http.StatusNotModified {
		t.Errorf("same etag: status %d, want 304", w.Code)
	}
	if w := get("br;q=0, gzip", ""); w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("encoding = %q, want gzip", w.Header().Get("Content-Encoding"))
	}
}

func TestMethods(t *testing.T) {
	w := httptest.NewRecorder()
	newSite(t).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("clave=x")))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{
		`{`, `{}`, `{"public":"d","i18n":{"root":"x"}}`, `{"public":"d","rewrites":[{"source":"/a","function":"f"}]}`,
		`{"public":"d","headers":[{"source":"+(a|b)"}]}`, `{"public":"d","redirects":[{"source":"/a/:id","destination":"/b/:id"}]}`,
		`{"public":"d","headers":[{"regex":"("}]}`,
	} {
		if c, err := hosting.Parse([]byte(in)); err == nil {
			t.Errorf("Parse(%s) = %+v, want an error", in, c)
		}
	}
}

func FuzzServe(f *testing.F) {
	f.Add("/historia.html")
	f.Add("//a/..//index.html")
	config, err := hosting.Parse([]byte(section))
	if err != nil {
		f.Fatal(err)
	}
	site := hosting.New(config, fstest.MapFS{"index.html": {Data: []byte("home")}, ".env": {Data: []byte("secret")}})
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("GET %q leaked a dotfile", path)
		}
		if loc := w.Header().Get("Location"); strings.HasPrefix(loc, "//") || strings.HasPrefix(loc, "/\\") {
			t.Errorf("GET %q redirects to another host: %q", path, loc)
		}
	})
}
