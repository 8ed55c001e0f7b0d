package engine_test

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// TestACostlyCheckHoldsNoLocks lets a check wait without locks. Meanwhile another commit writes the same document, so
// the check is repeated.
func TestACostlyCheckHoldsNoLocks(t *testing.T) {
	e := open(t, engine.Options{})
	put(t, e, set("c/a", n(1)), set("c/looked", n(1)))
	for _, c := range []struct {
		name    string
		changes []string // those that change during the first, second … check without locks
		checks  int      // without locks
		code    fault.Code
	}{
		{"nothing changes", nil, 1, fault.OK},
		{"another document changes", []string{"c/b"}, 1, fault.OK},
		{"the written document changes", []string{"c/a"}, 2, fault.OK},
		{"a document that the check reads is changed and changed again", []string{"c/looked", "c/looked"}, 3, fault.OK},
		{"a document that the check reads is created", []string{"c/absent"}, 2, fault.OK},
		{"the document changes each time", []string{"c/a", "c/a", "c/a", "c/a", "c/a", "c/a"}, 5, fault.Aborted},
	} {
		for _, transaction := range []bool{false, true} {
			var r request.Commit
			r.Writes = []document.Write{set("c/a", n(2))}
			if transaction {
				id, err := e.Begin(t.Context(), testDB, request.TransactionOptions{Optimistic: true})
				if err != nil {
					t.Fatal(err)
				}
				r.Transaction = id
			}
			checks := 0
			_, err := e.Commit(t.Context(), testDB, r, engine.CheckBy(func(ctx context.Context, v *engine.CheckView) error {
				for _, path := range []string{"c/a", "c/looked", "c/absent"} {
					if _, err := v.Before(ctx, doc(path)); err != nil {
						return err
					}
				}
				if v.Locked {
					return engine.ErrCostly
				}
				if checks++; checks <= len(c.changes) {
					put(t, e, set(c.changes[checks-1], n(10+checks)))
				}
				return nil
			}))
			if checks != c.checks || fault.CodeOf(err) != c.code {
				t.Errorf("%s, in a transaction %t: %v after %d checks, want %v after %d", c.name, transaction, err, checks, c.code, c.checks)
			}
			if err := e.Clear(t.Context(), testDB); err != nil {
				t.Fatal(err)
			}
			put(t, e, set("c/a", n(1)), set("c/looked", n(1)))
		}
	}
}

// TestACostlyCheckRefuses refuses a commit without locks. Another commit of the document must then be possible.
func TestACostlyCheckRefuses(t *testing.T) {
	e := open(t, engine.Options{})
	_, err := e.Commit(t.Context(), testDB, request.Commit{Writes: []document.Write{set("c/a", n(2))}}, engine.CheckBy(func(_ context.Context, v *engine.CheckView) error {
		if v.Locked {
			return engine.ErrCostly
		}
		return fault.Denied()
	}))
	wantCode(t, "commit", err, fault.PermissionDenied)
	put(t, e, set("c/a", n(1)))
}

// TestACostlyCheckKeepsTheLocksOfATransaction lets another commit write a document that a transaction has read, during
// the check of the transaction without locks. It must wait.
func TestACostlyCheckKeepsTheLocksOfATransaction(t *testing.T) {
	manual := clocktest.NewManual(time.Now())
	e := open(t, engine.Options{Clock: manual})
	put(t, e, set("c/read", n(12)))
	id := begin(t, e, request.TransactionOptions{})
	if _, err := runIn(t, e, request.At{Transaction: id}, byN(t, 10, query.NoLimit)); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	_, err := e.Commit(t.Context(), testDB, request.Commit{Transaction: id, Writes: []document.Write{set("d/a", n(2))}},
		engine.CheckBy(func(_ context.Context, v *engine.CheckView) error {
			if v.Locked {
				return engine.ErrCostly
			}
			go func() { written <- commitIn(t.Context(), e, nil, set("c/read", n(13))) }()
			waitTimers(t, manual, 1, written)
			return nil
		}))
	wantCode(t, "commit of the transaction", err, fault.OK)
	wantCode(t, "the other commit", <-written, fault.OK)
}
