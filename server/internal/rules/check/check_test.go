package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/rules/check"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// issuesOf checks a file.
func issuesOf(src string) (*check.Program, []syntax.Issue) {
	file, issues := syntax.Parse(src)
	return check.Check(file, issues, "cloud.firestore", eval.Builtins())
}

// nested returns match statements inside each other, n of them.
func nested(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "match /a/{x%d} { ", i)
	}
	return b.String() + "allow get; " + strings.Repeat("} ", n)
}

// chain returns n functions that call each other, and a statement that calls the first.
func chain(n int) string {
	var b strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&b, "function f%d() { return f%d(); }\n", i, i+1)
	}
	fmt.Fprintf(&b, "function f%d() { return true; }\n", n-1)
	return b.String() + "match /a/{x} { allow get: if f0(); }"
}

// lets returns a function with n bindings, and a statement that calls it.
func lets(n int) string {
	text, sum := "function f() { ", "0"
	for i := range n {
		text += fmt.Sprintf("let v%d = %d; ", i, i)
		sum += fmt.Sprintf(" + v%d", i)
	}
	return text + "return " + sum + " > 0; } match /a/{x} { allow get: if f(); }"
}

// TestLimits checks that each limit can be reached and cannot be exceeded.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		what      string
		good, bad string
		want      string
	}{
		{"match statements", nested(11), nested(12), "match statements is reached"},
		{"functions", chain(21), chain(22), "call depth"},
		{"lets", lets(11), lets(12), "variable bindings"},
		{"expressions", "match /a/{x} { allow get: if " + strings.Repeat("true && ", 98) + "true; }",
			"match /a/{x} { allow get: if " + strings.Repeat("true && ", 99) + "true; }", "too complex"},
		{"segments", "match " + strings.Repeat("/a", 100) + " { allow get; }", "match " + strings.Repeat("/a", 101) + " { allow get; }", "path segments"},
		{"captures", captures(20), captures(21), "path captures"},
		{"text", "match /a/{x} { allow get; } //" + strings.Repeat("x", 200<<10), "match /a/{x} { allow get; } //" + strings.Repeat("x", 256<<10), "maximum size"},
	} {
		for body, ok := range map[string]bool{c.good: true, c.bad: false} {
			program, issues := issuesOf("rules_version = '2';\nservice cloud.firestore {\n" + body + "\n}")
			found := slices.ContainsFunc(issues, func(i syntax.Issue) bool { return strings.Contains(i.Text, c.want) })
			if (program != nil) != ok || found == ok {
				t.Errorf("%s: loads %t, want %t: %v", c.what, program != nil, ok, issues)
			}
		}
	}
}

// captures returns a statement that binds n segments.
func captures(n int) string {
	text := "match "
	for i := range n {
		text += fmt.Sprintf("/{x%d}", i)
	}
	return text + " { allow get; }"
}

func TestServices(t *testing.T) {
	const storage = "service firebase.storage { match /b/{x} { allow read; } }"
	const firestore = "service cloud.firestore { match /a/{x} { allow read; } }"
	for _, c := range []struct {
		src   string
		loads bool
		ours  bool
	}{
		{"rules_version = '2'; " + storage + firestore, true, true},
		{"rules_version = '2'; " + storage, true, false},
		{"rules_version = '2'; " + firestore + firestore, false, false},
	} {
		program, issues := issuesOf(c.src)
		if (program != nil) != c.loads || program != nil && (program.Service != nil) != c.ours {
			t.Errorf("%s: loads %t, want %t: %v", c.src, program != nil, c.loads, issues)
		}
	}
	if _, issues := issuesOf(firestore); len(issues) != 1 || issues[0].Severity != syntax.Warning {
		t.Errorf("version 1: %v, want its warning", issues)
	}
}

// TestLetsNeedVersion2 checks that bindings are refused in files that do not declare version 2.
func TestLetsNeedVersion2(t *testing.T) {
	const service = "service cloud.firestore { function f(x) { let y = x; return y; } match /a/{x} { allow read: if f(true); } }"
	for head, ok := range map[string]bool{"rules_version = '2'; ": true, "rules_version = '1'; ": false, "": false} {
		program, issues := issuesOf(head + service)
		refused := slices.ContainsFunc(issues, func(i syntax.Issue) bool { return i.Text == `Let bindings are not allowed in rules_version="1"` })
		if (program != nil) != ok || refused == ok {
			t.Errorf("%q: loads %t, want %t: %v", head, program != nil, ok, issues)
		}
	}
}
