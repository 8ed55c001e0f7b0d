package engine_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// TestDrop drops a database with documents, an index and an open transaction. Nothing of it is left in the store, calls
// get NotFound, its subscription ends, and a database of the same name begins empty, also in the past.
func TestDrop(t *testing.T) {
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	var gone atomic.Bool
	e := open(t, engine.Options{Store: st, Gone: func(name resource.Database) bool { return name == testDB && gone.Load() }})
	defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}}}
	put(t, e, set("c/one", value.Map{"a": value.Int(1), "b": value.Int(1)}), set("c/one/d/two", nil))
	if err := e.ChangeIndexes(t.Context(), testDB, defs); err != nil {
		t.Fatal(err)
	}
	before := e.Latest(testDB)
	sub := e.Subscribe(testDB)
	defer sub.Close()
	txn, err := e.Begin(t.Context(), testDB, request.TransactionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gone.Store(true)
	if err := e.Drop(t.Context(), testDB); err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Next(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("the subscription returned %v, want ErrClosed", err)
	}
	if _, err := e.Commit(t.Context(), testDB, request.Commit{Transaction: txn}, engine.Unrestricted()); !fault.Is(err, fault.NotFound) {
		t.Errorf("a commit of its transaction: %v, want NOT_FOUND", err)
	}
	it := st.Scan(store.Range{From: []byte{0}, To: []byte{0xff}})
	for it.Next() {
		if it.Key()[0] != keys.KindFloor {
			t.Errorf("the key %q is left", it.Key())
		}
	}
	if err := errors.Join(it.Err(), it.Close(), e.Drop(t.Context(), testDB)); err != nil {
		t.Error(err)
	}
	gone.Store(false)
	if r, err := e.Read(t.Context(), testDB, request.At{ReadTime: before}); err == nil {
		if got, err := r.Get(t.Context(), doc("c/one")); err != nil || got != nil {
			t.Errorf("the new database had %v before the drop, %v", got, err)
		}
		r.Close()
	}
	put(t, e, set("c/three", nil))
	again := open(t, engine.Options{Store: st})
	for path, want := range map[string]bool{"c/one": false, "c/three": true} {
		if got, err := get(t, again, request.At{}, path); err != nil || (got != nil) != want {
			t.Errorf("after a restart the new database has %v at %s, %v", got, path, err)
		}
	}
}

// TestDropBesideCommits drops a database while commits arrive: each is either refused or dropped.
func TestDropBesideCommits(t *testing.T) {
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	var gone atomic.Bool
	e := open(t, engine.Options{Store: st, Gone: func(resource.Database) bool { return gone.Load() }})
	put(t, e, set("c/first", nil))
	ended := make(chan error, 8)
	for range cap(ended) {
		go func() {
			for {
				_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/one", nil)}}, engine.Unrestricted())
				if err != nil && !fault.Is(err, fault.Aborted) { // which clients try again
					ended <- err
					return
				}
			}
		}()
	}
	gone.Store(true)
	if err := e.Drop(t.Context(), testDB); err != nil {
		t.Error(err)
	}
	for range cap(ended) {
		if err := <-ended; !fault.Is(err, fault.NotFound) {
			t.Errorf("a commit: %v, want NOT_FOUND", err)
		}
	}
	it := st.Scan(store.Range{From: []byte{0}, To: []byte{0xff}})
	for it.Next() {
		if it.Key()[0] != keys.KindFloor {
			t.Errorf("the key %q is left", it.Key())
		}
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		t.Error(err)
	}
}
