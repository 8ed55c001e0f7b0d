package eval

import (
	"context"

	"clave/server/resource"
	"clave/server/rules/check"
	"clave/server/rules/syntax"
	"clave/server/value"
)

// The limits of one request (firebase.google.com/docs/firestore/quotas#security_rules).
const (
	// MaxLookups is how many documents one operation may look up.
	MaxLookups = 10
	// MaxShared is how many documents the operations of one commit or multi-document read may look up together.
	MaxShared = 20
	// maxSteps is how many expressions one request may evaluate.
	maxSteps = 1000
)

// Reader gives documents to get, exists, getAfter and existsAfter. It is called by the goroutine that evaluates.
type Reader interface {
	// Lookup returns a document's fields, and whether it exists: as it was before the request, or, with after
	// set, as the whole request leaves it. An error ends the evaluation; it is not the rules' to judge.
	Lookup(ctx context.Context, name resource.Document, after bool) (value.Map, bool, error)
}

// Request is what is judged. A nil Value is a member that is not there.
type Request struct {
	// Database is the database that the request is for.
	Database resource.Database
	// Name is the document that the request is about; zero for a list.
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
	// Resource is the stored document, null if there is none; of a list, what the query determines of all documents.
	Resource Value
	// New is the document that a write leaves, null if none; nil when nothing is written.
	New Value
}

// asMap returns the variable request as a plain map.
func (r *Request) asMap() Value {
	m := make(value.Map, 7)
	for _, name := range [...]string{"auth", "method", "path", "query", "resource", "time"} {
		if v := r.member(name); v != nil {
			if abstract(v) {
				return Unknown{}
			}
			m[name] = v
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

// lookup is a document that has been looked up.
type lookup struct {
	name   resource.Document
	fields value.Map
	exists bool
	// known is set when the document is one that the request is about anyway. If it doesn't exist it is null, where others are
	// a failure.
	known bool
}

// Lookups are the documents that the operations of one commit or read have looked up. Looking one up again is
// free, and so are the documents that the request is about. It is not safe for concurrent use.
type Lookups struct {
	found   []lookup
	now     int // found by the present operation
	limit   int
	written map[resource.Document]bool
}

// NewLookups returns the lookups of a request of several operations.
func NewLookups() *Lookups { return &Lookups{limit: MaxShared} }

// Writes notes a document that the request writes.
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

// Evaluator evaluates the conditions of one request. It is made once a request and used by one goroutine.
type Evaluator struct {
	// Program is what is evaluated.
	Program *check.Program
	// Request is what is judged.
	Request *Request
	// Reader gives documents.
	Reader Reader
	// Lookups are shared by the operations of a commit.
	Lookups *Lookups
	// Tracer receives each value; nil for none.
	Tracer Tracer

	captures []Value
	stack    []Value // the locals of the functions being evaluated
	base     int     // where those of the innermost begin
	steps    int
	spent    *Failure     // what used up the budget
	touched  *syntax.Span // where the variable resource was first read, in the present condition
	doubted  *Failure     // what the query first left unknown, in the present condition
	err      error
	// written has the maps that the rules write out, by their identity, with their keys in the order in which they are written.
	written map[uintptr]writtenMap
}

// writtenMap is a map that the rules write out. The reference keeps its identity from being given to another map.
type writtenMap struct {
	m    value.Map
	keys []string
}

// Begin starts the evaluation of one more operation.
func (e *Evaluator) Begin(r *Request) {
	e.Request = r
	e.steps, e.spent = 0, nil
	e.Lookups.begin()
}

// Again begins another look at the same operation, as for another alternative of a query; documents that were looked up
// still count.
func (e *Evaluator) Again() { e.steps, e.spent = 0, nil }

// Err returns the first error of the Reader.
func (e *Evaluator) Err() error { return e.err }

// Outcome is what a condition came out as.
type Outcome struct {
	// Can is which of true, false and failure the condition can be; for a request about one document it is
	// exactly one of them.
	Can Bools
	// Failure is why it failed or, for a query, the first thing that left it undecided; nil if that is not known.
	Failure *Failure
	// Touched is where the condition first read the variable resource, nil if it didn't.
	Touched *syntax.Span
}

// Condition evaluates a condition, nil being true, under the given captured segments.
func (e *Evaluator) Condition(ctx context.Context, cond syntax.Expr, captures []Value) Outcome {
	if cond == nil {
		return Outcome{Can: CanTrue}
	}
	e.captures, e.base, e.stack, e.touched, e.doubted = captures, 0, e.stack[:0], nil, nil
	v := e.eval(ctx, cond)
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
