package walk_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/walk"
	"clave/server/internal/database/index"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// errDisk is the error of a store whose iterators fail.
var errDisk = errors.New("disk")

// failing is a Reader whose iterators end with an error after the first key.
type failing struct{ store.Reader }

// Scan implements store.Reader.
func (f failing) Scan(r store.Range) store.Iterator {
	return &failingIterator{Iterator: f.Reader.Scan(r)}
}

// failingIterator fails after the first key.
type failingIterator struct {
	store.Iterator
	moved bool
}

// Next implements store.Iterator.
func (it *failingIterator) Next() bool {
	ok := !it.moved && it.Iterator.Next()
	it.moved = true
	return ok
}

// Err implements store.Iterator.
func (it *failingIterator) Err() error { return errDisk }

// TestErrorsOfIterators walks over a store that fails, which must not look like the end of the documents.
func TestErrorsOfIterators(t *testing.T) {
	s, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var batch store.Batch
	for _, path := range []string{"c/a", "c/b", "c/c"} {
		batch.Set(keys.Document(1, path), []byte("record"))
	}
	if err := s.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(context.Context, *walk.Documents) error{
		"IDs": func(ctx context.Context, w *walk.Documents) error { _, err := w.IDs(ctx, nil); return err },
		"Collection": func(ctx context.Context, w *walk.Documents) error {
			return w.Collection(ctx, "c", index.AppendPath(nil, "c"), false)
		},
		"all below": func(ctx context.Context, w *walk.Documents) error {
			return w.Collection(ctx, "c", index.AppendPath(nil, "c"), true)
		},
	} {
		w := &walk.Documents{Reader: failing{s}, Number: 1, Yield: func(string, []byte) error { return nil }}
		if err := do(t.Context(), w); !errors.Is(err, errDisk) {
			t.Errorf("%s = %v, want the error of the store", name, err)
		}
	}
}

// TestAnErrorOfOneIterator fails the iterator of documents at each of its moves: the absent documents with collections
// that are left must not follow as if there were no more documents, since a page would be filled with them.
func TestAnErrorOfOneIterator(t *testing.T) {
	s := pebbletest.Open(t)
	var batch store.Batch
	for _, path := range []string{"c/a", "c/b", "c/c", "c/b/d/e", "c/x/d/e", "c/y/d/e"} {
		batch.Set(keys.Document(1, path), []byte("record"))
	}
	if err := s.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	for after := range 4 {
		steps := walk.NewSteps(&firstFails{Reader: s, after: after}, 1, index.AppendPath(nil, "c"), true)
		var got []string
		for steps.Next() {
			id, _, err := index.CutSegment(steps.Segment)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
		}
		if want := []string{"a", "b", "c"}[:after]; !slices.Equal(got, want) || !errors.Is(steps.Close(), errDisk) {
			t.Errorf("after %d documents: %q, %v; want %q and the error of the store", after, got, steps.Close(), want)
		}
	}
}

// firstFails is a Reader whose first iterator fails after some keys.
type firstFails struct {
	store.Reader
	after, scans int
}

// Scan implements store.Reader.
func (f *firstFails) Scan(r store.Range) store.Iterator {
	if f.scans++; f.scans > 1 {
		return f.Reader.Scan(r)
	}
	return &failsAfter{f.Reader.Scan(r), f.after}
}

// failsAfter fails after some keys.
type failsAfter struct {
	store.Iterator
	left int
}

// Next implements store.Iterator.
func (it *failsAfter) Next() bool { it.left--; return it.left >= 0 && it.Iterator.Next() }

// Err implements store.Iterator.
func (it *failsAfter) Err() error {
	if it.left < 0 {
		return errDisk
	}
	return it.Iterator.Err()
}
