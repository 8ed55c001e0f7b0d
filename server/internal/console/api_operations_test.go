package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/app/config"
)

// within polls until a condition holds; it fails the test after half a minute.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// TestDeliveriesAreShownAndRetried delivers to a service that fails: the event becomes a dead letter, which a session
// that may change anything delivers again.
func TestDeliveriesAreShownAndRetried(t *testing.T) {
	var works atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !works.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(service.Close)
	file := filepath.Join(t.TempDir(), "events.json")
	text := fmt.Sprintf(`{"triggers": [{"name": "orders", "event": "written", "document": "open/{id}", "url": %q, "attempts": 1}]}`, service.URL+"/hook?key=hidden")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, config.ModeServe, "--events", file)
	s.open(true)
	var session struct{ Features []string }
	s.call("GET", "/api/session", "", &session)
	if !strings.Contains(strings.Join(session.Features, " "), "events") {
		t.Errorf("the features are %v, want events among them", session.Features)
	}
	type letter struct {
		Document, Error string
		Attempts        int
	}
	var got struct {
		Triggers []struct {
			Name, Target  string
			Delivered     int
			Dead, Waiting int
			Letters       []letter
		}
	}
	read := func() bool {
		s.call("GET", "/api/events", "", &got)
		return len(got.Triggers) == 1
	}
	s.set("open/a", 1)
	within(t, "the dead letter", func() bool { return read() && got.Triggers[0].Dead == 1 })
	one := got.Triggers[0]
	if one.Name != "orders" || strings.Contains(one.Target, "hidden") || len(one.Letters) != 1 || one.Letters[0].Document != "open/a" || one.Letters[0].Attempts != 1 {
		t.Errorf("the trigger is %+v", one)
	}
	if status := s.status("POST", "/api/events/retry", `{}`); status != http.StatusBadRequest {
		t.Errorf("a retry of no trigger: %d, want 400", status)
	}
	if status := s.status("POST", "/api/events/retry", `{"trigger": "other"}`); status != http.StatusNotFound {
		t.Errorf("a retry of an unknown trigger: %d, want 404", status)
	}
	works.Store(true)
	var retried struct{ Retried int }
	s.call("POST", "/api/events/retry", `{"trigger": "orders"}`, &retried)
	if retried.Retried != 1 {
		t.Errorf("%d events are due again, want 1", retried.Retried)
	}
	within(t, "the delivery", func() bool { return read() && got.Triggers[0].Dead == 0 && got.Triggers[0].Delivered == 1 })
	if _, text := s.request("GET", "/api/audit", ""); !strings.Contains(text, "retry events") {
		t.Errorf("the audit log is %s, want the retry", text)
	}
	s.open(false)
	if status := s.status("POST", "/api/events/retry", `{"trigger": "orders"}`); status != http.StatusForbidden {
		t.Errorf("a retry by a read-only session: %d, want 403", status)
	}
}

// TestBackupsAreListed lists the backup that a server has made, and its trial restore.
func TestBackupsAreListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copies")
	s := start(t, config.ModeServe, "--backup-to", dir)
	s.open(false)
	var got struct {
		Place, Failure string
		Proof          *struct {
			Backup, Time, Second string
			Failed               any
		}
		EverySec int
		Count    int
		Backups  []struct {
			Name, Time, Damage string
			Bytes              int
			Proved             bool
		}
	}
	within(t, "a backup and its trial restore", func() bool {
		s.call("GET", "/api/backups", "", &got)
		return len(got.Backups) == 1 && got.Backups[0].Proved
	})
	if b := got.Backups[0]; got.Count != 1 || got.Place != dir || got.Proof == nil || got.Proof.Backup != b.Name || got.Proof.Time == "" || got.Proof.Failed != nil || got.Failure != "" || got.EverySec != 6*3600 || b.Bytes == 0 || b.Time == "" || b.Damage != "" {
		t.Errorf("the backups are %+v", got)
	}
}

// TestAServerWithoutDeliveriesAndBackups refuses both methods and lists neither feature.
func TestAServerWithoutDeliveriesAndBackups(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	for _, path := range []string{"/api/events", "/api/backups"} {
		if status := s.status("GET", path, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", path, status)
		}
	}
	if status := s.status("POST", "/api/events/retry", `{"trigger": "a"}`); status != http.StatusBadRequest {
		t.Errorf("a retry: %d, want 400", status)
	}
	if _, text := s.request("GET", "/api/session", ""); strings.Contains(text, `"events"`) || strings.Contains(text, `"backups"`) {
		t.Errorf("the session is %s, want neither feature", text)
	}
}
