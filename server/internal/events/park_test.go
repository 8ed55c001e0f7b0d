package events

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/suite/triggers"
)

// idleSource is a source without commits.
type idleSource struct{}

// Latest implements Source.
func (idleSource) Latest(resource.Database) clock.Version { return 1 }

// Oldest implements Source.
func (idleSource) Oldest(resource.Database) clock.Version { return 1 }

// Follow implements Source. No commits follow.
func (idleSource) Follow(resource.Database, clock.Version) Subscription { return nil }

// busyStore calls before ahead of each write.
type busyStore struct {
	store.Store
	before func()
}

// Apply implements store.Store.
func (s *busyStore) Apply(ctx context.Context, b *store.Batch) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Apply(ctx, b)
}

// TestEventsDuringAWriteAreWrittenToo adds an event while an earlier one, whose delivery failed, is written to the
// store. It must be written too. Otherwise a later event would be written without it, and a restart would treat it as
// delivered.
func TestEventsDuringAWriteAreWrittenToo(t *testing.T) {
	memory, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = memory.Close() }()
	specs, err := parse([]byte(`{"triggers": [{"name": "a", "event": "written", "document": "c/{id}", "url": "http://localhost/"}]}`), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	store := &busyStore{Store: memory}
	o := &Options{Specs: specs, Source: idleSource{}, Store: store, Clock: clocktest.NewManual(time.Unix(1_700_000_000, 0)), Log: slog.New(slog.DiscardHandler)}
	r, err := openReceiver(t.Context(), o, specs[0])
	if err != nil {
		t.Fatal(err)
	}
	enqueue := func(second int64) {
		t.Helper()
		v := clock.VersionOf(time.Unix(1_700_000_000+second, 0))
		e := &event{place: place{v, "c/d"}, message: &triggers.Message{Body: []byte("body")}, meta: &meta{Size: 4}, mark: r.mu.progress.begin(v, 1)}
		if err := r.enqueue(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	enqueue(0)
	q, _ := r.mu.queues.take(o.Clock.Now())
	store.before = func() { enqueue(1) }
	if err := r.failed(t.Context(), q, q.events[0], errors.New("no")); err != nil {
		t.Fatal(err)
	}
	enqueue(2)
	stored := 0
	if err := each(t.Context(), store, "a", func(place, *meta) error { stored++; return nil }); err != nil {
		t.Fatal(err)
	}
	if stored != 3 || r.mu.late != 3 || r.mu.fresh != 0 || len(r.mu.progress.open) != 0 {
		t.Errorf("%d events are in the store, %d count as there and %d as in memory, %d commits are open; want 3, 3, 0 and 0",
			stored, r.mu.late, r.mu.fresh, len(r.mu.progress.open))
	}
}
