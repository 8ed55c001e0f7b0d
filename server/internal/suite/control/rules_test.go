package control_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/limit/slots"
	"clave/server/internal/suite/control"
	"clave/server/test/kit/wait"
)

// rulesServer serves the control routes of rulesets.
func rulesServer(t *testing.T) (*httptest.Server, *authz.Rulesets) {
	t.Helper()
	rulesets := authz.NewRulesets(authz.RulesetsOptions{Open: true, Detail: true, Cover: true})
	server := httptest.NewServer(control.New(control.Options{Rulesets: rulesets}))
	t.Cleanup(server.Close)
	return server, rulesets
}

// call sends a request and returns the answer.
func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// putBody is a body that replaces rules.
func putBody(t *testing.T, source string, ignore bool) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"rules":         map[string]any{"files": []any{map[string]any{"name": "f.rules", "content": source}}},
		"ignore_errors": ignore,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	goodRules   = "rules_version = '2';\nservice cloud.firestore {\n  match /a/{b} {\n    allow read: if true;\n  }\n}\n"
	brokenRules = "rules_version = '2';\nservice cloud.firestore {\n  match /a/{b} {\n    allow read: if (true;\n  }\n}\n"
	warnedRules = "rules_version = '2';\nservice cloud.firestore {\n  match /a/{b} {\n    allow read: if nobody();\n  }\n}\n"
)

func TestReplaceRules(t *testing.T) {
	server, rulesets := rulesServer(t)
	url := server.URL + "/emulator/v1/projects/p:securityRules"
	for _, c := range []struct {
		name, url, body string
		status          int
		want            string
	}{
		{"good", url, putBody(t, goodRules, false), 200, "{}"},
		{"broken", url, putBody(t, brokenRules, false), 400, "Error compiling rules:\\nL4:25 Unexpected ';'."},
		{"broken, ignored", url, putBody(t, brokenRules, true), 200, `"severity":"ERROR"`},
		{"warned", url, putBody(t, warnedRules, true), 200, `"description":"Invalid function name: nobody.","severity":"WARNING"`},
		{"warned, not ignored", url, putBody(t, warnedRules, false), 200, `"severity":"WARNING"`},
		{"database", server.URL + "/emulator/v1/projects/p/databases/other:securityRules", putBody(t, goodRules, false), 200, "{}"},
		{"no json", url, "rules", 400, "INVALID_ARGUMENT"},
		{"no file", url, `{"rules":{"files":[]}}`, 400, "INVALID_ARGUMENT"},
		{"elsewhere", server.URL + "/emulator/v1/projects/p:other", "", 404, "not found"},
	} {
		status, text := call(t, http.MethodPut, c.url, c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d with %s", c.name, status, text, c.status, c.want)
		}
	}
	if got := rulesets.Databases(); len(got) != 1 || got[0].ID != "other" {
		t.Errorf("databases with rules of their own = %v, want other", got)
	}
}

func TestBrokenRulesKeepTheOld(t *testing.T) {
	server, _ := rulesServer(t)
	url := server.URL + "/emulator/v1/projects/p:securityRules"
	call(t, http.MethodPut, url, putBody(t, goodRules, false))
	call(t, http.MethodPut, url, putBody(t, brokenRules, false))
	status, text := call(t, http.MethodGet, server.URL+"/emulator/v1/projects/p:ruleCoverage", "")
	var report struct {
		Rules struct{ Files []struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || status != 200 || report.Rules.Files[0].Content != goodRules {
		t.Errorf("coverage after a broken edit: %d %s (%v), want the good rules", status, text, err)
	}
	if status, text := call(t, http.MethodGet, server.URL+"/emulator/v1/projects/p:ruleCoverage.html", ""); status != 200 ||
		!strings.Contains(text, "Expression never evaluated") {
		t.Errorf("coverage page: %d %s", status, text)
	}
	if status, _ := call(t, http.MethodGet, server.URL+"/emulator/v1/projects/none:ruleCoverage", ""); status != 404 {
		t.Errorf("coverage without rules: %d, want 404", status)
	}
}

// TestMonitorOrigins opens the monitor from pages. Each request names the page's own host, as a page does whose host
// name was changed to this machine's address.
func TestMonitorOrigins(t *testing.T) {
	rulesets := authz.NewRulesets(authz.RulesetsOptions{Cover: true})
	server := httptest.NewServer(control.Monitor(rulesets, newWatcherSlots(), clock.System()))
	defer server.Close()
	url := "ws" + strings.TrimPrefix(server.URL, "http") + "/requests"
	for origin, ok := range map[string]bool{
		"": true, "http://localhost:4000": true, "http://127.0.0.1:4000": true, "https://evil.example": false,
		"http://localhost.evil.example": false, "null": false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		if _, host, ok := strings.Cut(origin, "://"); ok {
			header.Set("Host", host)
		}
		conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), url, header)
		if (err == nil) != ok {
			t.Errorf("from %q: %v, want ok %t", origin, err, ok)
		}
		if answer != nil && answer.Body != nil {
			answer.Body.Close()
		}
		if err != nil {
			continue
		}
		if _, message, err := conn.ReadMessage(); err != nil || string(message) != "[]" {
			t.Errorf("first message = %s, %v; want []", message, err)
		}
		conn.Close()
	}
}

// watcherSlots are slots for websockets.
type watcherSlots struct{ *slots.Slots }

// newWatcherSlots returns as many slots as a program has.
func newWatcherSlots() watcherSlots {
	return watcherSlots{slots.New(slots.Options{All: control.MaxWatchers})}
}

// Take implements control.Slots.
func (s watcherSlots) Take(address netip.Addr, end func()) func() {
	if slot := s.Slots.Take(address, end); slot != nil {
		return slot.Release
	}
	return nil
}

// monitorOf serves the monitor. It returns a function that opens a websocket from an address, or returns nil if there
// is no slot for it.
func monitorOf(t *testing.T) func(address string) *websocket.Conn {
	t.Helper()
	monitor := control.Monitor(authz.NewRulesets(authz.RulesetsOptions{Cover: true}), newWatcherSlots(), clock.System())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = r.Header.Get("From-Address")
		monitor.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return func(address string) *websocket.Conn {
		t.Helper()
		url := "ws" + strings.TrimPrefix(server.URL, "http") + "/requests"
		conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), url, http.Header{"From-Address": {address}})
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
			return conn
		}
		if answer == nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Fatalf("a websocket from %s: %v, %v, want 503", address, answer, err)
		}
		return nil
	}
}

// TestMonitorHasFewClients opens more websockets from this machine than the monitor serves. Those after the limit are
// refused until another one is closed.
func TestMonitorHasFewClients(t *testing.T) {
	open := monitorOf(t)
	var all []*websocket.Conn
	for range 100 {
		if conn := open("127.0.0.1:1"); conn != nil {
			all = append(all, conn)
		}
	}
	if len(all) != control.MaxWatchers {
		t.Fatalf("%d websockets are open, want %d", len(all), control.MaxWatchers)
	}
	all[0].Close()
	wait.Until(t, "another websocket is accepted", func() bool { return open("127.0.0.1:1") != nil })
}

// TestMonitorHasAShareForEachNetwork opens websockets from several networks. One has a quarter of them at most. When
// all are open, a further network gets one, and the network with the most loses its oldest.
func TestMonitorHasAShareForEachNetwork(t *testing.T) {
	open := monitorOf(t)
	const quarter = control.MaxWatchers / 4
	var first *websocket.Conn
	for i := range quarter + 4 {
		conn := open(fmt.Sprintf("[2001:db8::%x]:1", i+1))
		if (conn != nil) != (i < quarter) {
			t.Fatalf("websocket %d of a network is open: %t", i+1, conn != nil)
		}
		if i == 0 {
			first = conn
		}
	}
	for rest, i := control.MaxWatchers-quarter, 0; rest > 0; rest, i = rest-1, i+1 {
		if open(fmt.Sprintf("192.0.2.%d:1", i/(quarter-1)+1)) == nil {
			t.Fatalf("websocket %d of other networks is refused", i+1)
		}
	}
	if _, message, err := first.ReadMessage(); err != nil || string(message) != "[]" {
		t.Fatalf("first message = %s, %v; want []", message, err)
	}
	if open("198.51.100.1:1") == nil {
		t.Fatal("a further network has no websocket, want one")
	}
	if _, message, err := first.ReadMessage(); err == nil {
		t.Errorf("the oldest websocket received %s, want its end", message)
	}
}
