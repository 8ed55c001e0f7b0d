package guard_test

import (
	"context"
	"testing"
	"time"

	"clave/server/document"
	"clave/server/engine"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/resource"
	"clave/server/token"
	"clave/server/value"
)

// readIn reads a document at a moment.
func (h *house) readIn(c token.Caller, at guard.At, path string) error {
	h.t.Helper()
	return h.guard.Get(h.t.Context(), c, testDB, []resource.Document{name(path)}, at, func(guard.Snapshot) error { return nil },
		func(resource.Document, *document.Document) error { return nil })
}

// TestTransactionsOfUsersLockNothing reads in transactions of callers to whom rules apply, allowed and not, and then writes from outside.
func TestTransactionsOfUsersLockNothing(t *testing.T) {
	h := newHouse(t, guard.RulebookOptions{})
	h.rules("match /open/{x} { allow read, write; }")
	h.seed(set("open/x", value.Map{"n": value.Int(1)}), set("closed/x", value.Map{"n": value.Int(1)}))
	begun, err := h.guard.Begin(t.Context(), nobody, testDB, guard.TransactionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "read in a transaction", h.readIn(nobody, guard.At{Transaction: begun}, "open/x"), fault.OK)
	for _, at := range []guard.At{{Transaction: begun}, {Begin: &guard.TransactionOptions{}}} {
		wants(t, "read that is refused", h.readIn(nobody, at, "closed/x"), fault.PermissionDenied)
		wants(t, "query that is refused", h.queryIn(nobody, at, "closed"), fault.PermissionDenied)
		wants(t, "query", h.queryIn(nobody, at, "open"), fault.OK)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for _, path := range []string{"open/x", "open/new", "closed/x"} {
		_, err := h.guard.Commit(ctx, server, testDB, guard.CommitRequest{Writes: []document.Write{set(path, value.Map{"n": value.Int(2)})}})
		wants(t, "a write to "+path+" beside the transactions", err, fault.OK)
	}
	_, err = h.guard.Commit(t.Context(), nobody, testDB, guard.CommitRequest{Transaction: begun, Writes: []document.Write{set("open/y", nil)}})
	wants(t, "commit after what was read has changed", err, fault.Aborted)
}

// queryIn runs a query of a collection at a moment.
func (h *house) queryIn(c token.Caller, at guard.At, collection string) error {
	h.t.Helper()
	_, err := h.guard.Query(h.t.Context(), c, all(h.t, collection), at, func(guard.Snapshot) error { return nil },
		func(*document.Document) error { return nil })
	return err
}

// TestOpenTransactionsAreBounded begins transactions until there is no room. Servers have theirs all the same.
func TestOpenTransactionsAreBounded(t *testing.T) {
	h := newHouse(t, guard.RulebookOptions{})
	for i := range engine.MaxOptimistic + 1 {
		id, err := h.guard.Begin(t.Context(), nobody, testDB, guard.TransactionOptions{})
		if want := map[bool]fault.Code{true: fault.ResourceExhausted}[i == engine.MaxOptimistic]; fault.CodeOf(err) != want {
			t.Fatalf("transaction %d: %v, want %s", i, err, want)
		}
		if i == engine.MaxOptimistic-1 {
			wants(t, "rollback", h.guard.Rollback(t.Context(), nobody, testDB, id), fault.OK)
			if _, err := h.guard.Begin(t.Context(), nobody, testDB, guard.TransactionOptions{ReadOnly: true}); err != nil {
				t.Errorf("after one has ended: %v", err)
			}
		}
	}
	_, err := h.guard.Begin(t.Context(), server, testDB, guard.TransactionOptions{})
	wants(t, "a server's transaction beside all these", err, fault.OK)
}
