package rules_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// database is the database of the tests.
var database = resource.Database{Project: "demo", ID: resource.DefaultDatabase}

// empty is a Reader without documents.
type empty struct{}

// Lookup implements rules.Reader.
func (empty) Lookup(context.Context, resource.Document, bool) (*document.Document, error) {
	return nil, nil
}

// sample is a value and its form in rules.
type sample struct {
	v    value.Value
	text string
}

// samples are the values used in the documents, queries and rules of the tests.
var samples = []sample{
	{value.Null{}, "null"}, {value.Bool(true), "true"}, {value.Bool(false), "false"},
	{value.Int(0), "0"}, {value.Int(1), "1"}, {value.Double(1), "1.0"}, {value.Int(2), "2"}, {value.Double(2.5), "2.5"},
	{value.Double(math.Copysign(0, -1)), "-0.0"}, {value.Double(math.NaN()), "0.0 / 0.0"}, {value.Double(math.Inf(1)), "1.0 / 0.0"},
	{value.Int(9007199254740993), "9007199254740993"}, {value.Double(9007199254740992), "9007199254740992.0"},
	{value.String(""), "''"}, {value.String("a"), "'a'"}, {value.String("b"), "'b'"}, {value.String("\U0001F600"), "'\\ud83d\\ude00'"},
	{value.String("\uffff"), "'\\uffff'"}, {value.Bytes("a"), "b'a'"},
	{value.Timestamp{Seconds: 1}, "timestamp.value(1000)"}, {value.Timestamp{Seconds: 2}, "timestamp.value(2000)"},
	{value.GeoPoint{Lat: 1, Lng: 2}, "latlng.value(1, 2)"},
	{value.Reference("projects/demo/databases/(default)/documents/s/x"), "path('/databases/(default)/documents/s/x')"},
	{value.Array{}, "[]"}, {value.Array{value.String("a")}, "['a']"}, {value.Array{value.Int(1)}, "[1]"}, {value.Array{value.Double(1)}, "[1.0]"},
	{value.Array{value.String("a"), value.String("b")}, "['a', 'b']"},
	{value.Map{}, "{}"}, {value.Map{"k": value.Int(1)}, "{'k': 1}"}, {value.Map{"k": value.Double(1)}, "{'k': 1.0}"}, {value.Map{"k": value.String("a")}, "{'k': 'a'}"},
}

// generator generates random rules, queries and documents.
type generator struct{ *rand.Rand }

// pick returns one of the items.
func pick[T any](g *generator, items ...T) T { return items[g.IntN(len(items))] }

// path returns a field's path as the database writes it.
func (g *generator) path() string { return pick(g, "a", "b", "c", "m", "m.k") }

// term returns an expression of any type.
func (g *generator) term(depth int) string {
	switch n := g.IntN(16); {
	case n < 6:
		return "resource.data." + g.path()
	case n < 11 || depth == 0:
		return pick(g, samples...).text
	case n == 11:
		return fmt.Sprintf("resource.data.get('%s', %s)", g.path(), g.term(0))
	case n == 12:
		return pick(g, "resource.id", "id", "resource.__name__", "request.path", "resource.data", "resource", "request.method", "request.auth")
	case n == 13:
		return fmt.Sprintf("(%s %s %s)", g.term(depth-1), pick(g, "+", "-", "*", "/", "%"), g.term(depth-1))
	case n == 14:
		return fmt.Sprintf("(%s)%s", g.term(depth-1), pick(g, ".size()", ".keys()", ".k", "['k']", "[0]", ".toSet()", ".lower()", ".values()"))
	}
	return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.term(depth-1), g.term(depth-1))
}

// condition returns an expression that is likely to be a condition.
func (g *generator) condition(depth int) string {
	if depth > 0 {
		switch g.IntN(10) {
		case 0, 1:
			return fmt.Sprintf("(%s && %s)", g.condition(depth-1), g.condition(depth-1))
		case 2, 3:
			return fmt.Sprintf("(%s || %s)", g.condition(depth-1), g.condition(depth-1))
		case 4:
			return fmt.Sprintf("!(%s)", g.condition(depth-1))
		case 5:
			return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.condition(depth-1), g.condition(depth-1))
		case 6:
			return fmt.Sprintf("same(%s, %s)", g.term(depth-1), g.term(depth-1))
		}
	}
	d := max(0, depth-1)
	switch g.IntN(13) {
	case 0, 1, 2:
		return fmt.Sprintf("%s %s %s", g.term(d), pick(g, "==", "!="), g.term(d))
	case 3, 4:
		return fmt.Sprintf("%s %s %s", g.term(d), pick(g, "<", "<=", ">", ">="), g.term(d))
	case 5:
		return fmt.Sprintf("(%s in %s)", g.term(d), g.term(d))
	case 6:
		return fmt.Sprintf("(%s in [%s, %s])", g.term(d), g.term(d), g.term(d))
	case 7:
		return fmt.Sprintf("(%s is %s)", g.term(d), pick(g, "int", "float", "number", "string", "bool", "list", "map", "timestamp", "path", "bytes", "latlng", "constraint"))
	case 8:
		return fmt.Sprintf("('%s' in resource.data)", pick(g, "a", "b", "m"))
	case 9:
		return fmt.Sprintf("(%s).%s(%s)", g.term(d), pick(g, "hasAll", "hasAny", "hasOnly"), pick(g, "['a']", "['a', 'b']", "[1]", g.term(0)))
	case 10:
		return fmt.Sprintf("resource.data.keys().%s(['a', '%s'])", pick(g, "hasAll", "hasAny", "hasOnly"), pick(g, "a", "b", "m"))
	case 11:
		return fmt.Sprintf("resource.data.size() %s %d", pick(g, "<", ">=", "==", ">"), g.IntN(4))
	}
	return pick(g, "resource == null", "resource != null", "resource.data.a", "resource.data.b", "request.auth == null",
		"'k' in resource.data.m", "resource.data.diff({'a': 1}).affectedKeys().hasAny(['b'])", "resource.data.m == {'k': 1}")
}

// ruleset returns rules whose list and get are decided by random conditions, and their text.
func (g *generator) ruleset() string {
	var allows strings.Builder
	for range 1 + g.IntN(2) {
		fmt.Fprintf(&allows, "      allow read: if %s;\n", g.condition(2))
	}
	return "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n" +
		"    function same(x, y) { let z = x; return z == y; }\n" +
		"    match /s/{id} {\n" + allows.String() + "    }\n  }\n}\n"
}

// filter returns a random filter.
func (g *generator) filter(depth int) query.Filter {
	if depth > 0 && g.IntN(2) == 0 {
		filters := []query.Filter{g.filter(depth - 1), g.filter(depth - 1)}
		if g.IntN(3) == 0 {
			return &query.Or{Filters: filters}
		}
		return &query.And{Filters: filters}
	}
	path, err := value.ParseFieldPath(g.path())
	if err != nil {
		panic(err)
	}
	v := pick(g, samples...).v
	switch g.IntN(14) {
	case 0:
		return query.Unary{Path: path, Op: pick(g, query.IsNull, query.IsNaN, query.IsNotNull, query.IsNotNaN)}
	case 1:
		return query.Field{Path: path, Op: query.ArrayContains, Value: v}
	case 2:
		op := pick(g, query.In, query.NotIn, query.ArrayContainsAny)
		return query.Field{Path: path, Op: op, Value: value.Array{v, pick(g, samples...).v}}
	case 3:
		return query.Field{Path: path, Op: query.NotEqual, Value: v}
	case 4, 5, 6:
		op := pick(g, query.LessThan, query.LessThanOrEqual, query.GreaterThan, query.GreaterThanOrEqual)
		return query.Field{Path: path, Op: op, Value: v}
	case 7:
		ref := value.Reference(resource.Document{DB: database, Path: "s/x"}.String())
		return query.Field{Path: value.FieldPath{"__name__"}, Op: query.Equal, Value: ref}
	}
	return query.Field{Path: path, Op: query.Equal, Value: v}
}

// query returns a random normalized query, or nil if the generated query is invalid.
func (g *generator) query() *query.Query {
	q := &query.Query{DB: database, From: []query.From{{Collection: "s"}}, Limit: query.NoLimit}
	if g.IntN(8) > 0 {
		q.Where = g.filter(2)
	}
	if g.IntN(4) == 0 {
		q.OrderBy = []query.Order{{Path: value.FieldPath{pick(g, "a", "b", "c")}, Desc: g.IntN(2) == 0}}
	}
	n, err := q.Normalize()
	if err != nil {
		return nil
	}
	return n
}

// document returns a random document that is likely to match a query.
func (g *generator) document(wanted map[string]value.Value) *document.Document {
	d := &document.Document{Name: resource.Document{DB: database, Path: "s/" + pick(g, "x", "y")}, Fields: value.Map{}}
	for _, name := range []string{"a", "b", "c", "m"} {
		if g.IntN(4) > 0 {
			d.Fields[name] = pick(g, samples...).v
		}
		if v, ok := wanted[name]; ok && g.IntN(8) > 0 {
			d.Fields[name] = v
		}
		if v, ok := wanted[name+".k"]; ok && g.IntN(8) > 0 {
			d.Fields[name] = value.Map{"k": v}
		}
	}
	return d
}

// variant returns a value that may equal v in the database or be close to it.
func (g *generator) variant(v value.Value) value.Value {
	switch x := v.(type) {
	case value.Int:
		return pick[value.Value](g, x, value.Double(x), x+1, x-1)
	case value.Double:
		return pick[value.Value](g, x, value.Int(x), x+1, x-0.5)
	case value.String:
		return pick(g, x, x, x+"a", "")
	case value.Array:
		out := make(value.Array, 0, len(x)+1)
		for _, item := range x {
			out = append(out, g.variant(item))
		}
		if g.IntN(2) == 0 {
			out = append(out, pick(g, samples...).v)
		}
		return out
	case value.Map:
		out := value.Map{}
		for k, item := range x {
			out[k] = g.variant(item)
		}
		return out
	}
	return v
}

// matching returns values of the kind that a filter selects, by path.
func (g *generator) matching(f query.Filter, into map[string]value.Value) {
	switch x := f.(type) {
	case *query.And:
		for _, inner := range x.Filters {
			g.matching(inner, into)
		}
	case *query.Or:
		if len(x.Filters) > 0 { // empty if normalizing found that no filter can hold
			g.matching(pick(g, x.Filters...), into)
		}
	case query.Field:
		v := x.Value
		if items, ok := v.(value.Array); ok && len(items) > 0 && (x.Op == query.In || x.Op == query.ArrayContainsAny) {
			v = pick(g, items...)
		}
		v = g.variant(v)
		if x.Op == query.ArrayContains || x.Op == query.ArrayContainsAny {
			v = value.Array{pick(g, samples...).v, v}
		}
		into[x.Path.String()] = v
	case query.Unary:
		if x.Op == query.IsNull {
			into[x.Path.String()] = value.Null{}
		}
	}
}

// TestAllowedQueriesAreSound generates random rules and queries. If a query is allowed, every matching document must be
// allowed individually.
func TestAllowedQueriesAreSound(t *testing.T) {
	rounds := 10000
	if testing.Short() {
		rounds = 2000
	}
	g := &generator{rand.New(rand.NewPCG(1, 2))}
	allowed, matched := 0, 0
	for range rounds {
		q := g.query()
		if q == nil {
			continue
		}
		text := g.ruleset()
		a, m := soundOnce(t, g, text, q)
		allowed += a
		matched += m
	}
	t.Logf("%d rounds, %d queries allowed, %d matching documents", rounds, allowed, matched)
	if allowed < rounds/50 || matched < rounds/5 {
		t.Errorf("of %d rounds only %d queries were allowed with %d matching documents: the test checks nothing", rounds, allowed, matched)
	}
}

// soundOnce evaluates one query and, if it is allowed, documents that match it.
func soundOnce(t *testing.T, g *generator, text string, q *query.Query) (allowed, matched int) {
	t.Helper()
	r, issues := rules.Compile(text)
	if r == nil {
		t.Fatalf("%s\n%s", rules.Summary(issues), text)
	}
	if !decide(t, r, &rules.Request{Method: rules.List, Query: q}) {
		return 0, 0
	}
	for range 60 {
		wanted := make(map[string]value.Value)
		if q.Where != nil {
			g.matching(q.Where, wanted)
		}
		d := g.document(wanted)
		if !q.Matches(d) {
			continue
		}
		matched++
		if !decide(t, r, &rules.Request{Method: rules.Get, Name: d.Name, Before: d}) {
			t.Fatalf("the query %s is allowed, and returns a document that is not: %s %v\n%s", q.Fingerprint(), d.Name.Path, d.Fields, text)
		}
	}
	return 1, matched
}

// decide answers a request without a user.
func decide(t *testing.T, r *rules.Ruleset, q *rules.Request) bool {
	t.Helper()
	q.Reader = empty{}
	d, err := r.Allow(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return d.Allowed
}

// TestKnownDocumentsAgree fixes every value of a document that rules can read by filters, and checks that the query and
// the document have the same decision.
func TestKnownDocumentsAgree(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(3, 4))}
	pinned := []sample{
		{value.Bool(true), "true"}, {value.Bool(false), "false"}, {value.String("a"), "'a'"}, {value.String("b"), "'b'"},
		{value.Timestamp{Seconds: 1}, "timestamp.value(1000)"}, {value.Array{value.String("a")}, "['a']"}, {value.Map{"k": value.String("a")}, "{'k': 'a'}"},
	}
	field := func() string {
		return pick(g, "resource.data.a", "resource.data.b", "resource.data.m", "resource.data.c", "id")
	}
	same := 0
	for range 5000 {
		d := &document.Document{Name: resource.Document{DB: database, Path: "s/x"}, Fields: value.Map{}}
		q := &query.Query{DB: database, From: []query.From{{Collection: "s"}}, Limit: query.NoLimit}
		and := &query.And{Filters: []query.Filter{
			query.Field{Path: value.FieldPath{"__name__"}, Op: query.Equal, Value: value.Reference(d.Name.String())},
		}}
		for _, name := range []string{"a", "b", "c", "m"} {
			d.Fields[name] = pick(g, pinned...).v
			and.Filters = append(and.Filters, query.Field{Path: value.FieldPath{name}, Op: query.Equal, Value: d.Fields[name]})
		}
		q.Where = and
		q, err := q.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		other := func() string {
			return pick(g, field(), pick(g, pinned...).text, field()+".size()", field()+".k", field()+"[0]", field()+"[0:1]")
		}
		cond := fmt.Sprintf("%s %s %s", other(), pick(g, "==", "!=", "<", ">=", "in"), other())
		for range 2 {
			cond = fmt.Sprintf("(%s) %s (%s is %s)", cond, pick(g, "&&", "||", "=="), other(), pick(g, "string", "list", "map", "bool"))
			if g.IntN(3) == 0 {
				cond = "!(" + cond + ")"
			}
		}
		text := "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents/s/{id} { allow read: if " + cond + "; } }"
		r, issues := rules.Compile(text)
		if r == nil {
			t.Fatalf("%s\n%s", rules.Summary(issues), text)
		}
		list := decide(t, r, &rules.Request{Method: rules.List, Query: q})
		get := decide(t, r, &rules.Request{Method: rules.Get, Name: d.Name, Before: d})
		if list != get {
			t.Fatalf("the query for exactly %v is allowed: %t, the document: %t\n%s", d.Fields, list, get, text)
		}
		if get {
			same++
		}
	}
	if same < 500 {
		t.Errorf("%d allowed: the test checks nothing", same)
	}
}
