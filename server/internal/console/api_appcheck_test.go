package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// TestAppCheckIsShownAndChanged counts requests with and without tokens, changes a mode, and makes and removes a debug
// token in the console. Only a writing session may do the latter, and only one response has the token.
func TestAppCheckIsShownAndChanged(t *testing.T) {
	const app = "1:123456:web:abcdef"
	s := start(t, config.ModeServe, "--app-check", "firestore=count")
	client := func(method, path, body, token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.app.Hosting+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("X-Firebase-AppCheck", token)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	read := func(token string) int { return client("GET", documents+"/open/x", "", token) }
	type product struct {
		Service, Mode, Updated string
		Counts                 map[string]int
	}
	type shown struct {
		Since    string
		Products []product
		Tokens   []struct{ App, ID, Name string }
	}
	get := func() (all shown) {
		t.Helper()
		s.call("GET", "/api/appcheck", "", &all)
		if len(all.Products) != 2 || all.Products[0].Service != "firestore.googleapis.com" || all.Products[1].Service != "identitytoolkit.googleapis.com" {
			t.Fatalf("the products: %+v", all)
		}
		return all
	}

	s.open(false)
	var session struct{ Features []string }
	s.call("GET", "/api/session", "", &session)
	if !strings.Contains(strings.Join(session.Features, " "), "appCheck") {
		t.Errorf("the features are %v, want appCheck among them", session.Features)
	}
	if code := read(""); code != http.StatusNotFound {
		t.Fatalf("a read while requests are only counted: %d", code)
	}
	read("x")
	read("x")
	first := get()
	if p := first.Products[0]; p.Mode != "UNENFORCED" || p.Updated != "" || p.Counts["missing"] != 1 || p.Counts["invalid"] != 2 || p.Counts["valid"] != 0 {
		t.Errorf("Firestore after one request without a token and two with invalid ones: %+v", p)
	}
	if p := first.Products[1]; p.Mode != "OFF" || first.Since == "" || len(first.Tokens) != 0 {
		t.Errorf("Auth: %+v, %+v", p, first)
	}

	s.open(true)
	var made struct{ ID, Token string }
	s.call("POST", "/api/appcheck/tokens", `{"app": "`+app+`", "name": "laptop"}`, &made)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-`).MatchString(made.Token) {
		t.Fatalf("the debug token: %+v", made)
	}
	exchange := func() int {
		return client("POST", "/firebaseappcheck.googleapis.com/v1/projects/"+project+"/apps/"+app+":exchangeDebugToken?key=k", `{"debugToken": "`+made.Token+`"}`, "")
	}
	if code := exchange(); code != http.StatusOK {
		t.Errorf("the exchange of the debug token: %d", code)
	}
	_, text := s.request("GET", "/api/appcheck", "")
	if all := get(); len(all.Tokens) != 1 || all.Tokens[0].App != app || all.Tokens[0].Name != "laptop" || all.Tokens[0].ID != made.ID || strings.Contains(text, made.Token) {
		t.Errorf("the debug tokens: %s", text)
	}
	s.call("PUT", "/api/appcheck/mode", `{"service": "firestore.googleapis.com", "mode": "ENFORCED"}`, nil)
	if code := read(""); code != http.StatusForbidden {
		t.Errorf("a read without a token, enforced: %d, want 403", code)
	}
	if p := get().Products[0]; p.Mode != "ENFORCED" || p.Updated == "" || p.Counts["missing"] != 2 {
		t.Errorf("Firestore, enforced: %+v", p)
	}
	if code := s.status("GET", documents+"/open/x", ""); code != http.StatusNotFound {
		t.Errorf("a read by the console, enforced: %d, want 404", code)
	}
	for _, bad := range []string{`{"service": "storage.googleapis.com", "mode": "ENFORCED"}`, `{"service": "firestore.googleapis.com", "mode": "on"}`, `{`} {
		if code := s.status("PUT", "/api/appcheck/mode", bad); code < 400 {
			t.Errorf("%s: %d, want an error", bad, code)
		}
	}
	s.call("POST", "/api/appcheck/tokens/remove", `{"app": "`+app+`", "id": "`+made.ID+`"}`, nil)
	if code := exchange(); code != http.StatusForbidden {
		t.Errorf("the exchange of the removed debug token: %d, want 403", code)
	}
	_, audit := s.request("GET", "/api/audit", "")
	for _, want := range []string{"firestore.googleapis.com ENFORCED", "debug token of app " + app, "debug token " + made.ID + " of app " + app} {
		if !strings.Contains(audit, want) {
			t.Errorf("the audit log lacks %q: %s", want, audit)
		}
	}
	if strings.Contains(audit, made.Token) {
		t.Error("the audit log has the debug token")
	}
}

// TestWithoutAppCheck asks a server without --app-check.
func TestWithoutAppCheck(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	if code := s.status("GET", "/api/appcheck", ""); code != http.StatusBadRequest {
		t.Errorf("App Check of a server without it: %d, want 400", code)
	}
}
