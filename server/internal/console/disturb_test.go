package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
)

// labState is the response of GET /api/lab.
type labState struct {
	Clock *struct {
		Now   time.Time
		Ahead int
	}
	Faults *struct {
		Calls, Error             string
		Percent, Delay, Injected int
	}
}

// TestTheClockIsPutAhead advances the clock until an ID token expires, and resets it.
func TestTheClockIsPutAhead(t *testing.T) {
	s := startBy(t, nil, config.ModeStart, "--memory", "--sign-tokens")
	s.session()
	s.call("POST", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts", `{"localId": "ada", "email": "ada@example.org"}`, nil)
	var tokens struct{ IDToken string }
	s.call("POST", "/api/users/signin", `{"localId": "ada"}`, &tokens)
	read := func() int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.app.Auth+"/identitytoolkit.googleapis.com/v1/accounts:lookup?key=x", strings.NewReader(`{"idToken": "`+tokens.IDToken+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	if got := read(); got != http.StatusOK {
		t.Fatalf("a token of now: %d", got)
	}
	var state labState
	for _, tt := range []struct{ ahead, want int }{{2 * 3600, 400}, {0, 200}} {
		body, _ := json.Marshal(map[string]int{"ahead": tt.ahead})
		s.call("PUT", "/api/lab/clock", string(body), nil)
		s.call("GET", "/api/lab", "", &state)
		off := time.Since(state.Clock.Now) + time.Duration(tt.ahead)*time.Second
		if state.Clock.Ahead != tt.ahead || off.Abs() > time.Minute {
			t.Errorf("the clock, put ahead by %d s, shows %+v", tt.ahead, state.Clock)
		}
		if got := read(); got != tt.want {
			t.Errorf("the token with the clock %d s ahead: %d, want %d", tt.ahead, got, tt.want)
		}
	}
	for _, body := range []string{`{}`, `{"ahead": -1}`, `{"ahead": 40000000}`, `{"ahead": "1h"}`} {
		if got := s.status("PUT", "/api/lab/clock", body); got != http.StatusBadRequest {
			t.Errorf("the clock put by %s: %d, want 400", body, got)
		}
	}
	for _, by := range []string{`{"by": 3600}`, `{"by": 86400}`} {
		s.call("POST", "/api/lab/clock/advance", by, nil)
	}
	if s.call("GET", "/api/lab", "", &state); state.Clock.Ahead != 25*3600 {
		t.Errorf("the clock, advanced by an hour and by a day, is %d s ahead", state.Clock.Ahead)
	}
	for _, body := range []string{`{}`, `{"by": -1}`, `{"by": 31600000}`, `{"by": "1h"}`} {
		if got := s.status("POST", "/api/lab/clock/advance", body); got != http.StatusBadRequest {
			t.Errorf("the clock advanced by %s: %d, want 400", body, got)
		}
	}
	if log := s.auditText(); strings.Count(log, "put the clock ahead by") != 4 {
		t.Errorf("the audit log: %s", log)
	}
}

// auditText returns the audit log.
func (s *server) auditText() string {
	s.t.Helper()
	_, text := s.request("GET", "/api/audit", "")
	return text
}

// TestFaultsAreInjected injects faults into clients' writes, which affect neither reads nor the console's writes.
func TestFaultsAreInjected(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	s.set("open/a", 1)
	write := func() int { return s.anonymous("PATCH", "/open/b", `{"fields": {}}`) }
	s.call("PUT", "/api/lab/faults", `{"calls": "writes", "percent": 100, "error": "ABORTED"}`, nil)
	if got := write(); got != http.StatusConflict {
		t.Errorf("a write while all are aborted: %d, want 409", got)
	}
	if got := s.anonymous("GET", "/open/a", ""); got != http.StatusOK {
		t.Errorf("a read while writes are aborted: %d", got)
	}
	s.set("open/c", 1)
	var state labState
	s.call("GET", "/api/lab", "", &state)
	if f := state.Faults; f == nil || f.Injected != 1 || f.Calls != "writes" || f.Percent != 100 || f.Error != "ABORTED" {
		t.Errorf("what is injected: %+v", state.Faults)
	}
	s.call("PUT", "/api/lab/faults", `{"calls": "reads", "percent": 100, "error": "UNAVAILABLE"}`, nil)
	for path, body := range map[string]string{"/open/a": "", ":runQuery": `{"structuredQuery": {"from": [{"collectionId": "open"}]}}`} {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		if got := s.anonymous(method, path, body); got != http.StatusServiceUnavailable {
			t.Errorf("%s while reads fail: %d, want 503", path, got)
		}
	}
	if got := write(); got != http.StatusOK {
		t.Errorf("a write while reads fail: %d", got)
	}
	for _, body := range []string{`{}`, `{"calls": "all", "percent": 200, "error": "ABORTED"}`, `{"calls": "all", "percent": 50, "delay": 60000}`, `{"calls": "all", "percent": 5, "error": "OK"}`} {
		if got := s.status("PUT", "/api/lab/faults", body); got != http.StatusBadRequest {
			t.Errorf("faults of %s: %d, want 400", body, got)
		}
	}
	s.call("DELETE", "/api/lab/faults", "", nil)
	var after labState
	s.call("GET", "/api/lab", "", &after)
	if got := s.anonymous("GET", "/open/a", ""); got != http.StatusOK || after.Faults != nil || after.Clock != nil {
		t.Errorf("a read when nothing is injected any more: %d, %+v", got, after)
	}
}
