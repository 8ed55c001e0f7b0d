package hosting_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"clave/server/internal/transport/hosting"
)

// section is a hosting section with every supported setting.
const section = `{
	"public": "dist", "ignore": ["**/secret.txt"], "cleanUrls": true, "trailingSlash": false,
	"redirects": [
		{"source": "/old", "destination": "/historia", "type": 302},
		{"source": "/blog/:post*", "destination": "/noticias/:post"},
		{"source": "/u/:id/perfil", "destination": "https://otro.example/:id", "type": 307},
		{"source": "/:x*", "destination": "/:x", "regex": "^/r/(?P<x>.*)"},
		{"regex": "^/(LogIn|AdminView)/$", "destination": "/:1"},
		{"regex": "^/eventos/([^/]+)/$", "destination": "/eventos/:1"},
		{"source": "/vieja", "destination": "/historia?de=vieja"}
	],
	"rewrites": [
		{"source": "/LogIn", "destination": "/app.html"}, {"source": "/eventos/**", "destination": "/app.html"},
		{"source": "/fn/**", "function": "hola"}
	],
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
		"año nuevo.html":        {Data: []byte("año")},
		"assets/a-1.js":         {Data: []byte(strings.Repeat("let x = 1;\n", 200))},
	}, hosting.Options{})
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
		{"/blog/2026/uno dos", "", 301, "Location: /noticias/2026/uno%20dos"},
		{"/u/ana/perfil", "", 307, "Location: https://otro.example/ana"},
		{"/u/ana/b/perfil", "no está", 404, ""},
		{"/r//evil.example", "", 301, "Location: /evil.example"},
		{"/LogIn/", "", 301, "Location: /LogIn"},
		{"/AdminView/?tab=eventos&q=a%20b", "", 301, "Location: /AdminView?tab=eventos&q=a%20b"},
		{"/eventos/uno dos/?de=x", "", 301, "Location: /eventos/uno%20dos?de=x"},
		{"/old?", "", 302, "Location: /historia"},
		{"/vieja?y=1", "", 301, "Location: /historia?de=vieja&y=1"},
		{"/fn/x", "firebase.json rewrites this path to a function, which Clave does not run.\n", 501, ""},
		{"/año nuevo.html", "", 301, "Location: /a%C3%B1o%20nuevo"},
		{"/assets/gone.js", "no está", 404, "Cache-Control: no-cache"},
		{"/LogIn", "shell", 200, "X-Robots-Tag: noindex"},
		{"/eventos/abc", "shell", 200, ""},
		{"/assets/a-1.js", "", 200, "Cache-Control: immutable"},
		{"/no-existe", "no está", 404, "X-Content-Type-Options: nosniff"},
		{"/secret.txt", "no está", 404, ""},
		{"/.env", "no está", 404, ""},
		{"/../historia.html", "", 404, ""},
		{"//evil.example/historia.html", "no está", 404, ""},
		{"/assets/..//historia", "", 301, "Location: /historia"},
		{"/x//../assets/a-1.js", "", 301, "Location: /assets/a-1.js"},
		{"/./assets/./a-1.js?b", "", 301, "Location: /assets/a-1.js?b"},
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
	for _, accept := range []string{"br;q=0, gzip", "br; q=0.000,gzip;q=0.5", "BR;Q=0.0, GZIP"} {
		if w := get(accept, ""); w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("accepting %q: encoding = %q, want gzip", accept, w.Header().Get("Content-Encoding"))
		}
	}
}

// TestPrepared requests files with a precompressed Brotli file. It must be sent unchanged, unless it differs from the
// file.
func TestPrepared(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public":"d","ignore":["**/*.br"]}`))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("let x = 1;\n", 200)
	encode := func(text string) string {
		var out strings.Builder
		zw := brotli.NewWriterLevel(&out, brotli.BestSpeed)
		_, _ = zw.Write([]byte(text))
		if err := zw.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	site := hosting.New(config, fstest.MapFS{
		"same.js": {Data: []byte(text)}, "same.js.br": {Data: []byte(encode(text))},
		"other.js": {Data: []byte(text)}, "other.js.br": {Data: []byte(encode(text + "x"))},
		"less.js": {Data: []byte(text)}, "less.js.br": {Data: []byte(encode(text[1:]))},
		"torn.js": {Data: []byte(text)}, "torn.js.br": {Data: []byte(encode(text)[:9])},
	}, hosting.Options{})
	for _, name := range []string{"same", "other", "less", "torn"} {
		r := httptest.NewRequest(http.MethodGet, "/"+name+".js", nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		if asItIs := w.Body.String() == encode(text); asItIs != (name == "same") {
			t.Errorf("GET /%s.js: the prepared form is sent: %v", name, asItIs)
		}
		if got, err := io.ReadAll(brotli.NewReader(w.Body)); err != nil || string(got) != text {
			t.Errorf("GET /%s.js: %.20q (%v), want the file", name, got, err)
		}
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/same.js.br", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("GET /same.js.br: status %d, want 404", w.Code)
	}
}

// TestParts requests ranges of files. Compressed texts must be sent completely; files too large for the cache are read
// from the folder.
func TestParts(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public":"d"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, film := strings.Repeat("let x = 1;\n", 200), strings.Repeat("0123456789", 1<<20)
	site := hosting.New(config, fstest.MapFS{"a.js": {Data: []byte(text)}, "film.mp4": {Data: []byte(film)}}, hosting.Options{})
	tests := []struct {
		path, accept, body, encoding string
		status                       int
	}{
		{"/a.js", "", text[5:10], "", http.StatusPartialContent},
		{"/a.js", "gzip", "", "gzip", http.StatusOK},
		{"/film.mp4", "gzip", film[5:10], "", http.StatusPartialContent},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		r.Header.Set("Range", "bytes=5-9")
		r.Header.Set("Accept-Encoding", tt.accept)
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		if w.Code != tt.status || w.Header().Get("Content-Encoding") != tt.encoding || tt.body != "" && w.Body.String() != tt.body {
			t.Errorf("GET %s accepting %q: status %d, encoding %q, body %.20q; want %d, %q, %q", tt.path, tt.accept,
				w.Code, w.Header().Get("Content-Encoding"), w.Body, tt.status, tt.encoding, tt.body)
		}
		if w.Header().Get("Etag") == "" {
			t.Errorf("GET %s has no ETag", tt.path)
		}
	}
}

func TestMethods(t *testing.T) {
	w := httptest.NewRecorder()
	newSite(t).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("clave=x")))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

func FuzzServe(f *testing.F) {
	f.Add("/historia.html")
	f.Add("//a/..//index.html")
	config, err := hosting.Parse([]byte(section))
	if err != nil {
		f.Fatal(err)
	}
	site := hosting.New(config, fstest.MapFS{"index.html": {Data: []byte("home")}, ".env": {Data: []byte("secret")}}, hosting.Options{})
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

// TestHeadersAreThoseOfTheFile requests files by other paths than their own. Browsers leave an encoded slash, and two
// slashes, as they are. The header fields must be those of the file's own path: other ones could let foreign pages
// frame or read it.
func TestHeadersAreThoseOfTheFile(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public":"d","rewrites":[{"source":"**","destination":"/app.html"}],"headers":[
		{"source":"/admin/**","headers":[{"key":"X-Frame-Options","value":"DENY"}]},
		{"source":"/open/**","headers":[{"key":"Access-Control-Allow-Origin","value":"*"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.New(config, fstest.MapFS{"admin/a.html": {Data: []byte("a")}, "admin/b/c.html": {Data: []byte("c")}, "app.html": {Data: []byte("shell")}}, hosting.Options{})
	for _, path := range []string{
		"/admin/a.html", "/x%2f..%2fadmin%2fa.html", "/open/..%2fadmin/a.html", "//admin/a.html", "//admin//b/c.html", "/.%2fadmin/a.html", "/open/%2e%2e%2fadmin/no-file", "/open/..%2fadmin/b/c.html/",
	} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil))
		if framed, shared := w.Header().Get("X-Frame-Options"), w.Header().Get("Access-Control-Allow-Origin"); framed != "DENY" || shared != "" {
			t.Errorf("GET %s: status %d, X-Frame-Options %q, Access-Control-Allow-Origin %q; want DENY and none", path, w.Code, framed, shared)
		}
	}
}

// TestStarIsASegment compares a star that is a whole segment with minimatch, which Firebase uses.
func TestStarIsASegment(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public":"d","rewrites":[{"source":"/eventos/*","destination":"/app.html"},{"source":"/todo/**","destination":"/app.html"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.New(config, fstest.MapFS{"app.html": {Data: []byte("shell")}}, hosting.Options{})
	for path, want := range map[string]int{"/eventos/a": 200, "/eventos/": 404, "/eventos/a/b": 404, "/todo/": 200, "/todo/a/b": 200} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}
