package events_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/events"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble/pebbletest"
	"clave/server/internal/suite/triggers"
)

// timeLimit is the time limit of each wait.
const timeLimit = time.Minute

// testDB is the database of the tests.
var testDB = resource.Database{Project: "p", ID: "(default)"}

// source adapts the engine to events.Source.
type source struct{ *engine.Engine }

// Follow implements events.Source.
func (s source) Follow(db resource.Database, after clock.Version) events.Subscription {
	return subscription{s.Engine.Follow(db, after)}
}

// subscription adapts the engine's subscription to events.Subscription.
type subscription struct{ *engine.Subscription }

// Next implements events.Subscription.
func (s subscription) Next(ctx context.Context) ([]triggers.Commit, error) {
	commits, err := s.Subscription.Next(ctx)
	var out []triggers.Commit
	for _, c := range commits {
		changes := make([]triggers.Change, len(c.Changes))
		for i, change := range c.Changes {
			changes[i] = triggers.Change(change)
		}
		out = append(out, triggers.Commit{Version: c.Version, Changes: changes})
	}
	switch {
	case errors.Is(err, engine.ErrLagged):
		err = events.ErrLost
	case errors.Is(err, engine.ErrClosed):
		err = triggers.ErrClosed
	}
	return out, err
}

// fixture is an engine and the service that delivers its changes.
type fixture struct {
	t      *testing.T
	store  store.Store
	engine *engine.Engine
	file   string
	events *events.Service
	stop   func()
}

// newFixture creates an engine and writes an events file. start starts the delivery.
func newFixture(t *testing.T, file string) *fixture {
	t.Helper()
	store := pebbletest.Open(t)
	e, err := engine.Open(t.Context(), engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	w := &fixture{t: t, store: store, engine: e, file: filepath.Join(t.TempDir(), "events.json")}
	if err := os.WriteFile(w.file, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// start delivers events until stop.
func (w *fixture) start() {
	w.t.Helper()
	specs, err := events.ReadFile(w.file, "p", func(string) string { return secret })
	if err != nil {
		w.t.Fatal(err)
	}
	w.events, err = events.New(w.t.Context(), events.Options{
		Specs: specs, Source: source{w.engine}, Store: w.store,
		Mint: func(audience string) (string, time.Time, error) {
			return "token for " + audience, time.Now().Add(time.Hour), nil
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.events.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("Run = %v", err)
		}
	})
	w.t.Cleanup(w.stop)
}

// set commits documents with a number.
func (w *fixture) set(n int64, paths ...string) {
	w.t.Helper()
	var writes []document.Write
	for _, path := range paths {
		name := resource.Document{DB: testDB, Path: path}
		writes = append(writes, document.Write{Name: name, Fields: value.Map{"n": value.Int(n)}})
	}
	w.commit(writes...)
}

// commit commits writes.
func (w *fixture) commit(writes ...document.Write) {
	w.t.Helper()
	if _, err := w.engine.Commit(w.t.Context(), testDB, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
		w.t.Fatal(err)
	}
}

// status returns the state of a trigger.
func (w *fixture) status(name string) events.Status {
	w.t.Helper()
	all, err := w.events.Status(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	w.t.Fatalf("there is no trigger %s: %+v", name, all)
	return events.Status{}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(timeLimit); !holds(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s did not happen in %v", what, timeLimit)
		}
	}
}

// secret is the key of signatures.
const secret = "tres tristes tigres tragan trigo"

// service is a receiver of events.
type service struct {
	*httptest.Server
	mu struct {
		sync.Mutex
		got    []string
		last   *http.Request
		body   []byte
		answer func(text string) int
	}
}

// newService starts a receiver. It accepts events unless answer is set and returns another status. An event's text is
// its document and the number of its value, or a minus and the number of its old value.
func newService(t *testing.T, answer func(text string) int) *service {
	t.Helper()
	s := &service{}
	s.mu.answer = answer
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		text := r.Header.Get("Ce-Document") + summary(body)
		s.mu.Lock()
		decide := s.mu.answer
		s.mu.Unlock()
		status := http.StatusNoContent
		if decide != nil {
			status = decide(text)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if status < 300 {
			s.mu.got = append(s.mu.got, text)
			s.mu.last, s.mu.body = r, body
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

// summary returns the names of the fields of DocumentEventData in a body.
func summary(body []byte) string {
	var out strings.Builder
	for len(body) > 0 {
		field, _, n := protowire.ConsumeField(body)
		if n < 0 {
			return " no message"
		}
		fmt.Fprintf(&out, " %d", field)
		body = body[n:]
	}
	return out.String()
}

// texts returns the texts of the received events.
func (s *service) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mu.got)
}

// decide changes the receiver's answers.
func (s *service) decide(answer func(text string) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.answer = answer
}

func TestEventsAreSigned(t *testing.T) {
	s := newService(t, nil)
	w := newFixture(t, fmt.Sprintf(`{"triggers": [
		{"name": "all", "event": "written", "document": "a/{id}", "url": %q, "oidc": {"audience": "me"}, "hmac": {"secretEnv": "S"}}]}`, s.URL))
	w.set(0, "a/before")
	w.start()
	w.set(1, "a/x", "b/x")
	w.set(2, "a/x")
	w.commit(document.Write{Op: document.Delete, Name: resource.Document{DB: testDB, Path: "a/x"}})
	await(t, "delivery", func() bool { return len(s.texts()) == 3 })
	if got, want := s.texts(), []string{"a/x 1", "a/x 1 2 3", "a/x 2"}; !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	h := s.mu.last.Header
	for name, want := range map[string]string{
		"Authorization": "Bearer token for me", "Ce-Type": "google.cloud.firestore.document.v1.written", "Ce-Source": "//firestore.googleapis.com/projects/p/databases/(default)",
		"Ce-Subject": "documents/a/x", "Content-Type": "application/protobuf", "Ce-Specversion": "1.0", "Webhook-Id": h.Get("Ce-Id"),
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), s.mu.body)
	if got, want := h.Get("Webhook-Signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

// TestAFailingDocumentDelaysNoOther refuses the events of one document. Events of other documents and services must
// arrive, and a restart must lose none. Once the document is accepted, its events arrive in order.
func TestAFailingDocumentDelaysNoOther(t *testing.T) {
	refuse := func(text string) int {
		if strings.HasPrefix(text, "a/bad ") {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	}
	s, dead := newService(t, refuse), newService(t, func(string) int { return http.StatusBadGateway })
	w := newFixture(t, fmt.Sprintf(`{"triggers": [{"name": "one", "event": "written", "url": %q}, {"name": "dead", "event": "written", "url": %q, "concurrency": 2}]}`, s.URL, dead.URL))
	w.start()
	for i := range int64(50) {
		w.set(i, "a/bad", fmt.Sprintf("a/good%d", i))
	}
	await(t, "delivery of the others", func() bool { return len(s.texts()) == 50 })
	await(t, "waiting of the refused", func() bool { return w.status("one").Waiting == 50 && w.status("dead").Waiting == 100 })
	w.stop()
	s.decide(nil)
	w.start()
	w.set(99, "a/bad")
	await(t, "delivery of the refused", func() bool { return len(s.texts()) >= 101 })
	var bad []string
	for _, text := range s.texts() {
		if strings.HasPrefix(text, "a/bad ") {
			bad = append(bad, text)
		}
	}
	if len(bad) != 51 || bad[0] != "a/bad 1" || slices.Contains(bad[1:], "a/bad 1") {
		t.Errorf("events of the refused document: %q", bad)
	}
	await(t, "an empty queue", func() bool { // an event is removed after the service has answered
		got := w.status("one")
		return got.Waiting == 0 && got.Dead == 0
	})
}

func TestDeadLetters(t *testing.T) {
	s := newService(t, func(string) int { return http.StatusBadRequest })
	w := newFixture(t, fmt.Sprintf(`{"triggers": [{"name": "one", "event": "written", "url": %q, "attempts": 2}]}`, s.URL))
	w.start()
	w.set(1, "a/x")
	w.set(2, "a/x", "a/y")
	await(t, "three dead letters", func() bool { return w.status("one").Dead == 3 })
	got := w.status("one")
	if len(got.Letters) != 3 || got.Letters[0].Document != "a/x" || got.Letters[0].Attempts != 2 || got.Letters[0].Error != "the service answered 400 Bad Request" || got.Waiting != 0 {
		t.Errorf("status %+v", got)
	}
	w.stop()
	w.start()
	if got := w.status("one"); got.Dead != 3 {
		t.Errorf("after a restart there are %d dead letters, want 3", got.Dead)
	}
	s.decide(nil)
	if _, err := w.events.Retry(t.Context(), "other"); err == nil {
		t.Error("a retry of an unknown trigger has no error")
	}
	if n, err := w.events.Retry(t.Context(), "one"); n != 3 || err != nil {
		t.Errorf("Retry = %d, %v", n, err)
	}
	await(t, "delivery", func() bool { return len(s.texts()) == 3 })
	await(t, "the end of the dead letters", func() bool { return w.status("one").Dead == 0 })
	s.decide(func(string) int { return http.StatusBadRequest })
	w.set(3, "a/x")
	await(t, "a dead letter", func() bool { return w.status("one").Dead == 1 })
	w.stop()
	if n, err := events.RetryStored(t.Context(), w.store, ""); n != 1 || err != nil {
		t.Errorf("Revive = %d, %v", n, err)
	}
	s.decide(nil)
	w.start()
	await(t, "delivery after a stop", func() bool { return len(s.texts()) == 4 })
}

// TestCommitsWhileNothingDelivers makes commits between two runs. The second run must deliver them.
func TestCommitsWhileNothingDelivers(t *testing.T) {
	s := newService(t, nil)
	w := newFixture(t, fmt.Sprintf(`{"triggers": [{"name": "one", "event": "created", "url": %q}]}`, s.URL))
	w.start()
	w.stop()
	for i := range int64(300) {
		w.set(i, fmt.Sprintf("a/%d", i))
	}
	w.start()
	await(t, "delivery", func() bool { return len(s.texts()) == 300 })
	await(t, "the cursor", func() bool { return w.status("one").Delivered == 300 && w.status("one").Pending == 0 })
}

// TestAServiceThatHangs checks that commits do not wait for a service that hangs, and that the memory of waiting events
// is bounded.
func TestAServiceThatHangs(t *testing.T) {
	release := make(chan struct{})
	s := newService(t, func(string) int { <-release; return http.StatusOK })
	w := newFixture(t, fmt.Sprintf(`{"triggers": [{"name": "one", "event": "written", "url": %q}]}`, s.URL))
	w.start()
	for i := range int64(1500) {
		w.set(i, fmt.Sprintf("a/%d", i))
	}
	if got := w.status("one"); got.Pending > 1000 {
		t.Errorf("%d events in memory, want 1000 at most", got.Pending)
	}
	close(release)
	await(t, "delivery", func() bool { return len(s.texts()) == 1500 })
}
