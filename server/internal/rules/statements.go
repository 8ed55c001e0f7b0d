package rules

import (
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// AllowStatement is an allow statement of a ruleset, for tools that read rules.
type AllowStatement struct {
	// Path is that of the match statements around it, without /databases/{database}/documents. Captured is the number of
	// names that the left out segments bind.
	Path     []syntax.Segment
	Captured int
	// Methods are its methods.
	Methods []Method
	// Span is its place in the text. Condition is nil if there is none.
	Span      syntax.Span
	Condition syntax.Expr
}

// AllowStatements returns the allow statements in the order of the text. Those that apply to no document are left out.
func (r *Ruleset) AllowStatements() []AllowStatement {
	var out []AllowStatement
	var visit func(matches []*syntax.Match, around []syntax.Segment)
	visit = func(matches []*syntax.Match, around []syntax.Segment) {
		for _, m := range matches {
			path := append(slices.Clone(around), m.Path...)
			for _, a := range m.Allows {
				if s, ok := statementOf(path, a); ok {
					out = append(out, s)
				}
			}
			visit(m.Matches, path)
		}
	}
	if r.program.Service != nil {
		visit(r.program.Service.Matches, nil)
	}
	slices.SortFunc(out, func(a, b AllowStatement) int { return a.Span.Start - b.Span.Start })
	return out
}

// root is the number of segments before a document's path: databases, {database} and documents.
const root = 3

// ofDocuments reports whether a path is that of documents.
func ofDocuments(path []syntax.Segment) bool {
	return len(path) > root && path[0].Text == "databases" && path[2].Text == "documents"
}

// PathText returns the path of match statements as it is written in rules.
func PathText(path []syntax.Segment) string {
	var b strings.Builder
	for _, s := range path {
		switch s.Kind {
		case syntax.Literal:
			b.WriteString("/" + s.Text)
		case syntax.Capture:
			b.WriteString("/{" + s.Text + "}")
		case syntax.Glob:
			b.WriteString("/{" + s.Text + "=**}")
		}
	}
	return b.String()
}

// statementOf returns a statement at a path; ok is false if it applies to no document.
func statementOf(path []syntax.Segment, a *syntax.Allow) (s AllowStatement, ok bool) {
	if !ofDocuments(path) {
		return s, false
	}
	s = AllowStatement{Path: path[root:], Span: a.Span, Condition: a.Cond}
	if path[1].Kind != syntax.Literal {
		s.Captured = 1
	}
	var methods Method
	for _, name := range a.Methods {
		methods |= methodsOf[name.Text]
	}
	for _, m := range []Method{Get, List, Create, Update, Delete} {
		if methods&m != 0 {
			s.Methods = append(s.Methods, m)
		}
	}
	return s, true
}

// Name returns the declaration of a name.
func (r *Ruleset) Name(x *syntax.Ident) check.Name { return r.program.Names[x.ID()] }

// Function returns the declared function that a call calls, or nil.
func (r *Ruleset) Function(x *syntax.Call) *syntax.Function {
	if f := r.program.Calls[x.ID()]; f != nil {
		return f.Function
	}
	return nil
}

// Expr returns the expression in the rules.
func (n *Evaluated) Expr() syntax.Expr { return n.expr }

// Result returns the expression's value.
func (n *Evaluated) Result() eval.Value { return n.value }

// Failed reports whether the expression is not certainly true as a condition.
func (n *Evaluated) Failed() bool { return n.failed() }

// Literal returns a literal, or a list of them, as an evaluated expression, or nil for another expression.
func Literal(e syntax.Expr) *Evaluated {
	var v eval.Value
	switch x := e.(type) {
	case *syntax.NullLit:
		v = value.Null{}
	case *syntax.BoolLit:
		v = value.Bool(x.Value)
	case *syntax.IntLit:
		v = value.Int(x.Value)
	case *syntax.FloatLit:
		v = value.Double(x.Value)
	case *syntax.StringLit:
		v = value.String(x.Value)
	case *syntax.ListLit:
		list := make(value.Array, len(x.Items))
		for i, item := range x.Items {
			literal := Literal(item)
			if literal == nil {
				return nil
			}
			list[i] = literal.value
		}
		v = list
	default:
		return nil
	}
	return &Evaluated{expr: e, value: v, Line: e.At().Line, Column: e.At().Column, Value: textOf(v)}
}
