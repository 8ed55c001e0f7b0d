package engine_test

import (
	"testing"

	"clave/server/engine"
	"clave/server/engine/derive"
	"clave/server/engine/keys"
	"clave/server/storage"
	"clave/server/storage/pebblestore"
	"clave/server/value"
)

// TestRegionsOfStoredKeys checks that each key of a store has a region that it begins with, and that the entries of two
// fields have different ones.
func TestRegionsOfStoredKeys(t *testing.T) {
	s, err := pebblestore.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e := open(t, engine.Options{Store: s})
	for _, path := range []string{"c/1", "c/2"} {
		put(t, e, set(path, value.Map{"a": value.String(path), "b": value.Int(1)}))
	}
	regions := make(map[string]int)
	it := s.Scan(storage.Range{})
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
