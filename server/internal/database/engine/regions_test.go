package engine_test

import (
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// TestRegionsOfStoredKeys checks that each key of a store has a region that it begins with, and that the entries of two
// fields have different ones.
func TestRegionsOfStoredKeys(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e := open(t, engine.Options{Store: s})
	for _, path := range []string{"c/1", "c/2"} {
		put(t, e, set(path, value.Map{"a": value.String(path), "b": value.Int(1)}))
	}
	regions := make(map[string]int)
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		if derive.IsEntry(it.Key()) {
			regions[string(it.Key()[:keys.Region(it.Key())])]++
		}
	}
	if err := it.Err(); err != nil || len(regions) != 2 {
		t.Errorf("the entries have %d regions, %v, want 2", len(regions), err)
	}
	for region, n := range regions {
		if n != 2 {
			t.Errorf("region %q has %d entries, want 2", region, n)
		}
	}
}
