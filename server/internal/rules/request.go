package rules

import (
	"context"
	"strings"
	"sync/atomic"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules/eval"
)

// Auth is the signed-in user. Requests may share it, also at the same time; nobody changes it after its first use.
type Auth struct {
	// UID is the user's id.
	UID string
	// Claims are the claims of the ID token: nil, bool, int64, float64, string, []any and map[string]any.
	Claims map[string]any
	// variable is request.auth; nil before its first use.
	variable atomic.Pointer[value.Map]
}

// Request is the request to decide: an operation on one document, or a query.
type Request struct {
	// Method is the kind of the request.
	Method Method
	// Name is the document; unused for List.
	Name resource.Document
	// Query is the normalized query; for List only.
	Query *query.Query
	// Auth is the user of the request, nil without one.
	Auth *Auth
	// Time is the time of the request; server timestamps of a commit equal it.
	Time value.Timestamp
	// Before is the stored document, nil if there is none.
	Before *document.Document
	// After is the document as the write leaves it, nil if there is none. For writes only.
	After *document.Document
	// Verify marks a write that only verifies: a get whose request.resource is the document as it is.
	Verify bool
	// Reader supplies other documents.
	Reader Reader
	// Lookups are shared by the operations of one commit or multi-document read; nil for a single operation.
	Lookups *Lookups
	// Debug receives the line of each call of the function debug() and the value of its argument as text; nil receives
	// nothing.
	Debug func(line int, value string)
	// Unrecorded keeps the evaluation out of the coverage.
	Unrecorded bool
	// Spend, if not nil, receives the cost of the evaluation, in units of about four microseconds, before the work is
	// done. Its error ends the evaluation without a decision.
	Spend func(ctx context.Context, cost int) error
}

// value returns the evaluator's request, without the parts that are unknown for a query.
func (r *Request) value() eval.Request {
	q := eval.Request{Database: r.database(), Name: r.Name, Method: r.Method.String(), Auth: authValue(r.Auth), Time: r.Time}
	if r.Method == List {
		q.Path = eval.Unknown{}
		q.Query = queryValue(r.Query)
		return q
	}
	path := documentPath(r.Name)
	q.Path = path
	q.Resource = resourceValue(r.Before, path)
	switch {
	case r.Verify:
		q.New = q.Resource
	case r.Method != Get:
		q.New = resourceValue(r.After, path)
	}
	return q
}

// database returns the database that the request is for.
func (r *Request) database() resource.Database {
	if r.Method == List {
		return r.Query.DB
	}
	return r.Name.DB
}

// documentPath returns a document's path as rules see it.
func documentPath(name resource.Document) *eval.Path {
	var room [16]string
	segments := append(room[:0], "databases", name.DB.ID, "documents")
	for s := range strings.SplitSeq(name.Path, "/") {
		segments = append(segments, s)
	}
	return eval.NewPath(segments...)
}

// resourceValue returns a document as rules see it, null if there is none.
func resourceValue(d *document.Document, path *eval.Path) eval.Value {
	if d == nil {
		return value.Null{}
	}
	fields := d.Fields
	if fields == nil {
		fields = value.Map{}
	}
	return &eval.Document{Data: fields, Layout: d.Layout, ID: d.Name.ID(), Name: path}
}

// authValue returns the variable request.auth.
func authValue(a *Auth) eval.Value {
	if a == nil {
		return value.Null{}
	}
	if known := a.variable.Load(); known != nil {
		return *known
	}
	variable := value.Map{"uid": value.String(a.UID), "token": ClaimsValue(a.Claims)}
	a.variable.Store(&variable)
	return variable
}

// ClaimsValue returns a token's claims as a map of rules.
func ClaimsValue(claims map[string]any) value.Map {
	m := make(value.Map, len(claims))
	for k, v := range claims {
		m[k] = ValueOf(v)
	}
	return m
}

// ValueOf returns a claim, or other decoded JSON, as a value of rules; null for a value of another type.
func ValueOf(v any) eval.Value {
	switch x := v.(type) {
	case bool:
		return value.Bool(x)
	case int64:
		return value.Int(x)
	case int:
		return value.Int(x)
	case float64:
		return value.Double(x)
	case string:
		return value.String(x)
	case []any:
		list := make(value.Array, len(x))
		for i, item := range x {
			list[i] = ValueOf(item)
		}
		return list
	case map[string]any:
		return ClaimsValue(x)
	}
	return value.Null{}
}

// queryValue returns the variable request.query. Its order is that which the client sent: the web SDK sends
// __name__, too.
func queryValue(q *query.Query) eval.Value {
	order := make(value.Map)
	for _, o := range q.Requested() {
		order[o.Path.String()] = value.String(map[bool]string{false: "ASC", true: "DESC"}[o.Desc])
	}
	var limit eval.Value = value.Null{}
	if q.Limit != query.NoLimit {
		limit = value.Int(q.Limit)
	}
	return value.Map{"limit": limit, "offset": value.Int(q.Offset), "orderBy": order}
}
