package engine_test

import (
	"fmt"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// TestPartitionGivesAsManyPointsAsProduction compares the counts with those recorded in production.
func TestPartitionGivesAsManyPointsAsProduction(t *testing.T) {
	for _, tt := range []struct{ documents, requested, want int }{{5, 2, 0}, {100, 10, 1}, {1000, 10, 8}, {1000, 3, 3}} {
		e := open(t, engine.Options{})
		var writes []document.Write
		for i := range tt.documents {
			writes = append(writes, set(fmt.Sprintf("c/%04d", i), n(i)))
		}
		put(t, e, writes...)
		q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c", AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Read(t.Context(), testDB, request.At{})
		if err != nil {
			t.Fatal(err)
		}
		points, err := r.Partition(t.Context(), q, tt.requested)
		if err != nil || len(points) != tt.want {
			t.Errorf("Partition of %d documents into %d gives %d points, %v; want %d", tt.documents, tt.requested, len(points), err, tt.want)
		}
		r.Close()
	}
}

func TestPartitionCutsIntoEqualParts(t *testing.T) {
	e := open(t, engine.Options{})
	var writes []document.Write
	for i := range 1000 {
		writes = append(writes, set(fmt.Sprintf("c/%04d", i), n(i)), set(fmt.Sprintf("x/%d/c/a", i), n(i)))
	}
	put(t, e, writes...)
	q, err := (&query.Query{DB: testDB, From: []query.From{{Collection: "c", AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	points, err := r.Partition(t.Context(), q, 4)
	if err != nil || len(points) != 4 {
		t.Fatalf("Partition = %d points, %v, want 4", len(points), err)
	}
	total := 0
	for i := range 5 {
		part := *q
		if i > 0 {
			part.Start = &points[i-1]
		}
		if i < 4 {
			part.End = &points[i]
		}
		count := 0
		if _, err := r.Query(t.Context(), &part, func(*document.Document) error { count++; return nil }); err != nil {
			t.Fatal(err)
		}
		if count < 300 || count > 500 {
			t.Errorf("part %d of 5 has %d of 2000 documents", i, count)
		}
		total += count
	}
	if total != 2000 {
		t.Errorf("the parts have %d documents, want 2000", total)
	}
}
