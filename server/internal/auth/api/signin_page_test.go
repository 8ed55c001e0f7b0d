package api_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
)

// TestFrameAncestors requests the frame, which passes credentials to the page around it: only the project's own
// pages may contain it.
func TestFrameAncestors(t *testing.T) {
	w := newFixture(t, setup{production: true})
	ancestors := func() []string {
		t.Helper()
		res, err := http.Get(w.url + "/__/auth/iframe?apiKey=k&appName=a")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		directive, ok := strings.CutPrefix(res.Header.Get("Content-Security-Policy"), "frame-ancestors ")
		if !ok {
			t.Fatalf("the policy is %q", res.Header.Get("Content-Security-Policy"))
		}
		return strings.Fields(directive)
	}
	for _, source := range []string{"'self'", "http://localhost:*", "https://127.0.0.1:*"} {
		if got := ancestors(); !slices.Contains(got, source) {
			t.Errorf("the frame may be in %q, want %s too", got, source)
		}
	}
	domains := &service.ConfigRequest{Body: object{"authorizedDomains": []any{"Example.org"}}}
	if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, domains); err != nil {
		t.Fatal(err)
	}
	if got := ancestors(); !slices.Contains(got, "https://Example.org:*") || !slices.Contains(got, "https://*.Example.org:*") || slices.Contains(got, "http://localhost:*") {
		t.Errorf("with a domain of the project, the frame may be in %q", got)
	}
	for _, source := range ancestors() {
		if source == "*" || source == "http:" || source == "https:" || strings.HasPrefix(source, "https://*:") {
			t.Errorf("any site may contain the frame: %s", source)
		}
	}
}

// TestSignInPages requests the pages with which web SDKs sign in at providers: no other site frames them, and they lead
// to none.
func TestSignInPages(t *testing.T) {
	w := newFixture(t, setup{production: true})
	begin := func(more ...string) string {
		q := url.Values{"apiKey": {"k"}, "appName": {"a"}, "providerId": {"oidc.<script>"}, "authType": {"signInViaRedirect"}}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return "?" + q.Encode()
	}
	for _, c := range []struct {
		name, method, path, form string
		status                   int
		want                     string
	}{
		{"a sign-in begins", http.MethodGet, "/handler" + begin("redirectUrl", w.url+"/page"), "", 200, `"begin":true`},
		{"it returns to another site", http.MethodGet, "/handler" + begin("redirectUrl", "https://evil.example/"), "", 403, "not authorized"},
		{"it returns to a script", http.MethodGet, "/handler" + begin("redirectUrl", "javascript:alert(1)"), "", 403, "not authorized"},
		{"it returns nowhere", http.MethodGet, "/handler" + begin(), "", 403, "not authorized"},
		{"a popup", http.MethodGet, "/handler" + begin("authType", "signInViaPopup", "redirectUrl", w.url+"/page"), "", 200, `"redirectUrl":"` + w.url + `/page"`},
		{"a popup of no page", http.MethodGet, "/handler" + begin("authType", "signInViaPopup"), "", 403, "not authorized"},
		// Go omits parameters that are not valid, and a browser does not: it would be led to the other site.
		{"a query that browsers read differently", http.MethodGet, "/handler?apiKey=k&providerId=p&authType=signInViaRedirect%zz&authType=signInViaPopup&redirectUrl=https://evil.example/%zz", "", 400, "bad request"},
		{"a semicolon", http.MethodGet, "/handler?apiKey=k&providerId=p&redirectUrl=https://evil.example/;&redirectUrl=" + url.QueryEscape(w.url), "", 400, "bad request"},
		{"a parameter twice", http.MethodGet, "/handler" + begin("redirectUrl", w.url+"/page") + "&redirectUrl=https://evil.example/", "", 200, `"redirectUrl":"` + w.url + `/page"`},
		{"a popup of another site", http.MethodGet, "/handler" + begin("authType", "signInViaPopup", "redirectUrl", "https://evil.example/"), "", 403, "not authorized"},
		{"no provider", http.MethodGet, "/handler?apiKey=k", "", 400, "lacks information"},
		{"a response", http.MethodGet, "/handler?state=s&code=c", "", 200, `"answer":true`},
		{"a posted response", http.MethodPost, "/handler", "state=s&code=</script>", 200, `"posted":"code=%3C%2Fscript%3E\u0026state=s"`},
		{"the frame", http.MethodGet, "/iframe?apiKey=k&appName=a", "", 200, "gapi.iframes"},
		{"the script of the frame", http.MethodGet, "/popups.js", "", 200, "getParentIframe"},
		{"another method", http.MethodDelete, "/handler", "", 404, ""},
	} {
		for _, prefix := range []string{"/__/auth", "/emulator/auth"} {
			req, err := http.NewRequestWithContext(t.Context(), c.method, w.url+prefix+c.path, strings.NewReader(c.form))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			// The data is in an attribute, with its quotes and signs as entities.
			page := strings.NewReplacer("&#34;", `"`, "&amp;", "&").Replace(string(body))
			if err != nil || res.StatusCode != c.status || !strings.Contains(page, c.want) || strings.Contains(page, "<script>alert") {
				t.Errorf("%s at %s: %d, %v, %s; want %d and %s", c.name, prefix, res.StatusCode, err, page, c.status, c.want)
			}
			if policy := res.Header.Get("Content-Security-Policy"); c.status == http.StatusOK && strings.HasPrefix(c.path, "/handler") && !strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s: its policy is %q", c.name, policy)
			}
		}
	}
}
