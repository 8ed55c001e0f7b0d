package verify_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/verify"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// isEntry reports whether a key is that of an index entry.
func isEntry(key string) bool { return key[0] == keys.KindIndex }

// problems returns what a verification finds in a store.
func problems(t *testing.T, s store.Store) []string {
	t.Helper()
	r, err := verify.Store(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Problems
}

// contents returns all keys and values of a store.
func contents(t *testing.T, s *pebble.Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	it := s.Scan(store.Range{})
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		all[string(it.Key())] = string(v)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRebuild damages index entries, writes all again, and expects the store as it was.
func TestRebuild(t *testing.T) {
	s := filled(t)
	before := contents(t, s)
	damage(t, s, isEntry, "")
	damage(t, s, isEntry, "other")
	var b store.Batch
	b.Set(append(keys.Prefix(keys.KindIndex, 1), "of no document"...), nil)
	if err := s.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if r, err := verify.Store(t.Context(), s, nil); err != nil || r.Found == 0 || r.Entry != r.Found {
		t.Fatalf("Store of the damaged store = %+v, %v; want problems with entries alone", r, err)
	}
	if err := derive.Rebuild(t.Context(), s, func(_, _ int64) {}); err != nil {
		t.Fatal(err)
	}
	after := contents(t, s)
	for key, v := range before {
		if after[key] != v {
			t.Errorf("%q is %q after the rebuild, was %q", key, after[key], v)
		}
		delete(after, key)
	}
	for key := range after {
		t.Errorf("%q was not there before the rebuild", key)
	}
}

// TestRebuildReadsAllDocumentsFirst rebuilds the entries of a store with a document that can't be read. Nothing
// changes.
func TestRebuildReadsAllDocumentsFirst(t *testing.T) {
	s := filled(t)
	damage(t, s, func(key string) bool { return key == string(keys.Document(1, "rooms/b")) }, "\xff\xff")
	before := contents(t, s)
	err := derive.Rebuild(t.Context(), s, nil)
	if !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), "rooms") {
		t.Errorf("Rebuild = %v, want DATA_LOSS with the key", err)
	}
	for key, v := range contents(t, s) {
		if before[key] != v {
			t.Errorf("%q changed", key)
		}
	}
}

// failing is a store that fails after some batches, as if the process had been killed.
type failing struct {
	store.Store
	batches int
}

// errKilled is its error.
var errKilled = errors.New("killed")

// Apply implements store.Store.
func (f *failing) Apply(ctx context.Context, b *store.Batch) error {
	if f.batches--; f.batches < 0 {
		return errKilled
	}
	return f.Store.Apply(ctx, b)
}

// TestAnInterruptedRebuild interrupts a rebuild after each of its batches. The engine writes the entries at its start,
// and a further rebuild completes the first too.
func TestAnInterruptedRebuild(t *testing.T) {
	for batches := range 3 {
		for _, again := range []bool{true, false} {
			s := filled(t)
			damage(t, s, isEntry, "")
			if err := derive.Rebuild(t.Context(), &failing{s, batches}, nil); !errors.Is(err, errKilled) {
				t.Fatalf("Rebuild with %d batches = %v, want that it is interrupted", batches, err)
			}
			if again {
				if err := derive.Rebuild(t.Context(), s, nil); err != nil {
					t.Fatal(err)
				}
			}
			if batches > 0 || again { // Without a batch, the damage is as before.
				e, err := engine.Open(t.Context(), engine.Options{Store: s})
				if err != nil {
					t.Fatal(err)
				}
				if err := e.FinishIndexes(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if found := problems(t, s); len(found) > 0 {
					t.Errorf("after %d batches, rebuilt again: %v: the problems are %q", batches, again, found)
				}
			}
		}
	}
}
