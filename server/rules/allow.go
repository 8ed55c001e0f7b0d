package rules

import (
	"context"
	"strings"

	"clave/server/rules/eval"
	"clave/server/rules/syntax"
)

// Outcome is what an allow statement came out as.
type Outcome uint8

// The outcomes.
const (
	// Denied is false, or for a query not certainly true.
	Denied Outcome = iota
	// Allowed is true.
	Allowed
	// Failed is a failure.
	Failed
)

// String returns the outcome's name in the request monitor.
func (o Outcome) String() string { return [...]string{"deny", "allow", "error"}[o] }

// Statement is an allow statement that was considered.
type Statement struct {
	// Line is where its condition begins.
	Line int
	// Outcome is what it came out as.
	Outcome Outcome
	// Failure is why it failed, if it did.
	Failure *eval.Failure
	// touched is where it first read the stored document, nil if it didn't.
	touched *syntax.Span
}

// Decision is the answer to a request.
type Decision struct {
	// Allowed reports whether the request may be done.
	Allowed bool
	// Statements are the allow statements considered; those after the one that allowed are not.
	Statements []Statement
	// Exhausted is set when the request was denied because it took too much evaluation.
	Exhausted bool
	// Privileged is set when the rules were not evaluated, because they don't bind the caller.
	Privileged bool
	method     Method
}

// Allow decides a request. An error is the Reader's and decides nothing.
func (r *Ruleset) Allow(ctx context.Context, q *Request) (Decision, error) {
	var record *recorder
	if r.coverage.enabled.Load() {
		record = &recorder{}
	}
	d, err := r.allow(ctx, q, record)
	if record != nil {
		r.coverage.add(record)
	}
	return d, err
}

// allow decides a request and records what expressions were worth, unless record is nil.
func (r *Ruleset) allow(ctx context.Context, q *Request, record *recorder) (Decision, error) {
	lookups := q.Lookups
	if lookups == nil {
		lookups = eval.NewLookups()
	}
	e := &eval.Evaluator{Program: r.program, Reader: q.Reader, Lookups: lookups}
	if record != nil {
		e.Tracer = record
	}
	d := decider{ruleset: r, evaluator: e}
	d.decision.method = q.Method
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

// decider decides one request.
type decider struct {
	ruleset   *Ruleset
	evaluator *eval.Evaluator
	decision  Decision
}

// document decides an operation on one document.
func (d *decider) document(ctx context.Context, q *Request) {
	d.evaluator.Begin(q.value())
	var room [16]element
	path := append(room[:0], element{text: "databases"}, element{text: q.Name.DB.ID}, element{text: "documents"})
	for s := range strings.SplitSeq(q.Name.Path, "/") {
		path = append(path, element{text: s})
	}
	d.decision.Allowed = d.any(ctx, q.Method, path)
}

// any reports whether the statements that apply to a path together are certainly true.
func (d *decider) any(ctx context.Context, method Method, path []element) bool {
	all := eval.CanFalse
	f := finder{method: method, v1: d.ruleset.program.File.Version == 1}
	f.visit = func(a *allow, captures []eval.Value) bool {
		o := d.evaluator.Condition(ctx, a.cond, captures)
		s := Statement{Line: a.line, Failure: o.Failure, touched: o.Touched}
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
	d.decision.Exhausted = d.decision.Exhausted || f.tries > maxTries
	return all == eval.CanTrue
}

// list decides a query: each of its alternatives must be allowed.
func (d *decider) list(ctx context.Context, q *Request) {
	request := q.value()
	alternatives, err := q.Query.DNF()
	if err != nil || len(q.Query.From) == 0 {
		return
	}
	if len(alternatives) == 0 {
		alternatives = append(alternatives, nil) // matches nothing; judged as if it had no filter
	}
	d.evaluator.Begin(request)
	for _, from := range q.Query.From {
		for _, alternative := range alternatives {
			f := gather(q.Query, alternative)
			request.Resource = f.resource()
			request.Path = f.path()
			d.evaluator.Again()
			d.decision.Statements = d.decision.Statements[:0]
			if !d.any(ctx, List, f.elements(q.Query, from)) {
				return
			}
		}
	}
	d.decision.Allowed = true
}
