package ruletest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/rules"
)

// Formats are the formats of explanations.
var Formats = []string{"text", "json", "html"}

// CompileFile compiles a rules file, by default firestore.rules. Errors in it are in the error's text.
func CompileFile(file string) (*rules.Ruleset, error) {
	if file == "" {
		file = defaultRulesFile
	}
	source, err := os.ReadFile(file) // It may be a pipe, as in <(git show HEAD:firestore.rules).
	if err != nil {
		return nil, err
	}
	r, issues := rules.Compile(string(regularfile.WithoutMark(source)))
	if r == nil {
		return nil, fault.E(fault.InvalidArgument, "%s: %s", file, rules.Summary(issues))
	}
	return r, nil
}

// Explain writes the explanation of a case in one of the formats.
func Explain(ctx context.Context, w io.Writer, r *rules.Ruleset, c *Case, fetch Fetch, format string) error {
	x, err := c.Explain(ctx, r, fetch)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(x)
	case "html":
		_, err = w.Write(x.HTML())
		return err
	case "text":
		_, err = io.WriteString(w, explanationText(x))
		return err
	}
	return fault.E(fault.InvalidArgument, "The format must be one of %s.", strings.Join(Formats, ", "))
}

// explanationText returns an explanation as text.
func explanationText(x *rules.Explanation) string {
	var b strings.Builder
	verdict := "DENIED"
	if x.Allowed {
		verdict = "ALLOWED"
	}
	fmt.Fprintf(&b, "%s: %s of %s\n%s\n", verdict, x.Method, x.Path, x.Sentence)
	for _, s := range x.Statements {
		fmt.Fprintf(&b, "\nallow statement at line %d: %s\n", s.Line, s.Outcome)
		if s.Condition != nil {
			expressionText(&b, s.Condition, 1)
		}
	}
	fmt.Fprintf(&b, "\n%s evaluated of at most 1,000, %s read of at most 10\n", count(x.Expressions, "expression"), count(len(x.Lookups), "document"))
	for _, l := range x.Lookups {
		state := "exists"
		if !l.Exists {
			state = "does not exist"
		}
		fmt.Fprintf(&b, "  %s %s\n", l.Path, state)
	}
	return b.String()
}

// maxTextLine is the maximum length of an expression or a value in the text form, in bytes.
const maxTextLine = 100

// expressionText writes an expression, and below it those that were evaluated for it.
func expressionText(b *strings.Builder, n *rules.Evaluated, depth int) {
	cut := func(s string) string {
		if len(s) > maxTextLine {
			return strings.ToValidUTF8(s[:maxTextLine], "") + "…"
		}
		return s
	}
	if n.Text == n.Value || n.Text == "request" {
		return // a literal, or the whole request, whose parts say more
	}
	fmt.Fprintf(b, "%s%d:%d  %s  →  %s\n", strings.Repeat("  ", depth), n.Line, n.Column, cut(n.Text), cut(strings.Join(strings.Fields(n.Value), " ")))
	for _, child := range n.Children {
		expressionText(b, child, depth+1)
	}
}
