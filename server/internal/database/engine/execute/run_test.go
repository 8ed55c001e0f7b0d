package execute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/execute"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/engine/memory"
	"clave/server/internal/database/engine/past"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/engine/records"
	"clave/server/internal/database/index"
	"clave/server/internal/limit/quota"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
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

// long is a text of which index entries hold only the beginning.
var long = strings.Repeat("x", index.MaxComponent)

// dataset is a store with documents and their index entries, in memory, and the documents that a reading has to return.
type dataset struct {
	store   *pebble.Store
	indexes *index.Set
	// overlay holds the documents that differ from those in the store.
	overlay past.Overlay
	docs    map[string]*document.Document
	memory  *quota.Quota
}

// newDataset returns an empty dataset with composite indexes of the collection c.
func newDataset(t *testing.T, composites ...[]index.Field) *dataset {
	t.Helper()
	var definitions index.Definitions
	var ids []uint32
	for i, fields := range composites {
		definitions.Indexes = append(definitions.Indexes, index.Definition{CollectionGroup: "c", Fields: fields})
		ids = append(ids, uint32(i+1))
	}
	return &dataset{store: pebbletest.Open(t), indexes: index.NewSet(definitions, ids), docs: map[string]*document.Document{}, memory: memory.New(1 << 30)}
}

// doc returns a document with fields.
func doc(path string, fields value.Map) *document.Document {
	return &document.Document{Name: resource.Document{DB: db, Path: path}, Fields: fields, CreateTime: 1, UpdateTime: 1}
}

// record returns a document's record.
func record(d *document.Document) []byte { return records.Append(nil, d, value.SortedKeys(d.Fields)) }

// put stores documents with their index entries.
func (w *dataset) put(t *testing.T, docs ...*document.Document) {
	t.Helper()
	var batch store.Batch
	for _, d := range docs {
		w.docs[d.Name.Path] = d
		batch.Set(keys.Document(number, d.Name.Path), record(d))
		if group := keys.Group(number, d.Name.Path); group != nil {
			batch.Set(group, nil)
		}
		entries, err := w.indexes.Entries(keys.Prefix(keys.KindIndex, number), d.Name.Path, d.Fields)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			batch.Set(e.Key, e.Value)
		}
	}
	if err := w.store.Apply(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
}

// differs lets a document differ from the store's; with nil fields it is absent.
func (w *dataset) differs(path string, fields value.Map) {
	if w.overlay == nil {
		w.overlay = past.Overlay{}
	}
	if fields == nil {
		delete(w.docs, path)
		w.overlay[path] = nil
		return
	}
	d := doc(path, fields)
	w.docs[path], w.overlay[path] = d, record(d)
}

// state returns the state to read. The caller returns its memory.
func (w *dataset) state() (*past.State, *memory.Share) {
	share := memory.Of(w.memory, "")
	return &past.State{Reader: w.store, DB: db, Number: number, Overlay: w.overlay, Held: &share}, &share
}

// run returns a run of a normalized query and its plan.
func (w *dataset) run(ctx context.Context, t *testing.T, q *query.Query) (*execute.Run, *planner.Plan) {
	t.Helper()
	return w.runBy(t, q, func(context.Context, *past.State) context.Context { return ctx })
}

// runBy is run with a function that may change the state, and returns the context.
func (w *dataset) runBy(t *testing.T, q *query.Query, by func(context.Context, *past.State) context.Context) (*execute.Run, *planner.Plan) {
	t.Helper()
	plan, err := planner.New(&planner.Input{DB: db, Number: number, Indexes: w.indexes, Serves: func(*index.Composite) bool { return true }}, q)
	if err != nil {
		t.Fatal(err)
	}
	state, share := w.state()
	t.Cleanup(func() { share.Shrink(0) })
	x, err := execute.New(by(t.Context(), state), state, q, plan)
	if err != nil {
		t.Fatal(err)
	}
	return x, plan
}

// random makes random documents and queries of few values, so that filters match and orders have ties.
type random struct{ *rand.Rand }

// value returns one of few values.
func (r random) value() value.Value {
	switch n := r.IntN(10); {
	case n < 6:
		return value.Int(n % 4)
	case n < 8:
		return value.String(long + fmt.Sprint(r.IntN(3)))
	case n < 9:
		return value.Double(1.5)
	}
	return value.Array{value.Int(r.IntN(3)), value.Int(r.IntN(3))}
}

// fields returns random fields, some of which are absent.
func (r random) fields() value.Map {
	out := value.Map{}
	for _, name := range []string{"a", "b"} {
		if r.IntN(6) > 0 {
			out[name] = r.value()
		}
	}
	return out
}

// condition returns a random condition on a field.
func (r random) condition() query.Filter {
	path := value.FieldPath{[]string{"a", "b"}[r.IntN(2)]}
	switch r.IntN(4) {
	case 0:
		return query.Field{Path: path, Op: query.In, Value: value.Array{r.value(), r.value()}}
	case 1:
		return query.Field{Path: path, Op: query.ArrayContains, Value: value.Int(r.IntN(3))}
	default:
		return query.Field{Path: path, Op: query.Op(1 + r.IntN(6)), Value: r.value()}
	}
}

// query returns a random query, which may be invalid.
func (r random) query() *query.Query {
	q := &query.Query{DB: db, From: []query.From{{Collection: "c", AllDescendants: r.IntN(3) == 0}}, Limit: query.NoLimit}
	switch r.IntN(4) {
	case 0:
		q.Where = &query.And{Filters: []query.Filter{r.condition(), r.condition()}}
	case 1:
		q.Where = &query.Or{Filters: []query.Filter{r.condition(), r.condition()}}
	case 2:
		q.Where = r.condition()
	}
	if r.IntN(8) == 0 {
		q.From = []query.From{{AllDescendants: r.IntN(2) == 0}}
	}
	for _, i := range r.Perm(2)[:r.IntN(3)] {
		q.OrderBy = append(q.OrderBy, query.Order{Path: value.FieldPath{[]string{"a", "b"}[i]}, Desc: r.IntN(2) == 0})
	}
	if r.IntN(6) == 0 {
		q.OrderBy = append(q.OrderBy, query.Order{Path: value.NamePath, Desc: r.IntN(2) == 0})
	} else if len(q.OrderBy) > 0 && r.IntN(3) == 0 {
		q.Start = &query.Cursor{Values: []value.Value{r.value()}, Before: r.IntN(2) == 0}
	}
	if r.IntN(3) == 0 {
		q.Offset = r.IntN(6)
	}
	if r.IntN(3) == 0 {
		q.Limit = r.IntN(6)
	}
	return q
}

// TestRunsEqualFilterAndSort runs random queries over random documents, with and without composite indexes and
// documents that differ from the store's.
func TestRunsEqualFilterAndSort(t *testing.T) {
	for seed := range uint64(16) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		var composites [][]index.Field
		if seed%2 == 0 {
			composites = [][]index.Field{{{Path: "a"}, {Path: "b", Mode: index.Descending}}, {{Path: "b"}, {Path: "a"}}}
		}
		w := newDataset(t, composites...)
		for i := range 60 {
			w.put(t, doc([]string{"c/", "c/1/c/", "d/1/c/"}[r.IntN(3)]+fmt.Sprint(i), r.fields()))
		}
		if seed%4 > 1 {
			for i := range 15 {
				fields := r.fields()
				if r.IntN(3) == 0 {
					fields = nil
				}
				w.differs("c/"+fmt.Sprint(2*i), fields)
			}
		}
		for range 150 {
			if q, err := r.query().Normalize(); err == nil {
				compare(t, w, q, fmt.Sprintf("seed %d: %+v", seed, *q))
			}
		}
	}
}

// compare compares the results, names and count of a query with those of the model.
func compare(t *testing.T, w *dataset, q *query.Query, what string) {
	t.Helper()
	want := querytest.Paths(querytest.Page(q, querytest.Results(q, maps.Values(w.docs))))
	x, plan := w.run(t.Context(), t, q)
	got := []string{}
	if err := x.Documents(func(d *document.Document) error { got = append(got, d.Name.Path); return nil }); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%s\nplan %+v\ngot  %v, %v\nwant %v", what, plan.Describe(), got, err, want)
	}
	names, _ := w.run(t.Context(), t, q)
	got = got[:0]
	if err := names.Names(func(path string) error { got = append(got, path); return nil }); err != nil {
		t.Fatal(err)
	}
	wantNames := want
	if q.Limit == query.NoLimit && q.Offset == 0 { // Truncated values have no order in an index.
		slices.Sort(got)
		wantNames = slices.Sorted(slices.Values(want))
	}
	if !slices.Equal(got, wantNames) {
		t.Fatalf("%s: the names are %v, want %v", what, got, wantNames)
	}
	if count, _ := w.run(t.Context(), t, q); count.Covers() {
		a := &query.Aggregation{Query: q, Fields: []query.Aggregate{{Alias: "n", Op: query.Count}}}
		acc := query.NewAccumulator(a)
		if err := count.Count(a, acc); err != nil || acc.Results()["n"] != value.Int(len(want)) {
			t.Fatalf("%s: the count is %v, %v; want %d", what, acc.Results(), err, len(want))
		}
	}
}

// TestAnOffsetReadsNoDocuments skips results of an index by its entries.
func TestAnOffsetReadsNoDocuments(t *testing.T) {
	w := newDataset(t)
	for i := range 50 {
		w.put(t, doc(fmt.Sprintf("c/%02d", i), value.Map{"a": value.Int(i)}))
	}
	q := normal(t, &query.Query{OrderBy: []query.Order{{Path: value.FieldPath{"a"}}}, Offset: 40, Limit: 3})
	x, _ := w.run(t.Context(), t, q)
	if err := x.Documents(func(*document.Document) error { return nil }); err != nil || x.Stats.DocumentsRead != 3 || x.Stats.Skipped != 40 {
		t.Errorf("%d documents were read and %d skipped, %v; want 3 and 40", x.Stats.DocumentsRead, x.Stats.Skipped, err)
	}
}

// normal returns a normalized query over the collection c.
func normal(t *testing.T, q *query.Query) *query.Query {
	t.Helper()
	q.DB, q.From = db, []query.From{{Collection: "c"}}
	out, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSumsReadEntriesOnly sums integers and doubles of indexes without reading documents, and reads those whose value
// the entry lacks.
func TestSumsReadEntriesOnly(t *testing.T) {
	a, isOne := value.FieldPath{"a"}, query.Field{Path: value.FieldPath{"b"}, Op: query.Equal, Value: value.Int(1)}
	w := newDataset(t, []index.Field{{Path: "b"}, {Path: "a", Mode: index.Descending}})
	sum := func(where query.Filter) (value.Value, int64) {
		q := normal(t, &query.Query{Where: where, Limit: query.NoLimit}).OrderedAlso([]value.FieldPath{a})
		agg := &query.Aggregation{Query: q, Fields: []query.Aggregate{{Alias: "s", Op: query.Sum, Path: a}}}
		acc := query.NewAccumulator(agg)
		x, _ := w.run(t.Context(), t, q)
		if !x.Covers() || x.Constant(agg.Paths()) {
			t.Fatal("the plan does not cover the query")
		}
		if err := x.Sum(agg.Paths(), acc); err != nil {
			t.Fatal(err)
		}
		return acc.Results()["s"], x.Stats.DocumentsRead
	}
	w.put(t, doc("c/1", value.Map{"a": value.Int(2), "b": value.Int(1)}), doc("c/2", value.Map{"a": value.String("text")}), doc("c/3", value.Map{"b": value.Int(1)}))
	for _, tt := range []struct {
		name     string
		where    query.Filter
		put      value.Map
		want     value.Value
		mostRead int64
	}{
		{"an integer", nil, value.Map{}, value.Int(2), 0},
		{"an integer in descending order", isOne, value.Map{}, value.Int(2), 0},
		{"a double", nil, value.Map{"a": value.Double(3)}, value.Double(5), 0},
		{"a truncated value", nil, value.Map{"a": value.String(long + "1")}, value.Double(5), 2},
	} {
		w.put(t, doc("c/"+tt.name, tt.put))
		if got, read := sum(tt.where); got != tt.want || read > tt.mostRead {
			t.Errorf("%s: the sum is %v with %d documents read, want %v with at most %d", tt.name, got, read, tt.want, tt.mostRead)
		}
	}
	equal := normal(t, &query.Query{Where: isOne, Limit: query.NoLimit})
	if x, _ := w.run(t.Context(), t, equal); !x.Constant([]value.FieldPath{{"b"}}) || x.Constant([]value.FieldPath{a}) {
		t.Error("Constant does not report exactly the fields with equalities")
	}
}

// TestCountsEndAtTheirCap reads no more entries than a count can count.
func TestCountsEndAtTheirCap(t *testing.T) {
	w := newDataset(t)
	for i := range 50 {
		w.put(t, doc(fmt.Sprintf("c/%02d", i), value.Map{"a": value.Int(i)}))
	}
	q := normal(t, &query.Query{OrderBy: []query.Order{{Path: value.FieldPath{"a"}}}, Offset: 2, Limit: query.NoLimit})
	for _, tt := range []struct {
		fields []query.Aggregate
		want   int64
		read   int64
	}{
		{[]query.Aggregate{{Alias: "n", Op: query.Count, Capped: true, UpTo: 5}}, 5, 7},
		{[]query.Aggregate{{Alias: "n", Op: query.Count, Capped: true, UpTo: 5}, {Alias: "m", Op: query.Count, Capped: true, UpTo: 9}}, 5, 11},
		{[]query.Aggregate{{Alias: "n", Op: query.Count}, {Alias: "m", Op: query.Count, Capped: true, UpTo: 9}}, 48, 50},
	} {
		a := &query.Aggregation{Query: q, Fields: tt.fields}
		acc := query.NewAccumulator(a)
		x, _ := w.run(t.Context(), t, q)
		if err := x.Count(a, acc); err != nil || acc.Results()["n"] != value.Int(tt.want) || x.Stats.EntriesRead != tt.read {
			t.Errorf("%+v: %v with %d entries read, %v; want %d and %d", tt.fields, acc.Results(), x.Stats.EntriesRead, err, tt.want, tt.read)
		}
	}
}

// TestSortingHoldsWhatAPageNeeds sorts more documents than the memory has. A query with a limit holds only as many as
// it can return.
func TestSortingHoldsWhatAPageNeeds(t *testing.T) {
	w := newDataset(t)
	for i := range 3000 {
		w.put(t, doc(fmt.Sprintf("c/%04d", i), value.Map{"a": value.Int(i % 7), "b": value.Int(i)}))
	}
	w.memory = memory.New(1 << 20)
	order := []query.Order{{Path: value.FieldPath{"a"}}, {Path: value.FieldPath{"b"}, Desc: true}}
	limited := normal(t, &query.Query{OrderBy: order, Offset: 1, Limit: 4})
	compare(t, w, limited, "with a limit")
	x, _ := w.run(t.Context(), t, normal(t, &query.Query{OrderBy: order, Limit: query.NoLimit}))
	if err := x.Documents(func(*document.Document) error { return nil }); !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("without a limit: %v, want ResourceExhausted", err)
	}
	if share := memory.Of(w.memory, ""); share.Take(1<<20) != nil {
		t.Error("the memory of the runs did not come back")
	}
}

// TestNearest returns the nearest vectors, those of the overlay too.
func TestNearest(t *testing.T) {
	vector := func(x float64) value.Map {
		return value.Map{"v": value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(x), value.Double(0)}}}
	}
	w := newDataset(t)
	w.put(t, doc("c/far", vector(9)), doc("c/near", vector(1)), doc("c/middle", vector(3)), doc("c/none", value.Map{}))
	w.differs("c/near", vector(4))
	q := normal(t, &query.Query{Nearest: &query.Nearest{Path: value.FieldPath{"v"}, Vector: []float64{0, 0}, Measure: query.Euclidean, Limit: 2}, Limit: query.NoLimit})
	x, _ := w.run(t.Context(), t, q)
	var got []*document.Document
	if err := x.Documents(func(d *document.Document) error { got = append(got, d); return nil }); err != nil || !slices.Equal(querytest.Paths(got), []string{"c/middle", "c/near"}) {
		t.Errorf("the nearest are %v, %v", querytest.Paths(got), err)
	}
}

// TestRunsEnd ends runs with the error of the caller, and of the context in a scan and in a walk.
func TestRunsEnd(t *testing.T) {
	w := newDataset(t)
	for i := range 5 {
		w.put(t, doc("c/"+fmt.Sprint(i), value.Map{"a": value.Int(i), "b": value.Int(i)}))
	}
	w.differs("c/9", value.Map{"a": value.Int(9), "b": value.Int(9)})
	errFull := errors.New("full")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	a, b := query.Order{Path: value.FieldPath{"a"}}, query.Order{Path: value.FieldPath{"b"}}
	walk := &query.Query{DB: db, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit}
	walk, err := walk.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]*query.Query{
		"scan": normal(t, &query.Query{OrderBy: []query.Order{a}, Limit: query.NoLimit}), "sort": normal(t, &query.Query{OrderBy: []query.Order{a, b}, Limit: query.NoLimit}), "walk": walk,
	} {
		x, _ := w.run(ended, t, q)
		if err := x.Documents(func(*document.Document) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that has ended: %v", name, err)
		}
		given := 0
		x, _ = w.run(t.Context(), t, q)
		if err := x.Documents(func(*document.Document) error { given++; return errFull }); !errors.Is(err, errFull) || given != 1 {
			t.Errorf("%s with a caller that ends: %v after %d documents", name, err, given)
		}
	}
}
