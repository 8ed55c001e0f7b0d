package eval_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// creation returns the compiled rules of a condition on the fields d of a created document, and the request to create
// it.
func creation(t *testing.T, cond string, d value.Map) (*rules.Ruleset, *rules.Request) {
	t.Helper()
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents/t/{id} {\n function ok(d) { return " + cond +
		"; }\n allow create: if ok(request.resource.data);\n }\n}")
	if r == nil {
		t.Fatalf("%s: %s", cond, rules.Summary(issues))
	}
	name := resource.Document{DB: database, Path: "t/x"}
	return r, &rules.Request{Method: rules.Create, Name: name, After: &document.Document{Name: name, Fields: d}, Reader: &counting{}}
}

// TestCostlyPatterns checks that patterns of a request that are costly to parse, to compile or to apply end the request
// before they take much memory or work.
func TestCostlyPatterns(t *testing.T) {
	text := strings.Repeat("a", 1<<19)
	for _, c := range []struct{ name, pattern string }{
		{"a long one", strings.Repeat("a", 8<<10+1)},
		{"Unicode classes", strings.Repeat(`\pL`, 2700)},
		{"Unicode classes in a class", "[" + strings.Repeat(`\pL`, 2700) + "]"},
		{"ranges that ignore case", "(?i)" + strings.Repeat("[A-"+string(rune(0x1e942))+"]", 900)},
		{"ranges that ignore case, in digits", "(?i)" + strings.Repeat(`[A-\x{1E942}]`, 600)},
		{"repetitions", strings.Repeat("a{900}", 1300)},
		{"repetitions in each other", strings.Repeat("(a{30}){30}", 700)},
		{"a repeated class", `(\pL{10}){100}`},
		{"groups", strings.Repeat("(a?)", 2000)},
		{"alternatives that read all of the rest", "a.*b|a"},
		{"the same at a boundary", `\ba.*b|a`},
	} {
		for _, cond := range []string{"d.text.matches(d.pattern)", "d.text.split(d.pattern).size() > 0", "d.text.replace(d.pattern, 'b').size() > 0"} {
			if strings.Contains(cond, "matches") && strings.HasSuffix(c.pattern, "b|a") {
				continue
			}
			r, request := creation(t, cond+" || true", value.Map{"pattern": value.String(c.pattern), "text": value.String(text)})
			cost := 0
			request.Spend = func(_ context.Context, n int) error { cost += n; return nil }
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := r.Allow(t.Context(), request)
			runtime.ReadMemStats(&after)
			if err != nil || d.Allowed || !d.Exhausted || !strings.Contains(d.Denial(), "regular expressions are too large") {
				t.Errorf("%s, %s: allowed %t, %v, %s; want the limit of patterns", c.name, cond, d.Allowed, err, d.Denial())
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
				t.Errorf("%s, %s: %d MiB were taken, want at most 32", c.name, cond, took>>20)
			}
			if cost > 10_000+1<<18 { // maxPatterns, in units of cost
				t.Errorf("%s, %s: the cost is %d", c.name, cond, cost)
			}
		}
	}
}

// TestPatternsWaitForTheirTurn checks that the cost of a pattern is counted before it is parsed, and that of searching
// a long text while it is read, so that a request that has to wait or has ended does no further work.
func TestPatternsWaitForTheirTurn(t *testing.T) {
	long := value.String(strings.Repeat("a", 1<<19))
	for _, c := range []struct {
		cond    string
		pattern string
		after   int // what may be spent before the end
	}{
		{"d.text.matches(d.pattern)", strings.Repeat(`\pL`, 200), 2000},
		{"d.text.matches(d.pattern)", "a*", 4000},
		{"d.text.split('a.*b|a').size() > 0", "", 20_000},
		{"d.text.replace('^a.*b|a', '').size() > 0", "", 20_000},
		{"d.text.matches('((a?b?){50}c?)*x')", "", 20_000},
	} {
		r, request := creation(t, c.cond, value.Map{"pattern": value.String(c.pattern), "text": long})
		ended, spent, calls, most := errors.New("ended"), 0, 0, 0
		request.Spend = func(_ context.Context, n int) error {
			if calls++; calls > 1 { // the first one is for reading the text
				most = max(most, n)
			}
			if spent += n; spent > c.after {
				return ended
			}
			return nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := r.Allow(t.Context(), request)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ended) || d.Allowed {
			t.Errorf("%s: %v, allowed %t after a cost of %d; want the end of the request", c.cond, err, d.Allowed, spent)
		}
		if took := after.TotalAlloc - before.TotalAlloc; c.pattern != "" && took > 1<<20 {
			t.Errorf("%s: %d KiB were taken before the turn", c.cond, took>>10)
		}
		if c.pattern == "" && most > 2048 {
			t.Errorf("%s: work of a cost of %d was done at once", c.cond, most)
		}
	}
}
