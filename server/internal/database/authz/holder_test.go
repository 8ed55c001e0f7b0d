package authz_test

import (
	"fmt"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// TestTransactionsBelongToTheirCallers uses the id of an open transaction as another caller in each call that takes
// one, and then as its own caller with a later token. To others it is a transaction that has ended.
func TestTransactionsBelongToTheirCallers(t *testing.T) {
	later := func(c token.Caller) token.Caller {
		c.Expires = c.Expires.Add(time.Hour)
		return c
	}
	as := func(uid, project, tenant string) token.Caller {
		return token.Caller{UID: uid, Project: project, Tenant: tenant, Expires: time.Unix(1, 0)}
	}
	reader := token.Caller{Privileged: true, ReadOnly: true, Project: "p"}
	service := token.Caller{Privileged: true, Project: "p", Service: "app@p.example"}
	for text, c := range map[string]struct {
		holder, again token.Caller
		strangers     []token.Caller
	}{
		"a user":            {as("ann", "p", ""), later(as("ann", "p", "")), []token.Caller{as("eve", "p", ""), as("ann", "p", "t"), as("ann", "q", ""), anonymous, server, reader}},
		"a user of tenants": {as("ann", "p", "t"), later(as("ann", "p", "t")), []token.Caller{as("ann", "p", "u"), as("ann", "p", ""), server}},
		"nobody":            {anonymous, anonymous, []token.Caller{as("eve", "p", ""), server, reader}},
		"a server":          {server, service, []token.Caller{as("eve", "p", ""), anonymous, reader}},
	} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read-only %v", text, readOnly), func(t *testing.T) {
				h := newFixture(t, authz.RulesetsOptions{})
				h.rules(`match /{x=**} { allow read, write; }`)
				h.seed(set("open/1", one(1)))
				id, err := h.authorizer.Begin(t.Context(), c.holder, testDB, request.TransactionOptions{ReadOnly: readOnly})
				if err != nil {
					t.Fatal(err)
				}
				ended := fault.Aborted
				if readOnly {
					ended = fault.InvalidArgument
				}
				for i, stranger := range c.strangers {
					for call, use := range h.uses(stranger, id) {
						wants(t, fmt.Sprintf("%s by stranger %d", call, i), use(), ended)
					}
					if err := h.authorizer.Rollback(t.Context(), stranger, testDB, id); err != nil {
						t.Errorf("rollback by stranger %d: %v", i, err)
					}
					if stranger.ReadOnly && !readOnly {
						continue // It may not begin others.
					}
					_, err := h.authorizer.Begin(t.Context(), stranger, testDB, request.TransactionOptions{ReadOnly: readOnly, Retry: id})
					want := fault.OK
					if readOnly {
						want = fault.InvalidArgument
					}
					wants(t, fmt.Sprintf("a retry by stranger %d", i), err, want)
				}
				if got := h.fields("open/1"); got["n"] != one(1)["n"] {
					t.Errorf("a stranger has written %v", got)
				}
				wants(t, "a read with a later token", h.readIn(c.again, request.At{Transaction: id}, "open/1"), fault.OK)
				_, err = h.authorizer.Commit(t.Context(), c.again, testDB, request.Commit{Transaction: id})
				wants(t, "the commit with a later token", err, fault.OK)
				if h.fields("stolen/1") != nil || h.fields("open/1") == nil {
					t.Error("the commit has applied a stranger's writes")
				}
			})
		}
	}
}

// uses returns the calls that use a transaction.
func (h *fixture) uses(c token.Caller, id []byte) map[string]func() error {
	t, at := h.t, request.At{Transaction: id}
	run := func(autoCommit bool) func() error {
		return func() error {
			p, err := pipeline.Compile(testDB, []request.Stage{from("open")})
			if err != nil {
				t.Fatal(err)
			}
			_, err = h.authorizer.Pipeline(t.Context(), c, testDB, authz.PipelineRead{Pipeline: p, At: at, AutoCommit: autoCommit},
				func(authz.Snapshot) error { return nil }, func(request.PipelineRow) error { return nil })
			return err
		}
	}
	write := func(autoCommit bool, stages ...request.Stage) func() error {
		return func() error {
			_, err := h.write(c, authz.PipelineRead{At: at, AutoCommit: autoCommit}, stages...)
			return err
		}
	}
	commit := func(writes ...document.Write) func() error {
		return func() error {
			_, err := h.authorizer.Commit(t.Context(), c, testDB, request.Commit{Transaction: id, Writes: writes})
			return err
		}
	}
	out := map[string]func() error{
		"a get":   func() error { return h.readIn(c, at, "open/1") },
		"a query": func() error { return h.queryIn(c, at, "open") },
		"an aggregation": func() error {
			_, _, _, err := h.authorizer.Aggregate(t.Context(), c, &query.Aggregation{Query: all(t, "open"), Fields: []query.Aggregate{{Alias: "n"}}}, at)
			return err
		},
		"a list": func() error {
			_, err := h.authorizer.List(t.Context(), c, testDB, request.List{Collection: resource.Collection{DB: testDB, ID: "open"}}, at)
			return err
		},
		"a pipeline": run(false), "a pipeline that ends it": run(true),
		"a pipeline that writes": write(false, literals(named("stolen/1", 1)), changing(pipeline.Insert, nil, nil)),
		"one that ends it":       write(true, from("open"), changing(pipeline.Delete, nil, nil)),
		"an empty commit":        commit(),
		"a commit":               commit(set("stolen/1", one(1))),
	}
	if c.ReadOnly { // It is refused before.
		delete(out, "a commit")
	}
	return out
}
