package scan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/engine/scan"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// db is the database of the tests.
var db = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// number is the number of db in keys.
const number = 3

// dataset is a store with the index entries of documents.
type dataset struct {
	store   *pebble.Store
	indexes *index.Set
	docs    []*document.Document
}

// newDataset returns a dataset with a composite index of the collection c, in descending order of b, and an index of
// its group.
func newDataset(t *testing.T) *dataset {
	t.Helper()
	single := index.Single{Ascending: true, Descending: true}
	definitions := index.Definitions{
		Indexes:   []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b", Mode: index.Descending}}}},
		Overrides: []index.Override{{CollectionGroup: "c", Path: "a", Collection: single, Group: single}},
	}
	return &dataset{store: pebbletest.Open(t), indexes: index.NewSet(definitions, []uint32{1})}
}

// put stores the record of a document, which is its path, and its index entries.
func (w *dataset) put(t *testing.T, path string, fields value.Map) {
	t.Helper()
	d := &document.Document{Name: resource.Document{DB: db, Path: path}, Fields: fields}
	w.docs = append(w.docs, d)
	var batch store.Batch
	batch.Set(keys.Document(number, path), []byte(path))
	if group := keys.Group(number, path); group != nil {
		batch.Set(group, nil)
	}
	entries, err := w.indexes.Entries(keys.Prefix(keys.KindIndex, number), path, fields)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		batch.Set(e.Key, e.Value)
	}
	if err := w.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
}

// plan plans a query over the collection c, or its group. It returns the plan and the normalized query.
func (w *dataset) plan(t *testing.T, q *query.Query) (*planner.Plan, *query.Query) {
	t.Helper()
	q.DB, q.Limit = db, query.NoLimit
	if q.From == nil {
		q.From = []query.From{{Collection: "c"}}
	}
	q, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.New(&planner.Input{DB: db, Number: number, Indexes: w.indexes, Serves: func(*index.Composite) bool { return true }}, q)
	if err != nil {
		t.Fatal(err)
	}
	return p, q
}

// read returns the paths of a plan's hits, and the stats.
func (w *dataset) read(ctx context.Context, r store.Reader, p *planner.Plan, q *query.Query) (paths []string, stats request.Stats, err error) {
	rows := scan.New(ctx, r, p.Alternatives, q, &stats)
	for h := rows.Next(); h != nil; h = rows.Next() {
		path, err := p.Scope.Path(h.Tail())
		if err != nil {
			return nil, stats, err
		}
		if h.Record != nil && string(h.Record) != path {
			return nil, stats, fmt.Errorf("the record of %s is that of %s", path, h.Record)
		}
		paths = append(paths, path)
		rows.Park()
	}
	return paths, stats, rows.Close()
}

// filter returns a filter of a field.
func filter(path string, op query.Op, v value.Value) query.Field {
	return query.Field{Path: value.FieldPath{path}, Op: op, Value: v}
}

// and and or join filters.
func and(filters ...query.Filter) query.Filter { return &query.And{Filters: filters} }

// or joins filters of which one has to hold.
func or(filters ...query.Filter) query.Filter { return &query.Or{Filters: filters} }

// TestHitsEqualFilterAndSort reads queries whose plans are exact: ranges, joins of equalities, alternatives that find
// the same documents, and composite indexes in both directions.
func TestHitsEqualFilterAndSort(t *testing.T) {
	w, r := newDataset(t), rand.New(rand.NewPCG(1, 1))
	for i := range 200 {
		fields := value.Map{"a": value.Int(r.IntN(5)), "b": value.Double(r.IntN(5)), "d": value.Int(r.IntN(3)), "e": value.Array{value.Int(r.IntN(3)), value.Int(r.IntN(3))}}
		w.put(t, []string{"c/", "c/1/c/"}[r.IntN(2)]+fmt.Sprint(i), fields)
	}
	one, two, three := value.Int(1), value.Int(2), value.Int(3)
	orders := map[string][]query.Order{
		"": nil, "a": {{Path: value.FieldPath{"a"}}}, "-a": {{Path: value.FieldPath{"a"}, Desc: true}}, "-name": {{Path: value.NamePath, Desc: true}},
		"a,-b": {{Path: value.FieldPath{"a"}}, {Path: value.FieldPath{"b"}, Desc: true}}, "-a,b": {{Path: value.FieldPath{"a"}, Desc: true}, {Path: value.FieldPath{"b"}}},
		"b": {{Path: value.FieldPath{"b"}}}, "-b": {{Path: value.FieldPath{"b"}, Desc: true}},
	}
	after := query.Filter(query.Field{Path: value.NamePath, Op: query.GreaterThan, Value: value.Reference(db.Root() + "/c/150")})
	cursor := &query.Cursor{Values: []value.Value{two}, Before: true}
	for _, tt := range []struct {
		name  string
		q     query.Query
		order string
	}{
		{"all", query.Query{}, ""}, {"all backwards", query.Query{}, "-name"},
		{"a group", query.Query{From: []query.From{{Collection: "c", AllDescendants: true}}}, ""},
		{"a group in an order", query.Query{From: []query.From{{Collection: "c", AllDescendants: true}}}, "-a"},
		{"an order", query.Query{}, "a"}, {"an order backwards", query.Query{}, "-a"},
		{"a range", query.Query{Where: and(filter("a", query.GreaterThan, one), filter("a", query.LessThan, value.Int(4)))}, "-a"},
		{"not equal", query.Query{Where: filter("a", query.NotEqual, two)}, "a"},
		{"a cursor", query.Query{Start: cursor}, "a"}, {"an end", query.Query{End: cursor}, "-a"},
		{"two equalities", query.Query{Where: and(filter("b", query.Equal, one), filter("d", query.Equal, one))}, ""},
		{"three equalities", query.Query{Where: and(filter("a", query.Equal, one), filter("b", query.Equal, two), filter("d", query.Equal, one))}, "-name"},
		{"an element and an equality", query.Query{Where: and(filter("e", query.ArrayContains, one), filter("d", query.Equal, one))}, ""},
		{"one of", query.Query{Where: filter("a", query.In, value.Array{three, one, two})}, ""},
		{"one of in an order", query.Query{Where: filter("a", query.In, value.Array{three, one})}, "-a"},
		{"alternatives that overlap", query.Query{Where: or(filter("a", query.Equal, one), filter("b", query.Equal, one), filter("d", query.Equal, one))}, ""},
		{"elements that overlap", query.Query{Where: filter("e", query.ArrayContainsAny, value.Array{one, two})}, ""},
		{"a composite index", query.Query{Where: filter("a", query.Equal, one)}, "-b"}, {"a composite index backwards", query.Query{Where: filter("a", query.Equal, one)}, "b"},
		{"two fields", query.Query{}, "a,-b"}, {"two fields backwards", query.Query{}, "-a,b"},
		{"a restriction on the second field", query.Query{Where: and(filter("a", query.GreaterThan, one), filter("b", query.LessThan, three))}, "a,-b"},
		{"names", query.Query{Where: and(filter("d", query.Equal, one), after)}, ""}, {"names in an order", query.Query{Where: and(filter("a", query.GreaterThan, one), after)}, "a"},
		{"alternatives in a composite index", query.Query{Where: filter("a", query.In, value.Array{one, three})}, "-b"},
	} {
		tt.q.OrderBy = orders[tt.order]
		p, q := w.plan(t, &tt.q)
		if !p.Exact {
			t.Errorf("%s: the plan %+v is not exact", tt.name, p.Describe())
			continue
		}
		got, _, err := w.read(t.Context(), w.store, p, q)
		if want := querytest.Paths(querytest.Results(q, slices.Values(w.docs))); err != nil || !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: plan %+v\ngot  %v, %v\nwant %v", tt.name, p.Describe(), got, err, want)
		}
	}
}

// TestAJoinSkips joins two equalities that few documents have in common. It seeks past the others.
func TestAJoinSkips(t *testing.T) {
	w := newDataset(t)
	for i := range 400 {
		d, e := 0, 0
		if i < 200 || i == 399 {
			d = 1
		}
		if i >= 200 {
			e = 1
		}
		w.put(t, fmt.Sprintf("c/%03d", i), value.Map{"d": value.Int(d), "e": value.Int(e)})
	}
	p, q := w.plan(t, &query.Query{Where: and(filter("d", query.Equal, value.Int(1)), filter("e", query.Equal, value.Int(1)))})
	got, stats, err := w.read(t.Context(), w.store, p, q)
	if err != nil || !slices.Equal(got, []string{"c/399"}) || stats.EntriesRead < 2 || stats.EntriesRead > 6 {
		t.Errorf("the join is %v, %v with %d entries read; want c/399 with two to six", got, err, stats.EntriesRead)
	}
}

// TestTruncatedValues marks hits whose values an entry does not hold, and cuts their order at the value.
func TestTruncatedValues(t *testing.T) {
	w, long := newDataset(t), bytes.Repeat([]byte("x"), index.MaxComponent)
	w.put(t, "c/long", value.Map{"a": value.String(append(long, 'b'))})
	w.put(t, "c/short", value.Map{"a": value.String("x")})
	for _, desc := range []bool{false, true} {
		p, q := w.plan(t, &query.Query{OrderBy: []query.Order{{Path: value.FieldPath{"a"}, Desc: desc}}})
		rows := scan.New(t.Context(), w.store, p.Alternatives, q, new(request.Stats))
		for _, truncated := range []bool{desc, !desc} {
			h := rows.Next()
			if h == nil {
				t.Fatal("a hit is missing")
			}
			if key, cut := h.OrderPrefix(); h.Truncated != truncated || (cut >= 0) != truncated || cut > len(key) {
				t.Errorf("descending %v: the hit is truncated: %v, with an order that is cut at %d of %d bytes; want %v", desc, h.Truncated, cut, len(key), truncated)
			}
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}

// errDisk is the error of a store whose iterators fail.
var errDisk = errors.New("disk")

// failing is a Reader whose iterators end with an error after some keys.
type failing struct {
	store.Reader
	after int
}

// Scan implements store.Reader.
func (f failing) Scan(r store.Range) store.Iterator {
	return &failingIterator{f.Reader.Scan(r), f.after}
}

// failingIterator fails after some keys.
type failingIterator struct {
	store.Iterator
	left int
}

// Next implements store.Iterator.
func (it *failingIterator) Next() bool { return it.moves() && it.Iterator.Next() }

// Seek implements store.Iterator.
func (it *failingIterator) Seek(key []byte) bool { return it.moves() && it.Iterator.Seek(key) }

// moves counts a move and reports whether it succeeds.
func (it *failingIterator) moves() bool { it.left--; return it.left >= 0 }

// Err implements store.Iterator.
func (it *failingIterator) Err() error {
	if it.left < 0 {
		return errDisk
	}
	return it.Iterator.Err()
}

// TestErrorsAreNotTheEnd reads from a store that fails, and with a context that has ended: neither may look like the
// end of the results.
func TestErrorsAreNotTheEnd(t *testing.T) {
	w := newDataset(t)
	for i := range 20 {
		w.put(t, fmt.Sprintf("c/%02d", i), value.Map{"a": value.Int(i % 2), "d": value.Int(i % 3)})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, where := range map[string]query.Filter{
		"a scan": nil, "a join": and(filter("a", query.Equal, value.Int(1)), filter("d", query.Equal, value.Int(1))),
		"alternatives": or(filter("a", query.Equal, value.Int(1)), filter("d", query.Equal, value.Int(2))),
	} {
		p, q := w.plan(t, &query.Query{Where: where})
		for after := range 3 {
			if got, _, err := w.read(t.Context(), failing{w.store, after}, p, q); !errors.Is(err, errDisk) {
				t.Errorf("%s that fails after %d keys = %v, %v; want %v", name, after, got, err, errDisk)
			}
		}
		if got, _, err := w.read(ended, w.store, p, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that has ended = %v, %v", name, got, err)
		}
	}
}

// TestAnErrorOfOneScan ends a context between the hits of two alternatives. What the second one has found already must
// not be returned as if the first one had no more documents: a query with a limit would end with it, without an error.
func TestAnErrorOfOneScan(t *testing.T) {
	w := newDataset(t)
	for i := range 3 {
		w.put(t, fmt.Sprint("c/", i), value.Map{"a": value.Int(1)})
	}
	w.put(t, "c/9", value.Map{"a": value.Int(2)})
	p, q := w.plan(t, &query.Query{Where: or(filter("a", query.Equal, value.Int(1)), filter("a", query.Equal, value.Int(2)))})
	if len(p.Alternatives) != 2 {
		t.Fatalf("the plan has %d alternatives", len(p.Alternatives))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stats request.Stats
	rows := scan.New(ctx, w.store, p.Alternatives, q, &stats)
	if rows.Next() == nil {
		t.Fatal("no hit")
	}
	cancel()
	if h := rows.Next(); h != nil {
		path, _ := p.Scope.Path(h.Tail())
		t.Errorf("after the end of the context the hit %s", path)
	}
	if err := rows.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("the rows end with %v", err)
	}
}
