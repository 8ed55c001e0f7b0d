package authz

import (
	"testing"

	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// TestQueryText checks that queries are described without the values of their conditions.
func TestQueryText(t *testing.T) {
	secret := value.String("secret")
	path := func(name string) value.FieldPath { return value.FieldPath{name} }
	for want, q := range map[string]query.Query{
		"a":                 {From: []query.From{{Collection: "a"}}, Limit: query.NoLimit},
		"/** limit 1":       {Limit: 1},
		"p/x/a/** offset 2": {Parent: "p/x", From: []query.From{{Collection: "a", AllDescendants: true}}, Offset: 2, Limit: query.NoLimit},
		"a where n EQUAL ? order by n desc, m limit 5": {
			From: []query.From{{Collection: "a"}}, Where: query.Field{Path: path("n"), Op: query.Equal, Value: secret},
			OrderBy: []query.Order{{Path: path("n"), Desc: true}, {Path: path("m")}, {Path: path("__name__")}}, Implied: 1, Limit: 5,
		},
		"a where n IS_NULL and (m IN ? or o IS_NAN)": {
			From: []query.From{{Collection: "a"}}, Limit: query.NoLimit,
			Where: &query.And{Filters: []query.Filter{
				query.Unary{Path: path("n"), Op: query.IsNull},
				&query.Or{Filters: []query.Filter{query.Field{Path: path("m"), Op: query.In, Value: secret}, query.Unary{Path: path("o"), Op: query.IsNaN}}},
			}},
		},
	} {
		if got := queryText(&q); got != want {
			t.Errorf("the query is described as %q, want %q", got, want)
		}
	}
}
