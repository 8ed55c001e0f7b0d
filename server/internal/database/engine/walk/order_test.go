package walk_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// ids are the ids of random paths, in their order. Some are prefixes of others, and encodings of others end with bytes
// that have a meaning in keys.
var ids = []string{"__id-1__", "__id10__", "a", "a\x00", "a\x01", "ab", "é"}

// tree is a store with documents, whose records are their paths.
type tree struct {
	store *pebble.Store
	paths []string // in order
}

// number is the number of the tree's database. The databases with the numbers beside it have documents too.
const number = 5

// newTree stores random documents up to three collections deep, many of them below absent ones.
func newTree(t *testing.T, r *rand.Rand) *tree {
	t.Helper()
	tr := &tree{store: pebbletest.Open(t)}
	var batch store.Batch
	for range 40 {
		var path []string
		for range 2 * (1 + r.IntN(3)) {
			path = append(path, ids[r.IntN(len(ids))])
		}
		tr.paths = append(tr.paths, strings.Join(path, "/"))
	}
	slices.SortFunc(tr.paths, resource.ComparePaths)
	tr.paths = slices.Compact(tr.paths)
	for _, path := range tr.paths {
		batch.Set(keys.Document(number, path), []byte(path))
	}
	batch.Set(keys.Document(number-1, "a/a"), []byte("of another database"))
	batch.Set(keys.Document(number+1, "a/a"), []byte("of another database"))
	if err := tr.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	return tr
}

// below returns the paths below a document, or the root, that are depth ids longer, or all if depth is 0.
func (tr *tree) below(parent string, depth int) []string {
	var out []string
	for _, path := range tr.paths {
		rest, ok := path, true
		if parent != "" {
			rest, ok = strings.CutPrefix(path, parent+"/")
		}
		if ok && (depth == 0 || strings.Count(rest, "/")+1 == depth) {
			out = append(out, path)
		}
	}
	return out
}

// parents returns the root, all documents of the tree, and the absent ones above them.
func (tr *tree) parents() []string {
	out := []string{""}
	for _, path := range tr.paths {
		parts := strings.Split(path, "/")
		for n := 2; n <= len(parts); n += 2 {
			out = append(out, strings.Join(parts[:n], "/"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cut returns the first id of each path below a document or a collection, each once, in order.
func cut(parent string, paths []string) []string {
	var out []string
	for _, path := range paths {
		if parent != "" {
			path = path[len(parent)+1:]
		}
		id, _, _ := strings.Cut(path, "/")
		out = append(out, id)
	}
	slices.SortFunc(out, resource.CompareIDs)
	return slices.Compact(out)
}

// TestWalksVisitDocumentsInOrder walks over random documents: all below each document, and only its collections.
func TestWalksVisitDocumentsInOrder(t *testing.T) {
	for seed := range uint64(30) {
		tr := newTree(t, rand.New(rand.NewPCG(seed, 1)))
		for _, parent := range tr.parents() {
			w := &walk.Documents{Reader: counting{tr.store, new(int)}, Number: number}
			got, err := w.IDs(t.Context(), index.AppendPath(nil, parent))
			if want := cut(parent, tr.below(parent, 0)); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: collections below %q: %q, %v; want %q", seed, parent, got, err, want)
			}
			for _, flat := range []bool{false, true} {
				depth := 0
				if flat {
					depth = 2
				}
				var found []string
				w.Yield = func(path string, record []byte) error {
					if found = append(found, path); string(record) != path {
						t.Errorf("the record of %q is that of %q", path, record)
					}
					return nil
				}
				err := w.Below(t.Context(), parent, flat)
				if want := tr.below(parent, depth); err != nil || !slices.Equal(found, want) {
					t.Fatalf("seed %d: below %q, flat %v: %q, %v; want %q", seed, parent, flat, found, err, want)
				}
			}
		}
	}
}

// TestStepsVisitAbsentDocumentsWithCollections walks over the ids of collections from each id on.
func TestStepsVisitAbsentDocumentsWithCollections(t *testing.T) {
	for seed := range uint64(30) {
		tr := newTree(t, rand.New(rand.NewPCG(seed, 2)))
		for _, collection := range ids {
			for _, parents := range []bool{false, true} {
				for _, from := range append([]string{""}, ids...) {
					checkSteps(t, tr, collection, parents, from)
				}
			}
		}
	}
}

// checkSteps walks over a collection at the root from an id on.
func checkSteps(t *testing.T, tr *tree, collection string, parents bool, from string) {
	t.Helper()
	s := walk.NewSteps(counting{tr.store, new(int)}, number, index.AppendPath(nil, collection), parents)
	if from != "" {
		s.Seek(index.AppendSegment(nil, from))
	}
	var got []string
	for s.Next() {
		id, _, err := index.CutSegment(s.Segment)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
		path := collection + "/" + id
		if exists := slices.Contains(tr.paths, path); exists != (s.Record != nil) || exists && string(s.Record) != path {
			t.Errorf("the record of %q is %q, exists %v", path, s.Record, exists)
		}
		if has := len(tr.below(path, 0)) > 0; s.Parent != (has && parents) {
			t.Errorf("%q has collections: %v, want %v", path, s.Parent, has)
		}
	}
	var within []string
	for _, path := range tr.below(collection, 0) {
		after := from == "" || resource.CompareIDs(cut(collection, []string{path})[0], from) >= 0
		if after && (parents || strings.Count(path, "/") == 1) {
			within = append(within, path)
		}
	}
	if want := cut(collection, within); s.Close() != nil || !slices.Equal(got, want) {
		t.Fatalf("%q from %q, parents %v: %q, want %q", collection, from, parents, got, want)
	}
}

// TestIDsCostOneKeyEach counts the keys that are read for the ids of collections with many documents.
func TestIDsCostOneKeyEach(t *testing.T) {
	s := pebbletest.Open(t)
	var batch store.Batch
	for _, c := range []string{"a", "b", "c"} {
		for i := range 100 {
			batch.Set(keys.Document(number, c+"/"+string(rune('A'+i))), nil)
		}
	}
	if err := s.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	reads := 0
	w := &walk.Documents{Reader: counting{s, &reads}, Number: number}
	if got, err := w.IDs(t.Context(), nil); err != nil || len(got) != 3 || reads > 4 {
		t.Errorf("IDs = %q, %v with %d keys read, want 3 ids with one key each", got, err, reads)
	}
}

// TestWalksEnd ends walks with the error of the context and of the caller.
func TestWalksEnd(t *testing.T) {
	tr := newTree(t, rand.New(rand.NewPCG(1, 3)))
	errEnough, visited := errors.New("enough"), 0
	w := &walk.Documents{Reader: tr.store, Number: number, Yield: func(string, []byte) error { visited++; return errEnough }}
	if err := w.Below(t.Context(), "", false); !errors.Is(err, errEnough) || visited != 1 {
		t.Errorf("Below = %v after %d documents, want %v after one", err, visited, errEnough)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range map[string]func() error{
		"IDs":        func() error { _, err := w.IDs(ended, nil); return err },
		"Collection": func() error { return w.Collection(ended, ids[0], index.AppendPath(nil, ids[0]), true) },
	} {
		if err := do(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want %v", name, err, context.Canceled)
		}
	}
}

// counting is a Reader that counts the keys at which its iterators arrive. It overwrites keys and values that are no
// longer valid, as a store may.
type counting struct {
	store.Reader
	reads *int
}

// Scan implements store.Reader.
func (c counting) Scan(r store.Range) store.Iterator {
	return &countingIterator{Iterator: c.Reader.Scan(r), reads: c.reads}
}

// countingIterator counts its moves.
type countingIterator struct {
	store.Iterator
	reads      *int
	key, value []byte
}

// Next implements store.Iterator.
func (it *countingIterator) Next() bool { return it.moved(it.Iterator.Next()) }

// Seek implements store.Iterator.
func (it *countingIterator) Seek(key []byte) bool { return it.moved(it.Iterator.Seek(key)) }

// Key implements store.Iterator.
func (it *countingIterator) Key() []byte { return it.key }

// Value implements store.Iterator.
func (it *countingIterator) Value() ([]byte, error) { return it.value, nil }

// moved counts a move and reads the key and the value at the new position.
func (it *countingIterator) moved(ok bool) bool {
	*it.reads++
	for _, former := range [][]byte{it.key, it.value} {
		for i := range former {
			former[i] = 0xff
		}
	}
	if it.key, it.value = nil, nil; ok {
		value, err := it.Iterator.Value()
		if err != nil {
			panic(err)
		}
		it.key, it.value = bytes.Clone(it.Iterator.Key()), bytes.Clone(value)
	}
	return ok
}
