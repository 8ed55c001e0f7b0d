package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"clave/server/backoffice"
	"clave/server/backoffice/api"
	"clave/server/internal/base/clock/clocktest"
)

// secret is the code of the services under test.
const secret = "clave de sol"

// newHandler returns the handler of a service whose clock does not advance.
func newHandler(t *testing.T, o api.Options) http.Handler {
	t.Helper()
	s, err := backoffice.New(t.Context(), backoffice.Options{
		ProjectID: "demo-back-office", SignupCode: secret, Clock: clocktest.NewManual(time.Unix(1_800_000_000, 0)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api.Handler(s, o)
}

// post sends JSON from an address and returns the answer.
func post(handler http.Handler, path, from, body string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.RemoteAddr = from
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Result()
}

// decode reads the body of an answer.
func decode(t *testing.T, r *http.Response) (body struct {
	Ticket    string
	ExpiresIn int
	Error     struct{ Code, Message string }
}) {
	t.Helper()
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Fatalf("the answer is not JSON: %v", err)
	}
	return body
}

func TestCode(t *testing.T) {
	handler := newHandler(t, api.Options{})
	right := post(handler, "/api/admin/codigo", "192.0.2.1:1000", `{"code":"clave de sol"}`)
	if body := decode(t, right); right.StatusCode != 200 || len(body.Ticket) != 43 || body.ExpiresIn != 600 {
		t.Errorf("right code: %d %+v, want 200 with a ticket of 43 characters for 600 s", right.StatusCode, body)
	}
	if got := right.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control = %q, want no-store", got)
	}
	for i := range 5 {
		wrong := post(handler, "/api/admin/codigo", "192.0.2.1:1000", `{"code":"clave de fa"}`)
		if body := decode(t, wrong); wrong.StatusCode != 403 || body.Error.Code != "invalid-code" || body.Error.Message != "Código secreto incorrecto." {
			t.Errorf("wrong code %d: %d %+v", i+1, wrong.StatusCode, body)
		}
	}
	many := post(handler, "/api/admin/codigo", "192.0.2.1:2000", `{"code":"clave de sol"}`)
	if body := decode(t, many); many.StatusCode != 429 || body.Error.Code != "too-many-requests" || many.Header.Get("Retry-After") != "900" {
		t.Errorf("the sixth: %d %+v, Retry-After %q, want 429 too-many-requests 900", many.StatusCode, body, many.Header.Get("Retry-After"))
	}
}

func TestRegisterRoute(t *testing.T) {
	handler := newHandler(t, api.Options{})
	ticket := decode(t, post(handler, "/api/admin/codigo", "192.0.2.1:1000", `{"code":"clave de sol"}`)).Ticket
	tests := []struct {
		name, body string
		status     int
		code       string
	}{
		{"no ticket", `{}`, 403, "invalid-ticket"},
		{"nothing else", `{"ticket":"` + ticket + `"}`, 400, "invalid-argument"},
		{"weak password", `{"ticket":"` + ticket + `","firstName":"A","lastName":"B","email":"a@b.do","password":"12345"}`, 400, "weak-password"},
		{"bad address", `{"ticket":"` + ticket + `","firstName":"A","lastName":"B","email":"a","password":"123456"}`, 400, "invalid-email"},
	}
	for _, tt := range tests {
		got := post(handler, "/api/admin/registro", "192.0.2.1:1000", tt.body)
		if body := decode(t, got); got.StatusCode != tt.status || body.Error.Code != tt.code || body.Error.Message == "" {
			t.Errorf("%s: %d %+v, want %d %s", tt.name, got.StatusCode, body, tt.status, tt.code)
		}
	}
}

func TestOnlyShortJSONByPostIsAccepted(t *testing.T) {
	handler := newHandler(t, api.Options{})
	long := `{"code":"` + strings.Repeat("a", 130<<10) + `"}`
	tests := []struct {
		name, method, path, kind, body string
		status                         int
		code                           string
	}{
		{"GET", "GET", "/api/admin/codigo", "application/json", "", 405, "method-not-allowed"},
		{"a form", "POST", "/api/admin/codigo", "application/x-www-form-urlencoded", "code=a", 415, "unsupported-media-type"},
		{"no type", "POST", "/api/admin/registro", "", "{}", 415, "unsupported-media-type"},
		{"not JSON", "POST", "/api/admin/codigo", "application/json", "code", 400, "invalid-argument"},
		{"a list", "POST", "/api/admin/codigo", "application/json", "[]", 400, "invalid-argument"},
		{"a number for a text", "POST", "/api/admin/codigo", "application/json", `{"code":1}`, 400, "invalid-argument"},
		{"two objects", "POST", "/api/admin/codigo", "application/json", `{"code":"a"}{}`, 400, "invalid-argument"},
		{"nothing", "POST", "/api/admin/codigo", "application/json", "", 400, "invalid-argument"},
		{"too much", "POST", "/api/admin/codigo", "application/json", long, 413, "payload-too-large"},
		{"a count without a token", "POST", "/api/admin/datos/contar", "application/json", `{"email":"a@b.do"}`, 403, "permission-denied"},
		{"an erasure without a token", "POST", "/api/admin/datos/borrar", "application/json", `{"email":"a@b.do"}`, 403, "permission-denied"},
		{"links without a token", "POST", "/api/admin/boletin/bajas", "application/json", `{"emails":["a@b.do"]}`, 403, "permission-denied"},
		{"confirmations without a token", "POST", "/api/admin/boletin/confirmados", "application/json", `{"emails":["a@b.do"]}`, 403, "permission-denied"},
		{"the newsletter without a token", "POST", "/api/admin/boletin/estado", "application/json", "{}", 403, "permission-denied"},
		{"a preview without a token", "POST", "/api/admin/boletin/vista", "application/json", `{"subject":"a","text":"b"}`, 403, "permission-denied"},
		{"a test without a token", "POST", "/api/admin/boletin/prueba", "application/json", `{"subject":"a","text":"b"}`, 403, "permission-denied"},
		{"an issue without a token", "POST", "/api/admin/boletin/enviar", "application/json", `{"subject":"a","text":"b"}`, 403, "permission-denied"},
		{"another path", "POST", "/api/admin/otro", "application/json", "{}", 404, "not-found"},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		if tt.kind != "" {
			r.Header.Set("Content-Type", tt.kind)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if body := decode(t, w.Result()); w.Code != tt.status || body.Error.Code != tt.code {
			t.Errorf("%s: %d %+v, want %d %s", tt.name, w.Code, body, tt.status, tt.code)
		}
	}
}

func TestTriesCountByClientBehindAProxy(t *testing.T) {
	handler := newHandler(t, api.Options{ProxyHops: 1})
	try := func(forwarded string) int {
		r := httptest.NewRequest(http.MethodPost, "/api/admin/codigo", strings.NewReader(`{"code":"no"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-For", forwarded)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	for port := range 5 {
		try(fmt.Sprintf("10.0.0.1, 192.0.2.1:%d", 49152+port)) // some proxies add the port
	}
	if got := try("192.0.2.1"); got != 429 {
		t.Errorf("the sixth of one client: %d, want 429", got)
	}
	if got := try("192.0.2.2"); got != 403 {
		t.Errorf("the first of another client: %d, want 403", got)
	}
}

// FuzzHandler sends any body to both routes. Every answer must be JSON with a code and must not report an internal
// error.
func FuzzHandler(f *testing.F) {
	for _, seed := range []string{`{"code":"a"}`, `{"ticket":"a"}`, `{"code":null}`, `[1]`, `{"code":"\ud800"}`, "\xff"} {
		f.Add(seed, "10.0.0.1")
	}
	f.Fuzz(func(t *testing.T, body, forwarded string) {
		handler := newHandler(t, api.Options{ProxyHops: 1})
		for _, path := range []string{"/api/admin/codigo", "/api/admin/registro"} {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header["X-Forwarded-For"] = []string{forwarded}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code >= 500 || (w.Code != 200 && decode(t, w.Result()).Error.Code == "") {
				t.Errorf("%s %q: %d %s", path, body, w.Code, w.Body)
			}
		}
	})
}

// TestOnlyAdministratorsUseOtherRoutes calls each route of the handler, except the two by which users become
// administrators, without a credential and with invalid bodies: the caller is refused before the body is read.
func TestOnlyAdministratorsUseOtherRoutes(t *testing.T) {
	source, err := os.ReadFile("api.go")
	if err != nil {
		t.Fatal(err)
	}
	handler := newHandler(t, api.Options{})
	calls := 0
	for _, found := range regexp.MustCompile(`HandleFunc\("(/api/[^"]+)"`).FindAllSubmatch(source, -1) {
		path := string(found[1])
		if path == "/api/admin/codigo" || path == "/api/admin/registro" {
			continue
		}
		calls++
		for _, body := range []string{"", "{}", "no JSON"} {
			got := post(handler, path, "192.0.2.1:1000", body)
			if answer := decode(t, got); got.StatusCode != http.StatusForbidden || answer.Error.Code != string(backoffice.NotAdministrator) {
				t.Errorf("%s with the body %q: %d %+v, want 403 %s", path, body, got.StatusCode, answer, backoffice.NotAdministrator)
			}
		}
	}
	if calls < 8 {
		t.Errorf("%d routes were called, want all of api.go", calls)
	}
}
