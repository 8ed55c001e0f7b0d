package engine_test

import (
	"errors"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

func TestOnlyDatabasesThatExistAreServed(t *testing.T) {
	e := open(t, engine.Options{Exists: func(db resource.Database) bool { return db == testDB }})
	put(t, e, set("c/a", n(1)))
	other := resource.Database{Project: "p", ID: "nope"}
	_, err := e.Read(t.Context(), other, request.At{})
	wantCode(t, "read", err, fault.NotFound)
	_, err = e.Begin(t.Context(), other, request.TransactionOptions{})
	wantCode(t, "begin", err, fault.NotFound)
	_, err = e.Commit(t.Context(), other, request.Commit{Writes: []document.Write{{Name: resource.Document{DB: other, Path: "c/a"}}}}, engine.Unrestricted())
	wantCode(t, "commit", err, fault.NotFound)
	wantCode(t, "definitions", e.SetIndexes(t.Context(), other, index.Definitions{}), fault.NotFound)
	sub := e.Subscribe(other)
	if _, err := sub.Next(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a subscription's Next = %v, want %v", err, engine.ErrClosed)
	}
	sub.Close()
	if all := e.Databases(); len(all) != 1 || all[0] != testDB {
		t.Errorf("Databases = %v, want %v alone", all, testDB)
	}
}
