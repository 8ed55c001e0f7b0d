package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// named returns a document's name.
func named(path string) resource.Document { return resource.Document{DB: database, Path: path} }

// stored returns a document.
func stored(path string, fields value.Map) *document.Document {
	return &document.Document{Name: named(path), Fields: fields}
}

// write evaluates a condition for a write of t/x from one state to another.
func write(t *testing.T, cond string, before, after *document.Document, lookups *rules.Lookups, reader rules.Reader) rules.Decision {
	t.Helper()
	r, issues := rules.Compile("rules_version = '2';\nservice cloud.firestore {\n match /databases/{db}/documents {\n" +
		" match /t/{id} { allow write: if " + cond + "; }\n}\n}")
	if r == nil {
		t.Fatalf("%s: %s", cond, rules.Summary(issues))
	}
	method := rules.Update
	switch {
	case after == nil:
		method = rules.Delete
	case before == nil:
		method = rules.Create
	}
	d, err := r.Allow(t.Context(), &rules.Request{
		Method: method, Name: named("t/x"), Before: before, After: after, Lookups: lookups, Reader: reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOwnDocumentsAreKnown checks that lookups of the documents of the request itself cost nothing, and return null if
// they do not exist. The results are those of the official emulator.
func TestOwnDocumentsAreKnown(t *testing.T) {
	const docs = "/databases/$(db)/documents"
	ten := ""
	for i := range 10 {
		ten += fmt.Sprintf("exists(%s/c/y%d) && ", docs, i)
	}
	x := stored("t/x", value.Map{"n": value.Int(7)})
	for _, c := range []struct {
		cond          string
		before, after *document.Document
		allowed       bool
	}{
		{ten + "!exists(DOCS/t/$(id))", nil, x, true},
		{ten + "get(DOCS/t/$(id)).data.n == 7", x, x, true},
		{ten + "getAfter(DOCS/t/$(id)).data.n == 7", nil, x, true},
		{ten + "!existsAfter(DOCS/t/$(id))", x, nil, true},
		{ten + "existsAfter(DOCS/t/ywritten)", nil, x, true}, // written by the same commit
		{ten + "existsAfter(DOCS/t/y)", nil, x, false},
		{ten + "exists(DOCS/t/ywritten)", nil, x, false},
		{ten + "existsAfter(DOCS/c/y3)", nil, x, true}, // not written, so the state before
		{"get(DOCS/t/$(id)) == null", nil, x, true},
		{"getAfter(DOCS/t/$(id)) == null", x, nil, true},
		{"getAfter(DOCS/t/written) == null", nil, x, true},
		{"get(DOCS/t/written) == null", nil, x, false},
		{"getAfter(DOCS/t/elsewhere) == null", nil, x, false},
		{"!exists(DOCS/t/$('y/z')) && !exists(DOCS/t/$('y/a/y'))", nil, x, true}, // no document has such a name
	} {
		lookups := rules.NewLookups()
		for _, path := range []string{"t/x", "t/written", "t/ywritten"} {
			lookups.Writes(named(path))
		}
		cond := strings.ReplaceAll(c.cond, "DOCS", docs)
		if d := write(t, cond, c.before, c.after, lookups, &counting{}); d.Allowed != c.allowed {
			t.Errorf("%s: allowed %t, want %t: %s", c.cond, d.Allowed, c.allowed, d.Denial())
		}
	}
}
