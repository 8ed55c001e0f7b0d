package usage

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// newMeter returns a meter with a clock of its own.
func newMeter() *Meter {
	return New(Options{Clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
}

func TestPattern(t *testing.T) {
	m := newMeter()
	for path, want := range map[string]string{"a": "a", "users/ann/orders": "users/*/orders", "a/b/c/d/e": "a/*/c/*/e"} {
		if got := m.Pattern(path); got != want {
			t.Errorf("Pattern(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestAddTo counts for collections by their paths; each is counted in the row of its pattern, as by Add.
func TestAddTo(t *testing.T) {
	paths := []string{
		"a", "b", "*", "users", "users/ann/orders", "users/bob/orders", "users/ann/order", "user/ann/orders", "users/*/orders", "users/ann/xrders",
		"users/ann/orders/1/orders", "a/b/c/d/e", "a/b/c/d/f", "a/x/c/y/e", "users/ann", "users/",
	}
	by, to := newMeter(), newMeter()
	for i := range 3 * len(paths) {
		path := paths[(i*7)%len(paths)]
		for _, key := range []Key{{Call: "get", Caller: "user", User: "ann"}, {Call: "get", Caller: "user", User: "bob"}, {Call: "ttl", Caller: "server"}} {
			c := Counts{Calls: 1, Documents: int64(i), Missing: 2, Skipped: 3, Entries: 4, Minimum: 5, Lookups: 6, Writes: 7, Deletes: 8, Expired: 9, Sent: 10}
			to.AddTo("p", key, path, &c)
			key.Pattern = by.Pattern(path)
			by.Add("p", key, c)
		}
	}
	if got, want := to.Report("p"), by.Report("p"); !reflect.DeepEqual(got, want) {
		t.Errorf("by paths %+v\nby patterns %+v", got, want)
	}
	for _, path := range paths {
		for _, other := range paths {
			if got, want := fits(to.Pattern(path), other), to.Pattern(path) == to.Pattern(other); got != want {
				t.Errorf("fits(%q, %q) = %t", to.Pattern(path), other, got)
			}
		}
	}
	many := New(Options{Clock: clocktest.NewManual(time.Unix(0, 0)), Coarse: true})
	for i := range maxPatterns + 100 {
		many.AddTo("p", Key{Call: "get", User: "ann"}, fmt.Sprintf("a%d/x/b", i), &Counts{Documents: 1})
	}
	if r := many.Report("p"); r.Total.Reads != maxPatterns+100 || r.Rows[0].Pattern != Other || r.Rows[0].Reads != 100 || r.Rows[0].User != "" {
		t.Errorf("%d reads, first %+v", r.Total.Reads, r.Rows[0])
	}
}

func TestReportAndReset(t *testing.T) {
	m := newMeter()
	m.Add("p", Key{Call: "get", Pattern: "a"}, Counts{Calls: 1, Documents: 2, Lookups: 1})
	m.Add("p", Key{Call: "get", Pattern: "a"}, Counts{Calls: 1, Missing: 1})
	m.Add("q", Key{Call: "get", Pattern: "a"}, Counts{Calls: 1, Documents: 10})
	if r := m.Report("p"); len(r.Rows) != 1 || r.Rows[0].Reads != 4 || r.Total.Calls != 2 {
		t.Errorf("report of p: %+v", r)
	}
	if r := m.Report(""); len(r.Rows) != 1 || r.Total.Reads != 14 {
		t.Errorf("report of all: %+v", r)
	}
	m.Reset("p")
	if p, q := m.Report("p").Total.Reads, m.Report("q").Total.Reads; p != 0 || q != 10 {
		t.Errorf("after the reset of p: %d and %d reads, want 0 and 10", p, q)
	}
	m.Reset("")
	if r := m.Report(""); r.Total.Reads != 0 || len(r.Rows) != 0 {
		t.Errorf("after the reset of all: %+v", r)
	}
}

// TestRowsAreBounded counts in more collections than there are rows; the sum stays right.
func TestRowsAreBounded(t *testing.T) {
	m := newMeter()
	const n = maxRows + 500
	for i := range n {
		m.Add("p", Key{Call: "get", Pattern: fmt.Sprint("c", i)}, Counts{Documents: 1})
	}
	r := m.Report("p")
	if len(r.Rows) != maxRows+1 || r.Total.Reads != n || r.Rows[0].Pattern != Other || r.Rows[0].Reads != 500 {
		t.Errorf("%d rows, %d reads, first %+v", len(r.Rows), r.Total.Reads, r.Rows[0])
	}
	for i := range 2 * maxPatterns {
		m.Pattern(fmt.Sprintf("a%d/x/b", i))
	}
	if got := m.Pattern("last/x/b"); got != Other || len(*m.patterns.Load()) != maxPatterns {
		t.Errorf("%q, %d patterns", got, len(*m.patterns.Load()))
	}
}

func TestBudget(t *testing.T) {
	m := newMeter()
	m.Add("p", Key{Call: "query", Pattern: "users/*/orders", Caller: "user", User: "ann", Query: "users/*/orders where paid == ?"}, Counts{Calls: 3, Documents: 30})
	m.Add("p", Key{Call: "get", Pattern: "a", Caller: "admin"}, Counts{Calls: 1, Documents: 1})
	for _, tt := range []struct {
		budget string
		want   int
		names  string
	}{
		{`{"reads": 31}`, 0, ""},
		{`{"reads": 30}`, 1, "all collections: 31 reads, 30 allowed\n  30 by 3 × query users/*/orders where paid == ? (user ann): 30 documents\n"},
		{`{"reads": 0, "patterns": {"users/*/orders": 29, "a": 1, "none": 0}}`, 2, "users/*/orders: 30 reads, 29 allowed"},
	} {
		b, err := ParseBudget([]byte(tt.budget))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if got := b.Check(m.Report(""), &out); got != tt.want || !strings.Contains(out.String(), tt.names) {
			t.Errorf("%s: %d exceeded, %q", tt.budget, got, out.String())
		}
	}
	for _, bad := range []string{``, `{}`, `{"reads": -1}`, `{"red": 1}`, `{"patterns": {"a": -1}}`, `{"reads": 1} 2`} {
		if _, err := ParseBudget([]byte(bad)); err == nil {
			t.Errorf("ParseBudget(%q) = nil", bad)
		}
	}
}

func TestPrint(t *testing.T) {
	m := newMeter()
	for i := range 4 {
		m.Add("p", Key{Call: "get", Pattern: fmt.Sprint("c", i), Caller: "anonymous"}, Counts{Calls: 1, Documents: int64(i)})
	}
	var out strings.Builder
	if err := m.Report("").Print(&out, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3      0       0        1      get   anonymous  c3           3 documents", "2 more rows", "total        6 documents"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

// TestCountsTogether counts in many rows at once, beside reports.
func TestCountsTogether(t *testing.T) {
	m := newMeter()
	const workers, each = 8, 2000
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range each {
				m.Add(fmt.Sprint("p", w%2), Key{Call: "get", Pattern: m.Pattern(fmt.Sprintf("a/%d/c%d", i, i%50)), Caller: "admin"}, Counts{Calls: 1, Documents: 2})
			}
		})
	}
	for range 20 {
		m.Report("p0")
	}
	all.Wait()
	if r := m.Report(""); r.Total.Documents != 2*workers*each || len(r.Rows) != 50 {
		t.Errorf("%d documents in %d rows", r.Total.Documents, len(r.Rows))
	}
	m.Forget("p0")
	m.Add("p0", Key{Call: "get", Pattern: "a/*/c1", Caller: "admin"}, Counts{Documents: 1})
	if p0, p1 := m.Report("p0").Total.Reads, m.Report("p1").Total.Reads; p0 != 1 || p1 != workers*each {
		t.Errorf("after p0 was forgotten: %d and %d reads", p0, p1)
	}
}

// TestCoarse keeps neither users nor queries, and nothing of denied calls.
func TestCoarse(t *testing.T) {
	m := New(Options{Clock: clocktest.NewManual(time.Unix(0, 0)), Coarse: true})
	for _, uid := range []string{"ann", "bob"} {
		m.Add("p", Key{Call: "query", Pattern: "a", Caller: "user", User: uid, Query: "a where x == ?"}, Counts{Calls: 1, Documents: 3})
		m.Add("p", Key{Call: "get", Pattern: "denied" + uid, Caller: "user", User: uid}, Counts{Calls: 1})
	}
	r := m.Report("p")
	if want := (Key{Call: "query", Pattern: "a", Caller: "user"}); len(r.Rows) != 1 || r.Rows[0].Key != want || r.Rows[0].Reads != 6 {
		t.Errorf("rows %+v", r.Rows)
	}
}

// BenchmarkAddTo measures the count of one document in a subcollection.
func BenchmarkAddTo(b *testing.B) {
	m := newMeter()
	for b.Loop() {
		m.AddTo("project", Key{Call: "get", Caller: "user", User: "ann"}, "users/ann/orders", &Counts{Calls: 1, Documents: 1, Sent: 100})
	}
}

// TestRules adds up rows by rule, and prints them.
func TestRules(t *testing.T) {
	m := newMeter()
	five, six := Rule{5, "/a/{id}"}, Rule{6, "/b/{id}"}
	m.Add("p", Key{Call: "get", Pattern: "a", Caller: "user", User: "ann", Rule: five}, Counts{Calls: 1, Documents: 2, Lookups: 1})
	m.Add("p", Key{Call: "query", Pattern: "a", Caller: "user", User: "bob", Rule: five}, Counts{Calls: 1, Documents: 3})
	m.AddTo("p", Key{Call: "get", Caller: "user", User: "ann", Rule: six}, "a", &Counts{Calls: 1, Denials: 1})
	m.Add("p", Key{Call: "get", Pattern: "a", Caller: "anonymous", Rule: Rule{0, NoRule}}, Counts{Calls: 1, Denials: 1})
	m.Add("p", Key{Call: "get", Pattern: "a", Caller: "admin"}, Counts{Calls: 1, Documents: 9})
	r := m.Report("p")
	if len(r.Rows) != 5 || len(r.Rules) != 3 || r.Rules[0].Rule != five || r.Rules[0].Reads != 6 || r.Rules[0].Calls != 2 {
		t.Errorf("rules %+v of rows %+v", r.Rules, r.Rows)
	}
	var out strings.Builder
	if err := r.PrintRules(&out, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5          0        1        0       0        0        line 5 /a/{id}", "1        (no rule)", "1        1 more rules"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	coarse := New(Options{Clock: clocktest.NewManual(time.Unix(0, 0)), Coarse: true})
	coarse.Add("p", Key{Call: "get", Pattern: "a", Rule: five}, Counts{Documents: 1})
	coarse.Add("p", Key{Call: "get", Pattern: "a", Rule: six}, Counts{Documents: 1, Denials: 1})
	if r := coarse.Report("p"); len(r.Rows) != 1 || len(r.Rules) != 0 {
		t.Errorf("a coarse meter has %+v", r)
	}
}
