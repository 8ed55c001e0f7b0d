package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble/pebbletest"
)

// parse parses index definitions.
func parse(t *testing.T, text string) index.Definitions {
	t.Helper()
	defs, _, err := index.ParseDefinitions([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

// The definitions between which these tests change: an index is dropped, one is added, one field's entries are dropped
// and another's added.
const (
	definitionsBefore = `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "ASCENDING"}]}],
		"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "m", "indexes": []}]}`
	definitionsAfter = `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "m", "order": "ASCENDING"}]}],
		"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "n", "indexes": []}]}`
)

// byOneKind is the query of the documents of kind 1 in the order of a field.
func byOneKind(t *testing.T, field string) *query.Query {
	t.Helper()
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where: query.Field{Path: value.FieldPath{"kind"}, Op: query.Equal, Value: value.Int(1)}, OrderBy: []query.Order{{Path: value.FieldPath{field}}}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// byField is the query of all documents in the order of a field.
func byField(t *testing.T, field string) *query.Query {
	t.Helper()
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit, OrderBy: []query.Order{{Path: value.FieldPath{field}}}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// changed is the number of documents of these tests. Their entries fill several batches.
const changed = 1200

// changedFields returns the fields of a document. The long ids of documents make the entries large.
func changedFields(i int) value.Map {
	return value.Map{"kind": value.Int(i % 3), "n": value.Int(i), "m": value.Int(-i)}
}

// changedPath returns the path of a document.
func changedPath(i int) string { return fmt.Sprintf("c/%s%05d", strings.Repeat("x", 900), i) }

// fillChanged commits the documents.
func fillChanged(t *testing.T, e *engine.Engine) {
	t.Helper()
	for from := 0; from < changed; from += 400 {
		var writes []document.Write
		for i := from; i < from+400; i++ {
			writes = append(writes, set(changedPath(i), changedFields(i)))
		}
		put(t, e, writes...)
	}
}

// resultsOf runs a query. Unavailable results are nil.
func resultsOf(t *testing.T, e *engine.Engine, q *query.Query) []string {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer r.Close()
	out := []string{}
	if _, err = r.Query(t.Context(), q, func(d *document.Document) error {
		out = append(out, d.Name.Path)
		return nil
	}); fault.Is(err, fault.Unavailable) {
		return nil
	}
	if err != nil {
		t.Error(err)
	}
	return out
}

// checkQueries compares the results of queries with filtering and sorting all documents. refusable is set if queries
// may be refused.
func checkQueries(t *testing.T, e *engine.Engine, what string, refusable bool) {
	t.Helper()
	for _, field := range []string{"n", "m"} {
		for _, q := range []*query.Query{byOneKind(t, field), byField(t, field)} {
			want, got := filtered(t, e, q), resultsOf(t, e, q)
			if !slices.Equal(got, want) && !(refusable && got == nil) {
				t.Errorf("%s, a query by %s (of kind 1: %t) has %d documents, want %d", what, field, q.Where != nil, len(got), len(want))
			}
		}
	}
}

// TestQueriesWhileIndexesChange runs queries while the entries of their indexes are dropped and added. None may have a
// part of the documents.
func TestQueriesWhileIndexesChange(t *testing.T) {
	e := open(t, engine.Options{})
	before, after := parse(t, definitionsBefore), parse(t, definitionsAfter)
	if err := e.SetIndexes(t.Context(), resource.Database{}, before); err != nil {
		t.Fatal(err)
	}
	fillChanged(t, e)
	stop := make(chan struct{})
	var querying sync.WaitGroup
	for _, q := range []*query.Query{byOneKind(t, "n"), byOneKind(t, "m"), byField(t, "n"), byField(t, "m")} {
		want := len(filtered(t, e, q))
		querying.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got := resultsOf(t, e, q); len(got) != want {
					t.Errorf("while the indexes change, a query by %s (of kind 1: %t) has %d documents, want %d", q.OrderBy[0].Path, q.Where != nil, len(got), want)
					return
				}
			}
		})
	}
	for _, defs := range []index.Definitions{after, before} {
		if err := e.SetIndexes(t.Context(), resource.Database{}, defs); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	querying.Wait()
}

// TestAnOldViewWhileIndexesChange begins a read before the entries of a field exist, and queries by the field after
// they do.
func TestAnOldViewWhileIndexesChange(t *testing.T) {
	e := open(t, engine.Options{})
	if err := e.SetIndexes(t.Context(), resource.Database{}, parse(t, definitionsBefore)); err != nil {
		t.Fatal(err)
	}
	fillChanged(t, e)
	old, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := e.SetIndexes(t.Context(), resource.Database{}, parse(t, definitionsAfter)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []*query.Query{byField(t, "m"), byField(t, "n"), byOneKind(t, "m")} {
		got := 0
		_, err := old.Query(t.Context(), q, func(*document.Document) error {
			got++
			return nil
		})
		if want := len(filtered(t, e, q)); got != want || err != nil {
			t.Errorf("a read that began before the entries: %d documents by %s, %v; want %d", got, q.OrderBy[0].Path, err, want)
		}
	}
}

// TestAFullDiskWhileIndexesChange fills the disk after each batch of a change of indexes. Queries must be correct or be
// refused then, commits must continue when there is space, and the next change and the next start must complete the
// entries.
func TestAFullDiskWhileIndexesChange(t *testing.T) {
	for _, batches := range []int64{0, 1, 2, 4} {
		t.Run(fmt.Sprintf("after %d batches", batches), func(t *testing.T) {
			store := pebbletest.OpenFullDisk(t)
			e := open(t, engine.Options{Store: store})
			if err := e.SetIndexes(t.Context(), resource.Database{}, parse(t, definitionsBefore)); err != nil {
				t.Fatal(err)
			}
			fillChanged(t, e)
			store.Left.Store(batches)
			err := e.SetIndexes(t.Context(), resource.Database{}, parse(t, definitionsAfter))
			store.Left.Store(pebbletest.Plenty)
			if err != nil && !fault.Is(err, fault.ResourceExhausted) {
				t.Fatalf("SetIndexes on a full disk = %v, want RESOURCE_EXHAUSTED", err)
			}
			checkQueries(t, e, "after a failed change", false)
			put(t, e, document.Write{Op: document.Delete, Name: doc(changedPath(1))}, set(changedPath(4), changedFields(5)), set("c/new", changedFields(7)))
			checkQueries(t, e, "after a failed change and a commit", false)
			again := open(t, engine.Options{Store: store})
			checkQueries(t, again, "at the next start", true)
			if err := again.FinishIndexes(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkQueries(t, again, "at the next start with complete entries", false)
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAFailedChangeIsReverted fills the disk during a change of indexes and while it is reverted, and reverts it again.
func TestAFailedChangeIsReverted(t *testing.T) {
	before, after := parse(t, definitionsBefore), parse(t, definitionsAfter)
	for _, batches := range []int64{0, 1, 3} {
		store := pebbletest.OpenFullDisk(t)
		e := open(t, engine.Options{Store: store})
		if err := e.SetIndexes(t.Context(), resource.Database{}, before); err != nil {
			t.Fatal(err)
		}
		fillChanged(t, e)
		store.Left.Store(2)
		if err := e.SetIndexes(t.Context(), resource.Database{}, after); !fault.Is(err, fault.ResourceExhausted) {
			t.Fatalf("SetIndexes on a full disk = %v, want RESOURCE_EXHAUSTED", err)
		}
		store.Left.Store(batches)
		err := e.ChangeIndexes(t.Context(), resource.Database{}, before)
		if err != nil && !fault.Is(err, fault.ResourceExhausted) {
			t.Fatalf("ChangeIndexes on a full disk = %v, want RESOURCE_EXHAUSTED", err)
		}
		store.Left.Store(pebbletest.Plenty)
		checkQueries(t, e, "after a failed reversion", true)
		put(t, e, document.Write{Op: document.Delete, Name: doc(changedPath(1))})
		if err := e.ChangeIndexes(t.Context(), resource.Database{}, before); err != nil {
			t.Fatal(err)
		}
		checkQueries(t, e, "after the reversion", false)
	}
}

// TestABuildOnAFullDiskBeginsAgain fills the disk while an index is built. The build must begin again by itself when
// there is space, and queries must be correct meanwhile.
func TestABuildOnAFullDiskBeginsAgain(t *testing.T) {
	for _, batches := range []int64{0, 1, 3} {
		store := pebbletest.OpenFullDisk(t)
		manual := clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		e := open(t, engine.Options{Store: store, Clock: manual, IndexMode: engine.IndexesAuto})
		fillKinds(t, e, 3000)
		store.Left.Store(batches)
		want, _ := names(t, e, request.At{}, ofKind(t, 1)) // requests the index
		stop := runEngine(t, e)
		for store.Left.Load() >= 0 && t.Context().Err() == nil {
		}
		if got, stats := names(t, e, request.At{}, ofKind(t, 1)); indexed(stats) || !slices.Equal(got, want) {
			t.Errorf("on a full disk: %d documents, %+v; want %d without the index", len(got), stats.Plans, len(want))
		}
		store.Left.Store(pebbletest.Plenty)
		put(t, e, document.Write{Op: document.Delete, Name: doc(want[0])})
		for limit := time.Now().Add(time.Minute); ; {
			manual.Advance(time.Second)
			got, stats := names(t, e, request.At{}, ofKind(t, 1))
			if !slices.Equal(got, want[1:]) {
				t.Fatalf("when there is space: %d documents, want %d", len(got), len(want)-1)
			}
			if indexed(stats) {
				break
			}
			if time.Now().After(limit) {
				t.Fatal("the index is not built when there is space again")
			}
		}
		stop()
	}
}
