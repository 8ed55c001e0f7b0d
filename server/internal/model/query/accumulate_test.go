package query_test

import (
	"math"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// figures computes count, sum and avg of n over documents with the given values; nil is a document without n.
func figures(t *testing.T, values ...value.Value) map[string]value.Value {
	t.Helper()
	n := value.FieldPath{"n"}
	a, err := (&query.Aggregation{Query: on(nil), Fields: []query.Aggregate{
		{Alias: "c", Op: query.Count}, {Alias: "s", Op: query.Sum, Path: n}, {Alias: "a", Op: query.Avg, Path: n},
		{Op: query.Count, Capped: true, UpTo: 2},
	}}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	acc := query.NewAccumulator(a)
	for _, v := range values {
		fields := value.Map{}
		if v != nil {
			fields["n"] = v
		}
		acc.Add(stored("c/x", fields))
	}
	return acc.Results()
}

func TestFigures(t *testing.T) {
	nan, inf := value.Double(math.NaN()), value.Double(math.Inf(1))
	tests := []struct {
		name   string
		values []value.Value
		want   map[string]value.Value
	}{
		{"nothing", nil, map[string]value.Value{"c": value.Int(0), "s": value.Int(0), "a": value.Null{}, "field_1": value.Int(0)}},
		{"integers", []value.Value{value.Int(1), value.Int(2), value.Int(4)}, map[string]value.Value{"c": value.Int(3), "s": value.Int(7), "a": value.Double(7.0 / 3), "field_1": value.Int(2)}},
		{"a missing field counts nowhere", []value.Value{value.Int(1), nil}, map[string]value.Value{"c": value.Int(1), "s": value.Int(1), "a": value.Double(1), "field_1": value.Int(1)}},
		{"a text is not summed", []value.Value{value.Int(1), value.String("4")}, map[string]value.Value{"c": value.Int(2), "s": value.Int(1), "a": value.Double(1), "field_1": value.Int(2)}},
		{"doubles stay doubles", []value.Value{value.Double(1.5), value.Double(2.5)}, map[string]value.Value{"s": value.Double(4)}},
		{"overflow becomes a double", []value.Value{value.Int(math.MaxInt64), value.Int(1)}, map[string]value.Value{"s": value.Double(1 << 63), "a": value.Double(1 << 62)}},
		{"an overflow of a partial sum has no effect", []value.Value{value.Int(math.MaxInt64), value.Int(1), value.Int(-2)}, map[string]value.Value{"s": value.Int(math.MaxInt64 - 1)}},
		{"overflow below", []value.Value{value.Int(math.MinInt64), value.Int(-1)}, map[string]value.Value{"s": value.Double(-1 << 63)}},
		{"NaN poisons", []value.Value{nan, value.Int(1)}, map[string]value.Value{"s": nan, "a": nan}},
		{"infinities", []value.Value{inf, value.Double(math.Inf(-1))}, map[string]value.Value{"s": nan}},
		{"infinity", []value.Value{inf, value.Int(1)}, map[string]value.Value{"s": inf, "a": inf}},
		{"what additions round away is kept", []value.Value{value.Double(5.5), value.Double(8.2), value.Double(3.1), value.Double(7.8), value.Double(7.4)}, map[string]value.Value{"s": value.Double(32), "a": value.Double(6.4)}},
		{"large and small", []value.Value{value.Double(1e100), value.Double(1), value.Double(-1e100)}, map[string]value.Value{"s": value.Double(1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := figures(t, tt.values...)
			for alias, want := range tt.want {
				if !value.Identical(got[alias], want) {
					t.Errorf("%s = %#v, want %#v", alias, got[alias], want)
				}
			}
		})
	}
}

// selecting returns a query that selects fields.
func selecting(names ...string) *query.Query {
	q := on(nil)
	q.HasSelect = true
	for _, name := range names {
		q.Select = append(q.Select, value.FieldPath{name})
	}
	return q
}

func TestFiguresOfAPartAreOrdered(t *testing.T) {
	fields := []query.Aggregate{{Op: query.Sum, Path: value.FieldPath{"n"}}, {Op: query.Avg, Path: value.FieldPath{"d"}}, {Op: query.Count}}
	tests := []struct {
		limit  int
		orders []string
		want   string
	}{
		{query.NoLimit, nil, "__name__"}, {2, nil, "d n __name__"}, {2, []string{"-n"}, "-n -d -__name__"}, {2, []string{"a"}, "a d n __name__"},
	}
	for _, tt := range tests {
		q := on(nil, tt.orders...)
		q.Limit = tt.limit
		a, err := (&query.Aggregation{Query: q, Fields: fields}).Normalize()
		if err != nil || orders(a.Query) != tt.want {
			t.Errorf("limit %d, order %q: %v, %v; want the order %q", tt.limit, tt.orders, a, err, tt.want)
		}
	}
}

func TestAggregationsThatAreRefused(t *testing.T) {
	count := query.Aggregate{Op: query.Count}
	sum := query.Aggregate{Op: query.Sum, Path: value.FieldPath{"n"}}
	const fieldsAfterName = "This query requires an index that has fields [n] after __name__ and Firestore does not currently support such an index. Please try the query again with additional ordering on those fields."
	below := func(collection, parent string) *query.Query {
		q := on(nil)
		q.Parent, q.From = parent, []query.From{{Collection: collection, AllDescendants: true}}
		return q
	}
	tests := []struct {
		q      *query.Query
		fields []query.Aggregate
		want   string
	}{
		{on(nil), nil, "Aggregations can not be empty."},
		{on(nil), []query.Aggregate{count, count, count, count, count, count}, "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6"},
		{on(nil), []query.Aggregate{{Alias: "a"}}, "Operator field in Aggregation is not set."},
		{on(nil), []query.Aggregate{{Alias: "a", Op: query.Count}, {Alias: "a", Op: query.Count}}, "Aggregation aliases contain duplicate alias: a."},
		{on(nil), []query.Aggregate{count, {Alias: "field_1", Op: query.Count}}, "Aggregation aliases contain duplicate alias: field_1."},
		{on(nil), []query.Aggregate{{Alias: strings.Repeat("x", 1501), Op: query.Count}}, "The property.name is longer than 1500 bytes."},
		{selecting(), []query.Aggregate{sum}, "Aggregation over non-key properties is not supported for base query that only returns keys."},
		{selecting("__name__"), []query.Aggregate{sum}, "Aggregation over non-key properties is not supported for base query that only returns keys."},
		{selecting("m"), []query.Aggregate{sum}, "The aggregation property n is not present in the base query's property mask."},
		{selecting("m", "n"), []query.Aggregate{count, sum}, "Cannot apply property masks when aggregation fields are present."},
		{on(nil), []query.Aggregate{{Alias: "__a__", Op: query.Count}}, `The property.name "__a__" is reserved.`},
		{on(nil), []query.Aggregate{{Op: query.Sum, Path: value.NamePath}}, "Aggregations are not supported for the property: __key__"},
		{on(nil), []query.Aggregate{{Op: query.Count, Capped: true, UpTo: -1}}, "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."},
		{below("", ""), []query.Aggregate{count, sum}, fieldsAfterName},
		{below("", ""), []query.Aggregate{{Op: query.Avg, Path: value.FieldPath{"n"}}}, fieldsAfterName},
		{below("", "a/1"), []query.Aggregate{sum}, fieldsAfterName},
		{below("b", "a/1"), []query.Aggregate{sum}, fieldsAfterName},
		{on(nil, "__name__"), []query.Aggregate{sum}, fieldsAfterName},
	}
	for _, allowed := range []*query.Aggregation{
		{Query: below("", ""), Fields: []query.Aggregate{count}},
		{Query: below("b", "a/1"), Fields: []query.Aggregate{count}},
		{Query: below("b", ""), Fields: []query.Aggregate{sum}},
	} {
		if _, err := allowed.Normalize(); err != nil {
			t.Errorf("%v of %v: %v", allowed.Fields, allowed.Query, err)
		}
	}
	for _, tt := range tests {
		_, err := (&query.Aggregation{Query: tt.q, Fields: tt.fields}).Normalize()
		if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
			t.Errorf("%v: %v, want %q", tt.fields, err, tt.want)
		}
	}
}

func TestNeighbours(t *testing.T) {
	docs := map[string]value.Value{
		"c/a": value.Vector(0, 1), "c/b": value.Vector(1, 1), "c/d": value.Vector(3, 1), "c/e": value.Vector(1, 1),
		"c/zero": value.Vector(0, 0), "c/three": value.Vector(1, 1, 1), "c/text": value.String("x"),
	}
	half := 0.5
	tests := []struct {
		n    query.Nearest
		want []string
	}{
		{query.Nearest{Measure: query.Euclidean, Limit: 10}, []string{"a", "b", "e", "zero", "d"}},
		{query.Nearest{Measure: query.Cosine, Limit: 10}, []string{"a", "b", "e", "d", "zero"}},
		{query.Nearest{Measure: query.Euclidean, Limit: 2}, []string{"a", "b"}},
		{query.Nearest{Measure: query.Cosine, Limit: 10, Threshold: &half}, []string{"a", "b", "e"}},
		{query.Nearest{Measure: query.DotProduct, Limit: 3}, []string{"a", "b", "d"}},
	}
	for _, tt := range tests {
		tt.n.Path, tt.n.Vector, tt.n.ResultField = value.FieldPath{"v"}, []float64{0, 1}, value.FieldPath{"distance"}
		s := query.NewNeighbours(&tt.n)
		for path, v := range docs {
			s.Add(stored(path, value.Map{"v": v}))
		}
		var got []string
		for _, d := range s.Documents() {
			got = append(got, d.Name.ID())
			if _, ok := d.Fields["distance"].(value.Double); !ok {
				t.Errorf("%s has no distance: %v", d.Name, d.Fields)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("measure %d: %q, want %q", tt.n.Measure, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("measure %d: %q, want %q", tt.n.Measure, got, tt.want)
				break
			}
		}
	}
}
