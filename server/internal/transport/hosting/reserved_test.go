package hosting_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/transport/hosting"
)

func TestReserved(t *testing.T) {
	development := &hosting.Reserved{
		App:       hosting.AppConfig{ProjectID: "demo-x", APIKey: "k", AuthDomain: "demo-x.firebaseapp.com"},
		Emulators: map[string]hosting.Emulator{"auth": {Host: "127.0.0.1", Port: 9099, HostAndPort: "127.0.0.1:9099"}},
	}
	production := &hosting.Reserved{App: hosting.AppConfig{ProjectID: "x</script>", APIKey: "k", AuthDomain: "x.example"}, Origin: "https://x.example"}
	const js, data = "text/javascript; charset=utf-8", "application/json"
	for _, tt := range []struct {
		of     *hosting.Reserved
		method string
		path   string
		code   int
		kind   string
		has    string
		not    string
	}{
		{development, "GET", "init.json", 200, data, `"projectId": "demo-x"`, "databaseURL"},
		{development, "HEAD", "init.json", 200, data, "", ""},
		{development, "GET", "init.js", 200, js, "var firebaseEmulators = undefined;", "9099"},
		{development, "GET", "init.js?useEmulator=true", 200, js, `"hostAndPort": "127.0.0.1:9099"`, ""},
		{development, "GET", "init.js?useEmulator=false", 200, js, "var firebaseOrigin = undefined;", "9099"},
		{production, "GET", "init.js?useEmulator=true", 200, js, `var firebaseOrigin = "https://x.example";`, "</script>"},
		{development, "POST", "init.js", 405, "text/plain; charset=utf-8", "", "firebaseConfig"},
		{development, "GET", "init.css", 404, "text/plain; charset=utf-8", "", ""},
		{development, "GET", "", 404, "text/plain; charset=utf-8", "", ""},
		{development, "GET", "9.1.0/other.js", 404, "text/plain; charset=utf-8", "", ""},
		{development, "GET", "9.1.0/../firebase-app.js", 404, "text/plain; charset=utf-8", "", ""},
		{development, "GET", "//evil.example/firebase-app.js", 404, "text/plain; charset=utf-8", "", ""},
		{development, "GET", "9.1.0/firebase-app-compat.js", 302, "text/html; charset=utf-8", "https://www.gstatic.com/firebasejs/9.1.0/firebase-app-compat.js", ""},
	} {
		r := httptest.NewRequest(tt.method, "http://localhost/", http.NoBody)
		path, query, _ := strings.Cut(tt.path, "?")
		r.URL.Path, r.URL.RawQuery = hosting.ReservedPrefix+path, query
		w := httptest.NewRecorder()
		tt.of.ServeHTTP(w, r)
		if w.Code != tt.code || w.Header().Get("Content-Type") != tt.kind || !strings.Contains(w.Body.String(), tt.has) || tt.not != "" && strings.Contains(w.Body.String(), tt.not) {
			t.Errorf("%s %s: %d %s %s", tt.method, tt.path, w.Code, w.Header(), w.Body)
		}
		if to := w.Header().Get("Location"); (tt.code == 302) != (to == tt.has && to != "") {
			t.Errorf("%s leads to %q", tt.path, to)
		}
	}
}
