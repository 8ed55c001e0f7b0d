package engine_test

import (
	"fmt"
	"testing"

	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestLargeCommit commits so many writes that several goroutines process them: new, changed and deleted documents, and
// one document twice. Documents and indexes must equal those after the same writes one by one.
func TestLargeCommit(t *testing.T) {
	e := open(t, engine.Options{})
	path := func(i int) string { return fmt.Sprintf("c/%03d/d/x", i) }
	const count = 300
	for i := 0; i < count; i += 2 {
		put(t, e, set(path(i), value.Map{"n": value.Int(-1), "old": value.Bool(true)}))
	}
	var writes []document.Write
	want := 0
	for i := range count {
		if i%3 == 0 {
			writes = append(writes, document.Write{Op: document.Delete, Name: doc(path(i))})
			continue
		}
		want++
		writes = append(writes, set(path(i), n(i)))
	}
	writes = append(writes, set(path(1), n(1000)))
	if r := put(t, e, writes...); len(r.Results) != count+1 || r.Results[1].UpdateTime != r.Version {
		t.Errorf("%d results, the second of %v in a commit of %v", len(r.Results), r.Results[1].UpdateTime, r.Version)
	}
	for i := range count {
		var left value.Value
		switch {
		case i == 1:
			left = value.Int(1000)
		case i%3 != 0:
			left = value.Int(i)
		}
		wantN(t, e, request.At{}, path(i), left)
	}
	counted := func(q *query.Query) int {
		q.DB, q.Limit = testDB, query.NoLimit
		norm, err := q.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Read(t.Context(), testDB, request.At{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		found := 0
		if _, err := r.Query(t.Context(), norm, func(*document.Document) error { found++; return nil }); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := counted(&query.Query{From: []query.From{{Collection: "d", AllDescendants: true}}}); got != want {
		t.Errorf("the collection group has %d documents, want %d", got, want)
	}
	old := query.Field{Path: value.FieldPath{"old"}, Op: query.Equal, Value: value.Bool(true)}
	if got := counted(&query.Query{Parent: "c/002", From: []query.From{{Collection: "d"}}, Where: old}); got != 0 {
		t.Errorf("the index of a field that was overwritten has %d documents", got)
	}
	twice := query.Field{Path: value.FieldPath{"n"}, Op: query.Equal, Value: value.Int(1000)}
	if got := counted(&query.Query{Parent: "c/001", From: []query.From{{Collection: "d"}}, Where: twice}); got != 1 {
		t.Errorf("the index of the document written twice has %d documents, want 1", got)
	}
}
