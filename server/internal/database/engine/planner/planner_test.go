package planner_test

import (
	"slices"
	"strings"
	"testing"

	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// planned formats the plan of a normalized query over the collection c: for each alternative the indexes that it
// merges, then the steps besides reading, and the missing definitions.
func planned(t *testing.T, in *planner.Input, q *query.Query) string {
	t.Helper()
	q.DB, q.Limit = in.DB, query.NoLimit
	normal, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.New(in, normal)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, one := range p.Describe() {
		var merged []string
		for _, i := range one.Indexes {
			merged = append(merged, i.Properties)
		}
		text := strings.Join(merged, " + ")
		if one.Sorted {
			text += " sorted"
		}
		out = append(out, text)
	}
	for _, d := range p.Missing {
		out = append(out, "missing "+d.JSON())
	}
	return strings.Join(out, "; ")
}

// TestPlans checks which indexes a plan reads. It has no store: a plan follows from the query and the definitions.
func TestPlans(t *testing.T) {
	db := resource.Database{Project: "p", ID: "(default)"}
	composite := index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b", Mode: index.Descending}}}
	set := index.NewSet(index.Definitions{Indexes: []index.Definition{composite}}, []uint32{1})
	all := func(*index.Composite) bool { return true }
	none := func(*index.Composite) bool { return false }
	is := func(path string, op query.Op, n int) query.Field {
		return query.Field{Path: value.FieldPath{path}, Op: op, Value: value.Int(n)}
	}
	order := func(path string, desc bool) []query.Order {
		return []query.Order{{Path: value.FieldPath{path}, Desc: desc}}
	}
	both := &query.And{Filters: []query.Filter{is("a", query.Equal, 1), is("b", query.Equal, 2)}}
	either := &query.Or{Filters: []query.Filter{is("a", query.Equal, 1), is("b", query.GreaterThan, 2)}}
	const wanted = `missing {"collectionGroup":"c","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},` +
		`{"fieldPath":"b","order":"DESCENDING"}]}`
	tests := []struct {
		name   string
		q      *query.Query
		from   query.From
		serves func(*index.Composite) bool
		want   string
	}{
		{"all documents", &query.Query{}, query.From{Collection: "c"}, all, "(__name__ ASC)"},
		{"no collection", &query.Query{}, query.From{}, all, "(__name__ ASC)"},
		{"an equality", &query.Query{Where: is("a", query.Equal, 1)}, query.From{Collection: "c"}, all, "(a ASC, __name__ ASC)"},
		{"two equalities are merged", &query.Query{Where: both}, query.From{Collection: "c"}, all, "(a ASC, __name__ ASC) + (b ASC, __name__ ASC)"},
		{"one alternative each", &query.Query{Where: either, OrderBy: order("b", false)}, query.From{Collection: "c"}, none,
			"(a ASC, __name__ ASC) sorted; (b ASC, __name__ ASC) sorted; missing " +
				`{"collectionGroup":"c","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"ASCENDING"}]}`},
		{"a composite index", &query.Query{Where: is("a", query.Equal, 1), OrderBy: order("b", true)}, query.From{Collection: "c"}, all,
			"(a ASC, b DESC, __name__ DESC)"},
		{"a composite index backwards", &query.Query{Where: is("a", query.Equal, 1), OrderBy: order("b", false)}, query.From{Collection: "c"}, all,
			"(a ASC, b DESC, __name__ DESC)"},
		{"an index that is being built", &query.Query{Where: is("a", query.Equal, 1), OrderBy: order("b", true)}, query.From{Collection: "c"}, none,
			"(a ASC, __name__ ASC) sorted; " + wanted},
		{"nothing can match", &query.Query{Where: &query.And{Filters: []query.Filter{is("a", query.Equal, 1), is("a", query.Equal, 2)}}},
			query.From{Collection: "c"}, all, ""},
	}
	for _, tt := range tests {
		tt.q.From = []query.From{tt.from}
		in := &planner.Input{DB: db, Number: 1, Indexes: set, Serves: tt.serves}
		if got := planned(t, in, tt.q); got != tt.want {
			t.Errorf("%s: plan\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestScopesOfPlans checks that a plan of a collection group shows one index with the group's scope, also where the
// collection at the root is read by itself.
func TestScopesOfPlans(t *testing.T) {
	db := resource.Database{Project: "p", ID: "(default)"}
	group := index.Definition{CollectionGroup: "c", Group: true, Fields: []index.Field{{Path: "a"}, {Path: "b"}}}
	in := &planner.Input{DB: db, Number: 1, Indexes: index.NewSet(index.Definitions{Indexes: []index.Definition{group}}, []uint32{1}),
		Serves: func(*index.Composite) bool { return true }}
	ordered := []query.Order{{Path: value.FieldPath{"a"}}, {Path: value.FieldPath{"b"}}}
	for _, tt := range []struct {
		name  string
		group bool
		order []query.Order
		want  []request.PlanIndex
	}{
		{"all documents of a collection", false, nil, []request.PlanIndex{{Scope: "COLLECTION", Properties: "(__name__ ASC)"}}},
		{"all documents of a group", true, nil, []request.PlanIndex{{Scope: "COLLECTION_GROUP", Properties: "(__name__ ASC)"}}},
		{"a composite index of a group", true, ordered, []request.PlanIndex{{Scope: "COLLECTION_GROUP", Properties: "(a ASC, b ASC, __name__ ASC)"}}},
	} {
		q := &query.Query{DB: db, From: []query.From{{Collection: "c", AllDescendants: tt.group}}, OrderBy: tt.order, Limit: query.NoLimit}
		normal, err := q.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		p, err := planner.New(in, normal)
		if err != nil {
			t.Fatal(err)
		}
		var got []request.PlanIndex
		for _, one := range p.Describe() {
			got = append(got, one.Indexes...)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the plan shows %v, want %v", tt.name, got, tt.want)
		}
	}
}
