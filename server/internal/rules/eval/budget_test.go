package eval_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// database is the database of the tests.
var database = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// counting is a rules.Reader that counts lookups. Documents exist if their id begins with y.
type counting struct{ lookups int }

// Lookup implements rules.Reader.
func (c *counting) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	c.lookups++
	if !strings.HasPrefix(name.ID(), "y") {
		return nil, nil
	}
	return &document.Document{Name: name, Fields: value.Map{"n": value.Int(1)}}, nil
}

// decide compiles a condition with functions and evaluates it for a get.
func decide(t *testing.T, functions, cond string, reader rules.Reader) rules.Decision {
	t.Helper()
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents {\n" + functions +
		"\n match /t/{id} { allow get: if " + cond + "; }\n}\n}")
	if r == nil {
		t.Fatalf("%s: %s", cond, rules.Summary(issues))
	}
	d, err := r.Allow(t.Context(), &rules.Request{Method: rules.Get, Name: resource.Document{DB: database, Path: "t/x"}, Reader: reader})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// times returns a condition with n calls of f, in functions of 90 calls each.
func times(n int) (functions, cond string) {
	var parts []string
	for range n / 90 {
		parts = append(parts, "k()")
	}
	for range n % 90 {
		parts = append(parts, "f()")
	}
	return "function k() { return " + strings.TrimSuffix(strings.Repeat("f() && ", 90), " && ") + "; }\n", strings.Join(parts, " && ")
}

// TestBudgetOfExpressions checks that the request is denied at the same number of calls as by the official emulator.
func TestBudgetOfExpressions(t *testing.T) {
	for body, most := range map[string]int{
		"return true;": 250, "return true && true;": 143, "return true && true && true;": 100, "return 1 == 1;": 166,
		"return 1 == 1 && 1 == 1;": 91, "return [1, 2, 3].size() == 3;": 100, "let a = 1; return a == 1;": 125,
		"return request.auth == null;": 143, "return !false;": 200, "return !!true;": 166, "return true ? true : false;": 143,
		"return 1 in [1];": 143, "return 1 is int;": 166, "return /a/b == /a/b;": 100, "return 'a'.size() == 1;": 143,
	} {
		for n, want := range map[int]bool{most: true, most + 1: false} {
			functions, cond := times(n)
			d := decide(t, "function f() { "+body+" }\n"+functions, cond, &counting{})
			if d.Allowed != want || d.Exhausted == want {
				t.Errorf("%d calls of a function that does %q: allowed %t, want %t (%s)", n, body, d.Allowed, want, d.Denial())
			}
		}
	}
	functions, cond := times(300)
	if d := decide(t, "function f() { return true; }\n"+functions, "("+cond+") || true", &counting{}); d.Allowed ||
		!strings.Contains(d.Denial(), "maximum of 1000 expressions") {
		t.Errorf("over the budget, or true: allowed %t, %q; want a denial that nothing absorbs", d.Allowed, d.Denial())
	}
}

// TestBudgetOfLookups checks the limit of ten documents. Each document counts once, however it is looked up.
func TestBudgetOfLookups(t *testing.T) {
	lookups := func(function string, n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf("%s(/databases/$(db)/documents/c/y%d)", function, i)
		}
		return strings.Join(parts, " && ")
	}
	for _, c := range []struct {
		cond    string
		allowed bool
		lookups int
	}{
		{lookups("exists", 10), true, 10},
		{lookups("exists", 11), false, 10},
		{"(" + lookups("exists", 11) + ") || true", true, 10},
		{"true || " + lookups("exists", 11), true, 0},
		{lookups("exists", 10) + " && get(/databases/$(db)/documents/c/y3).data.n == 1", true, 10},
		{strings.Repeat("exists(/databases/$(db)/documents/c/y) && ", 30) + "true", true, 1},
		{"!exists(/databases/$(db)/documents/c/none)", true, 1},
		{"get(/databases/$(db)/documents/c/none) == null", false, 1},
		{"exists(/databases/$(db)/documents/c)", false, 0},
		{"exists(/databases/$(db)/documents/c/y/d)", false, 0},
		{"exists(/databases/elsewhere/documents/c/y)", false, 0},
		{"exists(/databases/$(db)/documents/c/$('a/y'))", false, 0},
		{"exists('c/y')", false, 0},
	} {
		reader := &counting{}
		d := decide(t, "", c.cond, reader)
		if d.Allowed != c.allowed || reader.lookups != c.lookups {
			t.Errorf("%.80s: allowed %t with %d lookups, want %t with %d: %s", c.cond, d.Allowed, reader.lookups, c.allowed, c.lookups, d.Denial())
		}
	}
}

// FuzzEvaluate checks that every program ends within its budget and does not panic.
func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{
		"resource == null && request.auth.uid == 'a'", "'a'.matches(request.path[0]) || {'a': [1]}.diff({}).addedKeys() == [].toSet()",
		"f(1)[1:2] is list ? math.pow(2, 3) > 1 : /a/{b}.bind({'b': 1}) == path('a/1')", "(1.0 / 0.0) in [1].toSet().union([2].toSet())",
		"duration.value(9223372036854775807, 'w') == timestamp.value(1) - timestamp.value(0)", "'a,b'.split(',').join('-').replace('-', '$1') == ''",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cond string) {
		r, _ := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents {\n" +
			"function f(x) { let y = [x, x]; return y; }\n match /t/{id} { allow read, write: if " + cond + "\n}\n}\n}")
		if r == nil {
			return
		}
		name := resource.Document{DB: database, Path: "t/x"}
		for _, q := range []*rules.Request{
			{Method: rules.Get, Name: name}, {Method: rules.Delete, Name: name}, {Method: rules.List, Query: everything()},
		} {
			q.Reader = &counting{}
			if _, err := r.Allow(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestBudgetOfMemory checks that values that double repeatedly end the request early.
func TestBudgetOfMemory(t *testing.T) {
	for _, c := range []struct{ name, step, start, cond string }{
		{"text", "x + x", "'abc'", "size() > 0"},
		{"replaced", "x.replace('', x)", "'abc'", "size() > 0"},
		{"joined", "[x, x, x].join(x)", "'abc'", "size() > 0"},
		{"bytes", "x.toUtf8().toHexString()", "'abc'", "size() > 0"},
		{"list", "x.concat(x)", "[1]", "size() > 0"},
		{"nested", "[x, x]", "[1]", "size() > 0"},
		{"map", "{'a': x, 'b': x}", "{}", "size() > 0"},
		{"path", "/$(x)/$(x)", "/a", "bind({}) is path"},
	} {
		functions := "function f0(x) { return " + c.step + "; }\n"
		for i := 1; i < 7; i++ {
			functions += fmt.Sprintf("function f%d(x) { let y = f%d(x); return f%d(y); }\n", i, i-1, i-1)
		}
		d := decide(t, functions, "f6("+c.start+")."+c.cond+" || true", &counting{})
		if d.Allowed || !d.Exhausted || !strings.Contains(d.Denial(), "maximum memory usage") {
			t.Errorf("%s: allowed %t, %q; want the memory to be used up", c.name, d.Allowed, d.Denial())
		}
	}
}

// TestBudgetOfPatterns applies patterns of the request to texts of the request. Literals of the rules may be applied to
// any text.
func TestBudgetOfPatterns(t *testing.T) {
	long := strings.Repeat("ab", 50_000)
	for _, c := range []struct {
		name, cond, pattern, text string
		allowed, exhausted        bool
	}{
		{"a short pattern and text", "d.text.matches(d.pattern)", "[a-z]+@[a-z]+", "ann@example", true, false},
		{"a short pattern, 10 kB", "d.text.matches(d.pattern)", "(ab)*", long[:10_000], true, false},
		{"many repetitions", "d.text.matches(d.pattern)", strings.Repeat("(a?b?){100}", 10), long, false, true},
		{"many repetitions, or true", "d.text.matches(d.pattern) || true", strings.Repeat("(a?b?){100}", 10), long, false, true},
		{"a long pattern", "d.text.matches(d.pattern)", long, "ab", false, true},
		{"split", "d.text.split(d.pattern).size() > 0", strings.Repeat("(a?b?){100}", 10), long, false, true},
		{"replace", "d.text.replace(d.pattern, '').size() >= 0", strings.Repeat("(a?b?){100}", 10), long, false, true},
		{"an invalid pattern", "d.text.matches(d.pattern)", "(", "ab", false, false},
		{"literals", "d.text.matches('(a?b?)*') && d.text.replace('(ab)+', '') == '' && d.text.split('(ab){50}').size() > 0", "", long, true, false},
		{"one after the other", strings.TrimSuffix(strings.Repeat("d.text.matches(d.pattern) && ", 50), " && "), strings.Repeat("(ab)*", 50), long[:1000], false, true},
	} {
		r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id} {\n function ok(d) { return " + c.cond +
			"; }\n allow create: if ok(request.resource.data);\n }\n}")
		if r == nil {
			t.Fatalf("%s: %s", c.name, rules.Summary(issues))
		}
		name := resource.Document{DB: database, Path: "t/x"}
		made := &document.Document{Name: name, Fields: value.Map{"pattern": value.String(c.pattern), "text": value.String(c.text)}}
		d, err := r.Allow(t.Context(), &rules.Request{Method: rules.Create, Name: name, After: made, Reader: &counting{}})
		if err != nil || d.Allowed != c.allowed || d.Exhausted != c.exhausted {
			t.Errorf("%s: allowed %t, exhausted %t (%s), %v; want %t, %t", c.name, d.Allowed, d.Exhausted, d.Denial(), err, c.allowed, c.exhausted)
		}
	}
}

// TestKeysOfARequest checks the keys of the variable request, which are known for a query too, as by the official
// emulator.
func TestKeysOfARequest(t *testing.T) {
	for cond, allowed := range map[string]bool{
		"request.keys().hasAll(['auth', 'method', 'path', 'query', 'time'])": true, "'query' in request": true, "request.size() > 4": true,
		"request.keys().hasAny(['resource'])": false, "'resource' in request": false, "request.values().size() > 0": false, "request == {}": false,
	} {
		r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id} { allow list: if " + cond + "; }\n}")
		if r == nil {
			t.Fatalf("%s: %s", cond, rules.Summary(issues))
		}
		d, err := r.Allow(t.Context(), &rules.Request{Method: rules.List, Query: everything(), Reader: &counting{}})
		if err != nil || d.Allowed != allowed {
			t.Errorf("%s: allowed %t, %v; want %t (%s)", cond, d.Allowed, err, allowed, d.Denial())
		}
	}
}
