package authz_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
	"clave/server/internal/observe/usage"
	"clave/server/test/kit/wait"
)

// pricedRules look up documents: reading b needs one, named twice; reading d names three, of which two are read.
const pricedRules = `
match /{c}/{id} { allow read: if c in ['a', 'open']; }
match /b/{id} {
  allow read: if get(/databases/$(database)/documents/roles/r).data.n == 1 && get(/databases/$(database)/documents/roles/r).data.n > 0;
}
match /d/{id} {
  allow read: if exists(/databases/$(database)/documents/roles/r)
    && (exists(/databases/$(database)/documents/roles/s) || exists(/databases/$(database)/documents/roles/t));
}
match /closed/{id} { allow read: if get(/databases/$(database)/documents/roles/r).data.n == 2; }`

// priced is an authorizer with a meter and data: 25 documents of a, of which 5 have m; others that rules protect.
type priced struct {
	*fixture
	m *usage.Meter
}

// newPriced starts an authorizer with a meter.
func newPriced(t *testing.T) *priced {
	t.Helper()
	m := usage.New(usage.Options{Clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
	p := &priced{newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) { o.Usage = m }), m}
	p.fixture.rules(pricedRules)
	writes := []document.Write{
		set("b/1", value.Map{}), set("b/2", value.Map{}), set("d/1", value.Map{}), set("closed/1", value.Map{}),
		set("roles/r", value.Map{"n": value.Int(1)}), set("roles/s", value.Map{}), set("roles/t", value.Map{}),
	}
	for i := range 25 {
		fields := value.Map{"n": value.Int(int64(i)), "even": value.Bool(i%2 == 0)}
		if i < 5 {
			fields["m"] = value.Int(int64(i))
		}
		writes = append(writes, set(fmt.Sprintf("a/%02d", i), fields))
	}
	p.seed(writes...)
	m.Reset("")
	return p
}

// must ends the test for an error.
func (p *priced) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// query returns a query of collection a with changes.
func (p *priced) query(change func(q *query.Query)) *query.Query {
	p.t.Helper()
	q := &query.Query{DB: testDB, From: []query.From{{Collection: "a"}}, Limit: query.NoLimit}
	change(q)
	normal, err := q.Normalize()
	p.must(err)
	return normal
}

// run runs a query of collection a with changes.
func (p *priced) run(change func(q *query.Query)) {
	p.t.Helper()
	_, err := p.list(server, p.query(change))
	p.must(err)
}

// fill writes documents with a field to a collection, and begins to count anew.
func (p *priced) fill(collection string, n int, fields value.Map) {
	p.t.Helper()
	var writes []document.Write
	for i := range n {
		writes = append(writes, set(fmt.Sprintf("%s/%d", collection, i), fields))
	}
	p.seed(writes...)
	p.m.Reset("")
}

// watch opens a live query and begins to count anew after its first snapshot, unless the token resumes it.
func (p *priced) watch(c token.Caller, q *query.Query, resume []byte) *listener {
	p.t.Helper()
	l := p.listen(c)
	l.stream.Add(target.Target{ID: 1, Query: q, Resume: resume})
	l.await(target.Current)
	l.await(target.Snapshot)
	if resume == nil {
		p.m.Reset("")
	}
	return l
}

// change writes and waits until the live query has it.
func (p *priced) change(l *listener, writes ...document.Write) {
	p.t.Helper()
	p.seed(writes...)
	l.await(target.Snapshot)
}

// returns opens a live query for the n lowest documents of a, ends it, changes one document, and opens it again after
// a time.
func (p *priced) returns(after time.Duration) {
	p.t.Helper()
	q := p.query(func(q *query.Query) { q.Where = where("n", query.LessThan, 7) })
	token := latestToken(p.t, p.fixture, q)
	p.seed(set("a/03", value.Map{"n": value.Int(3), "changed": value.Bool(true)}))
	v, _ := listen.TokenVersion(token)
	p.clock.Advance(v.Time().Add(after).Sub(p.clock.Now()))
	p.m.Reset("")
	p.watch(server, q, token)
}

// lookups waits until lookups were counted.
func (p *priced) lookups(n int64) {
	p.t.Helper()
	wait.Until(p.t, "the lookups are counted", func() bool { return p.m.Report("p").Total.Lookups >= n })
}

// fields returns orders by fields.
func fields(names ...string) (out []query.Order) {
	for _, name := range names {
		out = append(out, query.Order{Path: value.FieldPath{name}})
	}
	return out
}

// both returns a filter of two.
func both(a, b query.Filter) query.Filter { return &query.And{Filters: []query.Filter{a, b}} }

// price is a rule of Google's page on prices with an example, and what the example costs, such as "11 reads".
type price struct {
	rule, example, cost string
	do                  func(p *priced)
}

// queryPrices are the rules of reads, queries and aggregations.
var queryPrices = []price{
	{"A document that is read", "a get", "1 read", func(p *priced) { _, err := p.get(server, "a/01"); p.must(err) }},
	{"", "a get of a document that does not exist", "1 read", func(p *priced) { _, err := p.get(server, "a/x"); p.must(err) }},
	{"", "a query with 25 results", "25 reads", func(p *priced) { p.run(func(*query.Query) {}) }},
	{"Minimum charge for queries", "a query without results", "1 read", func(p *priced) {
		p.run(func(q *query.Query) { q.Where = where("n", query.Equal, 99) })
	}},
	{"Index entries: none with up to one range field", "`even == true`, `n >= 20`, 3 results", "3 reads", func(p *priced) {
		p.run(func(q *query.Query) {
			even := query.Field{Path: value.FieldPath{"even"}, Op: query.Equal, Value: value.Bool(true)}
			q.Where = both(even, where("n", query.GreaterThanOrEqual, 20))
		})
	}},
	{"", "ordered by `m`, `n` without a filter, limit 3", "3 reads", func(p *priced) {
		p.run(func(q *query.Query) { q.OrderBy, q.Limit = fields("m", "n"), 3 })
	}},
	{"Index entries: one read for each 1,000 with two range fields", "`n > 1`, `m > 1`, 3 results", "4 reads", func(p *priced) {
		p.run(func(q *query.Query) {
			q.Where = both(where("n", query.GreaterThan, 1), where("m", query.GreaterThan, 1))
		})
	}},
	{"An order is a range field beside another one", "`n > 1` ordered by `m`, 3 results", "4 reads", func(p *priced) {
		p.run(func(q *query.Query) { q.Where, q.OrderBy = where("n", query.GreaterThan, 1), fields("m") })
	}},
	{"`__name__` is always a range field", "two names, ordered by `m`", "3 reads", func(p *priced) {
		p.run(func(q *query.Query) {
			names := value.Array{value.Reference(name("a/01").String()), value.Reference(name("a/02").String())}
			q.Where, q.OrderBy = query.Field{Path: value.NamePath, Op: query.In, Value: names}, fields("m")
		})
	}},
	{"Nearest vectors: one read for each 100 index entries", "150 vectors, 5 results", "7 reads", func(p *priced) {
		p.fill("v", 150, value.Map{"v": value.Vector(1, 2)})
		p.run(func(q *query.Query) {
			q.From[0].Collection = "v"
			q.Nearest = &query.Nearest{Path: value.FieldPath{"v"}, Vector: []float64{3, 1}, Measure: query.Euclidean, Limit: 5}
		})
	}},
	{"Aggregations: one read for each 1,000 index entries", "a count of 1,500 documents", "2 reads", func(p *priced) {
		p.fill("many", 1500, value.Map{})
		p.must(p.aggregate(server, "many"))
	}},
	{"", "a count of 25 documents", "1 read", func(p *priced) { p.must(p.aggregate(server, "a")) }},
	{"", "a count of nothing", "1 read", func(p *priced) { p.must(p.aggregate(server, "none")) }},
	{"Cursors, limits and page tokens cost nothing more", "limit 3 after a cursor", "3 reads", func(p *priced) {
		p.run(func(q *query.Query) {
			q.OrderBy, q.Limit, q.Start = fields("n"), 3, &query.Cursor{Values: []value.Value{value.Int(9)}}
		})
	}},
	{"", "two pages of 7 documents", "14 reads", func(p *priced) {
		list := request.List{Collection: resource.Collection{DB: testDB, ID: "a"}, PageSize: 7}
		for range 2 {
			page, err := p.authorizer.List(p.t.Context(), server, testDB, list, request.At{})
			p.must(err)
			list.PageToken = page.Next
		}
	}},
	{"Offsets: each document that is skipped", "offset 10, 1 result", "11 reads", func(p *priced) { p.run(func(q *query.Query) { q.Limit, q.Offset = 1, 10 }) }},
	{"Collection ids: each request", "two requests", "2 reads", func(p *priced) {
		for range 2 {
			_, err := p.authorizer.CollectionIDs(p.t.Context(), server, testDB, "", request.At{})
			p.must(err)
		}
	}},
	{"A query that is explained without being run", "25 documents in the collection", "1 read", func(p *priced) {
		p.run(func(q *query.Query) { q.Limit = 0 }) // as database/api plans it
	}},
}

// listenerPrices are the rules of live queries.
var listenerPrices = []price{
	{"Live queries: each document of the first snapshot", "7 documents", "7 reads", func(p *priced) {
		l := p.listen(server)
		l.stream.Add(target.Target{ID: 1, Query: p.query(func(q *query.Query) { q.Where = where("n", query.LessThan, 7) })})
		l.await(target.Snapshot)
	}},
	{"", "3 documents of a query with two range fields", "4 reads", func(p *priced) {
		l := p.listen(server)
		l.stream.Add(target.Target{ID: 1, Query: p.query(func(q *query.Query) {
			q.Where = both(where("n", query.GreaterThan, 1), where("m", query.GreaterThan, 1))
		})})
		l.await(target.Snapshot)
	}},
	{"", "none", "1 read", func(p *priced) {
		l := p.listen(server)
		l.stream.Add(target.Target{ID: 1, Query: all(p.t, "a", 99)})
		l.await(target.Snapshot)
	}},
	{"Live queries: each document that is added", "one", "1 read", func(p *priced) {
		p.change(p.watch(server, all(p.t, "a"), nil), set("a/new", value.Map{}))
	}},
	{"Live queries: each document that is updated", "one", "1 read", func(p *priced) {
		p.change(p.watch(server, all(p.t, "a"), nil), set("a/01", value.Map{}))
	}},
	{"Live queries: each document that leaves because it has changed", "one", "1 read", func(p *priced) {
		p.change(p.watch(server, all(p.t, "a", 7), nil), set("a/07", value.Map{"n": value.Int(8)}))
	}},
	{"Live queries: none that is deleted", "one", "0 reads", func(p *priced) {
		p.change(p.watch(server, all(p.t, "a"), nil), document.Write{Op: document.Delete, Name: name("a/07")})
	}},
	{"Live queries: what has changed, after at most 30 minutes without connection", "1 of 7 documents", "1 read", func(p *priced) { p.returns(29 * time.Minute) }},
	{"Live queries: as a new query after longer", "7 documents", "7 reads", func(p *priced) { p.returns(31 * time.Minute) }},
}

// otherPrices are the rules of security rules' lookups, of writes and of bytes.
var otherPrices = []price{
	{"Rules: documents that are necessary to evaluate them", "a get, rules that name three documents and need two", "3 reads", func(p *priced) {
		_, err := p.get(user("ann"), "d/1")
		p.must(err)
	}},
	{"Rules: once for each document, however often it is named", "a get, rules that name a document twice", "2 reads", func(p *priced) {
		_, err := p.get(user("ann"), "b/1")
		p.must(err)
	}},
	{"Rules: once for each request", "a get of two documents", "3 reads", func(p *priced) { _, err := p.get(user("ann"), "b/1", "b/2"); p.must(err) }},
	{"", "a get that is denied", "1 read", func(p *priced) { _, err := p.get(user("ann"), "closed/1"); p.must(denial(err)) }},
	{"Rules of live queries: when the query is issued", "2 documents, one lookup", "3 reads", func(p *priced) {
		l := p.listen(user("ann"))
		l.stream.Add(target.Target{ID: 1, Query: all(p.t, "b")})
		l.await(target.Snapshot)
	}},
	{"Rules of live queries: each time the results are updated", "one document, one lookup", "2 reads", func(p *priced) {
		p.change(p.watch(user("ann"), all(p.t, "b"), nil), set("b/1", value.Map{"x": value.Int(1)}))
	}},
	{"Rules of live queries: when the device comes back online", "no document, one lookup", "1 read", func(p *priced) {
		l := p.listen(user("ann"))
		l.stream.Add(target.Target{ID: 1, Query: all(p.t, "b")})
		l.await(target.Current)
		token := l.await(target.Snapshot).Token
		l.remove(1)
		p.m.Reset("")
		p.watch(user("ann"), all(p.t, "b"), token)
	}},
	{"Rules of live queries: when the rules are updated", "one lookup", "1 read", func(p *priced) {
		p.watch(user("ann"), all(p.t, "b"), nil)
		p.fixture.rules(pricedRules + "\nmatch /another/{id} { allow read; }")
		p.lookups(1)
	}},
	{"Rules of live queries: when a dependent document is updated", "one lookup", "1 read", func(p *priced) {
		p.watch(user("ann"), all(p.t, "b"), nil)
		p.seed(set("roles/r", value.Map{"n": value.Int(1), "x": value.Int(1)}))
		p.lookups(1)
	}},
	{"Writes: each set and each update", "a commit of two", "2 writes", func(p *priced) {
		p.must(p.commit(server, set("a/01", value.Map{}), set("a/new", value.Map{})))
	}},
	{"Deletes", "a commit of one", "1 delete", func(p *priced) {
		p.must(p.commit(server, document.Write{Op: document.Delete, Name: name("a/01")}))
	}},
	{"Deletes by TTL policies, which have no free quota", "one", "1 TTL delete", func(p *priced) { authz.Expired(p.m)(name("a/01")) }},
	{"Requests that rules deny do not count as bandwidth", "a get that is denied", "0 bytes", func(p *priced) {
		_, err := p.get(user("ann"), "closed/1")
		p.must(denial(err))
	}},
}

// costs prints counts in the unit of a cost.
func costs(total usage.Total, like string) string {
	_, unit, _ := strings.Cut(like, " ")
	n := map[string]int64{
		"read": total.Reads, "write": total.Writes, "delete": total.Deletes, "TTL delete": total.Expired, "byte": total.Sent,
	}[strings.TrimSuffix(unit, "s")]
	unit = strings.TrimSuffix(unit, "s")
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n, " ", unit)
}

// TestPrices checks each rule of Google's page on prices, and that the page of the lab lists these rules.
func TestPrices(t *testing.T) {
	var table strings.Builder
	for _, prices := range [][]price{queryPrices, listenerPrices, otherPrices} {
		for _, tt := range prices {
			fmt.Fprintf(&table, "| %s | %s | %s |\n", tt.rule, tt.example, tt.cost)
			t.Run(tt.rule+": "+tt.example, func(t *testing.T) {
				p := newPriced(t)
				tt.do(p)
				total := p.m.Report("p").Total
				if got := costs(total, tt.cost); got != tt.cost {
					t.Errorf("%s costs %s, want %s: %+v", tt.example, got, tt.cost, total)
				}
			})
		}
	}
	page, err := os.ReadFile("../../../doc/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("the table of prices in doc/lab.md is not:\n%s", table.String())
	}
}
