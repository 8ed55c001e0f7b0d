package engine

import (
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble"
)

// TestDeferredWritesAreBounded defers writes until there is no memory for more. The memory comes back when their
// transactions end, whichever way they do.
func TestDeferredWritesAreBounded(t *testing.T) {
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	e, err := Open(t.Context(), Options{Store: store, Results: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	db := resource.Database{Project: "p", ID: "d"}
	writes := []document.Write{{Name: resource.Document{DB: db, Path: "c/x"}, Fields: value.Map{"s": value.Bytes(make([]byte, 80<<10))}}}
	for name, end := range map[string]func(id []byte) error{
		"rollback": func(id []byte) error { return e.Rollback(t.Context(), db, id) },
		"commit": func(id []byte) error {
			_, err := e.Commit(t.Context(), db, request.Commit{Transaction: id}, Unrestricted())
			return err
		},
	} {
		var open [][]byte
		for refused := false; !refused; {
			id, err := e.Begin(t.Context(), db, request.TransactionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, id)
			switch err := e.Defer(t.Context(), db, id, writes); {
			case fault.Is(err, fault.ResourceExhausted):
				refused = true
			case err != nil || len(open) > 10:
				t.Fatalf("%s: transaction %d: %v, want ResourceExhausted by now", name, len(open), err)
			}
		}
		for _, id := range open {
			if err := end(id); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if used := e.held.Used(); used != 0 || len(open) < 3 {
			t.Errorf("%s: %d bytes are held after %d transactions", name, used, len(open))
		}
	}
}
