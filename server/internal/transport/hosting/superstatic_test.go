package hosting_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"clave/server/internal/transport/hosting"
)

// superstatic has the decisions of the server of Firebase's hosting emulator.
//
//go:embed testdata/superstatic.txt
var superstatic string

// TestAsSuperstatic compares the responses for many configurations with those of superstatic.
func TestAsSuperstatic(t *testing.T) {
	head, rest, _ := strings.Cut(superstatic, "\n\n")
	lines := strings.Split(head, "\n")
	files := fstest.MapFS{}
	for _, name := range strings.Fields(lines[len(lines)-1]) {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	for _, block := range strings.Split(strings.TrimSpace(rest), "\n\n") {
		section, cases, _ := strings.Cut(block, "\n")
		config, err := hosting.Parse([]byte(section))
		if err != nil {
			t.Fatalf("%s: %v", section, err)
		}
		site := hosting.New(config, files, hosting.Options{})
		for line := range strings.SplitSeq(cases, "\n") {
			address, want, _ := strings.Cut(line, " => ")
			client := append(strings.Fields(address), "", "")
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+client[0], nil)
			r.Header.Set("Accept-Language", client[1])
			r.Header.Set("X-Country-Code", client[2])
			if got := get(site, r); got != want {
				t.Errorf("%s\nGET %s: %s, want %s", section, address, got, want)
			}
		}
	}
}

// get returns the status of a response and its location or body.
func get(site *hosting.Site, r *http.Request) string {
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	if to := w.Header().Get("Location"); to != "" {
		return fmt.Sprintf("%d %s", w.Code, to)
	}
	return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

// TestRedirects checks redirects that public projects have, and those on which Firebase Hosting and its emulator
// differ.
func TestRedirects(t *testing.T) {
	for _, tt := range []struct{ rule, path, want string }{
		// A capture of several segments may be inserted as if it had one: Firebase documents it.
		{`{"source": "/blog/:post*", "destination": "https://blog.example.com/:post"}`, "/blog/2026/a", "301 https://blog.example.com/2026/a"},
		{`{"source": "/getting-started/:rest*", "destination": "/start/:rest*"}`, "/getting-started", "301 /start"},
		{`{"source": "/getting-started/:rest*", "destination": "/start/:rest*"}`, "/getting-started/a/b?c", "301 /start/a/b?c"},
		{`{"source": "/docs/*/latest/:rest*", "destination": "/:rest*"}`, "/docs/ts/latest/guide/x", "301 /guide/x"},
		{`{"source": "/docs/*/latest/cookbook/:name.html", "destination": "/guide/:name"}`, "/docs/ts/latest/cookbook/a.html", "301 /guide/a"},
		{`{"source": "/api/:package/:api-@(class|let|pipe)", "destination": "/api/:package/:api"}`, "/api/core/Id-class", "301 /api/core/Id"},
		{`{"source": "/api/:package/:api-@(class|let|pipe)", "destination": "/api/:package/:api"}`, "/api/core/Id-type", "404 Not Found"},
		{`{"source": "/:file.html", "destination": "/:file"}`, "/a.html", "301 /a"},
		{`{"source": "/:some*/:file.html", "destination": "/:some*/:file"}`, "/x/y/a.html", "301 /x/y/a"},
		{`{"source": "/flutter-for-:os*", "destination": "/for/:os*-devs"}`, "/flutter-for-web", "301 /for/web-devs"},
		{`{"source": "/glossary/:entry", "destination": "/resources/glossary#:entry"}`, "/glossary/a", "301 /resources/glossary#a"},
		{`{"source": "/release-notes/:version*", "destination": "/notes/release-:version*"}`, "/release-notes/1.2", "301 /notes/release-1.2"},
		{`{"source": "/setup-:os*", "destination": "/start"}`, "/setup-mac", "301 /start"},
		{`{"source": "/install/:rest*", "destination": "/start"}`, "/install/a/b", "301 /start"},
		{`{"source": "/wiki/Foo:Bar", "destination": "https://example.com/wiki/Foo:Baz"}`, "/wiki/Foo:Bar", "301 https://example.com/wiki/Foo:Baz"},
		{`{"source": "/faq", "destination": "/help#types"}`, "/faq?a=b", "301 /help?a=b#types"},
		{`{"source": "/+dart", "destination": "/d"}`, "/+dart", "301 /d"},
		{`{"source": "/news*", "destination": "/n", "type": 302}`, "/news-old", "302 /n"},
		{`{"source": "/a", "destination": "https://example.com:8080/:x?/y"}`, "/a", "301 https://example.com:8080/y"},
		{`{"source": "/p/:id", "destination": "http://localhost:8080/:id"}`, "/p/1", "301 http://localhost:8080/1"},
		{`{"regex": "^\/(flutter(\/.*)?)", "destination": "https://api.example.dev/:1"}`, "/flutter/a", "301 https://api.example.dev/flutter/a"},
		{`{"regex": "(.*)\\.html$", "destination": ":1"}`, "/a/b.html", "301 /a/b"},
		{`{"regex": "^/u/(?<id>[0-9]+)$", "destination": "/user/:id"}`, "/u/12", "301 /user/12"},
		// The path of a request does not determine the host.
		{`{"regex": "(.*)\\.html$", "destination": ":1"}`, "//evil.example/b.html", "301 /evil.example/b"},
		{`{"regex": "^/go/(.*)$", "destination": ":1"}`, "/go/https://evil.example", "301 /https:/evil.example"},
		{`{"regex": "^/go(.*)$", "destination": "/:1"}`, "/go//evil.example", "301 /evil.example"},
		{`{"source": "/go/:to(.*)", "destination": "/:to"}`, "/go//evil.example", "301 /evil.example"},
		{`{"source": "/go/:to(.*)", "destination": ":to"}`, "/go/%5Cevil.example", "301 /go/%5Cevil.example"},
	} {
		config, err := hosting.Parse([]byte(`{"redirects": [` + tt.rule + `]}`))
		if err != nil || len(config.Warnings) > 0 {
			t.Errorf("%s: %v, warnings %v", tt.rule, err, config)
			continue
		}
		site := hosting.New(config, nil, hosting.Options{})
		if got := get(site, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+tt.path, nil)); got != tt.want {
			t.Errorf("%s: GET %s: %s, want %s", tt.rule, tt.path, got, tt.want)
		}
	}
}

// TestLanguages checks the order in which a client's languages and its cookies select files.
func TestLanguages(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public": "d", "cleanUrls": true, "i18n": {"root": "/local"}, "rewrites": [{"source": "/app/**", "destination": "/a.html"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"a.html", "secret.html", "local/es/a.html", "local/fr_ALL/a.html", "local/fr/a.html", "local/ALL_mx/a.html", "local/en_mx/a.html", "local/.x/a.html"} {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	site := hosting.New(config, files, hosting.Options{})
	for _, tt := range []struct{ path, accept, cookie, want string }{
		{"/a", "", "", "200 a.html"},
		{"/a", "es-MX,es;q=0.9,en;q=0.8", "", "200 local/es/a.html"},
		{"/a", "fr;q=0.5, es;q=0.9", "", "200 local/es/a.html"},
		{"/a", "fr, es", "", "200 local/fr_ALL/a.html"},
		{"/a", "es;q=0, *", "", "200 a.html"},
		{"/a", "de", "", "200 a.html"},
		{"/a", "es", "firebase-language-override=fr", "200 local/fr_ALL/a.html"},
		{"/a", "es", "firebase-language-override=de,es", "200 local/es/a.html"},
		{"/a", "es", "firebase-country-override=mx", "200 local/ALL_mx/a.html"},
		{"/a", "en", "firebase-country-override=mx", "200 local/en_mx/a.html"},
		{"/a", "es", "firebase-language-override=../..", "200 a.html"},
		{"/a", "es", "firebase-language-override=.x", "200 a.html"},
		{"/a.html", "es", "", "301 /a"},
		{"/app/x", "es", "", "200 a.html"},
		{"/local/es/a", "fr", "", "200 local/es/a.html"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.path, nil)
		r.Header.Set("Accept-Language", tt.accept)
		r.Header.Set("Cookie", tt.cookie)
		if got := get(site, r); got != tt.want {
			t.Errorf("%s in %q with %q: %s, want %s", tt.path, tt.accept, tt.cookie, got, tt.want)
		}
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/a", nil))
	if got := w.Header().Get("Vary"); !strings.Contains(got, "Accept-Language") || !strings.Contains(got, "Cookie") {
		t.Errorf("Vary: %s", got)
	}
}
