package engine_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// batchWrites returns writes of documents of different shapes: of the usual size, with many more entries, with records
// larger than the memory that records of a commit share, and without fields. In later rounds some documents are
// deleted.
func batchWrites(rnd *rand.Rand, round int) (out []document.Write) {
	for i := range 400 {
		path := fmt.Sprintf("c%d/%03d", i%3, i)
		if i%7 == 0 {
			path = fmt.Sprintf("c/%d/sub/%03d", i%5, i)
		}
		fields := value.Map{}
		names := []int{0, 3, 8, 8, 8, 60}[rnd.IntN(6)]
		for n := range names {
			fields[fmt.Sprintf("f%d", n)] = value.Int(rnd.IntN(1000))
		}
		switch {
		case i%50 == 0:
			fields["f0"] = value.String(strings.Repeat("x", rnd.IntN(80<<10)))
		case i%9 == 0:
			fields["m"] = value.Map{"x": value.Null{}, "y": value.Array{value.Int(i), value.Bool(true)}}
		}
		w := set(path, fields)
		if round > 0 && rnd.IntN(4) == 0 {
			w = document.Write{Op: document.Delete, Name: doc(path)}
		}
		out = append(out, w)
	}
	return out
}

// stored returns the fields of the stored documents and the index entries, by key.
func stored(t *testing.T, s store.Store) map[string]any {
	t.Helper()
	out := make(map[string]any)
	it := s.Scan(store.Range{})
	defer func() { _ = it.Close() }()
	for it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		switch key := it.Key(); {
		case derive.IsEntry(key) || key[0] == keys.KindGroup:
			out[string(key)] = string(v)
		case key[0] == keys.KindDocument:
			d, err := records.Decode(doc("c/any"), v)
			if err != nil {
				t.Fatal(err)
			}
			out[string(key)] = d.Fields
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBatchesStoreWhatSingleWritesStore commits writes at once to one engine and one by one to another. Afterwards both
// have the same documents and entries.
func TestBatchesStoreWhatSingleWritesStore(t *testing.T) {
	var stores [2]store.Store
	var engines [2]*engine.Engine
	for i := range stores {
		s, err := pebble.OpenMemory()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		stores[i], engines[i] = s, open(t, engine.Options{Store: s})
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		writes := batchWrites(rnd, round)
		if _, err := engines[0].Commit(t.Context(), testDB, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
		for _, w := range writes {
			put(t, engines[1], w)
		}
		batch, single := stored(t, stores[0]), stored(t, stores[1])
		if len(batch) < 1000 || !reflect.DeepEqual(batch, single) {
			t.Fatalf("round %d: the batch stored %d keys, the writes one by one %d, or their values differ", round, len(batch), len(single))
		}
	}
}
