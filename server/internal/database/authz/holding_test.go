package authz_test

import (
	"net/netip"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// TestTargetsHaveLimitedMemory adds targets of one network until their memory is used up. Targets of others, and of the
// network after its own have ended, must be accepted.
func TestTargetsHaveLimitedMemory(t *testing.T) {
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.TargetBytes = 64 << 10 })
	h.rules(`match /c/{x} { allow read; }`)
	attacker, other := token.Caller{Address: netip.MustParseAddr("203.0.113.1")}, token.Caller{Address: netip.MustParseAddr("203.0.113.2")}
	add := func(l *listener, id int32, q *query.Query) fault.Code {
		t.Helper()
		l.stream.Add(target.Target{ID: id, Query: q})
		for {
			e := <-l.events
			switch {
			case e.Target == id && e.Kind == target.Removed:
				return fault.CodeOf(e.Cause)
			case e.Kind == target.Current:
				return fault.OK
			}
		}
	}
	small := all(t, "c")
	large := all(t, "c")
	large.Where = query.Field{Path: value.FieldPath{"n"}, Op: query.Equal, Value: value.String(strings.Repeat("x", 10_000))}
	first, second := h.listen(attacker), h.listen(attacker)
	if code := add(first, 1, large); code != fault.ResourceExhausted {
		t.Errorf("a large target: %v", code)
	}
	var accepted []int32
	for id := int32(2); id < 40; id++ {
		l := []*listener{first, second}[id%2]
		switch code := add(l, id, small); code {
		case fault.OK:
			accepted = append(accepted, id)
		case fault.ResourceExhausted:
		default:
			t.Fatalf("target %d: %v", id, code)
		}
	}
	if n := len(accepted); n < 10 || n > 16 {
		t.Fatalf("%d targets of one network are accepted, want 10 to 16 of 1 KiB", n)
	}
	if code := add(h.listen(other), 1, small); code != fault.OK {
		t.Errorf("a target of another network: %v", code)
	}
	if code := add(h.listen(server), 1, large); code != fault.OK {
		t.Errorf("a privileged target: %v", code)
	}
	denied := all(t, "denied")
	first.stream.Remove(accepted[0])
	first.await(target.Removed)
	for id := int32(50); id < 60; id++ { // Denied targets hold nothing afterwards.
		if code := add(first, id, denied); code != fault.PermissionDenied {
			t.Errorf("a denied target: %v", code)
		}
	}
	if code := add(first, 60, small); code != fault.OK {
		t.Errorf("a target after one was removed: %v", code)
	}
	if code := add(first, 61, small); code != fault.ResourceExhausted {
		t.Errorf("a further target: %v", code)
	}
	names := make([]resource.Document, 200)
	for i := range names {
		names[i] = name("c/" + strings.Repeat("x", 30+i))
	}
	third := h.listen(other)
	third.stream.Add(target.Target{ID: 1, Documents: names})
	if e := third.await(target.Removed); !fault.Is(e.Cause, fault.ResourceExhausted) {
		t.Errorf("a target of many names: %v", e.Cause)
	}
}

// TestEndedStreamsHoldNothing opens and closes streams with a target each, more than fit at the same time.
func TestEndedStreamsHoldNothing(t *testing.T) {
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.TargetBytes = 16 << 10 })
	h.rules(`match /c/{x} { allow read; }`)
	caller := token.Caller{Address: netip.MustParseAddr("203.0.113.1")}
	for range 20 {
		s := h.authorizer.Listen(caller, testDB)
		s.Add(target.Target{ID: 1, Query: all(t, "c")}) // Run is not called: the target is not authorized
		s.Close()
	}
	l := h.listen(caller)
	l.stream.Add(target.Target{ID: 1, Query: all(t, "c")})
	l.await(target.Current)
}
