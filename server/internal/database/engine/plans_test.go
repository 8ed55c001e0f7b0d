package engine_test

import (
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// orOfThree returns a query whose alternatives need two different indexes.
func orOfThree(t *testing.T) *query.Query {
	t.Helper()
	is := func(path string) query.Filter {
		return query.Field{Path: value.FieldPath{path}, Op: query.Equal, Value: value.Int(1)}
	}
	q, err := (&query.Query{
		DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit,
		Where:   &query.Or{Filters: []query.Filter{is("a"), is("b"), is("a")}},
		OrderBy: []query.Order{{Path: value.FieldPath{"z"}}},
	}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestEachMissingIndexOfAQueryIsReported(t *testing.T) {
	var reported []string
	e := open(t, engine.Options{IndexMode: engine.IndexesRecord, Missing: func(_ resource.Database, d index.Definition) {
		reported = append(reported, d.JSON())
	}})
	for range 2 {
		if _, err := runIn(t, e, request.At{}, orOfThree(t)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "z"}}}.JSON(),
		index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "b"}, {Path: "z"}}}.JSON(),
	}
	if !slices.Equal(reported, want) {
		t.Errorf("missing indexes reported: %q, want %q", reported, want)
	}
	_, err := runIn(t, open(t, engine.Options{IndexMode: engine.IndexesEnforce}), request.At{}, orOfThree(t))
	if !fault.Is(err, fault.FailedPrecondition) || !strings.HasSuffix(err.Error(), strings.Join(want, ", ")) {
		t.Errorf("under enforce: %v, want FAILED_PRECONDITION with %q", err, want)
	}
}
