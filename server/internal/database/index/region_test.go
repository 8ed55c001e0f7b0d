package index_test

import (
	"slices"
	"testing"

	"clave/server/internal/database/index"
	"clave/server/internal/model/value"
)

// TestRegionsOfEntries compares the regions of a document's entries with the prefixes of the indexes.
func TestRegionsOfEntries(t *testing.T) {
	single := index.Single{Ascending: true, Descending: true, Contains: true}
	defs := index.Definitions{
		Indexes:   []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}},
		Overrides: []index.Override{{CollectionGroup: "c", Path: "t", Collection: single, Group: single}},
	}
	const path, parent = "x/__id7__/c/1", "x/__id7__/c"
	fields := value.Map{"a": value.String("\x00\x01\x02"), "b": value.Int(1), "t": value.Array{value.Null{}}, "m": value.Map{"x\x00": value.Double(1)}}
	entries, err := entriesOf(t, defs, path, fields)
	if err != nil {
		t.Fatal(err)
	}
	collection := append(index.AppendPath(nil, parent), 1)
	set := index.NewSet(defs, []uint32{1})
	want := map[string]int{string(index.CompositePrefix(nil, 1)): 1}
	for _, field := range []value.FieldPath{{"a"}, {"b"}, {"m"}, {"m", "x\x00"}, {"t"}} {
		want[string(set.Automatic(nil, false, collection, "c", field.String(), false))]++
	}
	want[string(set.Automatic(nil, false, collection, "c", "t", true))]++
	want[string(set.Automatic(nil, true, collection, "c", "t", false))]++
	want[string(set.Automatic(nil, true, collection, "c", "t", true))]++
	for _, e := range entries {
		key := e.Key[len("prefix"):]
		n := index.RegionLen(key)
		if want[string(key[:n])]--; want[string(key[:n])] < 0 {
			t.Errorf("entry %q is in the region %q", key, key[:n])
		}
		for cut := range key {
			if n := index.RegionLen(key[:cut:cut]); n > cut {
				t.Errorf("the region of %q has %d bytes", key[:cut], n)
			}
		}
	}
	for region, n := range want {
		if n > 0 {
			t.Errorf("the region %q has no entry", region)
		}
	}
	if n := index.CollectionLen(slices.Concat(collection, []byte("rest"))); n != len(collection) {
		t.Errorf("CollectionLen = %d, want %d", n, len(collection))
	}
}
