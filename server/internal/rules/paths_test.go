package rules_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// TestAllowedGroupsAreSound generates random match statements and queries of collections and groups. If a query is
// allowed, each document that it can return must be allowed individually.
func TestAllowedGroupsAreSound(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(7, 8))}
	segment := func(i int, globs *int) string {
		switch n := g.IntN(10); {
		case n < 3 && *globs == 0:
			*globs = 1
			return fmt.Sprintf("{g%d=**}", i)
		case n < 6:
			return fmt.Sprintf("{c%d}", i)
		}
		return pick(g, "a", "b", "x", "y")
	}
	allowed, found := 0, 0
	for range 20000 {
		globs, names := 0, []string(nil)
		pattern := ""
		for i := range 1 + g.IntN(4) {
			s := segment(i, &globs)
			pattern += "/" + s
			if s[0] == '{' {
				names = append(names, strings.TrimSuffix(s[1:len(s)-1], "=**"))
			}
		}
		cond := "true"
		if len(names) > 0 && g.IntN(2) == 0 {
			cond = pick(g, "%s == 'a'", "%s != 'a'", "%s[0] == 'a'", "%s is string", "%s == path('a/x')", "string(%s) != 'x'")
			cond = fmt.Sprintf(cond, pick(g, names...))
		}
		version := pick(g, "1", "2", "2", "2")
		text := "rules_version = '" + version + "';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n    match " +
			pattern + " { allow read: if " + cond + "; }\n  }\n}\n"
		r, _ := rules.Compile(text)
		if r == nil {
			continue // a glob of version 1 that is not at the end
		}
		q := &query.Query{DB: database, Limit: query.NoLimit, Parent: pick(g, "", "", "a/x", "b/y", "a/x/b/y")}
		q.From = []query.From{{Collection: pick(g, "a", "b"), AllDescendants: g.IntN(2) == 0}}
		q, err := q.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		if !decide(t, r, &rules.Request{Method: rules.List, Query: q}) {
			continue
		}
		allowed++
		for range 20 {
			path := ""
			if g.IntN(4) > 0 {
				path = q.Parent
			}
			for range 1 + g.IntN(3) {
				path = strings.TrimPrefix(path+"/"+pick(g, "a", "b")+"/"+pick(g, "x", "y", "z"), "/")
			}
			name := resource.Document{DB: database, Path: path}
			d := g.document(nil)
			d.Name = name
			if !q.Matches(d) {
				continue
			}
			found++
			if !decide(t, r, &rules.Request{Method: rules.Get, Name: name, Before: d}) {
				t.Fatalf("the query %+v under %q is allowed, and finds %s, which is not\n%s", q.From, q.Parent, path, text)
			}
		}
	}
	t.Logf("%d queries allowed, %d documents found", allowed, found)
	if allowed < 500 || found < 1000 {
		t.Errorf("%d queries allowed with %d documents: the test checks nothing", allowed, found)
	}
}

// TestManyWaysOfMatching checks that the evaluation of rules that match a long path in very many ways terminates.
func TestManyWaysOfMatching(t *testing.T) {
	text := "rules_version = '2';\nservice cloud.firestore { match /{g=**} {\n"
	for i := range 1000 {
		text += fmt.Sprintf("match /a%d/{x} { allow get: if false; }\n", i)
	}
	r, issues := rules.Compile(text + "} }")
	if r == nil {
		t.Fatal(rules.Summary(issues))
	}
	name := resource.Document{DB: database, Path: strings.TrimSuffix(strings.Repeat("a/", 198), "/")}
	d, err := r.Allow(t.Context(), &rules.Request{Method: rules.Get, Name: name, Reader: empty{}})
	if err != nil || d.Allowed || !d.Exhausted {
		t.Errorf("Allow = allowed %t, exhausted %t, %v; want a denial for want of time", d.Allowed, d.Exhausted, err)
	}
}

// TestGlobsOfVersion1 checks that a glob of version 1 matches at least one segment and all remaining ones, so that
// statements inside it apply to nothing.
func TestGlobsOfVersion1(t *testing.T) {
	for _, tt := range []struct {
		statement     string
		first, second bool // whether it applies under version 1 and under version 2
	}{
		{"match /rooms/{g=**} { allow get; }", true, true},
		{"match /rooms/a/{g=**} { allow get; }", false, true},
		{"match /{g=**} { match /a { allow get; } }", false, true},
		{"match /{g=**} { match /{x} { allow get; } }", false, true},
		{"match /rooms/{x} { match /{g=**} { allow get; } }", false, true},
	} {
		for version, want := range map[string]bool{"1": tt.first, "2": tt.second} {
			r, issues := rules.Compile("rules_version = '" + version + "';\nservice cloud.firestore { match /databases/{db}/documents { " + tt.statement + " } }")
			if r == nil {
				t.Fatal(rules.Summary(issues))
			}
			if got := decide(t, r, &rules.Request{Method: rules.Get, Name: resource.Document{DB: database, Path: "rooms/a"}}); got != want {
				t.Errorf("version %s, %s: %t, want %t", version, tt.statement, got, want)
			}
		}
	}
}
