package control_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/suite/control"
)

// TestClockRoutes advances the clock and resets it.
func TestClockRoutes(t *testing.T) {
	shifted := clock.NewShifted()
	h := control.New(control.Options{Clock: shifted})
	for _, c := range []struct {
		method, path, body string
		status             int
		ahead              time.Duration
	}{
		{http.MethodPost, "/emulator/v1/clock:advance", `{"by": "90m"}`, 200, 90 * time.Minute},
		{http.MethodPost, "/emulator/v1/clock:advance", `{"by": "30m"}`, 200, 2 * time.Hour},
		{http.MethodPost, "/emulator/v1/clock:advance", `{"by": "-1s"}`, 400, 2 * time.Hour},
		{http.MethodPost, "/emulator/v1/clock:advance", `{"by": "9000h"}`, 400, 2 * time.Hour},
		{http.MethodPost, "/emulator/v1/clock:advance", `{"by": 5}`, 400, 2 * time.Hour},
		{http.MethodGet, "/emulator/v1/clock", "", 200, 2 * time.Hour},
		{http.MethodDelete, "/emulator/v1/clock", "", 200, 0},
	} {
		if status, text := exchange(t, h, c.method, c.path, c.body); status != c.status || shifted.Ahead() != c.ahead {
			t.Errorf("%s %s %s: %d %s, %v ahead; want %d and %v", c.method, c.path, c.body, status, text, shifted.Ahead(), c.status, c.ahead)
		}
	}
}

// TestClockRoutesOfProjects pins the clock of a project, advances and resets it.
func TestClockRoutesOfProjects(t *testing.T) {
	shifted := clock.NewShifted()
	h := control.New(control.Options{Clock: shifted})
	const path = "/emulator/v1/projects/p:"
	for _, c := range []struct {
		method, verb, body string
		status             int
		want               string
	}{
		{http.MethodPut, "clock", `{"at": "2030-01-01T00:00:00Z", "pinned": true}`, 200, `"now":"2030-01-01T00:00:00Z"`},
		{http.MethodPost, "advance", `{"by": "90m"}`, 200, `"now":"2030-01-01T01:30:00Z"`},
		{http.MethodPost, "advance", `{"by": "-1s"}`, 400, "by must be a duration"},
		{http.MethodPut, "clock", `{"at": "1500-01-01T00:00:00Z"}`, 400, "at most"},
		{http.MethodPut, "clock", `{"at": "tomorrow"}`, 400, "must be JSON"},
		{http.MethodGet, "clock", "", 200, `"own":true,"pinned":true`},
		{http.MethodPut, "clock", `{"at": "2020-01-01T00:00:00Z"}`, 200, `"now":"2020-01-01T00:00:0`},
		{http.MethodDelete, "clock", "", 200, `"ahead":0}`},
	} {
		if status, text := exchange(t, h, c.method, path+c.verb, c.body); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s %s: %d %s; want %d and %s", c.method, c.verb, c.body, status, text, c.status, c.want)
		}
	}
	if shifted.Ahead() != 0 {
		t.Error("the clock of the server was changed")
	}
}
