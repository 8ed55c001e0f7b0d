package authz_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/limit/rate"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// readIn reads a document in a transaction or at a time.
func (h *fixture) readIn(c token.Caller, at request.At, path string) error {
	h.t.Helper()
	return h.authorizer.Get(h.t.Context(), c, testDB, []resource.Document{name(path)}, at, func(authz.Snapshot) error { return nil },
		func(resource.Document, *document.Document) error { return nil })
}

// TestTransactionsOfUsersLockNothing reads in transactions of callers to whom rules apply, allowed and denied, and then
// writes the documents outside the transactions.
func TestTransactionsOfUsersLockNothing(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /open/{x} { allow read, write; }")
	h.seed(set("open/x", value.Map{"n": value.Int(1)}), set("closed/x", value.Map{"n": value.Int(1)}))
	begun, err := h.authorizer.Begin(t.Context(), anonymous, testDB, request.TransactionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "read in a transaction", h.readIn(anonymous, request.At{Transaction: begun}, "open/x"), fault.OK)
	for _, at := range []request.At{{Transaction: begun}, {Begin: &request.TransactionOptions{}}} {
		wants(t, "read that is refused", h.readIn(anonymous, at, "closed/x"), fault.PermissionDenied)
		wants(t, "query that is refused", h.queryIn(anonymous, at, "closed"), fault.PermissionDenied)
		wants(t, "query", h.queryIn(anonymous, at, "open"), fault.OK)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, path := range []string{"open/x", "open/new", "closed/x"} {
		_, err := h.authorizer.Commit(ctx, server, testDB, request.Commit{Writes: []document.Write{set(path, value.Map{"n": value.Int(2)})}})
		wants(t, "a write to "+path+" beside the transactions", err, fault.OK)
	}
	_, err = h.authorizer.Commit(t.Context(), anonymous, testDB, request.Commit{Transaction: begun, Writes: []document.Write{set("open/y", nil)}})
	wants(t, "commit after what was read has changed", err, fault.Aborted)
}

// queryIn queries a collection in a transaction or at a time.
func (h *fixture) queryIn(c token.Caller, at request.At, collection string) error {
	h.t.Helper()
	_, err := h.authorizer.Query(h.t.Context(), c, all(h.t, collection), at, func(authz.Snapshot) error { return nil },
		func(*document.Document) error { return nil })
	return err
}

// TestOpenTransactionsAreBounded begins more transactions than one client may have open. The client's least recently
// used transaction ends; those of other clients continue.
func TestOpenTransactionsAreBounded(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /open/{x} { allow read, write; }")
	at := func(address string) token.Caller {
		return token.Caller{Project: "p", Address: netip.MustParseAddr(address)}
	}
	unrelated, neighbour, visitor := at("2001:db8::1"), at("2001:db8::2"), at("192.0.2.1")
	begin := func(c token.Caller) []byte {
		t.Helper()
		id, err := h.authorizer.Begin(t.Context(), c, testDB, request.TransactionOptions{})
		if err != nil {
			t.Fatalf("begin for %v: %v", c.Address, err)
		}
		return id
	}
	kept, own := begin(visitor), begin(user("ann"))
	first, second := begin(unrelated), begin(unrelated)
	for range engine.MaxOptimistic {
		begin(neighbour) // the same /64, therefore the same client
	}
	for name, id := range map[string][]byte{"first": first, "second": second} {
		wants(t, "the first client's "+name+" transaction", h.readIn(unrelated, request.At{Transaction: id}, "open/x"), fault.Aborted)
	}
	wants(t, "a visitor's transaction", h.readIn(visitor, request.At{Transaction: kept}, "open/x"), fault.OK)
	wants(t, "a user's transaction", h.readIn(user("ann"), request.At{Transaction: own}, "open/x"), fault.OK)
	begin(visitor)
	_, err := h.authorizer.Begin(t.Context(), server, testDB, request.TransactionOptions{})
	wants(t, "a server's transaction beside all these", err, fault.OK)
}

// TestOpenTransactionsAreBoundedOverall begins the maximum number of transactions from many addresses. One more ends an
// idle transaction of the client that has the most.
func TestOpenTransactionsAreBoundedOverall(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules("match /open/{x} { allow read, write; }")
	begin := func(address string) []byte {
		t.Helper()
		c := token.Caller{Project: "p", Address: netip.MustParseAddr(address)}
		id, err := h.authorizer.Begin(t.Context(), c, testDB, request.TransactionOptions{})
		if err != nil {
			t.Fatalf("begin for %s: %v", address, err)
		}
		return id
	}
	kept := begin("192.0.2.1")
	for i := range engine.MaxOptimistic {
		begin(fmt.Sprintf("198.51.100.%d", i%25))
	}
	visitor := token.Caller{Project: "p", Address: netip.MustParseAddr("192.0.2.1")}
	wants(t, "the transaction of a visitor who has one", h.readIn(visitor, request.At{Transaction: kept}, "open/x"), fault.OK)
	begin("203.0.113.1")
}

// TestAnonymousWritesAreLimited writes from one address without a user, with an anonymous account, and with others,
// beyond the limit.
func TestAnonymousWritesAreLimited(t *testing.T) {
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) {
		o.AnonymousWrites = rate.NewAddresses(rate.AddressOptions{
			Options: rate.Options{Clock: o.Clock}, Rate: rate.Rate{Burst: 3, Every: time.Minute},
		})
	})
	h.rules("match /open/{x} { allow write; }")
	from := func(c token.Caller, address string) token.Caller {
		c.Address = netip.MustParseAddr(address)
		return c
	}
	anonymous := user("anonymous")
	anonymous.Provider = "anonymous"
	here, there := "192.0.2.1", "192.0.2.2"
	wants(t, "two writes", h.commit(from(anonymous, here), set("open/a", nil), set("open/b", nil)), fault.OK)
	wants(t, "a third by an anonymous account", h.commit(from(anonymous, here), set("open/a", nil)), fault.OK)
	wants(t, "a fourth", h.commit(from(anonymous, here), set("open/a", nil)), fault.ResourceExhausted)
	wants(t, "a fourth by an anonymous account", h.commit(from(anonymous, here), set("open/a", nil)), fault.ResourceExhausted)
	wants(t, "a user at the same address", h.commit(from(user("ann"), here), set("open/a", nil)), fault.OK)
	wants(t, "a server at the same address", h.commit(from(server, here), set("open/a", nil)), fault.OK)
	wants(t, "another address", h.commit(from(anonymous, there), set("open/a", nil)), fault.OK)
	h.clock.Advance(time.Minute)
	wants(t, "a minute later", h.commit(from(anonymous, here), set("open/a", nil)), fault.OK)
	wants(t, "once only", h.commit(from(anonymous, here), set("open/a", nil)), fault.ResourceExhausted)
}
