package derive_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/database/engine/catalogue"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// put adds a document to a batch.
func put(b *store.Batch, number uint32, path string, fields value.Map) {
	d := &document.Document{Fields: fields, CreateTime: 1, UpdateTime: 2}
	b.Set(keys.Document(number, path), records.Append(nil, d, value.SortedKeys(fields)))
}

// composite returns the definition of an index of c with several fields.
func composite(fields ...string) index.Definition {
	d := index.Definition{CollectionGroup: "c"}
	for _, f := range fields {
		d.Fields = append(d.Fields, index.Field{Path: f})
	}
	return d
}

// apply applies a batch.
func apply(t *testing.T, s *pebble.Store, b *store.Batch) {
	t.Helper()
	if err := s.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// register adds a database to a batch.
func register(t *testing.T, b *store.Batch, id string, number uint32, set catalogue.Set) {
	t.Helper()
	d := catalogue.Database{Name: resource.Database{Project: "p", ID: id}, Number: number, Birth: 1}
	if err := d.Register(b, set); err != nil {
		t.Fatal(err)
	}
}

// stored returns the index entries of a store.
func stored(t *testing.T, s *pebble.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		if derive.IsEntry(it.Key()) {
			out[string(it.Key())] = string(v)
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEntries derives the entries of the documents of two databases, in several batches. Each database has its own
// definitions.
func TestEntries(t *testing.T) {
	s := pebbletest.Open(t)
	sets := map[uint32]catalogue.Set{
		1: {},
		2: {Definitions: index.Definitions{Indexes: []index.Definition{composite("a", "b"), composite("b", "a")}}, IDs: []uint32{3, 4}, Building: []uint32{4}},
	}
	var batch store.Batch
	want := map[string]string{}
	for number, set := range sets {
		register(t, &batch, fmt.Sprintf("db%d", number), number, set)
		indexes := set.Indexes()
		for i := range 600 { // more than one batch of entries
			path, fields := fmt.Sprintf("c/%d-%d", number, i), value.Map{"a": value.Int(i), "b": value.String(strings.Repeat("b", 900))}
			put(&batch, number, path, fields)
			entries, err := indexes.Entries(keys.Prefix(keys.KindIndex, number), path, fields)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				want[string(e.Key)] = string(e.Value)
			}
		}
	}
	put(&batch, 3, "c/a", value.Map{"a": value.Int(1)}) // of a database that is not in the catalogue
	apply(t, s, &batch)
	if err := derive.Entries(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	got := stored(t, s)
	if len(got) != len(want) {
		t.Errorf("%d entries were derived, want %d", len(got), len(want))
	}
	for k, v := range want {
		if found, ok := got[k]; !ok || found != v {
			t.Fatalf("the entry %x = %x, want %x", k, found, v)
		}
	}
}

// TestADocumentThatDoesNotFitIntoABuild derives the entries of a document with the other indexes: the build fails at it
// anyway.
func TestADocumentThatDoesNotFitIntoABuild(t *testing.T) {
	large := composite("a", "b", "d", "e")
	fields := value.Map{}
	for _, f := range large.Fields {
		fields[f.Path] = value.String(strings.Repeat(f.Path, 1500))
	}
	for _, tt := range []struct {
		name     string
		building []uint32
		fails    bool
	}{{"being built", []uint32{7}, false}, {"built", nil, true}} {
		s := pebbletest.Open(t)
		var batch store.Batch
		definitions := index.Definitions{Indexes: []index.Definition{composite("a", "b"), large}}
		register(t, &batch, "db", 1, catalogue.Set{Definitions: definitions, IDs: []uint32{6, 7}, Building: tt.building})
		put(&batch, 1, "c/x", fields)
		apply(t, s, &batch)
		err := derive.Entries(t.Context(), s)
		if (err != nil) != tt.fails {
			t.Errorf("%s: Entries = %v, want an error: %v", tt.name, err, tt.fails)
		}
		others, _ := index.NewSet(index.Definitions{Indexes: definitions.Indexes[:1]}, []uint32{6}).Entries(keys.Prefix(keys.KindIndex, 1), "c/x", fields)
		if got := stored(t, s); !tt.fails && len(got) != len(others) {
			t.Errorf("%s: %d entries, want the %d of the other indexes", tt.name, len(got), len(others))
		}
	}
}

// TestADamagedDocumentIsAnError derives entries of a record that the engine did not write.
func TestADamagedDocumentIsAnError(t *testing.T) {
	s := pebbletest.Open(t)
	var batch store.Batch
	register(t, &batch, "db", 1, catalogue.Set{})
	batch.Set(keys.Document(1, "c/a"), bytes.Repeat([]byte{0xff}, 20))
	apply(t, s, &batch)
	if err := derive.Entries(t.Context(), s); err == nil {
		t.Error("Entries returns no error")
	}
}

// TestIsEntry distinguishes index entries from the other keys of a store.
func TestIsEntry(t *testing.T) {
	for _, key := range [][]byte{nil, keys.Document(1, "c/a"), keys.Change(1, 2), keys.Catalogue("p", "i"), keys.Floor(), keys.Group(1, "c/a/i/b"), []byte("account/i")} {
		if derive.IsEntry(key) {
			t.Errorf("%q counts as an index entry", key)
		}
	}
	if !derive.IsEntry(keys.Prefix(keys.KindIndex, 1)) {
		t.Error("a key of an index entry does not count as one")
	}
}
