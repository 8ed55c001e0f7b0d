package hosting_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"clave/server/internal/transport/hosting"
)

// TestSkips parses a section with many mistakes and with settings that are not supported. Each must have a warning with
// its place, and the rest must be served.
func TestSkips(t *testing.T) {
	config, err := hosting.Parse([]byte(`{
  "$schema": "x", "site": "a", "appAssociation": "AUTO", "predeploy": ["npm run build"], "postdeploy": "x", "frameworksBackend": {"region": "x"},
  "public": "d",
  "cleanUrls": "yes", "trailingSlash": 1,
  "ignore": ["**/.*", 5,
    "{1..3}", "secret.txt"],
  "i18n": {"langs": []},
  "rewrites": [
    {"source": "/a"},
    {"source": "/fn/**", "function": {"functionId": "f", "region": "us-central1", "pinTag": true}},
    {"source": "/link/**", "dynamicLinks": true},
    {"source": "/x", "run": {}}, {"source": "/x", "run": {"serviceId": 5}},
    {"source": "/{1..3}", "destination": "/a.html"},
    {"source": "/*(a*(b))", "destination": "/a.html"},
    {"destination": "/a.html"}, null, "x",
    {"regex": "^/(?=a)", "destination": "/a.html"},
    {"source": "/ok", "destination": "/a.html", "region": "ignored"}],
  "redirects": [{"source": "/r", "destination": "/s", "type": 200}, {"source": "/r"}, {"source": "/r/:a", "destination": "/s/:b"},
    {"source": "/r", "destination": "/t", "type": "301"}, {"source": "/r", "destination": "/u"}],
  "headers": [{"source": "**", "headers": [{"key": "X-A\n", "value": "v"}]}, {"headers": []}, {"source": "**", "headers": [{"key": "X-B", "value": 5}]},
    {"source": "**", "headers": [{"key": "X-Ok", "value": "v"}]}]
}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range config.Warnings {
		got = append(got, fmt.Sprintf("%d:%d %s: %s", w.Line, w.Column, w.Member, w.Text))
	}
	want := []string{
		"4:16 cleanUrls: it must not be of type string; it has no effect",
		"4:40 trailingSlash: it must not be of type number; it has no effect",
		"5:23 ignore[1]: it must not be of type number; the rule is skipped",
		`6:5 ignore[2]: "{1..3}": ranges in braces are not supported; the rule is skipped`,
		"7:11 i18n: root is missing; pages have no other languages",
		"9:5 rewrites[0]: destination is missing; the rule is skipped",
		"12:5 rewrites[3]: run.serviceId is missing; the rule is skipped",
		"12:34 rewrites[4]: run.serviceId must not be of type number; the rule is skipped",
		`13:5 rewrites[5]: source "/{1..3}": ranges in braces are not supported; the rule is skipped`,
		`14:5 rewrites[6]: source "/*(a*(b))": repetitions within repetitions are not supported; the rule is skipped`,
		"15:5 rewrites[7]: source is missing; the rule is skipped",
		"15:33 rewrites[8]: destination is missing; the rule is skipped",
		"15:39 rewrites[9]: it must not be of type string; the rule is skipped",
		"16:5 rewrites[10]: regex \"^/(?=a)\" is not valid RE2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; the rule is skipped",
		"18:17 redirects[0]: type 200 is not a redirect; the rule is skipped",
		"18:69 redirects[1]: destination is missing; the rule is skipped",
		`18:87 redirects[2]: destination "/s/:b" has the capture :b, which the source lacks; the rule is skipped`,
		"19:5 redirects[3]: type must not be of type string; the rule is skipped",
		`20:15 headers[0]: "X-A\n" is not a valid header field; the rule is skipped`,
		"20:78 headers[1]: source is missing; the rule is skipped",
		"20:95 headers[2]: headers.value must not be of type number; the rule is skipped",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the warnings are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	site := hosting.New(config, fstest.MapFS{"a.html": {Data: []byte("a")}, "secret.txt": {Data: []byte("s")}}, hosting.Options{})
	for path, want := range map[string]string{
		"/ok": "200 a", "/a.html": "200 a", "/r": "301 /u", "/secret.txt": "404 Not Found", "/a": "404 Not Found",
		"/fn/x":   "501 firebase.json rewrites this path to a function, which Clave does not run.",
		"/link/x": "501 firebase.json rewrites this path to dynamic links, which Clave does not run.",
	} {
		if got := get(site, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)); got != want {
			t.Errorf("GET %s: %s, want %s", path, got, want)
		}
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ok", nil))
	if w.Header().Get("X-Ok") != "v" || w.Header().Get("X-B") != "" {
		t.Errorf("the header is %v", w.Header())
	}
}

// TestListsThatAreNone parses rules that are not lists.
func TestListsThatAreNone(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public": "d", "rewrites": {"/a": "/b"}, "redirects": null, "headers": "x"}`))
	if err != nil || len(config.Warnings) != 2 || config.Warnings[0].Member != "rewrites" || config.Warnings[1].Member != "headers" {
		t.Errorf("Parse = %+v, %v; want warnings about rewrites and headers", config, err)
	}
}

// TestParseRefuses parses sections from which nothing can be served.
func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{`: "EOF", `[]`: "object", `"x"`: "object", `{}`: "public is missing", `{"public": 5}`: "public must be a string", `{"rewrites": []}`: "public is missing",
		`{"rewrites": [{"source": "**", "destination": "/x.html"}]}`: "public is missing", `{"source": ".", "frameworksBackend": {}}`: "source is not supported",
	} {
		if c, err := hosting.Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %+v, %v; want an error with %q", in, c, err, want)
		}
	}
}

// TestASiteWithoutAFolder serves redirects and rewrites to services without a folder, as Firebase allows.
func TestASiteWithoutAFolder(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"redirects": [{"source": "/a", "destination": "/b"}], "rewrites": [{"source": "/s/**", "run": {"serviceId": "s"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.New(config, nil, hosting.Options{})
	for path, want := range map[string]string{"/a": "301 /b", "/": "404 Not Found", "/s/x": "501 "} {
		if got := get(site, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)); !strings.HasPrefix(got, want) {
			t.Errorf("GET %s: %s, want %s", path, got, want)
		}
	}
}
