package ruletest_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// notes are rules with a function, a lookup, a call of debug() and conditions of queries.
const notes = `rules_version = '2';
service cloud.firestore {
  match /databases/{db}/documents {
    function owns(data) { return request.auth.uid == data.owner; }
    match /notes/{id} {
      allow get: if request.auth != null && owns(resource.data);
      allow get: if exists(/databases/$(db)/documents/admins/$(request.auth.uid));
      allow list: if resource.data.open == true;
      allow update: if owns(resource.data)
        && request.resource.data.size <= 10
        && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['size']);
    }
  }
}`

// compile compiles rules.
func compile(t *testing.T, source string) *rules.Ruleset {
	t.Helper()
	r, issues := rules.Compile(source)
	if r == nil {
		t.Fatal(rules.Summary(issues))
	}
	return r
}

// TestExplain explains requests and compares verdict, line, sentence and lookups.
func TestExplain(t *testing.T) {
	r := compile(t, notes)
	docs := `{"notes/a": {"owner": "eve", "size": 1, "open": true}, "admins/root": {}}`
	for _, c := range []struct {
		name     string
		request  ruletest.Request
		allowed  bool
		line     int
		sentence string
		lookups  []rules.LookedUp
	}{
		{
			name: "another user", request: ruletest.Request{As: "uid:ann", Method: "get", Path: "/notes/a"}, line: 4,
			sentence: `Line 6: owns(…) is false because request.auth.uid == data.owner is false, request.auth.uid = "ann", data.owner = "eve".`,
			lookups:  []rules.LookedUp{{Path: "admins/ann"}},
		},
		{
			name: "nobody", request: ruletest.Request{Method: "get", Path: "notes/a"}, line: 7,
			sentence: `Line 7: exists(/databases/$(db)/documents/admins/$(request.auth.uid)) has no value (Null value error).`,
		},
		{
			name: "an administrator", request: ruletest.Request{As: "root", Method: "get", Path: "notes/a"}, allowed: true, line: 7,
			sentence: "Line 7 allows get of notes/a.", lookups: []rules.LookedUp{{Path: "admins/root", Exists: true}},
		},
		{
			name: "a query without its condition", request: ruletest.Request{As: "ann", Method: "list", Path: "notes"}, line: 8,
			sentence: "Line 8: resource.data.open == true",
		},
		{name: "a query", request: ruletest.Request{Method: "list", Path: "notes", Where: []string{"open == true"}}, allowed: true, line: 8, sentence: "Line 8 allows list of notes/*."},
		{
			name: "a field that may not change", request: ruletest.Request{As: "eve", Method: "update", Path: "notes/a", Data: `{"open": false}`}, line: 11,
			sentence: "Line 11: request.resource.data.diff(resource.data).affectedKeys().hasOnly(['size']) is false, request.resource.data.diff(resource.data).affectedKeys() = set [\"open\"].",
		},
		{name: "an update", request: ruletest.Request{As: "eve", Method: "update", Path: "notes/a", Data: `{"size": 10}`}, allowed: true, line: 9, sentence: "Line 9 allows update of notes/a."},
		{name: "no statement", request: ruletest.Request{Method: "delete", Path: "notes/a"}, sentence: "No allow statement applies to delete of notes/a."},
	} {
		c.request.Docs = docs
		one, err := c.request.Case()
		if err != nil {
			t.Fatal(err)
		}
		x, err := one.Explain(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x.Allowed != c.allowed || x.Line != c.line || !strings.HasPrefix(x.Sentence, c.sentence) || !slices.Equal(x.Lookups, c.lookups) {
			t.Errorf("%s: allowed %t, line %d, %q, lookups %v; want %t, line %d, %q, %v", c.name, x.Allowed, x.Line, x.Sentence, x.Lookups, c.allowed, c.line, c.sentence, c.lookups)
		}
	}
}

// TestExplainFormats writes one explanation in each format.
func TestExplainFormats(t *testing.T) {
	r := compile(t, notes)
	request := ruletest.Request{As: "ann", Method: "get", Path: "notes/a", Docs: `{"notes/a": {"owner": "<b>eve"}}`, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	one, err := request.Case()
	if err != nil {
		t.Fatal(err)
	}
	for format, wants := range map[string][]string{
		"text": {"DENIED: get of notes/a\n", "    6:45  owns(resource.data)  →  false\n", "      6:50  resource.data  →  {owner: \"<b>eve\"}\n", "expressions evaluated", "  admins/ann does not exist\n"},
		"html": {"<title>Denied: get of notes/a</title>", "data.owner = &#34;&lt;b&gt;eve&#34;", "admins/ann read, which does not exist", `class="once"`},
		"json": {`"line": 4`, `"path": "admins/ann"`},
	} {
		var out bytes.Buffer
		if err := ruletest.Explain(t.Context(), &out, r, one, nil, format); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q:\n%s", format, want, out.String())
			}
		}
		if format == "json" && !json.Valid(out.Bytes()) {
			t.Errorf("no JSON: %s", out.String())
		}
	}
	if err := ruletest.Explain(t.Context(), &bytes.Buffer{}, r, one, nil, "xml"); err == nil {
		t.Error("an unknown format was accepted")
	}
}

// TestRequestsAreChecked makes cases of requests that are wrong.
func TestRequestsAreChecked(t *testing.T) {
	for name, r := range map[string]ruletest.Request{
		"a collection as document": {Method: "get", Path: "/docs"},
		"a document as collection": {Method: "list", Path: "/docs/a"},
		"claims of nobody":         {Method: "get", Path: "/docs/a", Claims: `{"admin": true}`},
		"claims that are a list":   {Method: "get", Path: "/docs/a", As: "ann", Claims: `[]`},
		"fields that are a list":   {Method: "set", Path: "/docs/a", Data: `[1]`},
		"a condition without JSON": {Method: "list", Path: "/docs", Where: []string{"owner == ann"}},
		"an unknown operator":      {Method: "list", Path: "/docs", Where: []string{"owner ~ 1"}},
		"documents that are text":  {Method: "get", Path: "/docs/a", Docs: `"x"`},
	} {
		if _, err := r.Case(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestReplay decides a recording by other rules.
func TestReplay(t *testing.T) {
	var cases []ruletest.Case
	for _, r := range []ruletest.Request{
		{As: "eve", Method: "get", Path: "notes/a"}, {As: "ann", Method: "get", Path: "notes/a"}, {As: "root", Method: "get", Path: "notes/a"},
	} {
		r.Docs = `{"notes/a": {"owner": "eve"}, "admins/root": {}}`
		c, err := r.Case()
		if err != nil {
			t.Fatal(err)
		}
		c.Rules = notes
		if c.Expect, _, err = c.Decide(t.Context()); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, *c)
	}
	if same, err := ruletest.Replay(t.Context(), cases, compile(t, notes)); err != nil || len(same) > 0 {
		t.Errorf("by the same rules %d differ, %v", len(same), err)
	}
	other := strings.Replace(notes, "exists(/databases/$(db)/documents/admins/$(request.auth.uid))", "get(/databases/$(db)/documents/roles/$(request.auth.uid)).data.admin", 1)
	changes, err := ruletest.Replay(t.Context(), cases, compile(t, other))
	if err != nil || len(changes) != 1 {
		t.Fatalf("%d decisions differ, %v; want that of root", len(changes), err)
	}
	if got := changes[0]; got.Case.Auth.UID != "root" || got.Verdict != ruletest.Deny || !slices.Equal(got.Lacking, []string{"roles/root"}) {
		t.Errorf("%s by %s, lacking %v, want a denial of root, lacking roles/root", got.Verdict, got.Case.Auth.UID, got.Lacking)
	}
}
