package query_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// db is the database of these tests.
var db = resource.Database{Project: "p", ID: "(default)"}

// on returns a query of the collection c with a filter and orders such as "a" or "-a".
func on(where query.Filter, orders ...string) *query.Query {
	q := &query.Query{DB: db, From: []query.From{{Collection: "c"}}, Where: where, Limit: query.NoLimit}
	for _, o := range orders {
		path, desc := strings.CutPrefix(o, "-")
		q.OrderBy = append(q.OrderBy, query.Order{Path: value.FieldPath{path}, Desc: desc})
	}
	return q
}

// under returns a query of the collection c under a document.
func under(parent string, where query.Filter) *query.Query {
	q := on(where)
	q.Parent = parent
	return q
}

// is compares a field with a value.
func is(path string, op query.Op, v value.Value) query.Field {
	return query.Field{Path: value.FieldPath{path}, Op: op, Value: v}
}

// unary returns a unary filter on a field.
func unary(path string, op query.UnaryOp) query.Unary {
	return query.Unary{Path: value.FieldPath{path}, Op: op}
}

// and returns the conjunction of filters.
func and(filters ...query.Filter) query.Filter { return &query.And{Filters: filters} }

// or returns the disjunction of filters.
func or(filters ...query.Filter) query.Filter { return &query.Or{Filters: filters} }

// ints returns n integers.
func ints(n int) value.Array {
	out := make(value.Array, n)
	for i := range out {
		out[i] = value.Int(i)
	}
	return out
}

// doc returns a reference to a document.
func doc(path string) value.Value { return value.Reference(db.Root() + "/" + path) }

// orders formats a query's orders.
func orders(q *query.Query) string {
	var out []string
	for _, o := range q.OrderBy {
		text := o.Path.String()
		if o.Desc {
			text = "-" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestNormalizeImpliesOrders(t *testing.T) {
	tests := []struct {
		q    *query.Query
		want string
	}{
		{on(nil), "__name__"},
		{on(nil, "a"), "a __name__"},
		{on(nil, "a", "-b"), "a -b -__name__"},
		{on(nil, "a", "-__name__"), "a -__name__"},
		{on(is("s", query.Equal, value.Int(1))), "__name__"},
		{on(is("s", query.In, ints(2))), "__name__"},
		{on(and(is("s", query.GreaterThan, value.Int(1)), is("n", query.NotEqual, value.Int(1)))), "n s __name__"},
		{on(is("n", query.LessThan, value.Int(1)), "-s"), "-s -n -__name__"},
		{on(unary("n", query.IsNotNull)), "n __name__"},
		{on(unary("n", query.IsNull)), "__name__"},
		{on(is("n", query.GreaterThan, value.Null{})), "__name__"},
		{on(or(is("a", query.GreaterThan, value.Int(1)), is("b", query.Equal, value.Int(1)))), "a __name__"},
		{on(is("__name__", query.GreaterThan, doc("c/x"))), "__name__"},
	}
	for _, tt := range tests {
		n, err := tt.q.Normalize()
		if err != nil || orders(n) != tt.want {
			t.Errorf("Normalize of order %q, filter %v: order %q, %v; want %q", orders(tt.q), tt.q.Where, orders(n), err, tt.want)
		}
	}
}

func TestNormalizeAcceptsScansByName(t *testing.T) {
	for _, from := range []query.From{{}, {AllDescendants: true}, {Collection: "s", AllDescendants: true}} {
		q := on(is("__name__", query.GreaterThan, doc("c/x/s/y")), "__name__")
		q.From, q.Parent = []query.From{from}, "c/x"
		if _, err := q.Normalize(); err != nil {
			t.Errorf("Normalize of a scan by name from %+v: %v", from, err)
		}
		q.OrderBy[0].Desc = true
		if _, err := q.Normalize(); err == nil {
			t.Errorf("a descending scan from %+v under a document was accepted", from)
		}
	}
}

func TestNormalizeRefuses(t *testing.T) {
	many := make([]query.Filter, 31)
	ranges := make([]query.Filter, 11)
	for i := range many {
		many[i] = is("a", query.Equal, value.Int(i))
	}
	for i := range ranges {
		ranges[i] = is(fmt.Sprintf("f%02d", i), query.GreaterThan, value.Int(1))
	}
	cursor := func(q *query.Query, values ...value.Value) *query.Query {
		q.Start = &query.Cursor{Values: values}
		return q
	}
	from := func(from ...query.From) *query.Query { return &query.Query{DB: db, From: from, Limit: query.NoLimit} }
	distinct := func(n int) (out []query.Filter) {
		for i := range n {
			out = append(out, is(fmt.Sprintf("f%d", i), query.Equal, value.Int(i)))
		}
		return out
	}
	const other = value.Reference("projects/o/databases/(default)/documents/c/x")
	const foreign = "The request was for database 'projects/p/databases/(default)' but was attempting to access database 'projects/o/databases/(default)'"
	nearest := func(change func(*query.Query)) *query.Query {
		q := on(nil)
		q.Nearest = &query.Nearest{Path: value.FieldPath{"v"}, Vector: []float64{1}, Measure: query.Cosine, Limit: 1}
		change(q)
		return q
	}
	in := func(from query.From, parent string, where query.Filter, orders ...string) *query.Query {
		q := on(where, orders...)
		q.From, q.Parent = []query.From{from}, parent
		return q
	}
	inf := math.Inf(1)
	tests := []struct {
		q    *query.Query
		want string
	}{
		{nearest(func(q *query.Query) { q.Limit = 1 }), "A query limit cannot be used with FindNearest"},
		{nearest(func(q *query.Query) { q.Offset = 1 }), "A query offset cannot be used with FindNearest"},
		{nearest(func(q *query.Query) { q.Start = &query.Cursor{} }), "A cursor cannot be used with FindNearest"},
		{nearest(func(q *query.Query) { q.Nearest.Threshold = &inf }), "distanceThreshold must be a finite number."},
		{nearest(func(q *query.Query) { q.Nearest.ResultField = value.FieldPath{strings.Repeat("x", 1501)} }), "The distanceResultField.property.name is longer than 1500 bytes."},
		{in(query.From{}, "", is("m", query.ArrayContains, value.Int(1))), "kind is required for filter: m[*]"},
		{in(query.From{AllDescendants: true}, "c/x", and(is("__name__", query.GreaterThan, doc("c/x")), unary("a", query.IsNull))), "collection group queries are only allowed at the root parent"},
		{in(query.From{AllDescendants: true}, "c/x", nil, "a"), "collection group queries are only allowed at the root parent"},
		{in(query.From{AllDescendants: true}, "c/x", nil, "-__name__"), "kind is required for all orders except __key__ ascending"},
		{in(query.From{AllDescendants: true}, "", unary("a", query.IsNull)), "kind is required for filter: a"},
		{in(query.From{AllDescendants: true}, "", nil, "a"), "kind is required for all orders except __key__ ascending"},
		{in(query.From{}, "c/x", unary("a", query.IsNull)), "kind is required for filter: a"},
		{in(query.From{}, "c/x", nil, "a"), "kind is required for all orders except __key__ ascending"},
		{in(query.From{}, "", nil, "a"), "kind is required for all orders except __key__ ascending"},
		{in(query.From{}, "", nil, "-__name__"), "kind is required for all orders except __key__ ascending"},
		{in(query.From{Collection: "s", AllDescendants: true}, "c/x", is("a", query.Equal, value.Null{})), "collection group queries are only allowed at the root parent"},
		{in(query.From{Collection: "s", AllDescendants: true}, "c/x", nil, "a"), "collection group queries are only allowed at the root parent"},
		{on(is("a", query.In, value.Int(1))), "'IN' requires an ArrayValue."},
		{on(is("a", query.NotIn, value.Array{})), "'NOT_IN' requires an non-empty ArrayValue."},
		{on(is("a", query.In, ints(31))), "'IN' supports up to 30 comparison values."},
		{on(is("a", query.NotIn, ints(11))), "'NOT_IN' supports up to 10 comparison values."},
		{on(is("a", query.ArrayContainsAny, ints(31))), "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values."},
		{on(and(is("a", query.NotIn, ints(1)), is("a", query.NotEqual, value.Int(1)))), "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."},
		{on(and(is("a", query.NotIn, ints(1)), is("b", query.In, ints(1)))), "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."},
		{on(or(is("a", query.NotIn, ints(1)))), "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."},
		{on(and(is("a", query.ArrayContains, value.Int(1)), is("a", query.ArrayContains, value.Int(2)))), "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."},
		{on(and(is("a", query.ArrayContains, value.Int(1)), is("b", query.ArrayContainsAny, ints(2)))), "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."},
		{on(or(many...)), "Too many disjunctions after normalization. Result had 31 disjunctions which is more than the maximum of 30"},
		{on(and(is("a", query.In, ints(6)), is("b", query.In, ints(6)))), "Too many disjunctions after normalization. Result had 36 disjunctions which is more than the maximum of 30"},
		{on(and(ranges...)), "The query contains 11 distinct inequality fields: [f00, f01, f02, f03, f04, f05, f06, f07, f08, f09, f10]. A query may not have more than 10 distinct inequality fields."},
		{on(is("__name__", query.Equal, value.String("x"))), "__key__ filter value must be a Key"},
		{on(is("__name__", query.In, value.Array{doc("c/x"), value.Int(1)})), "__key__ filter value must be a Key"},
		{on(is("__name__", query.Equal, doc("c"))), `Resource name "projects/p/databases/(default)/documents/c" lacks "/" at index 42.`},
		{on(unary("__name__", query.IsNull)), "__key__ filter value must be a Key"},
		{on(is("__name__", query.ArrayContains, doc("c/x"))), "the name __key__ is reserved"},
		{on(and(is("a", query.NotEqual, value.Int(42)), is("__name__", query.Equal, doc("c/x")))), "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."},
		{on(is("n", query.LessThan, value.Int(3)), "-__name__"), "order by clause cannot contain more fields after the key"},
		{on(nil, "__name__", "a"), "order by clause cannot contain more fields after the key"},
		{on(nil, "a", "-a"), "order by clause cannot contain duplicate fields a"},
		{on(or()), "Composite filter must have at least one sub-filter."},
		{on(query.Field{Path: value.FieldPath{"a"}, Value: value.Int(1)}), "Unknown FieldFilter operator."},
		{on(query.Unary{Path: value.FieldPath{"a"}}), "Unknown UnaryFilter operator."},
		{on(is("a", query.Equal, long(1500))), "value for a is too large to be used in a query"},
		{on(is("a", query.NotIn, value.Array{value.Int(1), long(1500)})), "value for a is too large to be used in a query"},
		{on(or(is("a", query.LessThan, value.Array{long(1492), value.Int(1)}))), "value for a is too large to be used in a query"},
		{on(is("a", query.Equal, value.Map{"kk": long(1497)})), "value for a is too large to be used in a query"},
		{on(is("a", query.Equal, value.Vector(make([]float64, 188)...))), "value for a is too large to be used in a query"},
		{on(is("a", query.ArrayContains, value.Bytes(long(1501)))), "value for a[*] is too large to be used in a query"},
		{on(is("a", query.ArrayContainsAny, value.Array{long(1500)})), "value for a[*] is too large to be used in a query"},
		{cursor(on(nil, "a"), value.Int(1), doc("c/x")), "Cursor has too many values."},
		{cursor(on(nil), value.Int(1)), "Cursor has too many values."},
		{cursor(on(nil, "__name__"), value.String("x")), "Cursor __key__ value is not a document reference."},
		{cursor(on(nil, "__name__"), other), "The cursor key is in a different database than the query"},
		{on(is("__name__", query.LessThan, other)), foreign},
		{on(is("__name__", query.NotIn, value.Array{doc("c/x"), other})), foreign},
		{on(and(is("a", query.ArrayContains, value.Int(1)), is("a", query.ArrayContains, value.Double(1)))), "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."},
		{on(and(is("a", query.ArrayContains, value.Int(1)), or(is("a", query.ArrayContains, value.Int(1))))), "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."},
		{on(and(is("a", query.In, value.Array{value.Int(1), value.Double(1)}), is("b", query.In, ints(30)))), "Too many disjunctions after normalization. Result had 60 disjunctions which is more than the maximum of 30"},
		{on(and(is("a", query.In, value.Array{value.Int(1), value.Null{}}), is("b", query.In, ints(30)))), "Too many disjunctions after normalization. Result had 60 disjunctions which is more than the maximum of 30"},
		{on(and(is("a", query.NotEqual, value.Int(1)), is("a", query.NotEqual, value.Int(1)))), "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."},
		{on(and(distinct(101)...)), "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 filters, 0 sort orders, and no ancestor filter."},
		{on(and(distinct(99)...), "a", "b"), "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 99 filters, 2 sort orders, and no ancestor filter."},
		{under("a/b", and(distinct(100)...)), "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 100 filters, 0 sort orders, and one ancestor filter."},
		{on(and(is("a", query.In, ints(30)), and(distinct(71)...))), "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 filters, 0 sort orders, and no ancestor filter."},
		{on(and(is("a", query.NotIn, ints(10)), and(distinct(91)...))), "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 filters, 0 sort orders, and no ancestor filter."},
		{from(query.From{Collection: "a"}, query.From{Collection: "b"}), "StructuredQuery.from cannot have more than one collection selector."},
		{from(query.From{Collection: "a/b"}), `Collection id "a/b" is invalid because it contains "/".`},
		{from(query.From{Collection: "__x__"}), `Collection id "__x__" is invalid because it is reserved.`},
		{&query.Query{DB: db, Limit: -2}, "limit is negative"},
		{&query.Query{DB: db, Limit: query.NoLimit, Offset: -1}, "offset is negative"},
	}
	for _, tt := range tests {
		_, err := tt.q.Normalize()
		if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
			t.Errorf("Normalize(%v order %q) = %v, want InvalidArgument %q", tt.q.Where, orders(tt.q), err, tt.want)
		}
	}
}

// equals returns the n filters a = 0, a = 1 and so on.
func equals(n int) []query.Filter {
	var out []query.Filter
	for i := range n {
		out = append(out, is("a", query.Equal, value.Int(i)))
	}
	return out
}

func TestAnEmptyAndHoldsAlways(t *testing.T) {
	one := is("a", query.Equal, value.Int(1))
	for _, tt := range []struct {
		where query.Filter
		want  query.Filter
	}{
		{and(), nil}, {or(and()), nil}, {or(one, and()), nil}, {or(one, and(and())), nil},
		{and(one, and()), one}, {and(or(and(), one), one), one},
	} {
		q, err := on(tt.where).Normalize()
		if err != nil || !reflect.DeepEqual(q.Where, tt.want) {
			t.Errorf("Normalize(%v) = %v, %v; want %v", tt.where, q, err, tt.want)
		}
	}
}

func TestNormalizeCountsEqualFiltersOnce(t *testing.T) {
	same := is("a", query.ArrayContains, value.Int(1))
	nulls := value.Array{value.Int(1), value.Null{}, value.Null{}, value.Int(1), value.Double(math.NaN()), value.Null{}, value.Null{}}
	for _, where := range []query.Filter{
		and(same, same),
		and(is("a", query.In, nulls), is("b", query.In, ints(15))),
		and(or(equals(6)...), or(equals(6)...)),
		or(append(equals(30), equals(1)...)...),
		and(slices.Repeat([]query.Filter{same}, 101)...),
		and(is("a", query.ArrayContainsAny, ints(2)), is("a", query.ArrayContainsAny, ints(2))),
	} {
		if _, err := on(where).Normalize(); err != nil {
			t.Errorf("Normalize(%v) = %v, want nil", where, err)
		}
	}
}

func TestFingerprintDistinguishesQueries(t *testing.T) {
	queries := []*query.Query{
		on(nil), on(nil, "a"), on(nil, "-a"), on(is("a", query.Equal, value.Int(1))), on(is("a", query.Equal, value.Double(1))),
		on(is("a", query.LessThan, value.Int(1))), on(or(is("a", query.Equal, value.Int(1)), is("b", query.Equal, value.Int(1)))),
		on(and(is("a", query.Equal, value.Int(1)), is("b", query.Equal, value.Int(1)))),
		{DB: db, Limit: query.NoLimit}, {DB: db, Limit: 1}, {DB: db, Limit: query.NoLimit, Offset: 1}, {DB: db, Limit: query.NoLimit, HasSelect: true},
		{DB: db, Limit: query.NoLimit, From: []query.From{{Collection: "c", AllDescendants: true}}}, {DB: db, Limit: query.NoLimit, Parent: "c/x"},
		{DB: db, Limit: query.NoLimit, Nearest: &query.Nearest{Path: value.FieldPath{"v"}, Vector: []float64{1}, Measure: query.Cosine, Limit: 1}},
	}
	seen := map[string]int{}
	for i, q := range queries {
		n, err := q.Normalize()
		if err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
		if j, taken := seen[n.Fingerprint()]; taken {
			t.Errorf("queries %d and %d have one fingerprint", j, i)
		}
		seen[n.Fingerprint()] = i
		again, err := n.Normalize()
		if err != nil || again.Fingerprint() != n.Fingerprint() {
			t.Errorf("query %d: normalized twice it is another, %v", i, err)
		}
	}
	nested, err := on(and(and(is("a", query.Equal, value.Int(1))))).Normalize()
	if err != nil || seen[nested.Fingerprint()] != 3 {
		t.Errorf("a filter in useless brackets has another fingerprint, %v", err)
	}
}

// long returns a text of n bytes.
func long(n int) value.String { return value.String(strings.Repeat("x", n)) }

// TestLargestComparedValues checks the largest values of each kind that the official emulator compares.
func TestLargestComparedValues(t *testing.T) {
	for _, v := range []value.Value{
		long(1499), value.Bytes(long(1500)), value.Array{long(1491), value.Int(1)}, value.Map{"kk": long(1496)}, value.Vector(make([]float64, 187)...),
	} {
		if _, err := on(is("a", query.Equal, v)).Normalize(); err != nil {
			t.Errorf("%.30v: %v", v, err)
		}
	}
	if _, err := on(is("a", query.In, value.Array{long(1000), long(1001)})).Normalize(); err != nil {
		t.Errorf("a list is measured as a whole: %v", err)
	}
}

// TestQueriesThatAreNotLive checks which queries can't be listened to.
func TestQueriesThatAreNotLive(t *testing.T) {
	for _, tt := range []struct {
		from query.From
		live bool
	}{
		{query.From{Collection: "c"}, true}, {query.From{Collection: "c", AllDescendants: true}, true}, {query.From{}, true},
		{query.From{AllDescendants: true}, false},
	} {
		q := &query.Query{From: []query.From{tt.from}}
		if err := q.CheckLive(); (err == nil) != tt.live || err != nil && !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a live query of %+v: %v, want it allowed: %t", tt.from, err, tt.live)
		}
	}
}
