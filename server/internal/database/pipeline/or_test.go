package pipeline_test

import (
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// TestOrOfAbsentFields filters by one of two fields of which a document has only one. A query with such a filter orders
// by the field of the inequality, and lacks documents without it; a pipeline has them.
func TestOrOfAbsentFields(t *testing.T) {
	m := &memory{docs: []*document.Document{
		{Name: resource.Document{DB: testDB, Path: "c/a"}, Fields: value.Map{"b": value.Int(2)}},
		{Name: resource.Document{DB: testDB, Path: "c/b"}, Fields: value.Map{"a": value.Int(0)}},
	}}
	a, b := request.FieldReference("a"), request.FieldReference("b")
	less := call("less_than", a, constant(value.Int(1)))
	two := call("equal", b, constant(value.Int(2)))
	for name, e := range map[string]request.Expression{
		"or": call("or", less, two), "and of or": call("and", call("or", less, two), call("or", less, two)), "not_equal": call("or", call("not_equal", a, constant(value.Int(1))), two),
	} {
		got, err := results(t, m, collection, stage("where", e))
		if err != nil || len(got) != 2 {
			t.Errorf("%s: %d results, %v; want 2", name, len(got), err)
		}
		got, err = results(t, m, collection, stage("where", e), stage("aggregate", request.MapOf{"n": call("count")}))
		if err != nil || len(got) != 1 || got[0].Document.Fields["n"] != value.Int(2) {
			t.Errorf("%s, counted: %v, %v; want 2", name, got, err)
		}
	}
}
