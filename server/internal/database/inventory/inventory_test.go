package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/inventory"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// storeWith returns a store with an engine's documents, in rooms and below them, and with more keys.
func storeWith(t *testing.T, more ...string) store.Store {
	t.Helper()
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	e, err := engine.Open(t.Context(), engine.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	for _, path := range []string{"rooms/a", "rooms/b", "rooms/a/chairs/1"} {
		write := document.Write{Name: resource.Document{DB: db, Path: path}, Fields: value.Map{"n": value.Int(1)}}
		if _, err := e.Commit(t.Context(), db, request.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range more {
		var b store.Batch
		b.Set([]byte(key), []byte("v"))
		if err := st.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// counts counts a store without index entries.
func counts(t *testing.T, st store.Store) []inventory.Count {
	t.Helper()
	n := inventory.New()
	it := st.Scan(store.Range{})
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
