package rules

import (
	"encoding/json"

	"clave/server/internal/rules/syntax"
)

// reported is an expression in the coverage report.
type reported struct {
	SourcePosition object     `json:"sourcePosition"`
	Values         []object   `json:"values,omitempty"`
	Children       []reported `json:"children,omitempty"`
}

// CoverageJSON returns the coverage report in the official emulator's form.
func (r *Ruleset) CoverageJSON() []byte {
	report := object{
		"rules":  object{"files": []object{{"name": "security.rules", "content": r.Source()}}},
		"report": r.report(),
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return []byte("{}")
	}
	return text
}

// report returns the expressions of all functions and conditions, in the order of the text.
func (r *Ruleset) report() []reported {
	var out []reported
	for _, e := range roots(r.program.File) {
		out = append(out, r.reported(e))
	}
	return out
}

// reported returns the report on an expression and those in it.
func (r *Ruleset) reported(e syntax.Expr) reported {
	out := reported{SourcePosition: position(e.At())}
	for _, v := range r.coverage.values(e.ID()) {
		out.Values = append(out.Values, object{"value": json.RawMessage(v.text), "count": v.count})
	}
	for _, child := range syntax.Children(e) {
		out.Children = append(out.Children, r.reported(child))
	}
	return out
}

// roots returns the outermost expressions of a file in the order of the text.
func roots(f *syntax.File) []syntax.Expr {
	out := functionRoots(f.Functions)
	for _, s := range f.Services {
		out = append(out, functionRoots(s.Functions)...)
		for _, m := range s.Matches {
			out = append(out, matchRoots(m)...)
		}
	}
	sortExprs(out)
	return out
}

// matchRoots returns the outermost expressions in a match statement.
func matchRoots(m *syntax.Match) []syntax.Expr {
	out := functionRoots(m.Functions)
	for _, a := range m.Allows {
		if a.Cond != nil {
			out = append(out, a.Cond)
		}
	}
	for _, inner := range m.Matches {
		out = append(out, matchRoots(inner)...)
	}
	return out
}

// functionRoots returns the outermost expressions of functions.
func functionRoots(functions []*syntax.Function) []syntax.Expr {
	var out []syntax.Expr
	for _, f := range functions {
		for _, l := range f.Lets {
			out = append(out, l.Value)
		}
		out = append(out, f.Return)
	}
	return out
}
