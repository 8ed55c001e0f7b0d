package engine_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/query/querytest"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// long is a string of which index entries hold only the beginning.
var long = strings.Repeat("long ", 400)

// pool holds the values of random documents and filters. There are only a few, so that filters often match.
var pool = []value.Value{
	value.Null{}, value.Bool(true), value.Double(math.NaN()), value.Int(1), value.Double(1), value.Int(2), value.Double(2.5),
	value.Int(3), value.String(""), value.String("a"), value.String("b"), value.String(long), value.String(long + "a"),
	value.String(long + "b"), value.Array{value.Int(1), value.Int(2)}, value.Array{value.String(long + "a"), value.Int(1)},
	value.Array{value.Int(2), value.Double(2), value.Null{}}, value.Map{"x": value.Int(1)}, value.Map{"x": value.Int(2)},
	value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(1), value.Double(2)}},
	value.Timestamp{Seconds: 7}, value.Bytes("a"), value.GeoPoint{Lat: 1, Lng: 2},
	value.Reference("projects/p/databases/(default)/documents/c/1"),
}

// fieldNames are the fields of random documents.
var fieldNames = []string{"a", "b", "m"}

// paths are the documents of the metamorphic test.
func paths() []string {
	var out []string
	for _, collection := range []string{"c", "c/1/c", "c/3/s", "d", "d/1/c", "d/1/c/2/c", "s"} {
		for _, id := range []string{"1", "2", "3", "__id4__", "__id10__", "é"} {
			out = append(out, collection+"/"+id)
		}
	}
	return out
}

// random generates random documents and queries.
type random struct{ *rand.Rand }

// value picks a value.
func (r random) value() value.Value { return pool[r.IntN(len(pool))] }

// fields returns random fields of a document.
func (r random) fields() value.Map {
	m := value.Map{}
	for _, name := range fieldNames {
		if r.IntN(5) > 0 {
			m[name] = r.value()
		}
	}
	return m
}

// path picks a field.
func (r random) path() value.FieldPath {
	if r.IntN(8) == 0 {
		return value.FieldPath{"m", "x"}
	}
	return value.FieldPath{fieldNames[r.IntN(len(fieldNames))]}
}

// reference picks a document's name.
func (r random) reference() value.Value {
	p := paths()
	return value.Reference(doc(p[r.IntN(len(p))]).String())
}

// filter returns a random filter of at most depth levels.
func (r random) filter(depth int) query.Filter {
	if depth > 0 && r.IntN(3) > 0 {
		var filters []query.Filter
		for range 1 + r.IntN(3) {
			filters = append(filters, r.filter(depth-1))
		}
		if r.IntN(3) == 0 {
			return &query.Or{Filters: filters}
		}
		return &query.And{Filters: filters}
	}
	switch r.IntN(12) {
	case 0:
		return query.Unary{Path: r.path(), Op: query.UnaryOp(2 + r.IntN(4))}
	case 1:
		return query.Field{Path: value.NamePath, Op: query.Op(1 + r.IntN(6)), Value: r.reference()}
	case 2:
		return query.Field{Path: r.path(), Op: query.ArrayContains, Value: r.value()}
	case 3:
		ops := []query.Op{query.In, query.ArrayContainsAny, query.NotIn}
		return query.Field{Path: r.path(), Op: ops[r.IntN(3)], Value: value.Array{r.value(), r.value(), r.value()}}
	case 4, 5, 6, 7:
		return query.Field{Path: r.path(), Op: query.Equal, Value: r.value()}
	default:
		return query.Field{Path: r.path(), Op: query.Op(1 + r.IntN(6)), Value: r.value()}
	}
}

// query returns a random query, which may be invalid.
func (r random) query() *query.Query {
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit}
	switch r.IntN(8) {
	case 0, 1:
		q.From[0].AllDescendants = true
	case 2:
		q.Parent, q.From[0].AllDescendants = "d/1", r.IntN(2) == 0
	case 3:
		q.From[0] = query.From{AllDescendants: r.IntN(2) == 0}
	}
	if r.IntN(5) > 0 {
		q.Where = r.filter(2)
	}
	for range r.IntN(3) {
		q.OrderBy = append(q.OrderBy, query.Order{Path: r.path(), Desc: r.IntN(2) == 0})
	}
	if r.IntN(6) == 0 {
		q.OrderBy = append(q.OrderBy, query.Order{Path: value.NamePath, Desc: r.IntN(2) == 0})
	}
	if r.IntN(3) == 0 {
		q.Start = r.cursor(q.OrderBy)
	}
	if r.IntN(4) == 0 {
		q.End = r.cursor(q.OrderBy)
	}
	if r.IntN(4) == 0 {
		q.Offset = r.IntN(5)
	}
	if r.IntN(3) == 0 {
		q.Limit = r.IntN(10)
	}
	return q
}

// cursor returns a random cursor for orders.
func (r random) cursor(orders []query.Order) *query.Cursor {
	c := &query.Cursor{Before: r.IntN(2) == 0}
	for _, o := range orders[:r.IntN(len(orders)+1)] {
		v := r.value()
		if o.Path.IsName() {
			v = r.reference()
		}
		c.Values = append(c.Values, v)
	}
	return c
}

// definitions returns random index definitions.
func (r random) definitions() index.Definitions {
	var d index.Definitions
	for range r.IntN(12) {
		def := index.Definition{CollectionGroup: "c", Group: r.IntN(3) == 0}
		array := false
		for _, i := range r.Perm(len(fieldNames))[:1+r.IntN(len(fieldNames))] {
			f := index.Field{Path: fieldNames[i], Mode: index.Mode(r.IntN(2))}
			if !array && r.IntN(4) == 0 {
				f.Mode, array = index.Contains, true
			}
			def.Fields = append(def.Fields, f)
		}
		if !slices.ContainsFunc(d.Indexes, def.Equal) {
			d.Indexes = append(d.Indexes, def)
		}
	}
	for _, name := range fieldNames {
		all := index.Single{Ascending: true, Descending: true, Contains: true}
		switch r.IntN(5) {
		case 0:
			d.Overrides = append(d.Overrides, index.Override{CollectionGroup: "c", Path: name})
		case 1:
			d.Overrides = append(d.Overrides, index.Override{CollectionGroup: "c", Path: name, Collection: all, Group: all})
		}
	}
	return d
}

// model holds the expected documents by path.
type model map[string]*document.Document

// state holds the documents at one version.
type state struct {
	version request.At
	docs    model
}

// TestQueriesEqualFilterAndSort runs random queries over random documents and indexes, now and in the past.
func TestQueriesEqualFilterAndSort(t *testing.T) {
	rounds, queries := 30, 150
	if testing.Short() {
		rounds = 5
	}
	for seed := range rounds {
		r := random{rand.New(rand.NewPCG(uint64(seed), 7))}
		manual := clocktest.NewManual(time.Now())
		e := open(t, engine.Options{Clock: manual, History: 24 * time.Hour})
		e.SetSegmentBytes(r.IntN(4000))
		if r.IntN(2) == 0 {
			setIndexes(t, e, r.definitions())
		}
		if r.IntN(2) == 0 {
			e.SetMaxOverlay(3)
		}
		states := history(t, r, e)
		manual.Advance(time.Hour + time.Second)
		for range queries {
			if r.IntN(50) == 0 {
				archive(t, e)
			}
			q, err := r.query().Normalize()
			if err != nil {
				continue
			}
			s := states[len(states)-1]
			if r.IntN(3) == 0 {
				s = states[r.IntN(len(states))]
			}
			compareAnswers(t, e, s, q, fmt.Sprintf("seed %d", seed))
			if r.IntN(40) == 0 {
				setIndexes(t, e, r.definitions())
			}
		}
		if t.Failed() {
			return
		}
	}
}

// setIndexes sets the definitions of the test's database.
func setIndexes(t *testing.T, e *engine.Engine, defs index.Definitions) {
	t.Helper()
	if err := e.SetIndexes(t.Context(), testDB, defs); err != nil {
		t.Fatalf("SetIndexes = %v", err)
	}
}

// history commits random writes and returns the states in between.
func history(t *testing.T, r random, e *engine.Engine) []state {
	t.Helper()
	names := paths()
	now := model{}
	var states []state
	for range 12 {
		var writes []document.Write
		for range 12 {
			w := set(names[r.IntN(len(names))], r.fields())
			if r.IntN(5) == 0 {
				w = document.Write{Op: document.Delete, Name: w.Name}
			}
			writes = append(writes, w)
		}
		result := put(t, e, writes...)
		next := model{}
		for path, d := range now {
			next[path] = d
		}
		for _, w := range writes {
			delete(next, w.Name.Path)
			if w.Op == document.Update {
				next[w.Name.Path] = &document.Document{Name: w.Name, Fields: w.Fields}
			}
		}
		now = next
		states = append(states, state{version: request.At{ReadTime: result.Version}, docs: now})
	}
	states[len(states)-1].version = request.At{}
	return states
}

// compareAnswers compares the engine's answer to a query, and its count, with the model's.
func compareAnswers(t *testing.T, e *engine.Engine, s state, q *query.Query, label string) {
	t.Helper()
	r, err := e.Read(t.Context(), testDB, s.version)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	compareReading(t, r, s, q, label)
}

// compareReading is compareAnswers for an open reading.
func compareReading(t *testing.T, r *engine.Reading, s state, q *query.Query, label string) {
	t.Helper()
	var got []string
	stats, err := r.Query(t.Context(), q, func(d *document.Document) error {
		got = append(got, d.Name.Path)
		if !value.Identical(d.Fields, s.docs[d.Name.Path].Fields) {
			t.Errorf("%s: %s has fields %v", label, d.Name.Path, d.Fields)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: Query(%s) = %v", label, describe(q), err)
		return
	}
	all := querytest.Results(q, maps.Values(s.docs))
	page := querytest.Page(q, all)
	want := querytest.Paths(page)
	if !slices.Equal(got, want) {
		t.Errorf("%s: Query(%s)\ngave %q\nwant %q\nby %+v", label, describe(q), got, want, stats.Plans)
	}
	if skipped := int64(min(len(all), q.Offset)); stats.Skipped != skipped && q.Limit != 0 {
		t.Errorf("%s: Query(%s) skipped %d, want %d", label, describe(q), stats.Skipped, skipped)
	}
	count := &query.Aggregation{Query: q, Fields: []query.Aggregate{{Alias: "n", Op: query.Count}}}
	figures, _, err := r.Aggregate(t.Context(), count)
	if err != nil || figures["n"] != value.Int(len(want)) {
		t.Errorf("%s: count of %s = %v (%v), want %d", label, describe(q), figures["n"], err, len(want))
	}
	compareFigures(t, r, q, page, label)
}

// compareFigures compares sums and averages with those of the model's answer.
func compareFigures(t *testing.T, r *engine.Reading, q *query.Query, docs []*document.Document, label string) {
	t.Helper()
	a := &query.Aggregation{Query: q, Fields: []query.Aggregate{{Alias: "n", Op: query.Count},
		{Alias: "s", Op: query.Sum, Path: value.FieldPath{"a"}}, {Alias: "avg", Op: query.Avg, Path: value.FieldPath{"b"}}}}
	acc := query.NewAccumulator(a)
	for _, d := range docs {
		acc.Add(d)
	}
	got, stats, err := r.Aggregate(t.Context(), a)
	if err != nil || !value.Identical(value.Map(got), value.Map(acc.Results())) {
		t.Errorf("%s: figures of %s = %v (%v), want %v, by %+v", label, describe(q), got, err, acc.Results(), stats.Plans)
	}
}

// describe prints a query for a failure, long values cut.
func describe(q *query.Query) string {
	s := fmt.Sprintf("parent %q from %v where %v order %v start %+v end %+v offset %d limit %d",
		q.Parent, q.From, printFilter(q.Where), q.OrderBy, q.Start, q.End, q.Offset, q.Limit)
	return strings.ReplaceAll(s, long, "LONG")
}

// printFilter prints a filter.
func printFilter(f query.Filter) string {
	var inner []query.Filter
	word := "and"
	switch x := f.(type) {
	case *query.And:
		inner = x.Filters
	case *query.Or:
		inner, word = x.Filters, "or"
	default:
		return fmt.Sprint(f)
	}
	var parts []string
	for _, i := range inner {
		parts = append(parts, printFilter(i))
	}
	return "(" + strings.Join(parts, " "+word+" ") + ")"
}
