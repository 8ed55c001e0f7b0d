package triggers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// timeLimit is the time limit of each wait.
const timeLimit = 30 * time.Second

// testSource is a source whose commits the tests make.
type testSource struct {
	mu      sync.Mutex
	queue   []Commit
	ready   chan struct{}
	version clock.Version
	closed  bool
}

func newTestSource() *testSource { return &testSource{ready: make(chan struct{}, 1)} }

func (s *testSource) Follow(resource.Database) Subscription { return s }

func (s *testSource) Close() {}

func (s *testSource) Next(ctx context.Context) ([]Commit, error) {
	for {
		s.mu.Lock()
		queue, closed := s.queue, s.closed
		s.queue = nil
		s.mu.Unlock()
		switch {
		case len(queue) > 0:
			return queue, nil
		case closed:
			return nil, ErrClosed
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.ready:
		}
	}
}

// commit commits the creation of documents. Their field n is the commit's version.
func (s *testSource) commit(paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	c := Commit{Version: s.version}
	for _, path := range paths {
		name := resource.Document{DB: testDatabase, Path: path}
		c.Changes = append(c.Changes, Change{Name: name, After: &document.Document{
			Name: name, Fields: value.Map{"n": value.Int(s.version)}, CreateTime: s.version, UpdateTime: s.version,
		}})
	}
	s.queue = append(s.queue, c)
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

var testDatabase = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// functions runs a functions emulator that calls handle with the key, the document's path and n of each event.
func functions(t *testing.T, handle func(key, path, n string)) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event struct {
			Data struct {
				Value struct {
					Name   string
					Fields struct{ N struct{ IntegerValue string } }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Errorf("event: %v", err)
		}
		_, path, _ := strings.Cut(event.Data.Value.Name, "/documents/")
		handle(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], path, event.Data.Value.Fields.N.IntegerValue)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// run starts a dispatcher with a trigger for each key on all documents.
func run(t *testing.T, source Source, host string, keys ...string) *Dispatcher {
	t.Helper()
	d, err := New(Options{Functions: host, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if err := d.Register(trigger(t, key)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	return d
}

// trigger returns a trigger on all documents.
func trigger(t *testing.T, key string) *Trigger {
	t.Helper()
	body := `{"eventTrigger":{"resource":"projects/p/databases/(default)/documents/{path=**}","eventType":"providers/cloud.firestore/eventTypes/document.write","service":"firestore.googleapis.com"}}`
	out, err := ParseFirst("p", key, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// settle waits until all events have been delivered.
func settle(t *testing.T, d *Dispatcher) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	if err := d.Settle(ctx, "p"); err != nil {
		t.Fatalf("Settle = %v", err)
	}
}

func TestEventsOfOneDocumentComeInOrder(t *testing.T) {
	var mu sync.Mutex
	got := map[string][]string{}
	host := functions(t, func(key, path, n string) {
		mu.Lock()
		defer mu.Unlock()
		got[path] = append(got[path], n)
	})
	source := newTestSource()
	d := run(t, source, host, "k")
	var want []string
	for i := 1; i <= 100; i++ {
		source.commit("c/a", "c/b")
		want = append(want, fmt.Sprint(i))
	}
	settle(t, d)
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{"c/a", "c/b"} {
		if !slices.Equal(got[path], want) {
			t.Errorf("events of %s: %v, want %v", path, got[path], want)
		}
	}
}

func TestSlowFunctionDelaysOnlyItself(t *testing.T) {
	release := make(chan struct{})
	fast := make(chan string, 100)
	host := functions(t, func(key, path, n string) {
		if key == "slow" && path == "c/a" {
			<-release
			return
		}
		fast <- key + " " + path + " " + n
	})
	source := newTestSource()
	d := run(t, source, host, "slow", "fast")
	source.commit("c/a")
	source.commit("c/a", "c/b")
	var got []string
	for range 4 {
		select {
		case e := <-fast:
			got = append(got, e)
		case <-time.After(timeLimit):
			t.Fatalf("only %v came beside the slow function", got)
		}
	}
	slices.Sort(got)
	if want := []string{"fast c/a 1", "fast c/a 2", "fast c/b 2", "slow c/b 2"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := d.Settle(ctx, "p"); err == nil {
		t.Error("Settle = nil while a function runs")
	}
	close(release)
	settle(t, d)
}

func TestSettleWaitsForCommitsOfFunctions(t *testing.T) {
	source := newTestSource()
	var mu sync.Mutex
	seen := 0
	host := functions(t, func(key, path, n string) {
		if path != "c/0" {
			var next int
			_, _ = fmt.Sscanf(path, "c/%d", &next)
			source.commit(fmt.Sprintf("c/%d", next-1))
		}
		mu.Lock()
		defer mu.Unlock()
		seen++
	})
	d := run(t, source, host, "k")
	source.commit("c/20")
	settle(t, d)
	mu.Lock()
	defer mu.Unlock()
	if seen != 21 {
		t.Errorf("%d events before Settle returned, want the whole chain of 21", seen)
	}
}

func TestRemovedTriggersReceiveNothing(t *testing.T) {
	var mu sync.Mutex
	var got []string
	host := functions(t, func(key, path, n string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, key)
	})
	source := newTestSource()
	d := run(t, source, host, "stays", "goes")
	if !d.Remove("p", "goes") || d.Remove("p", "goes") || d.Remove("q", "stays") {
		t.Error("Remove reports what it has removed")
	}
	source.commit("c/a")
	settle(t, d)
	d.Clear("p")
	source.commit("c/b")
	settle(t, d)
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"stays"}; !slices.Equal(got, want) {
		t.Errorf("events for %v, want %v", got, want)
	}
}

func TestRegistrationIsBounded(t *testing.T) {
	d, err := New(Options{Source: newTestSource()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxTriggers {
		if err := d.Register(trigger(t, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Register(trigger(t, "one more")); err == nil {
		t.Error("Register = nil beyond the limit")
	}
	if err := d.Register(trigger(t, "0")); err != nil {
		t.Errorf("replacing a trigger at the limit: %v", err)
	}
}

func TestTimesOfTheFirstGeneration(t *testing.T) {
	whole := clock.VersionOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for at, want := range map[clock.Version]string{
		whole: "2026-01-02T03:04:05Z", whole + 275_000: "2026-01-02T03:04:05.275Z", whole + 275_010: "2026-01-02T03:04:05.275010Z",
	} {
		if got := firstTime(at); got != want {
			t.Errorf("firstTime(%d) = %s, want %s as in the document's times", at, got, want)
		}
	}
}
