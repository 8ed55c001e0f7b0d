package engine_test

import (
	"fmt"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

func TestClearIsDeliveredAsDeletions(t *testing.T) {
	e := open(t, engine.Options{})
	var writes []document.Write
	for i := range 4500 { // More than one commit of Clear.
		writes = append(writes, set(fmt.Sprintf("c/%d", i), n(i)))
	}
	put(t, e, writes...)
	put(t, e, set("x/1/c/deep", n(1)))
	before := put(t, e, set("c/last", n(1)))
	s := e.Subscribe(testDB)
	defer s.Close()
	if err := e.Clear(t.Context(), testDB); err != nil {
		t.Fatalf("Clear = %v", err)
	}
	deleted := 0
	for deleted < 4502 {
		commits, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("Next after %d deletions = %v", deleted, err)
		}
		for _, c := range commits {
			for _, change := range c.Changes {
				if change.Before == nil || change.After != nil {
					t.Errorf("change of %s is no deletion", change.Name)
				}
				deleted++
			}
		}
	}
	for _, q := range []*query.Query{
		{DB: testDB, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit},
		{DB: testDB, From: []query.From{{Collection: "c", AllDescendants: true}}, Limit: query.NoLimit},
		{DB: testDB, From: []query.From{{Collection: "c"}}, Limit: query.NoLimit, OrderBy: []query.Order{{Path: value.FieldPath{"n"}}}},
	} {
		norm, err := q.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := runIn(t, e, request.At{}, norm); got != 0 || err != nil {
			t.Errorf("after Clear, query of %v gives %d documents (%v)", q.From, got, err)
		}
	}
	wantN(t, e, request.At{ReadTime: before.Version}, "c/last", value.Int(1))
}

func TestRestoreBringsASnapshotBack(t *testing.T) {
	e := open(t, engine.Options{})
	other := resource.Database{Project: testDB.Project, ID: "other"}
	put(t, e, set("c/kept", n(1)), set("c/changed", n(2)), set("c/deleted", n(3)))
	token, err := e.Snapshot(t.Context(), testDB.Project)
	if err != nil {
		t.Fatalf("Snapshot = %v", err)
	}
	for round := range 2 { // A snapshot can be restored again and again.
		put(t, e, set("c/changed", n(20)), set("c/new", n(4)), document.Write{Op: document.Delete, Name: doc("c/deleted")})
		stranger := resource.Document{DB: other, Path: "c/a"}
		if _, err := e.Commit(t.Context(), other, request.Commit{Writes: []document.Write{{Name: stranger}}}, engine.Unrestricted()); err != nil {
			t.Fatal(err)
		}
		if err := e.Restore(t.Context(), testDB.Project, token); err != nil {
			t.Fatalf("Restore number %d = %v", round, err)
		}
		wantN(t, e, request.At{}, "c/kept", value.Int(1))
		wantN(t, e, request.At{}, "c/changed", value.Int(2))
		wantN(t, e, request.At{}, "c/deleted", value.Int(3))
		wantN(t, e, request.At{}, "c/new", nil)
		if got, err := runIn(t, e, request.At{}, byN(t, 0, query.NoLimit)); got != 3 || err != nil {
			t.Errorf("after Restore a query by index gives %d documents (%v), want 3", got, err)
		}
		r, err := e.Read(t.Context(), other, request.At{})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := r.Get(t.Context(), stranger); d != nil || err != nil {
			t.Errorf("a database that came after the snapshot has a document after Restore (%v)", err)
		}
		r.Close()
	}
	e.Release(t.Context(), testDB.Project, token)
	if err := e.Restore(t.Context(), testDB.Project, token); !fault.Is(err, fault.NotFound) {
		t.Errorf("Restore of a released snapshot = %v, want NOT_FOUND", err)
	}
}
