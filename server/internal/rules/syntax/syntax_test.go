package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"clave/server/internal/rules/syntax"
)

// inMatch returns a complete file with a condition. The condition is on line 1 after the prefix.
func inMatch(cond string) string {
	return "service cloud.firestore { match /a/{b} { allow get: if " + cond + "; } }"
}

// print writes an expression with all its parentheses.
func print(e syntax.Expr) string { // long: one case a node
	switch x := e.(type) {
	case *syntax.Binary:
		return "(" + print(x.X) + " " + x.Op.String() + " " + print(x.Y) + ")"
	case *syntax.Unary:
		return x.Op.String() + print(x.X)
	case *syntax.Is:
		return "(" + print(x.X) + " is " + x.Type.Text + ")"
	case *syntax.Cond:
		return "(" + print(x.C) + " ? " + print(x.A) + " : " + print(x.B) + ")"
	case *syntax.Member:
		return print(x.X) + "." + x.Name
	case *syntax.Index:
		return print(x.X) + "[" + print(x.I) + "]"
	case *syntax.Method:
		return print(x.X) + "." + x.Name.Text + "(" + printAll(x.Args) + ")"
	case *syntax.Call:
		return x.Name.Text + "(" + printAll(x.Args) + ")"
	case *syntax.Ident:
		return x.Name
	case *syntax.ListLit:
		return "[" + printAll(x.Items) + "]"
	case *syntax.PathLit:
		var b strings.Builder
		for _, s := range x.Segments {
			b.WriteByte('/')
			if s.X != nil {
				b.WriteString("$(" + print(s.X) + ")")
			}
			b.WriteString(s.Text)
		}
		return b.String()
	case *syntax.StringLit:
		return "'" + x.Value + "'"
	}
	return "n"
}

// printAll prints a list of expressions.
func printAll(all []syntax.Expr) string {
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = print(e)
	}
	return strings.Join(texts, ", ")
}

func TestPrecedence(t *testing.T) {
	for in, want := range map[string]string{
		"a || b && c || d":          "((a || (b && c)) || d)",
		"a == b in c":               "((a == b) in c)",
		"a in b == c":               "(a in (b == c))",
		"a is int == b":             "((a is int) == b)",
		"a == b is int":             "((a == b) is int)",
		"a < b == c < d":            "((a < b) == (c < d))",
		"a + b * c - d":             "((a + (b * c)) - d)",
		"a - b - c":                 "((a - b) - c)",
		"!a.b(c)[d] == e":           "(!a.b(c)[d] == e)",
		"-a.b * c":                  "(-a.b * c)",
		"!!a && !b":                 "(!!a && !b)",
		"a ? b : c ? d : e":         "(a ? b : (c ? d : e))",
		"a ? b ? c : d : e":         "(a ? (b ? c : d) : e)",
		"a / b / c":                 "((a / b) / c)",
		"x == /a/$(b)/c":            "(x == /a/$(b)/c)",
		"x == /a/b && y":            "((x == /a/b) && y)",
		"math.abs(a) in [b, c]":     "(math.abs(a) in [b, c])",
		"a.match.let('x\\ty')":      "a.match.let('x\ty')",
		"(a || b) && c":             "((a || b) && c)",
		"a /* && x */ == b // ;\n":  "(a == b)",
		"/a%20b/(default)/c == d.e": "(/a b/(default)/c == d.e)",
	} {
		f, issues := syntax.Parse(inMatch(in))
		if len(issues) > 0 {
			t.Errorf("Parse(%q): %v", in, issues)
			continue
		}
		if got := print(f.Services[0].Matches[0].Allows[0].Cond); got != want {
			t.Errorf("Parse(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	const src = `rules_version = '2';
service cloud.firestore {
  match /a/{b} {
    allow get: if foo(1;
    allow list: if [1, 2;
    function f( { return 1; }
    match /c d/{e} { allow get; }
    allow create: if {'a' 1} == 2 && x;
    allow update: if 'good'
    allow delete: if 'a\q';
    surprise here;
  }
  match /x/{y} { allow get: if 1 +; }
}
`
	_, issues := syntax.Parse(src)
	var lines []int
	for _, i := range issues {
		lines = append(lines, i.Span.Line)
	}
	if want := []int{4, 5, 6, 7, 8, 10, 11, 13}; !slices.Equal(lines, want) {
		t.Errorf("errors on lines %v, want one on each of %v: %v", lines, want, issues)
	}
}

func TestFileErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":    "L0:0 Rules content empty. Compilation aborted.",
		" \n": "L0:0 Rules content empty. Compilation aborted.",
		"rules_version = '3'; service cloud.firestore { match /a/{b} { allow get; } }": "L1:1 Unsupported rules version 3.",
		"rules_version = 2; service cloud.firestore { match /a/{b} { allow get; } }":   "L1:17 mismatched input '2' expecting STRING",
		"rules_version = '2';":                                     "Missing 'service' declaration.",
		"service cloud.firestore { }":                              "The 'service' body must contain at least one declaration.",
		"service cloud.firestore { allow get; }":                   "L1:27 Unexpected 'allow'.",
		inMatch("'abc"):                                            "Missing a closing '",
		inMatch("true") + " x":                                     "Unexpected 'x'.",
		inMatch("true") + " }":                                     "Unexpected '}'.",
		"service cloud.firestore { match /a/{b} { allow get; }":    "missing '}' at '<EOF>'",
		"import 'x'; " + inMatch("true"):                           "L1:1 Import statements are not allowed.",
		inMatch("a `b`"):                                           "token recognition error at: '`'",
		inMatch("a 'b'"):                                           "Unexpected ''b''.",
		inMatch(`b'\u0041' == a`):                                  `Invalid bytes literal b'\u0041'.`,
		"service cloud.firestore { match /a/{b}/ { allow get; } }": "L1:39 Forward slash '/' found where identifier or binding expected.",
		inMatch(strings.Repeat("(", 1000) + "a" + strings.Repeat(")", 1000)):                               "Expression is too complex to evaluate safely.",
		inMatch(strings.Repeat("!", 1000) + "a"):                                                           "Expression is too complex to evaluate safely.",
		"service cloud.firestore { " + strings.Repeat("match /a/{b} { ", 1000) + strings.Repeat("}", 1001): "Expression is too complex to evaluate safely.",
	} {
		_, issues := syntax.Parse(in)
		if !slices.ContainsFunc(issues, func(i syntax.Issue) bool { return strings.Contains(i.String(), want) }) {
			t.Errorf("Parse(%.60q): %v, want %q among them", in, issues, want)
		}
	}
}

func TestSpans(t *testing.T) {
	const src = "service cloud.firestore {\n  match /ä/{b} {}\n  match /a/{b} {\n    allow get: if /* é */ a.b == 'ü' && f(c);\n  }\n}"
	f, issues := syntax.Parse(src)
	if f == nil || len(f.Services) == 0 {
		t.Fatal(issues)
	}
	cond := f.Services[0].Matches[len(f.Services[0].Matches)-1].Allows[0].Cond
	if got := src[cond.At().Start:cond.At().End]; got != "a.b == 'ü' && f(c)" || cond.At().Line != 4 || cond.At().Column != 27 {
		t.Errorf("span of the condition = %+v %q, want all of it, at 4:27", cond.At(), got)
	}
}

// FuzzParse checks that parsing does not panic, that positions are inside the text, and that the issues are
// deterministic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		inMatch("a.b(1, 2)[3:4] is int && {'a': [1]} != /a/$(b)/{c}"), "rules_version = '2'; function f(a) { let b = a; return b; }",
		inMatch("'\\u00e9\\x41\\101' + b'\\xff' == -9223372036854775808"), "service x { match /{a=**}/b { allow read, write } }", "/*", "'", "{{{",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, issues := syntax.Parse(src)
		for _, i := range issues {
			if i.Span.Start < 0 || i.Span.End > len(src) || i.Span.Start > i.Span.End || i.Span.Line > 1+strings.Count(src, "\n") {
				t.Errorf("issue %v has the span %+v in a text of %d bytes", i, i.Span, len(src))
			}
		}
		_, again := syntax.Parse(src)
		if len(again) != len(issues) {
			t.Errorf("parsed again: %v, want %v", again, issues)
		}
		var walk func(e syntax.Expr)
		walk = func(e syntax.Expr) {
			if at := e.At(); at.Start < 0 || at.Start >= at.End || at.End > len(src) || e.ID() >= file.Exprs {
				t.Errorf("expression %T at %+v, id %d of %d", e, at, e.ID(), file.Exprs)
			}
			for _, child := range syntax.Children(e) {
				walk(child)
			}
		}
		if syntax.HasErrors(issues) {
			return
		}
		for _, s := range file.Services {
			for _, m := range s.Matches {
				for _, a := range m.Allows {
					if a.Cond != nil {
						walk(a.Cond)
					}
				}
			}
		}
	})
}

// TestLongLines checks that invalid text on one long line is parsed in linear time.
func TestLongLines(t *testing.T) {
	_, issues := syntax.Parse(strings.Repeat("` é", 200_000))
	if len(issues) == 0 || len(issues) > 300 || issues[1].Span.Column != 3 {
		t.Errorf("%d issues, the second at %+v; want some hundred, the second at column 3", len(issues), issues[1].Span)
	}
}
