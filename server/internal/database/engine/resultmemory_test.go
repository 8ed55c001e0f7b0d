package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestResultsInMemoryAreBounded runs queries whose results have to be sorted in memory, and others that read as much in
// the order of an index.
func TestResultsInMemoryAreBounded(t *testing.T) {
	e := open(t, engine.Options{Results: 1 << 20})
	const count = 200
	prefix := strings.Repeat("x", 2000) // longer than an index entry
	before := put(t, e, set("c/a", n(0))).Version
	for i := range count {
		put(t, e, set(fmt.Sprintf("c/%03d", i), value.Map{"n": value.Int(i), "s": value.String(prefix + fmt.Sprint(i))}))
	}
	everything, c := []query.From{{AllDescendants: true}}, []query.From{{Collection: "c"}}
	twoFields := []query.Order{{Path: value.FieldPath{"n"}}, {Path: value.FieldPath{"s"}}}
	for _, tt := range []struct {
		name string
		q    query.Query
		at   request.At
		want int
		code fault.Code
	}{
		{"documents in the order of names", query.Query{From: everything, Limit: query.NoLimit}, request.At{}, count + 1, fault.OK},
		{"the last documents in the order of names", query.Query{From: everything, Offset: count, Limit: 5}, request.At{}, 1, fault.OK},
		{"an order without an index", query.Query{From: c, OrderBy: twoFields, Limit: query.NoLimit}, request.At{}, 0, fault.ResourceExhausted},
		{"a collection by a number", query.Query{From: c, OrderBy: []query.Order{{Path: value.FieldPath{"n"}}}, Limit: query.NoLimit}, request.At{}, count + 1, fault.OK},
		{"a collection by texts whose beginnings are equal", query.Query{From: c, OrderBy: []query.Order{{Path: value.FieldPath{"s"}}}, Limit: query.NoLimit}, request.At{}, 0, fault.ResourceExhausted},
		{"the past", query.Query{From: c, Limit: query.NoLimit}, request.At{ReadTime: before}, 1, fault.OK},
	} {
		for range 2 { // The second run has the memory of the first.
			found, err := results(t, e, tt.q, tt.at)
			if fault.CodeOf(err) != tt.code || tt.code == fault.OK && found != tt.want {
				t.Errorf("%s: %d results, %v; want %d and %v", tt.name, found, err, tt.want, tt.code)
			}
		}
	}
}

// results counts the results of a query.
func results(t *testing.T, e *engine.Engine, q query.Query, at request.At) (found int, err error) {
	t.Helper()
	q.DB = testDB
	norm, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, at)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Query(t.Context(), norm, func(*document.Document) error { found++; return nil })
	return found, err
}

// TestNeighboursInMemoryAreBounded searches for the nearest of documents that take more memory than all results may.
func TestNeighboursInMemoryAreBounded(t *testing.T) {
	e := open(t, engine.Options{Results: 1 << 20})
	const count = 200
	for i := range count {
		put(t, e, set(fmt.Sprintf("c/%03d", i), value.Map{"v": value.Vector(float64(i)), "k": value.Int(i % 2), "s": value.String(strings.Repeat("x", 2000))}))
	}
	some := query.Field{Path: value.FieldPath{"k"}, Op: query.In, Value: value.Array{value.Int(0), value.Int(1)}}
	for _, tt := range []struct {
		name  string
		where query.Filter
		limit int
		want  int
		code  fault.Code
	}{
		{"all", nil, count, 0, fault.ResourceExhausted},
		{"a few of many that become nearer and nearer", nil, 5, 5, fault.OK},
		{"all of some", some, count, 0, fault.ResourceExhausted},
		{"a few of some", some, 5, 5, fault.OK},
	} {
		for range 2 { // The second run has the memory of the first.
			found, err := results(t, e, query.Query{
				From: []query.From{{Collection: "c"}}, Where: tt.where, Limit: query.NoLimit,
				Nearest: &query.Nearest{Path: value.FieldPath{"v"}, Vector: []float64{count}, Measure: query.Euclidean, Limit: tt.limit},
			}, request.At{})
			if fault.CodeOf(err) != tt.code || tt.code == fault.OK && found != tt.want {
				t.Errorf("%s: %d results, %v; want %d and %v", tt.name, found, err, tt.want, tt.code)
			}
		}
	}
}
