package usage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
)

// newMeter returns a meter with a clock of its own.
func newMeter() *Meter {
	return New(clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
}

func TestPattern(t *testing.T) {
	m := newMeter()
	for path, want := range map[string]string{"a": "a", "users/ann/orders": "users/*/orders", "a/b/c/d/e": "a/*/c/*/e"} {
		if got := m.Pattern(path); got != want {
			t.Errorf("Pattern(%q) = %q, want %q", path, got, want)
		}
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
	if got := m.Pattern("last/x/b"); got != Other || len(m.mu.patterns) != maxPatterns {
		t.Errorf("%q, %d patterns", got, len(m.mu.patterns))
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

// BenchmarkAdd measures the count of one document in a subcollection.
func BenchmarkAdd(b *testing.B) {
	m := newMeter()
	for range b.N {
		m.Add("project", Key{Call: "get", Pattern: m.Pattern("users/ann/orders"), Caller: "user", User: "ann"}, Counts{Calls: 1, Documents: 1})
	}
}
