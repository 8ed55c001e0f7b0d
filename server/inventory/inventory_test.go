package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"clave/server/account"
	"clave/server/document"
	"clave/server/engine"
	"clave/server/engine/derive"
	"clave/server/inventory"
	"clave/server/operation"
	"clave/server/resource"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
	"clave/server/value"
)

// storeWith returns a store with an engine's documents, in rooms and below them, and with more keys.
func storeWith(t *testing.T, more ...string) storage.Store {
	t.Helper()
	store, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	e, err := engine.Open(t.Context(), engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	for _, path := range []string{"rooms/a", "rooms/b", "rooms/a/chairs/1"} {
		write := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: value.Map{"n": value.Int(1)}}
		if _, err := e.Commit(t.Context(), db, operation.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range more {
		var b storage.Batch
		b.Set([]byte(key), []byte("v"))
		if err := store.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// counts counts a store without index entries.
func counts(t *testing.T, store storage.Store) []inventory.Count {
	t.Helper()
	n := inventory.New()
	it := store.Scan(storage.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		if derive.IsEntry(it.Key()) {
			continue
		}
		v, err := it.Value()
		if err == nil {
			err = n.Add(it.Key(), v)
		}
		if err != nil {
			t.Fatalf("count %q: %v", it.Key(), err)
		}
	}
	return n.Counts()
}

func TestKinds(t *testing.T) {
	store := storeWith(t, "events/cursor/x", "signing/ring/id", "release/current", "account/p\x00\x00e\x00a@b.c")
	err := account.New(store).Change(t.Context(), account.Scope{Project: "p"}, []string{"ann"}, func(c *account.Change) error {
		c.Put(&account.User{UID: "ann"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range counts(t, store) {
		got = append(got, fmt.Sprintf("%s %d", c.Kind, c.Keys))
	}
	for _, want := range []string{
		"databases 1", "documents of p/(default): rooms 2", "documents of p/(default): chairs 1", "commits of p/(default) 3", "accounts of p 1", "names of accounts of p 1",
		"events 1", "signing keys 1", "release 1",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("counts are %s; want %s among them", strings.Join(got, ", "), want)
		}
	}
	if err := inventory.New().Add([]byte("?"), nil); err == nil {
		t.Error("a key of no database was counted")
	}
}

// TestDiffering compares a store with a copy in which one value differs.
func TestDiffering(t *testing.T) {
	a := inventory.New()
	b := inventory.New()
	add := func(n *inventory.Inventory, key, value string) {
		t.Helper()
		if err := n.Add([]byte(key), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []*inventory.Inventory{a, b} {
		add(n, "events/a", "one")
		add(n, "signing/a", "two")
	}
	if got := inventory.Differing(a.Counts(), b.Counts()); len(got) > 0 {
		t.Errorf("Differing of the same = %v", got)
	}
	add(a, "events/b", "xy")
	add(b, "events/bx", "y") // of the same length
	add(b, "release/x", "")
	if got := inventory.Differing(a.Counts(), b.Counts()); !slices.Equal(got, []string{"events", "release"}) {
		t.Errorf("Differing = %v, want events and release", got)
	}
	if got := inventory.Differing(b.Counts(), a.Counts()); !slices.Equal(got, []string{"events", "release"}) {
		t.Errorf("Differing the other way = %v, want events and release", got)
	}
}
