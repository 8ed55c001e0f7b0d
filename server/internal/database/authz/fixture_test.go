package authz_test

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/store/pebble"
)

// testDB is the database of the tests.
var testDB = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// server is a caller whose access is not restricted by rules.
var server = token.Caller{Privileged: true, Project: "p"}

// fixture holds an authorizer with an engine in memory.
type fixture struct {
	t          *testing.T
	authorizer *authz.Authorizer
	rulesets   *authz.Rulesets
	clock      *clocktest.Manual
}

// newFixture starts an authorizer. The engine uses the machine's clock, the authorizer one that the test sets.
func newFixture(t *testing.T, o authz.RulesetsOptions) *fixture {
	t.Helper()
	return newFixtureWith(t, o, func(*authz.Options) {})
}

// newFixtureWith starts an authorizer with changed options.
func newFixtureWith(t *testing.T, o authz.RulesetsOptions, change func(*authz.Options)) *fixture {
	t.Helper()
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{t: t, rulesets: authz.NewRulesets(o), clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	options := authz.Options{Engine: e, Hub: hub, Rules: h.rulesets, Clock: h.clock}
	change(&options)
	h.authorizer, err = authz.New(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 2)
	go func() { ended <- hub.Run(ctx) }()
	go func() { ended <- h.authorizer.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Errorf("Run() = %v", err)
			}
		}
		if err := e.Close(); err != nil {
			t.Errorf("close engine: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return h
}

// rules puts rules in force for all databases. body is the content of the match of the database.
func (h *fixture) rules(body string) {
	h.t.Helper()
	if issues := h.rulesets.Replace("", "", wholeRules(body)); rules.HasErrors(issues) {
		h.t.Fatal(rules.Summary(issues))
	}
}

// wholeRules returns a complete rules file with the given content of the match of the database.
func wholeRules(body string) string {
	return "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n" + body + "\n  }\n}\n"
}

// name returns the name of a document.
func name(path string) resource.Document { return resource.Document{DB: testDB, Path: path} }

// set returns a write that replaces a document.
func set(path string, fields value.Map) document.Write {
	return document.Write{Name: name(path), Fields: fields}
}

// seed writes documents as a privileged caller.
func (h *fixture) seed(writes ...document.Write) {
	h.t.Helper()
	if err := h.commit(server, writes...); err != nil {
		h.t.Fatal(err)
	}
}

// commit writes as a caller.
func (h *fixture) commit(c token.Caller, writes ...document.Write) error {
	_, err := h.authorizer.Commit(h.t.Context(), c, testDB, request.Commit{Writes: writes})
	return err
}

// get reads documents as a caller and returns how many exist.
func (h *fixture) get(c token.Caller, paths ...string) (int, error) {
	names := make([]resource.Document, len(paths))
	for i, p := range paths {
		names[i] = name(p)
	}
	n := 0
	err := h.authorizer.Get(h.t.Context(), c, testDB, names, request.At{}, func(authz.Snapshot) error { return nil },
		func(_ resource.Document, d *document.Document) error {
			if d != nil {
				n++
			}
			return nil
		})
	return n, err
}

// all returns a query for a whole collection, or for its documents whose field n is a number.
func all(t *testing.T, collection string, n ...int) *query.Query {
	t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: collection}}, Limit: query.NoLimit}
	if len(n) > 0 {
		q.Where = query.Field{Path: value.FieldPath{"n"}, Op: query.Equal, Value: value.Int(n[0])}
	}
	normal, err := q.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return normal
}

// list runs a query as a caller and returns the number of documents.
func (h *fixture) list(c token.Caller, q *query.Query) (int, error) {
	n := 0
	_, err := h.authorizer.Query(h.t.Context(), c, q, request.At{}, func(authz.Snapshot) error { return nil },
		func(*document.Document) error { n++; return nil })
	return n, err
}

// user returns a signed-in caller.
func user(uid string) token.Caller {
	return token.Caller{UID: uid, Project: "p", Claims: map[string]any{"sub": uid}}
}
