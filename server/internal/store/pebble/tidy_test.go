package pebble

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"clave/server/internal/store"
)

// TestDeletedEntriesAreDropped writes and deletes keys like the index entries of a counter. The first scan of the few
// existing keys skips all deleted ones, which are then dropped in the background.
func TestDeletedEntriesAreDropped(t *testing.T) {
	s, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	key := func(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const changes = 3 * maxDead
	for n := 0; n < changes; n += 512 {
		var b store.Batch
		for i := n; i < n+512; i++ {
			b.Delete(key(i))
			b.Set(key(i+1), nil)
		}
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	for _, reverse := range []bool{false, true} {
		passed := func() int {
			it := s.Scan(store.Range{Reverse: reverse}).(*iterator)
			live := 0
			for it.Next() {
				live++
			}
			dead := deadPassed(it.it)
			if err := it.Close(); err != nil || live != 1 {
				t.Fatalf("%d keys exist, want 1: %v", live, err)
			}
			return dead
		}
		if first := passed(); !reverse && first < changes {
			t.Errorf("the first scan skips %d deleted entries, want at least %d", first, changes)
		}
		for dead := passed(); dead > maxDead; dead = passed() {
			if ctx.Err() != nil {
				t.Fatalf("later scans skip %d deleted entries", dead)
			}
		}
	}
}

// TestAnIdleStoreFlushesABurst writes little and then much, and waits after each until the store is idle.
func TestAnIdleStoreFlushesABurst(t *testing.T) {
	s := openWith(t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		bytes int
		ctx   context.Context
		want  int64
	}{
		{"little", worthFlush / 2, t.Context(), 0},
		{"much", worthFlush, t.Context(), 1},
		{"nothing more", 0, t.Context(), 1},
		{"much, without time", worthFlush, ended, 1},
	} {
		var b store.Batch
		b.Set([]byte("k"), make([]byte, c.bytes))
		if err := s.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		s.Rest(c.ctx)
		if got := s.db.Metrics().Flush.Count; got < c.want || c.ctx == t.Context() && got != c.want {
			t.Errorf("%s: %d flushes, want %d", c.name, got, c.want)
		}
	}
}
