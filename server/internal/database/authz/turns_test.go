package authz_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/limit/fair"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/test/kit/wait"
)

// TestExpensiveEvaluationsTakeTurns lets other clients have all turns. Calls with expensive conditions must wait then,
// and hold no locks meanwhile; other calls must not wait.
func TestExpensiveEvaluationsTakeTurns(t *testing.T) {
	q := fair.New(fair.Options{Workers: 1})
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.Turns = q })
	h.rules(`
	match /a/{x} { allow read: if resource.data.text.matches('(ab)*'); allow write: if request.resource.data.text.matches('(ab)*'); }
	match /b/{x} { allow list: if get(/databases/$(database)/documents/a/x).data.text.matches('(ab)*'); }`)
	large, small := value.Map{"text": value.String(strings.Repeat("ab", 100_000))}, value.Map{"text": value.String("ab")}
	h.seed(set("a/x", large), set("a/y", small), set("b/y", small))
	caller := token.Caller{Address: netip.MustParseAddr("203.0.113.1")}
	for what, call := range map[string]func() error{
		"a commit": func() error { return h.commit(caller, set("a/z", large)) },
		"a get":    func() error { _, err := h.get(caller, "a/x"); return err },
		"a query":  func() error { _, err := h.list(caller, all(t, "b")); return err },
		"a listener": func() error {
			s := h.authorizer.Listen(caller, testDB)
			defer s.Close()
			s.Add(target.Target{ID: 1, Query: all(t, "b")})
			ended := errors.New("ended")
			err := s.Run(t.Context(), func(e *target.Event) error {
				switch {
				case e.Kind == target.Removed:
					return e.Cause
				case e.Kind == target.Current:
					return ended
				}
				return nil
			})
			if errors.Is(err, ended) {
				return nil
			}
			return err
		},
	} {
		other := q.Within(t.Context(), "another client", "")
		if err := fair.Of(other).Step(other, 100); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- call() }()
		wait.Until(t, what+" waits for a turn", func() bool { return q.Waiting() == 1 })
		wants(t, "a commit of the same document beside "+what, h.commit(caller, set("a/z", small)), fault.OK)
		if n, err := h.get(caller, "a/y"); n != 1 || err != nil {
			t.Errorf("a get beside %s: %d documents, %v", what, n, err)
		}
		fair.Of(other).Rest()
		wants(t, what, <-done, fault.OK)
		if q.Waiting() != 0 {
			t.Errorf("%d calls wait after %s", q.Waiting(), what)
		}
	}
	next := q.Within(t.Context(), "a last client", "")
	if err := fair.Of(next).Step(next, 100); err != nil { // no call has kept the turn
		t.Fatal(err)
	}
	write := set("a/x", large)
	wants(t, "a privileged commit", h.commit(server, write), fault.OK)
}
