package rules

import (
	"context"
	"encoding/json"

	"clave/server/internal/rules/syntax"
)

// Expression is an expression of rules with its values.
type Expression struct {
	// Start and End are byte offsets in the text; End is exclusive. Line and Column are counted from 1.
	Start  int `json:"start"`
	End    int `json:"end"`
	Line   int `json:"line"`
	Column int `json:"column"`
	// Values lists its values, in the official emulator's form.
	Values []ValueCount `json:"values"`
	// Children are the expressions in it.
	Children []Expression `json:"children,omitempty"`
}

// ValueCount is a value of an expression, and the number of evaluations with that value.
type ValueCount struct {
	Value json.RawMessage `json:"value"`
	Count int             `json:"count"`
}

// AllowTraced decides a request and returns the values of the evaluated expressions. Coverage does not count them.
func (r *Ruleset) AllowTraced(ctx context.Context, q *Request) (Decision, []Expression, error) {
	record := &recorder{}
	d, err := r.allow(ctx, q, record)
	if err != nil {
		return d, nil, err
	}
	counts := make(map[int][]seen)
	for _, t := range record.traced {
		counts[t.id] = append(counts[t.id], seen{text: t.text, count: 1})
	}
	return d, r.expressions(func(id int) []seen { return counts[id] }, true), nil
}

// Expressions returns the values of the rules' expressions since they were loaded.
func (r *Ruleset) Expressions() []Expression { return r.expressions(r.coverage.values, false) }

// expressions returns the outermost expressions in the order of the text, and with evaluated only those that have a
// value.
func (r *Ruleset) expressions(values func(id int) []seen, evaluated bool) []Expression {
	out := []Expression{}
	for _, e := range roots(r.program.File) {
		if x, had := expression(e, values, evaluated); had || !evaluated {
			out = append(out, x)
		}
	}
	return out
}

// expression returns an expression with those in it, and whether it or one of them had a value.
func expression(e syntax.Expr, values func(id int) []seen, evaluated bool) (x Expression, had bool) {
	at := e.At()
	x = Expression{Start: at.Start, End: at.End, Line: at.Line, Column: at.Column, Values: []ValueCount{}}
	for _, v := range values(e.ID()) {
		x.Values = append(x.Values, ValueCount{json.RawMessage(v.text), v.count})
	}
	had = len(x.Values) > 0
	for _, child := range syntax.Children(e) {
		inner, any := expression(child, values, evaluated)
		had = had || any
		if any || !evaluated {
			x.Children = append(x.Children, inner)
		}
	}
	return x, had
}
