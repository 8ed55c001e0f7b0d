package rules

import (
	"context"
	"slices"
	"strings"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// Explanation is a decision with its reasons. Its JSON form is that of `clave rules explain --format json`.
type Explanation struct {
	Allowed bool   `json:"allowed"`
	Method  string `json:"method"`
	// Path is the document, or a query's collection followed by /*.
	Path string `json:"path"`
	// Line is that of the statement that allowed, or else of the expression that decided; zero if no statement applies.
	Line int `json:"line"`
	// Sentence is the reason in one sentence.
	Sentence string `json:"sentence"`
	// Statements are the evaluated allow statements. A query with alternatives has those of each.
	Statements []ExplainedStatement `json:"statements"`
	// Lookups are the documents that were read, in order. Expressions is the number of evaluated expressions.
	Lookups     []LookedUp `json:"lookups"`
	Expressions int        `json:"expressions"`

	ruleset *Ruleset
	values  map[int][]seen
}

// ExplainedStatement is an allow statement that was evaluated.
type ExplainedStatement struct {
	Line    int    `json:"line"`
	Outcome string `json:"outcome"`
	Failure string `json:"failure,omitempty"`
	// Reason explains why it did not allow; nil if it did, or has no condition.
	Reason *Reason `json:"reason,omitempty"`
	// Condition is the evaluated condition; nil if there is none.
	Condition *Evaluated `json:"condition,omitempty"`
}

// LookedUp is a document that rules read.
type LookedUp struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

// Evaluated is an evaluated expression.
type Evaluated struct {
	// Text is its text in the rules, with single spaces.
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Value is its value in the form of the language, error: and the reason without one.
	Value string `json:"value"`
	// Children were evaluated for it, in this order; of a call the arguments, then what is in the function.
	Children []*Evaluated `json:"children,omitempty"`

	expr  syntax.Expr
	value eval.Value
}

// Explain decides a request and explains the decision. Coverage does not count it.
func (r *Ruleset) Explain(ctx context.Context, q *Request) (*Explanation, error) {
	return r.explain(ctx, q, true)
}

// Examine is Explain without texts: those of expressions and values, reasons and the sentence are empty.
func (r *Ruleset) Examine(ctx context.Context, q *Request) (*Explanation, error) {
	return r.explain(ctx, q, false)
}

// explain is Explain, with or without texts.
func (r *Ruleset) explain(ctx context.Context, q *Request, texts bool) (*Explanation, error) {
	t := &explainer{ruleset: r, exprs: r.exprs(), counts: make(map[int][]seen), texts: texts}
	request := *q
	reads := &lookupRecorder{reader: q.Reader}
	request.Reader = reads
	d, err := r.allow(ctx, &request, t)
	if err != nil {
		return nil, err
	}
	out := &Explanation{
		Allowed: d.Allowed, Method: q.Method.String(), Path: (&Evaluation{request: *q}).Record().Path, Lookups: reads.found,
		Statements: make([]ExplainedStatement, len(d.Statements)), Expressions: t.evaluated, ruleset: r, values: t.counts,
	}
	// The conditions of earlier alternatives of a query precede those of the last one, which the decision lists.
	left := t.stack
	for i := len(d.Statements) - 1; i >= 0; i-- {
		s := &d.Statements[i]
		out.Statements[i] = ExplainedStatement{Line: s.Line, Outcome: s.Outcome.String()}
		if s.Failure != nil {
			out.Statements[i].Failure = s.Failure.Text
		}
		if s.from.cond == nil || len(left) == 0 {
			continue
		}
		node := left[len(left)-1]
		left = left[:len(left)-1]
		out.Statements[i].Condition = node
		if texts {
			out.Statements[i].Reason = reasonOf(node)
		}
	}
	if texts {
		out.summarize()
	} else if d.Allowed {
		out.Line = d.Statements[len(d.Statements)-1].Line
	}
	return out, nil
}

// lookupRecorder records the documents that a Reader returns.
type lookupRecorder struct {
	reader Reader
	found  []LookedUp
}

// Lookup implements Reader.
func (l *lookupRecorder) Lookup(ctx context.Context, name resource.Document, after bool) (*document.Document, error) {
	d, err := l.reader.Lookup(ctx, name, after)
	if err == nil {
		l.found = append(l.found, LookedUp{name.Path, d != nil})
	}
	return d, err
}

// explainer builds trees of the evaluated expressions. An expression's value is traced after those of the expressions
// in it, so a new node takes the last nodes that are inside of it from the stack.
type explainer struct {
	ruleset   *Ruleset
	exprs     []syntax.Expr
	stack     []*Evaluated
	counts    map[int][]seen
	evaluated int
	texts     bool
}

// Trace implements eval.Tracer.
func (t *explainer) Trace(id int, v eval.Value) {
	e := t.exprs[id]
	if e == nil {
		return
	}
	t.evaluated++
	at := e.At()
	node := &Evaluated{Line: at.Line, Column: at.Column, expr: e, value: v}
	if t.texts {
		node.Text, node.Value = strings.Join(strings.Fields(t.ruleset.Source()[at.Start:at.End]), " "), textOf(v)
		t.counts[id] = append(t.counts[id], seen{text: shown(v), count: 1})
	}
	inside := t.inside(e)
	from := len(t.stack)
	for from > 0 && slices.Contains(inside, t.stack[from-1].expr) {
		from--
	}
	node.Children = slices.Clone(t.stack[from:])
	t.stack = append(t.stack[:from], node)
}

// inside returns the expressions directly inside of e, and those of the function that it calls.
func (t *explainer) inside(e syntax.Expr) []syntax.Expr {
	out := syntax.Children(e)
	if call, ok := e.(*syntax.Call); ok {
		if f := t.ruleset.program.Calls[call.ID()]; f != nil {
			out = append(slices.Clone(out), functionRoots([]*syntax.Function{f.Function})...)
		}
	}
	return out
}

// failed reports whether the expression is not certainly true as a condition.
func (n *Evaluated) failed() bool {
	switch x := n.value.(type) {
	case value.Bool:
		return !bool(x)
	case *eval.Failure, eval.Bools, eval.Unknown, *eval.Field:
		return true
	}
	return false
}

// size returns the number of expressions that were evaluated for n.
func (n *Evaluated) size() int {
	size := 1
	for _, child := range n.Children {
		size += child.size()
	}
	return size
}
