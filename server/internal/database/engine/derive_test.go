package engine_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// TestDerive removes the index entries of random documents under random definitions, one of which is being built, and
// derives them again.
func TestDerive(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	e := open(t, engine.Options{Store: s})
	rnd := random{rand.New(rand.NewPCG(7, 8))}
	setIndexes(t, e, rnd.definitions())
	for _, path := range paths() {
		put(t, e, set(path, rnd.fields()))
	}
	building := index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "m", Mode: index.Ascending}, {Path: "b", Mode: index.Descending}}}
	if err := e.BeginIndex(t.Context(), testDB, building); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths() { // whose entries in the new index are there, as commits write them
		put(t, e, set(path, rnd.fields()))
	}
	for _, path := range paths()[:5] {
		put(t, e, document.Write{Op: document.Delete, Name: doc(path)})
	}
	var all, others store.Batch
	it := s.Scan(store.Range{})
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		all.Set(bytes.Clone(it.Key()), bytes.Clone(v))
		if !derive.IsEntry(it.Key()) {
			others.Set(bytes.Clone(it.Key()), bytes.Clone(v))
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if err := again.Apply(t.Context(), &others); err != nil {
		t.Fatal(err)
	}
	if err := derive.Entries(t.Context(), again); err != nil {
		t.Fatalf("Derive = %v", err)
	}
	it = again.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	n := 0
	for ; it.Next(); n++ {
		v, err := it.Value()
		if err != nil || n >= len(all.Ops) || !bytes.Equal(it.Key(), all.Ops[n].Key) || !bytes.Equal(v, all.Ops[n].Value) {
			t.Fatalf("key %d of %d is %q = %q (%v), which was not so", n, len(all.Ops), it.Key(), v, err)
		}
	}
	if n != len(all.Ops) || n == len(others.Ops) {
		t.Errorf("there are %d keys again, want %d, made of %d", n, len(all.Ops), len(others.Ops))
	}
}
