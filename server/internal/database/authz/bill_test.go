package authz_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
	"clave/server/internal/store/pebble/pebbletest"
)

// billedRules look up documents: reading b needs a lookup, the same again, and another one; c is closed.
const billedRules = `
match /a/{id} { allow read, write: if true; }
match /users/{u}/orders/{o} { allow read: if true; }
match /b/{id} {
  allow read: if get(/databases/$(database)/documents/roles/r).data.n == 1
    && get(/databases/$(database)/documents/roles/r).data.n > 0 && !exists(/databases/$(database)/documents/roles/none);
  allow write: if exists(/databases/$(database)/documents/roles/r);
}
match /c/{id} { allow read: if get(/databases/$(database)/documents/roles/r).data.n == 2; }`

// newBilled starts an authorizer that counts usage, with 25 documents of a, of which 5 have m.
func newBilled(t *testing.T) (*fixture, *usage.Meter) {
	t.Helper()
	m := usage.New(usage.Options{Clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
	h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.Usage = m })
	h.rules(billedRules)
	var writes []document.Write
	for i := range 25 {
		fields := value.Map{"n": value.Int(int64(i))}
		if i < 5 {
			fields["m"] = value.Int(int64(i))
		}
		writes = append(writes, set(fmt.Sprintf("a/%02d", i), fields))
	}
	writes = append(writes, set("b/1", value.Map{}), set("b/2", value.Map{}), set("roles/r", value.Map{"n": value.Int(1)}), set("users/ann/orders/1", value.Map{}))
	h.seed(writes...)
	m.Reset("")
	return h, m
}

// run runs a query of collection a with changes.
func (h *fixture) run(change func(q *query.Query)) error {
	h.t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "a"}}, Limit: query.NoLimit}
	change(q)
	normal, err := q.Normalize()
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = h.list(user("ann"), normal)
	return err
}

// aggregate counts the documents of a collection as a caller.
func (h *fixture) aggregate(c token.Caller, collection string) error {
	h.t.Helper()
	a, err := (&query.Aggregation{Query: all(h.t, collection), Fields: []query.Aggregate{{Op: query.Count, Alias: "n"}}}).Normalize()
	if err != nil {
		h.t.Fatal(err)
	}
	_, _, _, err = h.authorizer.Aggregate(h.t.Context(), c, a, request.At{})
	return err
}

// where returns a filter that compares a field.
func where(field string, op query.Op, n int64) query.Filter {
	return query.Field{Path: value.FieldPath{field}, Op: op, Value: value.Int(n)}
}

// TestBills checks each rule of production's prices for calls.
func TestBills(t *testing.T) {
	ann := user("ann")
	for _, tt := range []struct {
		name string
		do   func(h *fixture) error
		want usage.Counts
	}{
		{"a document costs a read", func(h *fixture) error { _, err := h.get(ann, "a/01"); return err }, usage.Counts{Calls: 1, Documents: 1}},
		{"so does one that does not exist", func(h *fixture) error { _, err := h.get(ann, "a/01", "a/x"); return err }, usage.Counts{Calls: 1, Documents: 1, Missing: 1}},
		{"and if the call answers NOT_FOUND", func(h *fixture) error {
			err := h.authorizer.Get(h.t.Context(), ann, testDB, []resource.Document{name("a/x")}, request.At{}, func(authz.Snapshot) error { return nil },
				func(resource.Document, *document.Document) error { return fault.E(fault.NotFound, "absent") })
			if !fault.Is(err, fault.NotFound) {
				return errors.Join(errors.New("not NOT_FOUND"), err)
			}
			return nil
		}, usage.Counts{Calls: 1, Missing: 1}},
		{"a query costs its results", func(h *fixture) error { return h.run(func(q *query.Query) { q.Limit = 10 }) }, usage.Counts{Calls: 1, Documents: 10}},
		{"an offset costs what it skips", func(h *fixture) error { return h.run(func(q *query.Query) { q.Limit, q.Offset = 1, 10 }) }, usage.Counts{Calls: 1, Documents: 1, Skipped: 10}},
		{"a query without results costs one", func(h *fixture) error {
			return h.run(func(q *query.Query) { q.Where = where("n", query.Equal, 99) })
		}, usage.Counts{Calls: 1, Minimum: 1}},
		{"ranges of two fields cost index entries", func(h *fixture) error {
			return h.run(func(q *query.Query) {
				q.Where = &query.And{Filters: []query.Filter{where("n", query.GreaterThan, 1), where("m", query.GreaterThan, 1)}}
			})
		}, usage.Counts{Calls: 1, Documents: 3, Entries: 1}},
		{"an aggregation costs one for each 1,000 entries", func(h *fixture) error { return h.aggregate(ann, "a") }, usage.Counts{Calls: 1, Entries: 1}},
		{"an aggregation of nothing costs one", func(h *fixture) error { return h.aggregate(server, "none") }, usage.Counts{Calls: 1, Minimum: 1}},
		{"rules' lookups cost one for each document and request", func(h *fixture) error { _, err := h.get(ann, "b/1", "b/2"); return err },
			usage.Counts{Calls: 1, Documents: 2, Lookups: 2}},
		{"they cost once for a query", func(h *fixture) error { _, err := h.list(ann, all(h.t, "b")); return err }, usage.Counts{Calls: 1, Documents: 2, Lookups: 2}},
		{"they cost also if the request is denied", func(h *fixture) error { _, err := h.get(ann, "c/1"); return denial(err) }, usage.Counts{Calls: 1, Lookups: 1, Denials: 1}},
		{"servers pay for no rules", func(h *fixture) error { _, err := h.get(server, "b/1"); return err }, usage.Counts{Calls: 1, Documents: 1}},
		{"each write and delete costs one, with the lookups", func(h *fixture) error {
			return h.commit(ann, set("b/3", value.Map{}), set("b/4", value.Map{}), document.Write{Op: document.Delete, Name: name("b/1")})
		}, usage.Counts{Calls: 1, Writes: 2, Deletes: 1, Lookups: 1}},
		{"a write without effect costs too", func(h *fixture) error {
			return h.commit(ann, set("a/01", value.Map{"n": value.Int(1), "m": value.Int(1)}))
		}, usage.Counts{Calls: 1, Writes: 1}},
		{"denied writes cost nothing", func(h *fixture) error { return denial(h.commit(ann, set("d/1", value.Map{}))) }, usage.Counts{Calls: 1, Denials: 1}},
		{"a request for collection ids costs one", func(h *fixture) error {
			_, err := h.authorizer.CollectionIDs(h.t.Context(), server, testDB, "", request.At{})
			return err
		}, usage.Counts{Calls: 1, Minimum: 1}},
		{"a page of a collection costs its documents", func(h *fixture) error {
			_, err := h.authorizer.List(h.t.Context(), ann, testDB, request.List{Collection: resource.Collection{DB: testDB, ID: "a"}, PageSize: 7}, request.At{})
			return err
		}, usage.Counts{Calls: 1, Documents: 7}},
		{"the console is not counted", func(h *fixture) error {
			c := server
			c.Journal = silent{}
			_, err := h.get(c, "a/01")
			return err
		}, usage.Counts{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, m := newBilled(t)
			err := tt.do(h)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Report("p").Total.Counts
			if sent := got.Sent; (sent > 0) != (got.Documents > 0) {
				t.Errorf("%d bytes of %d documents were sent", sent, got.Documents)
			}
			if got.Sent = 0; got != tt.want {
				t.Errorf("billed %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestBillOfLargeAggregations counts 2,001 documents: one read for each 1,000 entries or part of them.
func TestBillOfLargeAggregations(t *testing.T) {
	h, m := newBilled(t)
	for _, entries := range []int{1000, 1001, 2001} {
		var writes []document.Write
		for i := range entries {
			writes = append(writes, set(fmt.Sprintf("n%d/%d", entries, i), value.Map{}))
		}
		h.seed(writes...)
		m.Reset("")
		if err := h.aggregate(server, fmt.Sprint("n", entries)); err != nil {
			t.Fatal(err)
		}
		if got, want := m.Report("p").Total.Counts, (usage.Counts{Calls: 1, Entries: int64(entries+999) / 1000}); got != want {
			t.Errorf("an aggregation of %d documents: %+v, want %+v", entries, got, want)
		}
	}
}

// TestBillOfBytes counts the sizes of documents that are sent, as they are stored.
func TestBillOfBytes(t *testing.T) {
	h, m := newBilled(t)
	stored := document.Document{Name: name("s/1"), Fields: value.Map{"text": value.String(strings.Repeat("x", 1000))}}
	h.seed(set("s/1", stored.Fields))
	m.Reset("")
	if _, err := h.get(server, "s/1", "s/none"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.list(server, all(t, "s")); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Report("p").Total.Sent, int64(2*stored.Size()); got != want {
		t.Errorf("%d bytes were sent, want %d", got, want)
	}
}

// denial returns nil for PermissionDenied, and an error for everything else.
func denial(err error) error {
	if fault.Is(err, fault.PermissionDenied) {
		return nil
	}
	return errors.Join(errors.New("not denied"), err)
}

// silent is a journal that records nothing.
type silent struct{}

func (silent) Begin(token.Change) (func(error), error) { return func(error) {}, nil }

// TestBillRows checks the keys of rows: patterns, queries without values, callers.
func TestBillRows(t *testing.T) {
	h, m := newBilled(t)
	if _, err := h.get(user("ann"), "users/ann/orders/1", "a/01"); err != nil {
		t.Fatal(err)
	}
	if err := h.run(func(q *query.Query) { q.Where = where("n", query.Equal, 7) }); err != nil {
		t.Fatal(err)
	}
	if _, err := h.get(token.Caller{Project: "p"}, "a/01"); err != nil {
		t.Fatal(err)
	}
	group := &query.Query{DB: testDB, From: []query.From{{Collection: "orders", AllDescendants: true}}, Limit: query.NoLimit}
	normal, err := group.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.list(server, normal); err != nil {
		t.Fatal(err)
	}
	got := make(map[usage.Key]int64)
	for _, row := range m.Report("p").Rows {
		got[row.Key] = row.Reads
	}
	a, orders := usage.Rule{Line: 5, Match: "/a/{id}"}, usage.Rule{Line: 6, Match: "/users/{u}/orders/{o}"}
	for key, reads := range map[usage.Key]int64{
		{Call: "get", Pattern: "users/*/orders", Caller: "user", User: "ann", Rule: orders}:             1,
		{Call: "get", Pattern: "a", Caller: "user", User: "ann", Rule: a}:                               1,
		{Call: "get", Pattern: "a", Caller: "anonymous", Rule: a}:                                       1,
		{Call: "query", Pattern: "a", Caller: "user", User: "ann", Query: "a where n EQUAL ?", Rule: a}: 1,
		{Call: "query", Pattern: "**/orders", Caller: "admin", Query: "**/orders"}:                      1,
	} {
		if got[key] != reads {
			t.Errorf("%+v: %d reads, want %d; rows %+v", key, got[key], reads, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("rows %+v", got)
	}
}

// TestBillsOfListeners checks what live queries cost.
func TestBillsOfListeners(t *testing.T) {
	h, m := newBilled(t)
	expect := func(what string, want usage.Counts) {
		t.Helper()
		got := m.Report("p").Total.Counts
		if got.Sent > 0 && got.Documents == 0 { // a target that returns late pays for documents that are not sent
			t.Errorf("%s: %d bytes of %d documents were sent", what, got.Sent, got.Documents)
		}
		if got.Sent = 0; got != want {
			t.Errorf("%s: billed %+v, want %+v", what, got, want)
		}
		m.Reset("p")
	}
	l := h.listen(server)
	q := all(t, "a", 7)
	l.stream.Add(target.Target{ID: 1, Query: q})
	l.await(target.Current)
	l.await(target.Snapshot)
	expect("the first snapshot", usage.Counts{Calls: 1, Documents: 1})

	change := func(writes ...document.Write) {
		t.Helper()
		h.seed(writes...)
		l.await(target.Snapshot)
	}
	change(set("a/new", value.Map{"n": value.Int(7)}))
	expect("an added document", usage.Counts{Calls: 1, Writes: 1, Documents: 1})
	change(set("a/new", value.Map{"n": value.Int(8)}))
	expect("a document that leaves because it has changed", usage.Counts{Calls: 1, Writes: 1, Documents: 1})
	change(document.Write{Op: document.Delete, Name: name("a/07")})
	expect("a deletion", usage.Counts{Calls: 1, Deletes: 1})

	l.stream.Add(target.Target{ID: 2, Query: all(t, "a", 99)})
	l.await(target.Current)
	expect("an empty first snapshot", usage.Counts{Calls: 1, Minimum: 1})
	l.stream.Add(target.Target{ID: 3, Documents: []resource.Document{name("a/01"), name("a/x")}})
	l.await(target.Current)
	expect("documents, one of which is missing", usage.Counts{Calls: 1, Documents: 1, Missing: 1})

	l.remove(1) // only the resumed target counts from here on
	resumed := func(token []byte, after time.Duration, want usage.Counts) {
		t.Helper()
		v, ok := listen.TokenVersion(token)
		if !ok {
			t.Fatalf("no version in the token %x", token)
		}
		h.clock.Advance(v.Time().Add(after).Sub(h.clock.Now()))
		m.Reset("p")
		again := h.listen(server)
		again.stream.Add(target.Target{ID: 1, Query: q, Resume: token})
		again.await(target.Current)
		expect(fmt.Sprintf("resumed after %s", after), want)
		again.remove(1)
	}
	h.seed(set("a/07", value.Map{"n": value.Int(7)}), set("a/27", value.Map{"n": value.Int(7)}), set("a/28", value.Map{"n": value.Int(7)}))
	token := latestToken(t, h, q)
	h.seed(set("a/29", value.Map{"n": value.Int(7)}))
	resumed(token, 29*time.Minute, usage.Counts{Calls: 1, Documents: 1})
	resumed(token, 31*time.Minute, usage.Counts{Calls: 1, Documents: 4})
}

// latestToken returns a resume token of the present state.
func latestToken(t *testing.T, h *fixture, q *query.Query) []byte {
	t.Helper()
	l := h.listen(server)
	l.stream.Add(target.Target{ID: 1, Query: q})
	l.await(target.Current)
	token := l.await(target.Snapshot).Token
	l.remove(1)
	return token
}

// remove removes a target.
func (l *listener) remove(id int32) {
	l.t.Helper()
	l.stream.Remove(id)
	l.await(target.Removed)
}

// TestBillOfExpiry deletes a document by a TTL policy.
func TestBillOfExpiry(t *testing.T) {
	m := usage.New(usage.Options{Clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
	authz.Expired(m)(name("users/ann/codes/1"))
	r := m.Report("p")
	if len(r.Rows) != 1 || r.Rows[0].Pattern != "users/*/codes" || r.Rows[0].Call != "ttl" || r.Total.Expired != 1 {
		t.Errorf("report %+v", r)
	}
}

// BenchmarkGetBilled measures a get without and with a count of its usage.
func BenchmarkGetBilled(b *testing.B) {
	for _, counted := range []bool{false, true} {
		b.Run(fmt.Sprintf("usage=%t", counted), func(b *testing.B) {
			e, err := engine.Open(b.Context(), engine.Options{Store: pebbletest.Open(b)})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = e.Close() })
			hub, err := listen.New(listen.Options{Engine: e})
			if err != nil {
				b.Fatal(err)
			}
			o := authz.Options{Engine: e, Hub: hub, Rules: authz.NewRulesets(authz.RulesetsOptions{})}
			if counted {
				o.Usage = usage.New(usage.Options{Clock: clocktest.NewManual(time.Now())})
			}
			az, err := authz.New(o)
			if err != nil {
				b.Fatal(err)
			}
			names := []resource.Document{name("users/ann/orders/1")}
			for b.Loop() {
				err := az.Get(b.Context(), server, testDB, names, request.At{}, func(authz.Snapshot) error { return nil },
					func(resource.Document, *document.Document) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
