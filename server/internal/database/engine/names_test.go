package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// TestNames checks that a query for names returns the names of the documents that the query returns, with every plan.
func TestNames(t *testing.T) {
	e := open(t, engine.Options{})
	for i := range 30 {
		put(t, e, set(fmt.Sprintf("c/d%02d", i), n(i%7)))
	}
	then := e.Latest(testDB)
	put(t, e, set("c/d03", n(100)))
	path := value.FieldPath{"n"}
	for _, c := range []struct {
		name string
		at   request.At
		q    query.Query
	}{
		{"all", request.At{}, query.Query{}},
		{"order", request.At{}, query.Query{OrderBy: []query.Order{{Path: path, Desc: true}}}},
		{"filter", request.At{}, query.Query{Where: query.Field{Path: path, Op: query.GreaterThan, Value: value.Int(3)}}},
		{"or", request.At{}, query.Query{Where: &query.Or{Filters: []query.Filter{
			query.Field{Path: path, Op: query.Equal, Value: value.Int(1)}, query.Field{Path: path, Op: query.LessThan, Value: value.Int(3)},
		}}}},
		{"offset and limit", request.At{}, query.Query{OrderBy: []query.Order{{Path: path}}, Offset: 3, Limit: 5}},
		{"the past", request.At{ReadTime: then}, query.Query{OrderBy: []query.Order{{Path: path}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.DB, c.q.From = testDB, []query.From{{Collection: "c"}}
			if c.q.Limit == 0 {
				c.q.Limit = query.NoLimit
			}
			q, err := c.q.Normalize()
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Read(t.Context(), testDB, c.at)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var want, got []resource.Document
			if _, err := r.Query(t.Context(), q, func(d *document.Document) error {
				want = append(want, d.Name)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if err := r.Names(t.Context(), q, func(name resource.Document) error { got = append(got, name); return nil }); err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("Names = %v, want %v", got, want)
			}
		})
	}
}
