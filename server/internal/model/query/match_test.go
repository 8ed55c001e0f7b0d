package query_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// stored returns a document.
func stored(path string, fields value.Map) *document.Document {
	return &document.Document{Name: resource.Document{DB: db, Path: path}, Fields: fields, CreateTime: 1, UpdateTime: 1}
}

// normal normalizes a valid query.
func normal(t *testing.T, q *query.Query) *query.Query {
	t.Helper()
	n, err := q.Normalize()
	if err != nil {
		t.Fatalf("Normalize(%v): %v", q.Where, err)
	}
	return n
}

func TestMatchesScope(t *testing.T) {
	all := []string{"c/a", "c/a/c/b", "c/a/d/b", "c/a/c/b/c/e", "d/a", "d/a/c/b", "cc/a"}
	tests := []struct {
		parent string
		from   []query.From
		want   []string
	}{
		{"", []query.From{{Collection: "c"}}, []string{"c/a"}},
		{"", []query.From{{Collection: "c", AllDescendants: true}}, []string{"c/a", "c/a/c/b", "c/a/c/b/c/e", "d/a/c/b"}},
		{"c/a", []query.From{{Collection: "c"}}, []string{"c/a/c/b"}},
		{"c/a", []query.From{{Collection: "c", AllDescendants: true}}, []string{"c/a/c/b", "c/a/c/b/c/e"}},
		{"", nil, []string{"c/a", "d/a", "cc/a"}},
		{"", []query.From{{AllDescendants: true}}, all},
		{"c/a", []query.From{{}}, []string{"c/a/c/b", "c/a/d/b"}},
	}
	for _, tt := range tests {
		q := normal(t, &query.Query{DB: db, Parent: tt.parent, From: tt.from, Limit: query.NoLimit})
		var got []string
		for _, path := range all {
			if q.Matches(stored(path, value.Map{})) {
				got = append(got, path)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("under %q from %v: %q, want %q", tt.parent, tt.from, got, tt.want)
		}
	}
	other := stored("c/a", value.Map{})
	other.Name.DB.ID = "other"
	if normal(t, on(nil)).Matches(other) {
		t.Error("a document of another database matches")
	}
}

func TestMatchesFilters(t *testing.T) {
	nan, null := value.Double(math.NaN()), value.Null{}
	tests := []struct {
		f     query.Filter
		v     value.Value
		match bool
	}{
		{is("v", query.Equal, value.Double(1)), value.Int(1), true},
		{is("v", query.Equal, null), null, false},
		{is("v", query.Equal, nan), nan, false},
		{unary("v", query.IsNull), null, true},
		{unary("v", query.IsNaN), nan, true},
		{unary("v", query.IsNotNaN), value.Int(1), true},
		{unary("v", query.IsNotNaN), null, false},
		{unary("v", query.IsNotNull), nan, true},
		{is("v", query.NotEqual, value.Int(1)), nan, true},
		{is("v", query.NotEqual, value.Int(1)), value.Double(1), false},
		{is("v", query.NotEqual, value.Int(1)), null, false},
		{is("v", query.NotEqual, null), value.Int(1), false},
		{is("v", query.LessThan, value.Int(3)), nan, false},
		{is("v", query.LessThan, value.Int(3)), value.Double(math.Inf(-1)), true},
		{is("v", query.GreaterThan, value.String("1")), value.Int(2), false},
		{is("v", query.GreaterThanOrEqual, null), null, false},
		{is("v", query.GreaterThan, value.Map{}), value.Vector(1), false},
		{is("v", query.In, value.Array{value.Double(1), null}), value.Int(1), true},
		{is("v", query.In, value.Array{value.Double(1), null}), null, false},
		{is("v", query.NotIn, value.Array{value.Int(1)}), value.Int(2), true},
		{is("v", query.NotIn, value.Array{value.Int(1), null}), value.Int(2), false},
		{is("v", query.NotIn, value.Array{nan}), nan, true},
		{is("v", query.ArrayContains, value.Int(1)), value.Array{value.Double(1)}, true},
		{is("v", query.ArrayContains, null), value.Array{null}, false},
		{is("v", query.ArrayContains, value.Int(1)), value.Int(1), false},
		{is("v", query.ArrayContainsAny, value.Array{value.Int(1), value.Int(2)}), value.Array{value.Int(2)}, true},
		{is("v", query.ArrayContainsAny, value.Array{value.Array{value.Int(1)}}), value.Array{value.Int(1)}, false},
		{is("missing", query.NotEqual, value.Int(1)), value.Int(1), false},
		{is("__name__", query.GreaterThan, doc("c/a")), value.Int(1), true},
	}
	for _, tt := range tests {
		if got := normal(t, on(tt.f)).Matches(stored("c/x", value.Map{"v": tt.v})); got != tt.match {
			t.Errorf("%v matches v = %v: %t, want %t", tt.f, tt.v, got, tt.match)
		}
	}
}

// generator generates filters and documents with few different fields and values, so that matches are frequent.
type generator struct{ *rand.Rand }

// value returns a value.
func (g generator) value() value.Value {
	choices := []value.Value{
		value.Null{}, value.Double(math.NaN()), value.Int(0), value.Int(1), value.Double(1), value.Double(1.5), value.String("a"),
		value.Array{value.Int(1), value.Null{}}, value.Array{value.String("a")}, value.Map{"x": value.Int(1)}, value.Vector(1), value.Bool(true),
	}
	return choices[g.IntN(len(choices))]
}

// filter returns a filter of at most the given depth.
func (g generator) filter(depth int) query.Filter {
	path := string("vw"[g.IntN(2)])
	if depth > 0 && g.IntN(2) == 0 {
		inner := []query.Filter{g.filter(depth - 1), g.filter(depth - 1)}
		if g.IntN(2) == 0 {
			return and(inner...)
		}
		return or(inner...)
	}
	switch op := query.Op(1 + g.IntN(12)); {
	case op > query.NotIn:
		return unary(path, query.UnaryOp(2+g.IntN(4)))
	case op == query.In || op == query.NotIn || op == query.ArrayContainsAny:
		return is(path, op, value.Array{g.value(), g.value()})
	default:
		return is(path, op, g.value())
	}
}

func TestNormalFormAndAlternativesMatchTheSame(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	tried := 0
	for range 3000 {
		where := g.filter(3)
		n, err := on(where).Normalize()
		if err != nil {
			continue // invalid queries are not tested here
		}
		tried++
		alternatives, err := n.DNF()
		if err != nil {
			t.Fatalf("DNF(%v): %v", where, err)
		}
		raw := on(where)
		raw.OrderBy = n.OrderBy
		for range 10 {
			fields := value.Map{}
			for _, name := range []string{"v", "w"} {
				if g.IntN(5) > 0 {
					fields[name] = g.value()
				}
			}
			d := stored("c/x", fields)
			want := raw.Matches(d)
			if got := n.Matches(d); got != want {
				t.Fatalf("%#v: the normal form matches %v: %t, as it was: %t", where, fields, got, want)
			}
			any := slices.ContainsFunc(alternatives, func(c query.Conjunction) bool {
				one := on(and(c...))
				one.OrderBy = n.OrderBy
				return one.Matches(d)
			})
			if any != want {
				t.Fatalf("%#v: an alternative matches %v: %t, the complete filter: %t", where, fields, any, want)
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d filters were accepted: the generator is too bold", tried)
	}
}

func TestCursors(t *testing.T) {
	q := normal(t, on(nil, "n", "-s"))
	d := stored("c/x", value.Map{"n": value.Int(2), "s": value.String("m")})
	tests := []struct {
		values []value.Value
		before bool
		start  bool // whether d is at or after a start there
		end    bool // whether d is at or before an end there
	}{
		{[]value.Value{value.Int(2)}, true, true, false},
		{[]value.Value{value.Int(2)}, false, false, true},
		{[]value.Value{value.Int(1)}, false, true, false},
		{[]value.Value{value.Int(2), value.String("z")}, true, true, false},
		{[]value.Value{value.Int(2), value.String("a")}, true, false, true},
		{nil, true, true, false},
		{nil, false, false, true},
	}
	for _, tt := range tests {
		c := &query.Cursor{Values: tt.values, Before: tt.before}
		q.Start, q.End = c, nil
		if got := q.InCursors(d); got != tt.start {
			t.Errorf("start at %v before %t: %t, want %t", tt.values, tt.before, got, tt.start)
		}
		q.Start, q.End = nil, c
		if got := q.InCursors(d); got != tt.end {
			t.Errorf("end at %v before %t: %t, want %t", tt.values, tt.before, got, tt.end)
		}
	}
	q.Start, q.End = q.CursorAt(d, true), q.CursorAt(d, false)
	if !q.InCursors(d) || q.InCursors(stored("c/y", d.Fields)) {
		t.Error("the cursors around a document hold it alone")
	}
}
