package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// runEngine runs an engine until the test ends or stop is called.
func runEngine(t *testing.T, e *engine.Engine) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

// ofKind is the query of the documents of c of a kind, by n.
func ofKind(t testing.TB, kind int) *query.Query {
	t.Helper()
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where:   query.Field{Path: value.FieldPath{"kind"}, Op: query.Equal, Value: value.Int(kind)},
		OrderBy: []query.Order{{Path: value.FieldPath{"n"}}}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// kindIndex is the index of ofKind.
var kindIndex = index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "kind"}, {Path: "n"}}}

// names runs a query and returns the paths of its results and its statistics.
func names(t testing.TB, e *engine.Engine, at request.At, q *query.Query) ([]string, request.Stats) {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, at)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	stats, err := r.Query(t.Context(), q, func(d *document.Document) error {
		out = append(out, d.Name.Path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, stats
}

// indexed reports whether a query was answered from kindIndex.
func indexed(s request.Stats) bool {
	return len(s.Plans) == 1 && !s.Plans[0].Filtered && len(s.Plans[0].Indexes) == 1 && s.Plans[0].Indexes[0].Properties == "(kind ASC, n ASC, __name__ ASC)"
}

// waitIndexed runs a query until it is answered from the index.
func waitIndexed(t *testing.T, e *engine.Engine, q *query.Query) []string {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		got, stats := names(t, e, request.At{}, q)
		if indexed(stats) {
			return got
		}
		select {
		case <-limit:
			t.Fatalf("the index is not built: %+v", stats.Plans)
		default:
		}
	}
}

// fillKinds commits documents of three kinds.
func fillKinds(t *testing.T, e *engine.Engine, count int) {
	t.Helper()
	for from := 0; from < count; from += 400 {
		var writes []document.Write
		for i := from; i < min(from+400, count); i++ {
			writes = append(writes, set(fmt.Sprintf("c/d%05d", i), value.Map{"kind": value.Int(i % 3), "n": value.Int(i)}))
		}
		put(t, e, writes...)
	}
}

// TestAutoBuildsAnIndexWhileDocumentsChange runs a query without its index, changes documents while the index is built,
// and compares the results of queries by the index with filtering and sorting.
func TestAutoBuildsAnIndexWhileDocumentsChange(t *testing.T) {
	var noted []string
	e := open(t, engine.Options{IndexMode: engine.IndexesAuto, Missing: func(_ resource.Database, d index.Definition) { noted = append(noted, d.JSON()) }})
	const count = 3000
	fillKinds(t, e, count)
	before := begin(t, e, request.TransactionOptions{ReadOnly: true})
	want, stats := names(t, e, request.At{Transaction: before}, ofKind(t, 1))
	if indexed(stats) || len(want) != count/3 {
		t.Fatalf("the first query: %d documents, %+v", len(want), stats)
	}
	if !slices.Equal(noted, []string{kindIndex.JSON()}) {
		t.Errorf("noted %q, want %q", noted, kindIndex.JSON())
	}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(w)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				path := fmt.Sprintf("c/d%05d", r.IntN(count+200))
				write := set(path, value.Map{"kind": value.Int(r.IntN(3)), "n": value.Int(r.IntN(count))})
				if r.IntN(4) == 0 {
					write = document.Write{Op: document.Delete, Name: doc(path)}
				}
				if _, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{write}}, engine.Unrestricted()); err != nil {
					t.Errorf("commit while the index is built = %v", err)
					return
				}
			}
		})
	}
	runEngine(t, e)
	waitIndexed(t, e, ofKind(t, 1))
	close(stop)
	writing.Wait()
	for kind := range 3 {
		q := ofKind(t, kind)
		got, stats := names(t, e, request.At{}, q)
		if !indexed(stats) || stats.DocumentsRead != int64(len(got)) {
			t.Errorf("kind %d: %d documents, %+v; want each read by the index", kind, len(got), stats)
		}
		if all := filtered(t, e, q); !slices.Equal(got, all) {
			t.Errorf("kind %d: the index gives %d documents, filtering %d", kind, len(got), len(all))
		}
	}
	got, stats := names(t, e, request.At{Transaction: before}, ofKind(t, 1))
	if indexed(stats) || !slices.Equal(got, want) {
		t.Errorf("a transaction from before the index: %d documents, %+v; want the %d of before, without the index", len(got), stats.Plans, len(want))
	}
}

// filtered answers a query by reading all documents of the collection.
func filtered(t *testing.T, e *engine.Engine, q *query.Query) []string {
	t.Helper()
	everything, err := (&query.Query{DB: testDB, From: q.From, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var docs []*document.Document
	if _, err := r.Query(t.Context(), everything, func(d *document.Document) error { docs = append(docs, d); return nil }); err != nil {
		t.Fatal(err)
	}
	return querytest.Paths(querytest.Results(q, slices.Values(docs)))
}

// TestAnInterruptedIndexIsBuiltAgain ends an engine while an index is built, and opens its store again.
func TestAnInterruptedIndexIsBuiltAgain(t *testing.T) {
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	e, err := engine.Open(t.Context(), engine.Options{Store: store, IndexMode: engine.IndexesAuto})
	if err != nil {
		t.Fatal(err)
	}
	fillKinds(t, e, 30)
	if err := e.BeginIndex(t.Context(), testDB, kindIndex); err != nil {
		t.Fatal(err)
	}
	put(t, e, set("c/late", value.Map{"kind": value.Int(1), "n": value.Int(-1)})) // has an entry already
	if got, stats := names(t, e, request.At{}, ofKind(t, 1)); indexed(stats) || len(got) != 11 {
		t.Errorf("while the index is built: %d documents, %+v", len(got), stats.Plans)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = engine.Open(t.Context(), engine.Options{Store: store, IndexMode: engine.IndexesAuto}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	// The entry stays, because the engine does not have the index.
	put(t, e, document.Write{Op: document.Delete, Name: doc("c/late")})
	if got, stats := names(t, e, request.At{}, ofKind(t, 1)); indexed(stats) || len(got) != 10 {
		t.Errorf("opened again: %d documents, %+v", len(got), stats.Plans)
	}
	stop := runEngine(t, e)
	if got := waitIndexed(t, e, ofKind(t, 1)); len(got) != 10 {
		t.Errorf("built again: %d documents, want 10", len(got))
	}
	stop()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = engine.Open(t.Context(), engine.Options{Store: store, IndexMode: engine.IndexesEnforce}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if got, stats := names(t, e, request.At{}, ofKind(t, 1)); !indexed(stats) || len(got) != 10 {
		t.Errorf("a built index is lost when the server starts again: %d documents, %+v", len(got), stats.Plans)
	}
}
