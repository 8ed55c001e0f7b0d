package engine

import (
	"context"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/pebble/pebbletest"
)

// openOwn opens an engine on an empty store in memory, and closes both at the end of the test.
func openOwn(t *testing.T, o Options) *Engine {
	t.Helper()
	o.Store = pebbletest.Open(t)
	e, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// TestDeferredWritesAreBounded defers writes until there is no memory for more. The memory comes back when their
// transactions end, whichever way they do.
func TestDeferredWritesAreBounded(t *testing.T) {
	e := openOwn(t, Options{Results: 1 << 20})
	db := resource.Database{Project: "p", ID: "d"}
	writes := []document.Write{{Name: resource.Document{DB: db, Path: "c/x"}, Fields: value.Map{"s": value.Bytes(make([]byte, 80<<10))}}}
	for name, end := range map[string]func(id []byte) error{
		"rollback": func(id []byte) error { return e.Rollback(t.Context(), db, id, "") },
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
			switch err := e.Defer(t.Context(), db, id, "", writes); {
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

// TestDeferredWritesAreNotLost defers writes while the transaction commits, and commits a transaction that ends
// meanwhile: no call succeeds whose writes are dropped.
func TestDeferredWritesAreNotLost(t *testing.T) {
	e := openOwn(t, Options{})
	name := resource.Database{Project: "p", ID: "d"}
	begin := func() (*database, *txn, []byte) {
		id, err := e.Begin(t.Context(), name, request.TransactionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		db, err := e.database(name)
		if err != nil {
			t.Fatal(err)
		}
		open, err := e.find(db, id, "", false)
		if err != nil {
			t.Fatal(err)
		}
		return db, open, id
	}
	write := func(path string) []document.Write {
		return []document.Write{{Name: resource.Document{DB: name, Path: path}, Fields: value.Map{"n": value.Int(1)}}}
	}

	_, open, id := begin()
	late := error(nil)
	check := CheckBy(func(context.Context, *CheckView) error {
		late = e.deferIn(t.Context(), open, write("c/late"))
		return nil
	})
	if _, err := e.Commit(t.Context(), name, request.Commit{Transaction: id, Writes: write("c/x")}, check); err != nil {
		t.Fatal(err)
	}
	if !fault.Is(late, fault.Aborted) {
		t.Errorf("a pipeline whose transaction commits: %v, want Aborted", late)
	}

	db, open, id := begin()
	if err := e.Defer(t.Context(), name, id, "", write("c/y")); err != nil {
		t.Fatal(err)
	}
	if err := open.enter(); err != nil {
		t.Fatal(err)
	}
	e.end(db, open) // as for an idle one, after its commit has found it
	if writes, err := open.takeLater(); !fault.Is(err, fault.Aborted) {
		t.Errorf("the commit of a transaction that has ended takes %d writes: %v, want Aborted", len(writes), err)
	}
	open.leave()
}
