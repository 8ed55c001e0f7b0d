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
	"clave/server/internal/store/pebble/pebbletest"
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

// parkFixture is a receiver without commits, and its store.
type parkFixture struct {
	*receiver
	t     *testing.T
	store *busyStore
}

// newParkFixture returns a receiver whose store is empty.
func newParkFixture(t *testing.T) *parkFixture {
	t.Helper()
	specs, err := parse([]byte(`{"triggers": [{"name": "a", "event": "written", "document": "c/{id}", "url": "http://localhost/"}]}`), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	store := &busyStore{Store: pebbletest.Open(t)}
	o := &Options{Specs: specs, Source: idleSource{}, Store: store, Clock: clocktest.NewManual(time.Unix(1_700_000_000, 0)), Log: slog.New(slog.DiscardHandler)}
	r, err := openReceiver(t.Context(), o, specs[0])
	if err != nil {
		t.Fatal(err)
	}
	return &parkFixture{r, t, store}
}

// add enqueues the event of a commit of the document c/d.
func (f *parkFixture) add(second int64) {
	f.t.Helper()
	v := clock.VersionOf(time.Unix(1_700_000_000+second, 0))
	e := &event{place: place{v, "c/d"}, message: &triggers.Message{Body: []byte("body")}, meta: &meta{Size: 4}, mark: f.mu.progress.begin(v, 1)}
	if err := f.enqueue(f.t.Context(), e); err != nil {
		f.t.Fatal(err)
	}
}

// TestEventsDuringAWriteAreWrittenToo adds an event while an earlier one, whose delivery failed, is written to the
// store. It must be written too. Otherwise a later event would be written without it, and a restart would treat it as
// delivered.
func TestEventsDuringAWriteAreWrittenToo(t *testing.T) {
	r := newParkFixture(t)
	r.add(0)
	q, _ := r.mu.queues.take(r.o.Clock.Now())
	r.store.before = func() { r.add(1) }
	if err := r.failed(t.Context(), q, q.sending, errors.New("no")); err != nil {
		t.Fatal(err)
	}
	r.add(2)
	stored := 0
	if err := each(t.Context(), r.store, "a", func(place, *meta) error { stored++; return nil }); err != nil {
		t.Fatal(err)
	}
	if stored != 3 || r.mu.late != 3 || r.mu.fresh != 0 || len(r.mu.progress.open) != 0 {
		t.Errorf("%d events are in the store, %d count as there and %d as in memory, %d commits are open; want 3, 3, 0 and 0",
			stored, r.mu.late, r.mu.fresh, len(r.mu.progress.open))
	}
}

// TestEventsAfterADelivery adds events of a document after its only event was delivered or became a dead letter, and
// before its queue is free again. They must be delivered next, in the order of commits.
func TestEventsAfterADelivery(t *testing.T) {
	for name, finish := range map[string]func(*parkFixture, *docQueue) error{
		"delivered":   func(f *parkFixture, q *docQueue) error { return f.delivered(t.Context(), q, q.sending) },
		"dead letter": func(f *parkFixture, q *docQueue) error { return f.failed(t.Context(), q, q.sending, errNoBody) },
		"delivered from the store": func(f *parkFixture, q *docQueue) error {
			if err := f.failed(t.Context(), q, q.sending, errors.New("no")); err != nil {
				return err
			}
			return f.delivered(t.Context(), q, q.sending)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newParkFixture(t)
			r.add(0)
			q, _ := r.mu.queues.take(r.o.Clock.Now())
			if err := finish(r, q); err != nil {
				t.Fatal(err)
			}
			r.add(2)
			r.add(1) // an event from the store may be added after a later one
			r.finish(q)
			next, _ := r.mu.queues.take(r.o.Clock.Now())
			if next != q || len(q.events) != 2 || q.sending != q.events[0] || q.events[0].version > q.events[1].version {
				t.Errorf("next is %+v with the events %v, want both, and the first in delivery", next, q.events)
			}
		})
	}
}
