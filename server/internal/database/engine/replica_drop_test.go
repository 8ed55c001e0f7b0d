package engine_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// TestAFollowerRemovesDroppedDatabases drops a database that a follower reads, and makes another one of the same name,
// whose changes reach the follower one after another, or as one group. The follower's subscription ends, and it has
// nothing of the first database.
func TestAFollowerRemovesDroppedDatabases(t *testing.T) {
	for name, atOnce := range map[string]bool{"one after another": false, "one group": true} {
		t.Run(name, func(t *testing.T) {
			var gone atomic.Bool
			o := engine.Options{Gone: func(db resource.Database) bool { return db == testDB && gone.Load() }}
			p := newPairWith(t, o, o)
			defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}}}
			put(t, p.writer, set("c/one", value.Map{"a": value.Int(1), "b": value.Int(1)}))
			if err := p.writer.ChangeIndexes(t.Context(), testDB, defs); err != nil {
				t.Fatal(err)
			}
			p.catchUp()
			if got, err := get(t, p.reader, request.At{}, "c/one"); err != nil || got == nil {
				t.Fatalf("before the drop the follower reads %v, %v", got, err)
			}
			sub := p.reader.Subscribe(testDB)
			defer sub.Close()

			put(t, p.writer, set("c/two", value.Map{"a": value.Int(2), "b": value.Int(2)}))
			gone.Store(true)
			if err := p.writer.Drop(t.Context(), testDB); err != nil {
				t.Fatal(err)
			}
			if !atOnce {
				p.catchUp()
				if _, err := p.reader.Read(t.Context(), testDB, request.At{}); !fault.Is(err, fault.NotFound) {
					t.Errorf("a read of the dropped database: %v, want NOT_FOUND", err)
				}
			}
			gone.Store(false)
			put(t, p.writer, set("c/three", nil))
			p.catchUp()
			for err := error(nil); !errors.Is(err, engine.ErrClosed); {
				if _, err = sub.Next(t.Context()); err != nil && !errors.Is(err, engine.ErrClosed) {
					t.Fatalf("the subscription returned %v, want ErrClosed", err)
				}
			}
			for path, want := range map[string]bool{"c/one": false, "c/two": false, "c/three": true} {
				if got, err := get(t, p.reader, request.At{}, path); err != nil || (got != nil) != want {
					t.Errorf("the follower has %v at %s in the next database, %v", got, path, err)
				}
			}
			if got, err := p.reader.Definitions(testDB); err != nil || len(got.Indexes) != 0 {
				t.Errorf("the next database has the indexes %v at the follower, %v", got, err)
			}
			next := p.reader.Subscribe(testDB)
			defer next.Close()
			put(t, p.writer, set("c/four", nil))
			p.catchUp()
			drain(t, next, 1)
		})
	}
}

// TestAFollowerReadsCopies reads a clone at a follower, which removes it once the writer has dropped it.
func TestAFollowerReadsCopies(t *testing.T) {
	p := newPair(t, engine.Options{})
	put(t, p.writer, set("c/one", n(1)))
	copied := resource.Database{Project: testDB.Project, ID: "copied"}
	if documents, err := p.writer.Clone(t.Context(), testDB, copied, 0); err != nil || documents != 1 {
		t.Fatalf("Clone = %d, %v", documents, err)
	}
	r, err := p.reader.Read(t.Context(), copied, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Get(t.Context(), resource.Document{DB: copied, Path: "c/one"}); err != nil || got == nil {
		t.Errorf("the follower reads %v of the clone, %v", got, err)
	}
	if err := p.writer.Drop(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	p.catchUp()
	for _, db := range p.reader.Databases() {
		if db == copied {
			t.Error("the follower has a copy that was dropped")
		}
	}
}
