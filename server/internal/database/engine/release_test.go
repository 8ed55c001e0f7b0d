package engine_test

import (
	"fmt"
	"sync"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// definitions parses index definitions of the collection g: one index of the field a and each of the others.
func definitions(t *testing.T, others ...string) index.Definitions {
	t.Helper()
	text := `{"indexes": [`
	for i, other := range others {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"collectionGroup": "g", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": %q, "order": "ASCENDING"}]}`, other)
	}
	defs, _, err := index.ParseDefinitions([]byte(text + "]}"))
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

// TestChangeIndexes changes the indexes of a database during commits. The entries must equal those of an engine that
// had the indexes from the beginning.
func TestChangeIndexes(t *testing.T) {
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	e := open(t, engine.Options{Store: store})
	all := resource.Database{}
	if err := e.ChangeIndexes(t.Context(), all, definitions(t, "old")); err != nil {
		t.Fatalf("ChangeIndexes of an empty store = %v", err)
	}
	fields := func(i int) value.Map {
		return value.Map{"a": value.Int(i % 7), "b": value.Int(i), "c": value.Int(-i), "old": value.Int(i)}
	}
	for i := range 1200 { // of which a chunk is a part
		put(t, e, set(fmt.Sprintf("g/d%d", i), fields(i)))
	}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				write := request.Commit{Writes: []document.Write{set(fmt.Sprintf("g/d%d", i%1500), fields(i))}}
				if _, err := e.Commit(t.Context(), testDB, write, engine.Unrestricted()); err != nil {
					t.Errorf("a commit beside ChangeIndexes = %v", err)
					return
				}
			}
		}
	})
	err = e.ChangeIndexes(t.Context(), all, definitions(t, "b", "c"))
	close(stop)
	writing.Wait()
	if err != nil {
		t.Fatalf("ChangeIndexes = %v", err)
	}
	indexes, err := e.Indexes(testDB)
	if err != nil || len(indexes) != 2 || indexes[0].Building || indexes[1].Building {
		t.Fatalf("Indexes = %v, %v; want two that are built", indexes, err)
	}
	documents := 0
	for _, d := range definitions(t, "b", "c").Indexes {
		entries, _, err := e.IndexSize(t.Context(), testDB, d, 1<<20)
		if err != nil || entries < 1200 || documents != 0 && entries != documents {
			t.Errorf("the index %s has %d entries (%v), the other %d; want one for each document", d.JSON(), entries, err, documents)
		}
		documents = entries
	}
	if _, _, err := e.IndexSize(t.Context(), testDB, definitions(t, "old").Indexes[0], 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("the index that was dropped: %v, want NotFound", err)
	}
}
