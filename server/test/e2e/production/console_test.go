package production

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// consoleLink runs `clave console` in a server's folder and returns the link that it prints.
func consoleLink(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	cmd := harness.Command(t, dir, append([]string{"console"}, flags...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("clave console: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// TestConsoleOfDevelopment opens the console of clave start at the address that the hub and clave console report.
func TestConsoleOfDevelopment(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	harness.StartProgram(t, dir)
	url := consoleLink(t, dir)
	res, _ := harness.Read(t, http.DefaultClient, url)
	if !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") || res.StatusCode != http.StatusOK {
		t.Errorf("the console's page: %s with policy %q", res.Status, res.Header.Get("Content-Security-Policy"))
	}
	_, text := harness.Read(t, http.DefaultClient, url+"api/session")
	var session struct {
		Mode, Project string
		Write         bool
		Addresses     struct{ Firestore, Hub string }
	}
	if err := json.Unmarshal([]byte(text), &session); err != nil || !session.Write || session.Mode != "start" || session.Addresses.Firestore != fmt.Sprintf("127.0.0.1:%d", port) {
		t.Fatalf("the session is %s, %v", text, err)
	}
	if _, text = harness.Read(t, http.DefaultClient, "http://"+session.Addresses.Hub+"/emulators"); !strings.Contains(text, `"name": "ui"`) {
		t.Errorf("the hub lists %s, want ui among them", text)
	}
	off, _ := harness.ProjectFolder(t, nil)
	harness.StartProgram(t, off, "--ui=false")
	if out, err := harness.Command(t, off, "console").CombinedOutput(); err == nil || !strings.Contains(string(out), "no server with a console runs on this data folder") {
		t.Errorf("clave console without one: %v, %s", err, out)
	}
}

// TestConsoleOfProduction opens console sessions of clave serve, on the loopback address without TLS and on other
// addresses with it.
func TestConsoleOfProduction(t *testing.T) {
	harness.Alone(t, "a follower's port of the console does not answer")
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} {
		dir := harness.ProductionFolder(t)
		port := harness.FreePorts(t, 1)[0]
		p := harness.Serve(t, dir, true, "--console", fmt.Sprintf("%s:%d", host, port), "--data", filepath.Join(dir, "d"))
		scheme := map[string]string{"127.0.0.1": "http", "0.0.0.0": "https"}[host]
		origin := fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
		if res, _ := harness.Read(t, p.Client, origin+"/api/session"); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: without a session: %s, want 401", host, res.Status)
		}
		if res, _ := harness.Read(t, p.Client, p.URL+"/api/session"); res.StatusCode == http.StatusOK {
			t.Errorf("%s: the public origin answers the console's API", host)
		}
		for _, write := range []bool{false, true} {
			link := consoleLink(t, dir, "--data", filepath.Join(dir, "d"), fmt.Sprintf("--write=%t", write))
			if !strings.HasPrefix(link, origin+"/?link=") {
				t.Fatalf("%s: the link is %q, want it at %s", host, link, origin)
			}
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			browser := &http.Client{Transport: p.Client.Transport, Jar: jar}
			if res, text := harness.Read(t, browser, link); res.StatusCode != http.StatusOK {
				t.Fatalf("%s: the link: %s %s", host, res.Status, text)
			}
			if _, text := harness.Read(t, browser, origin+"/api/session"); !strings.Contains(text, fmt.Sprintf(`"write":%t`, write)) || !strings.Contains(text, `"mode":"serve"`) {
				t.Errorf("%s: the session is %s, want write %t", host, text, write)
			}
			if res, _ := harness.Read(t, &http.Client{Transport: p.Client.Transport}, link); res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: the link for the second time: %s, want 401", host, res.Status)
			}
			refusesAttackers(t, browser, origin, write)
			bare := &http.Client{Transport: p.Client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			res, _ := harness.Read(t, bare, consoleLink(t, dir, "--data", filepath.Join(dir, "d")))
			if c := res.Cookies(); len(c) != 1 || c[0].Secure != (scheme == "https") || strings.HasPrefix(c[0].Name, "__Host-") != c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
				t.Errorf("%s: the cookie is %v", host, c)
			}
		}
		p.Stop(t)
	}
}

// refusesAttackers checks what the server refuses despite a session's cookie: requests of other origins, other host
// names, API calls without the token, and any change in a read-only session.
func refusesAttackers(t *testing.T, browser *http.Client, origin string, write bool) {
	t.Helper()
	_, text := harness.Read(t, browser, origin+"/api/session")
	var session struct{ CSRF string }
	if err := json.Unmarshal([]byte(text), &session); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	document := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/made/here"
	own := http.StatusForbidden
	if write {
		own = http.StatusOK
	}
	res, err := browser.Post(origin+"/api/delete/count", "application/json", strings.NewReader(`{"paths": ["made"]}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("write %t: a call of the API without the token: %s, want 403", write, res.Status)
	}
	for _, tt := range []struct {
		name, host string
		header     []string
		want       int
	}{
		{"its own", "", []string{"X-Clave-CSRF", session.CSRF, "Origin", origin}, own},
		{"one of another origin", "", []string{"X-Clave-CSRF", session.CSRF, "Origin", "https://evil.example"}, http.StatusForbidden},
		{"one of another site", "", []string{"X-Clave-CSRF", session.CSRF, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"one by a name that was bound anew", "evil.example", []string{"X-Clave-CSRF", session.CSRF}, http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, origin+document, strings.NewReader(`{"fields": {}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Host = tt.host
		for i := 0; i < len(tt.header); i += 2 {
			r.Header.Set(tt.header[i], tt.header[i+1])
		}
		res, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != tt.want {
			t.Errorf("write %t: a request, %s: %s, want %d", write, tt.name, res.Status, tt.want)
		}
	}
}
