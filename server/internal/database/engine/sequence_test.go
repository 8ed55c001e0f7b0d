package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// countingStore counts the applied batches and delays each one like a disk.
type countingStore struct {
	store.Store
	takes   time.Duration
	batches atomic.Int64
}

// Apply implements store.Store.
func (s *countingStore) Apply(ctx context.Context, b *store.Batch) error {
	s.batches.Add(1)
	done, stop := clock.System().After(s.takes)
	defer stop()
	<-done
	return s.Store.Apply(ctx, b)
}

// TestCommitsShareFlushes commits repeatedly from several goroutines and counts the batches.
func TestCommitsShareFlushes(t *testing.T) {
	memory, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	store := &countingStore{Store: memory, takes: 20 * time.Millisecond} // in which all callers queue
	e := open(t, engine.Options{Store: store})
	const callers, rounds = 16, 20
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range rounds {
				put(t, e, set("c/"+string(rune('a'+c)), n(i)))
			}
		})
	}
	wg.Wait()
	// On a busy machine a group may be ended early by the deadline. Without sharing, each commit would have its own batch.
	if got := store.batches.Load(); got > callers*rounds/2 {
		t.Errorf("%d commits took %d batches", callers*rounds, got)
	}
	before := store.batches.Load()
	for i := range 20 {
		put(t, e, set("c/alone", n(i)))
	}
	if got := store.batches.Load() - before; got != 20 {
		t.Errorf("20 commits of one caller took %d batches", got)
	}
}
