package sdk

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/model/resource"
	"clave/server/internal/rules"

	"clave/server/test/e2e/harness"
)

// pathRules generates rules with random match statements, some of them nested. Their conditions compare their captures.
func (g *exprGenerator) pathRules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rules_version = '%s';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n", pick(g.Rand, "1", "2", "2"))
	n := 0
	for range 3 {
		g.matchStatement(&b, 0, &n)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// matchStatement writes a match statement. A nested statement extends the path of the outer one. The official emulator
// does not nest statements if the outer path has a glob before its end, so none is generated there.
func (g *exprGenerator) matchStatement(b *strings.Builder, depth int, n *int) {
	b.WriteString("match ")
	var names []string
	inner := false // set if segments follow a glob
	for range 1 + g.IntN(3) {
		*n++
		inner = len(names) > 0 && strings.HasPrefix(names[len(names)-1], "g") || inner
		switch {
		case g.IntN(6) == 0:
			names = append(names, fmt.Sprintf("g%d", *n))
			fmt.Fprintf(b, "/{g%d=**}", *n)
		case g.IntN(2) == 0:
			names = append(names, fmt.Sprintf("c%d", *n))
			fmt.Fprintf(b, "/{c%d}", *n)
		default:
			b.WriteString("/" + pick(g.Rand, "a", "b", "x"))
		}
	}
	b.WriteString(" {\n")
	cond := "true"
	if len(names) > 0 {
		cond = fmt.Sprintf(pick(g.Rand, "%s == 'a'", "%s != 'x'", "%s is string", "%s is path", "%s[0] == 'a'", "%s[1] == 'x'",
			"%s == path('a/x')", "string(%s) == '/a/x'", "request.path[4] == %s", "db == '(default)' || %s == 'a'"), pick(g.Rand, names...))
	}
	fmt.Fprintf(b, "allow get: if %s;\n", cond)
	if depth < 2 && !inner && g.IntN(3) == 0 {
		g.matchStatement(b, depth+1, n)
	}
	b.WriteString("}\n")
}

// TestRulesPathsAgainstTheOfficialEmulator compares the documents that random match statements allow.
func TestRulesPathsAgainstTheOfficialEmulator(t *testing.T) {
	t.Parallel()
	r := &rulesRun{t: t, host: "http://" + harness.StartOfficialEmulator(t)}
	g := &exprGenerator{Rand: rand.New(rand.NewPCG(9, 10))}
	db := resource.Database{Project: harness.Project, ID: resource.DefaultDatabase}
	paths := []string{"a/x", "a/a", "b/x", "x/a", "a/x/b/y", "a/x/a/x", "b/a/x/x", "x/x/x/x", "a/x/b/y/a/z"}
	allowed, compiled := 0, 0
	for range 150 {
		source := g.pathRules()
		ours, issues := rules.Compile(source)
		status, text := r.install(source)
		if (ours != nil) != (status == http.StatusOK) {
			t.Errorf("compiling: ours %v, theirs %d %s\n%s", issues, status, text, source)
		}
		if ours == nil || status != http.StatusOK {
			continue
		}
		compiled++
		for _, path := range paths {
			name := resource.Document{DB: db, Path: path}
			d, err := ours.Allow(t.Context(), &rules.Request{Method: rules.Get, Name: name, Reader: noDocuments{}})
			if err != nil {
				t.Fatal(err)
			}
			status, _ := r.request(http.MethodGet, "/v1/"+r.docs()+"/"+path, "", nil)
			if d.Allowed != (status == http.StatusNotFound) {
				t.Errorf("%s: ours allowed %t, theirs %d\n%s", path, d.Allowed, status, source)
			}
			if d.Allowed {
				allowed++
			}
		}
	}
	if compiled < 75 || allowed < 100 {
		t.Errorf("%d rulesets compiled, %d requests allowed: the test checks too little", compiled, allowed)
	}
}
