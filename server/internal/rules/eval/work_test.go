package eval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// TestWorkIsCounted checks that the cost of conditions on large and small texts and lists is counted, at least about as
// much as they take.
func TestWorkIsCounted(t *testing.T) {
	items := make(value.Array, 20_000)
	for i := range items {
		items[i] = value.Int(i)
	}
	references := make(value.Array, 1000)
	for i := range references {
		references[i] = value.Reference("projects/p/databases/(default)/documents/" + strings.Repeat("a/b/", 160) + fmt.Sprintf("c/%d", i))
	}
	large := value.Map{"text": value.String(strings.Repeat("ab", 50_000)), "list": items, "references": references}
	small := value.Map{"text": value.String("abab"), "list": items[:3], "references": references[:1]}
	for _, c := range []struct {
		cond  string
		least int // of the large document
	}{
		{"d.text.matches('(a?b?)*c')", 3000},
		{"d.text.split('b').size() > 0", 3000},
		{"d.text.replace('a', '') == ''", 3000},
		{"d.text.lower() == 'b'", 40},
		{"d.text + 'x' == 'b'", 90},
		{"d.text[1] == 'b'", 40},
		{"d.text[1:4] == 'b'", 40},
		{"hashing.md5(d.text) == b'b'", 40},
		{"5 in d.list", 600},
		{"d.list.toSet().hasAny([-1])", 9000},
		{"d.list.hasAll(d.list)", 9000},
		{"d.list.removeAll(d.list) == []", 9000},
		{"d.list == [1]", 600},
		{"d.list == d.list", 2400},
		{"d.list in [d.list]", 1200},
		{"d.list in [1].toSet()", 5000},
		{"d.references == d.references", 1200},
		{"d.references[0] in d.references", 600},
		{"d.references in [1].toSet()", 2500},
		{"[d.list, d.list].size() == 2", 1200},
		{"d.keys().hasAll(['text'])", 4000},
		{"d.diff({'a': 1}).affectedKeys().hasOnly(['a'])", 4000},
		{"get(/databases/$(db)/documents/c/x).data.n == 1", 0},
		{strings.Repeat("(d.list.size() > 1 && ", 50) + "true" + strings.Repeat(")", 50), 5},
	} {
		if n := costOf(t, c.cond, large); n < c.least {
			t.Errorf("%.50s: the cost is %d, want at least %d", c.cond, n, c.least)
		}
		if n := costOf(t, c.cond, small); n > 20 {
			t.Errorf("%.50s of a small document: the cost is %d, want at most 20", c.cond, n)
		}
	}
}

// costOf returns the cost of a condition on the fields d of a created document. It fails the test unless an error of
// Spend ends the evaluation.
func costOf(t *testing.T, cond string, d value.Map) (cost int) {
	t.Helper()
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id} {\n function ok(d) { return " + cond +
		"; }\n allow create: if ok(request.resource.data);\n }\n}")
	if r == nil {
		t.Fatalf("%s: %s", cond, rules.Summary(issues))
	}
	name := resource.Document{DB: database, Path: "t/x"}
	request := &rules.Request{Method: rules.Create, Name: name, After: &document.Document{Name: name, Fields: d}, Reader: &counting{}}
	request.Spend = func(_ context.Context, n int) error { cost += n; return nil }
	if _, err := r.Allow(t.Context(), request); err != nil {
		t.Errorf("%.50s: %v", cond, err)
	}
	if cost == 0 {
		return 0
	}
	ended, calls := errors.New("ended"), 0
	request.Spend = func(context.Context, int) error { calls++; return ended }
	if decision, err := r.Allow(t.Context(), request); !errors.Is(err, ended) || decision.Allowed || calls != 1 {
		t.Errorf("%.50s: %v, %v after %d calls of Spend that fail; want the error after one", cond, decision, err, calls)
	}
	return cost
}

// TestWorkOfQueriesIsCounted checks the cost of a query that is decided for each of its alternatives.
func TestWorkOfQueriesIsCounted(t *testing.T) {
	cond := strings.Repeat("(request.time != null && ", 90) + "true" + strings.Repeat(")", 90)
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id} {\n allow list: if " + cond + ";\n }\n}")
	if r == nil {
		t.Fatal(rules.Summary(issues))
	}
	cost := 0
	request := &rules.Request{Method: rules.List, Query: everything(), Reader: &counting{}}
	request.Spend = func(_ context.Context, n int) error { cost += n; return nil }
	if _, err := r.Allow(t.Context(), request); err != nil || cost < 5 {
		t.Errorf("the cost is %d, %v; want at least 5", cost, err)
	}
}
