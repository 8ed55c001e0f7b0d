package eval

import (
	"context"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/syntax"
)

// The limits of one request (firebase.google.com/docs/firestore/quotas#security_rules).
const (
	// MaxLookups is the maximum number of documents that one operation may look up.
	MaxLookups = 10
	// MaxShared is the maximum number of documents that the operations of one commit or multi-document read may look up
	// together.
	MaxShared = 20
	// maxSteps is the maximum number of expressions that one request may evaluate.
	maxSteps = 1000
)

// Reader supplies documents to get, exists, getAfter and existsAfter. The evaluating goroutine calls it.
type Reader interface {
	// Lookup returns a document, nil if it does not exist: before the request, or, with after set, after the whole
	// request. An error ends the evaluation without a decision.
	Lookup(ctx context.Context, name resource.Document, after bool) (*document.Document, error)
}

// Request is the request to decide. A nil Value is an absent member.
type Request struct {
	// Database is the database that the request is for.
	Database resource.Database
	// Name is the document of the request; zero for a list.
	Name resource.Document
	// Method is get, list, create, update or delete.
	Method string
	// Path is the document's path, /databases/…; Unknown for a list.
	Path Value
	// Auth is null, or a map of uid and token.
	Auth Value
	// Time is the time of the request.
	Time value.Timestamp
	// Query is a list's limit, offset and order.
	Query Value
	// Resource is the stored document, or null if there is none. For a list it is abstract and covers all documents of
	// the query.
	Resource Value
	// New is the document after a write, or null if there is none; nil for reads.
	New Value
}

// requestMembers are the names of the members of the variable request.
var requestMembers = [...]string{"auth", "method", "path", "query", "resource", "time"}

// asMap returns the variable request as a plain map.
func (r *Request) asMap() Value {
	m := make(value.Map, 7)
	for _, name := range requestMembers {
		if v := r.member(name); v != nil {
			if abstract(v) {
				return Unknown{}
			}
			m[name] = v
		}
	}
	return m
}

// keysOf returns v, the value of an expression, for an operation that depends on its keys only. Those of the variable
// request are known also if a query does not determine its members.
func (e *Evaluator) keysOf(x syntax.Expr, v Value) Value {
	id, ok := x.(*syntax.Ident)
	if _, unknown := v.(Unknown); !unknown || !ok || e.Program.Names[id.ID()].Kind != check.Request {
		return v
	}
	m := make(value.Map, len(requestMembers))
	for _, name := range requestMembers {
		if e.Request.member(name) != nil {
			m[name] = value.Null{}
		}
	}
	return m
}

// member returns a member of the variable request, or nil.
func (r *Request) member(name string) Value {
	switch name {
	case "auth":
		return r.Auth
	case "method":
		return value.String(r.Method)
	case "path":
		return r.Path
	case "query":
		return r.Query
	case "resource":
		return r.New
	case "time":
		return r.Time
	}
	return nil
}

// lookup is the result of a lookup.
type lookup struct {
	name   resource.Document
	fields value.Map
	layout value.Layout
	exists bool
	// known is set for documents of the request itself. If such a document doesn't exist, the result is null, and not a
	// failure.
	known bool
}

// Lookups holds the documents that the operations of one commit or read have looked up. Repeated lookups and lookups of
// the request's own documents are free. It is not safe for concurrent use.
type Lookups struct {
	found   []lookup
	now     int // found by the current operation
	limit   int
	written map[resource.Document]bool
}

// NewLookups returns the lookups of a request of several operations.
func NewLookups() *Lookups { return &Lookups{limit: MaxShared} }

// Writes records a document that the request writes.
func (l *Lookups) Writes(name resource.Document) {
	if l.written == nil {
		l.written = make(map[resource.Document]bool)
	}
	l.written[name] = true
}

// begin starts an operation.
func (l *Lookups) begin() { l.now = 0 }

// Tracer receives the values of expressions, for coverage.
type Tracer interface {
	// Trace receives the value of the expression with the given id, each time that it is evaluated.
	Trace(id int, v Value)
}

// Evaluator evaluates the conditions of one request. It must be used by one goroutine only.
type Evaluator struct {
	// Program is the program to evaluate.
	Program *check.Program
	// Request is the request to decide.
	Request *Request
	// Reader supplies documents.
	Reader Reader
	// Lookups are shared by the operations of a commit.
	Lookups *Lookups
	// Tracer receives each value; nil for none.
	Tracer Tracer
	// Debug receives the arguments of debug() with the place of the call; nil receives nothing.
	Debug func(at syntax.Span, v Value)
	// Spend receives the cost of work before it is done, in units of about four microseconds. Its error ends the
	// evaluation. It may be nil.
	Spend func(ctx context.Context, cost int) error

	captures []Value
	stack    []Value // the locals of the functions being evaluated
	base     int     // where those of the innermost begin
	steps    int
	spent    *Failure     // the failure that used up the budget
	patterns int64        // the work of regular expressions so far that are not literals of the rules
	literals int64        // that of literals of the rules
	units    int          // the units of work that Spend has not received yet
	touched  *syntax.Span // the expression that first read the variable resource in the current condition
	doubted  *Failure     // the first fact that the query does not determine, in the current condition
	err      error
	// written holds the values of map literals, by identity, with their keys in the order of the text, and maps of the
	// documents that were read since values() was called first, with theirs in the order of their writer.
	written map[uintptr]writtenMap
	// ordered is set once values() was called. Until then documents are those that were looked up.
	ordered   bool
	documents []*Document
}

// writtenMap is a map whose keys are not in the order of their names. The reference prevents the reuse of its address
// for another map.
type writtenMap struct {
	m    value.Map
	keys []string
}

// Begin starts the evaluation of a further operation.
func (e *Evaluator) Begin(r *Request) {
	e.Request = r
	e.steps, e.spent, e.patterns, e.literals = 0, nil, 0, 0
	e.ordered, e.documents = false, nil
	e.Lookups.begin()
}

// ResetBudget begins another evaluation of the same operation, for example for another alternative of a query. Earlier
// lookups still count.
func (e *Evaluator) ResetBudget() { e.steps, e.spent, e.patterns, e.literals = 0, nil, 0, 0 }

// Err returns the first error of the Reader or of Spend.
func (e *Evaluator) Err() error { return e.err }

// Outcome is the result of a condition.
type Outcome struct {
	// Can holds the possible results of the condition; for a request for one document it is exactly one of true, false
	// and failure.
	Can Bools
	// Failure is the reason of a failure or, for a query, of an undecided result; nil if it is unknown.
	Failure *Failure
	// Touched is the expression that first read the variable resource, or nil.
	Touched *syntax.Span
}

// Condition evaluates a condition, nil being true, under the given captured segments.
func (e *Evaluator) Condition(ctx context.Context, cond syntax.Expr, captures []Value) Outcome {
	if cond == nil {
		return Outcome{Can: CanTrue}
	}
	e.captures, e.base, e.stack, e.touched, e.doubted = captures, 0, e.stack[:0], nil, nil
	from := e.steps
	v := e.eval(ctx, cond)
	if f := e.work(ctx, e.steps-from); f != nil {
		v = f
	}
	o := Outcome{Can: bools(v), Touched: e.touched}
	switch x := v.(type) {
	case *Failure:
		o.Failure = x
	case value.Bool, Bools, Unknown, *Field:
		if o.Can&CanFail != 0 {
			o.Failure = e.doubted
		}
	default:
		o.Failure = typeError(v, "bool")
		o.Failure.At = cond.At()
	}
	return o
}

// Exhausted reports whether the request's budget of expressions is used up, so that it must be denied.
func (e *Evaluator) Exhausted() bool { return e.steps > maxSteps }
