package rules

import (
	"context"
	"strings"

	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// Outcome is the result of an allow statement.
type Outcome uint8

// The outcomes.
const (
	// Denied means that the condition is false, or for a query not certainly true.
	Denied Outcome = iota
	// Allowed means that the condition is true.
	Allowed
	// Failed means that the evaluation failed.
	Failed
)

// String returns the outcome's name in the request monitor.
func (o Outcome) String() string { return [...]string{"deny", "allow", "error"}[o] }

// Statement is an allow statement that was evaluated.
type Statement struct {
	// Line is the line at which its condition begins.
	Line int
	// Outcome is its result.
	Outcome Outcome
	// Failure is the reason of a failure.
	Failure *eval.Failure
	// touched is the expression that first read the stored document, or nil.
	touched *syntax.Span
	// from is the statement in the ruleset.
	from *allow
}

// Match returns the path of the match statements around the statement, as in /users/{uid}: without
// /databases/{database}/documents.
func (s *Statement) Match() string { return s.from.match }

// Decision is the decision on a request.
type Decision struct {
	// Allowed reports whether the request is allowed.
	Allowed bool
	// Statements lists the evaluated allow statements, up to the first one that allowed.
	Statements []Statement
	// Exhausted is set if the request was denied because it exceeded the evaluation limits.
	Exhausted bool
	// Privileged is set if the rules were not evaluated, because they do not apply to the caller.
	Privileged bool
	method     Method
}

// Allow decides a request. An error is an error of the Reader or of Spend, without a decision.
func (r *Ruleset) Allow(ctx context.Context, q *Request) (Decision, error) {
	if !r.coverage.enabled.Load() || q.Unrecorded {
		return r.allow(ctx, q, nil)
	}
	record := &recorder{}
	d, err := r.allow(ctx, q, record)
	if err == nil {
		r.coverage.add(record)
	}
	return d, err
}

// allow decides a request. The tracer receives the values of expressions, unless it is nil.
func (r *Ruleset) allow(ctx context.Context, q *Request, tracer eval.Tracer) (Decision, error) {
	lookups := q.Lookups
	if lookups == nil {
		lookups = eval.NewLookups()
	}
	d := &decider{ruleset: r}
	e := &d.evaluator
	e.Program, e.Reader, e.Lookups, e.Spend = r.program, q.Reader, lookups, q.Spend
	e.Tracer = tracer
	if q.Debug != nil {
		e.Debug = func(at syntax.Span, v eval.Value) { q.Debug(at.Line, brief(textOf(v))) }
	}
	d.decision.method, d.decision.Statements = q.Method, d.first[:0]
	if q.Method == List {
		d.list(ctx, q)
	} else {
		d.document(ctx, q)
	}
	if err := e.Err(); err != nil {
		return Decision{}, err
	}
	return d.decision, nil
}

// decider decides one request. Its parts are values, so that a decision allocates them at once.
type decider struct {
	ruleset   *Ruleset
	evaluator eval.Evaluator
	request   eval.Request
	finder    finder
	decision  Decision
	// first is the place of the decision's first statement.
	first [1]Statement
}

// document decides an operation on one document.
func (d *decider) document(ctx context.Context, q *Request) {
	d.request = q.value()
	d.evaluator.Begin(&d.request)
	var room [16]element
	path := append(room[:0], element{text: "databases"}, element{text: q.Name.DB.ID}, element{text: "documents"})
	for s := range strings.SplitSeq(q.Name.Path, "/") {
		path = append(path, element{text: s})
	}
	d.decision.Allowed = d.any(ctx, q.Method, path)
}

// any reports whether the disjunction of the statements that apply to a path is certainly true.
func (d *decider) any(ctx context.Context, method Method, path []element) bool {
	all := eval.CanFalse
	f := &d.finder
	*f = finder{method: method, v1: d.ruleset.program.File.Version == 1}
	f.visit = func(a *allow, captures []eval.Value) bool {
		o := d.evaluator.Condition(ctx, a.cond, captures)
		s := Statement{Line: a.line, Failure: o.Failure, touched: o.Touched, from: a}
		switch {
		case o.Can == eval.CanTrue:
			s.Outcome = Allowed
		case o.Failure != nil:
			s.Outcome = Failed
		}
		d.decision.Statements = append(d.decision.Statements, s)
		if d.evaluator.Exhausted() || d.evaluator.Err() != nil {
			d.decision.Exhausted = true
			all = eval.CanFail
			return false
		}
		all = all.Or(o.Can)
		return all != eval.CanTrue
	}
	f.search(d.ruleset.blocks, path, 0)
	d.evaluator.Matched(ctx, f.tries)
	d.decision.Exhausted = d.decision.Exhausted || f.tries > maxTries
	return all == eval.CanTrue
}

// list decides a query: each of its alternatives must be allowed.
func (d *decider) list(ctx context.Context, q *Request) {
	d.request = q.value()
	request := &d.request
	alternatives, err := q.Query.DNF()
	if err != nil || len(q.Query.From) == 0 {
		return
	}
	if len(alternatives) == 0 {
		alternatives = append(alternatives, nil) // the query matches nothing: it is decided as if it had no filter
	}
	d.evaluator.Begin(request)
	for _, from := range q.Query.From {
		for _, alternative := range alternatives {
			f := gather(q.Query, alternative)
			request.Resource = f.resource()
			request.Path = f.path()
			d.evaluator.ResetBudget()
			d.decision.Statements = d.decision.Statements[:0]
			if !d.any(ctx, List, f.elements(q.Query, from)) {
				return
			}
		}
	}
	d.decision.Allowed = true
}
