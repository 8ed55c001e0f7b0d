package rules_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"clave/server/resource"
	"clave/server/rules"
	"clave/server/value"
)

// casesFile holds the recorded cases, where they are at hand.
const casesFile = "../../../shared/conformance/rules/cases.jsonl"

// ruleCase is one recorded case.
type ruleCase struct {
	ID       string                     `json:"id"`
	Rules    string                     `json:"rules"`
	Auth     *auth                      `json:"auth"`
	Now      *time.Time                 `json:"now"`
	Docs     map[string]json.RawMessage `json:"docs"`
	Op       operation                  `json:"op"`
	Expect   string                     `json:"expect"`
	Accept   []string                   `json:"accept"`
	Critical bool                       `json:"critical"`
	Note     string                     `json:"note"`
}

// operation is what a case asks.
type operation struct {
	write
	Parent string          `json:"parent"`
	Query  json.RawMessage `json:"query"`
	Writes []write         `json:"writes"`
	Reads  []string        `json:"reads"`
}

// TestCases decides all recorded cases.
func TestCases(t *testing.T) {
	f, err := os.Open(casesFile)
	if err != nil {
		t.Skip("the recorded cases are not here: ", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	n := 0
	for lines.Scan() {
		var c ruleCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		n++
		got, why := c.decide(t)
		accepted := got == c.Expect || slices.Contains(c.Accept, got)
		if c.Critical && got == "allow" && c.Expect != "allow" {
			accepted = false
		}
		if !accepted {
			t.Errorf("%s: got %s (%s), want %s %s\n%s", c.ID, got, why, c.Expect, c.Note, c.Rules)
		} else if got != c.Expect {
			t.Logf("%s: %s, also accepted (want %s)", c.ID, got, c.Expect)
		}
	}
	t.Logf("%d cases", n)
}

// decide returns the verdict and its reason.
func (c *ruleCase) decide(t *testing.T) (verdict, why string) {
	t.Helper()
	r, issues := rules.Compile(c.Rules)
	if r == nil {
		return "compile-error", rules.Summary(issues)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if c.Now != nil {
		now = *c.Now
	}
	w := newWorld(t, c.Docs)
	d := c.ask(t, r, w, now)
	if d.Allowed {
		return "allow", ""
	}
	return "deny", d.Denial()
}

// ask decides the case's operation.
func (c *ruleCase) ask(t *testing.T, r *rules.Ruleset, w *world, now time.Time) rules.Decision {
	t.Helper()
	a := c.Auth.rulesAuth()
	switch c.Op.Method {
	case "get":
		return w.get(t, r, a, now, c.Op.Path, nil)
	case "list", "aggregate":
		return w.list(t, r, a, now, c.Op.Parent, c.Op.Query)
	case "batch", "transaction":
		lookups := rules.NewLookups()
		for _, path := range c.Op.Reads {
			if d := w.get(t, r, a, now, path, lookups); !d.Allowed {
				return d
			}
		}
		return w.commit(t, r, a, now, c.Op.Writes)
	}
	return w.commit(t, r, a, now, []write{c.Op.write})
}

// get decides a read of one document.
func (w *world) get(t testing.TB, r *rules.Ruleset, a *rules.Auth, now time.Time, path string, lookups *rules.Lookups) rules.Decision {
	t.Helper()
	d, err := r.Allow(t.Context(), &rules.Request{
		Method: rules.Get, Name: resource.Document{DB: database, Path: path}, Auth: a, Time: value.TimestampOf(now),
		Before: w.before[path], Reader: w, Lookups: lookups,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// list decides a query.
func (w *world) list(t testing.TB, r *rules.Ruleset, a *rules.Auth, now time.Time, parent string, text json.RawMessage) rules.Decision {
	t.Helper()
	q, err := queryOf(t, parent, text).Normalize()
	if err != nil {
		return rules.Decision{}
	}
	d, err := r.Allow(t.Context(), &rules.Request{
		Method: rules.List, Query: q, Auth: a, Time: value.TimestampOf(now), Reader: w,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
