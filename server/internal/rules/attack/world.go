package attack

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// The user who makes the requests, one whom nothing connects with them, and another owner of documents.
const (
	user     = "ann"
	stranger = "mallory"
	victim   = "victor"
)

// now is the time of all requests.
var now = value.TimestampOf(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))

// filter is a condition of a list: a field has a value.
type filter struct {
	path  value.FieldPath
	value value.Value
}

// world is a request with the documents around it. Its maps are replaced, not changed, so that copies may share them.
type world struct {
	method rules.Method
	// path is that of the document; a list is of the collection that has it.
	path []string
	// uid is the user, empty without one, and claims those of the token.
	uid    string
	claims value.Map
	// before and after are the document's fields before and after a write; nil without a document.
	before, after value.Map
	// docs are the other documents, by path.
	docs map[string]value.Map
	// where and limit are those of a list.
	where []filter
	limit int
	// group is set for a list of all collections with the id of the path's last one, wherever they are.
	group bool
	// looked, if not nil, receives the documents that rules look up.
	looked map[string]bool
}

// clone returns a copy that can be changed.
func (w *world) clone() *world {
	c := *w
	c.path, c.where, c.docs = slices.Clone(w.path), slices.Clone(w.where), maps.Clone(w.docs)
	return &c
}

// name returns the document.
func (w *world) name() resource.Document {
	return resource.Document{DB: ruletest.Database, Path: strings.Join(w.path, "/")}
}

// Lookup implements rules.Reader.
func (w *world) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	if w.looked != nil {
		w.looked[name.Path] = true
	}
	if fields, ok := w.docs[name.Path]; ok {
		return &document.Document{Name: name, Fields: fields}, nil
	}
	return nil, nil
}

// request returns the request; ok is false for a query that Firestore refuses.
func (w *world) request() (q *rules.Request, ok bool) {
	q = &rules.Request{Method: w.method, Time: now, Reader: w, Lookups: rules.NewLookups(), Unrecorded: true}
	if w.uid != "" {
		q.Auth = &rules.Auth{UID: w.uid, Claims: plainMap(w.claims)}
	}
	if w.method == rules.List {
		return q, w.query(q)
	}
	q.Name = w.name()
	if w.before != nil {
		q.Before = &document.Document{Name: q.Name, Fields: w.before}
	}
	if w.method == rules.Create || w.method == rules.Update {
		q.After = &document.Document{Name: q.Name, Fields: w.after}
	}
	return q, true
}

// query sets the query of a list, and reports whether Firestore accepts it.
func (w *world) query(q *rules.Request) bool {
	last := len(w.path) - 1
	from := &query.Query{
		DB: ruletest.Database, Parent: strings.Join(w.path[:last-1], "/"), From: []query.From{{Collection: w.path[last-1]}}, Limit: query.NoLimit,
	}
	if w.limit > 0 {
		from.Limit = w.limit
	}
	if w.group {
		from.Parent, from.From[0].AllDescendants = "", true
	}
	var all []query.Filter
	for _, f := range w.where {
		all = append(all, query.Field{Path: f.path, Op: query.Equal, Value: f.value})
	}
	if len(all) > 0 {
		from.Where = &query.And{Filters: all}
	}
	var err error
	q.Query, err = from.Normalize()
	return err == nil
}

// decide examines the decision on the request, or returns nil if there is none.
func (w *world) decide(ctx context.Context, r *rules.Ruleset) *rules.Explanation {
	q, ok := w.request()
	if !ok {
		return nil
	}
	x, err := r.Examine(ctx, q)
	if err != nil {
		return nil
	}
	return x
}

// allowed reports whether the request is allowed.
func (w *world) allowed(ctx context.Context, r *rules.Ruleset) bool {
	q, ok := w.request()
	if !ok {
		return false
	}
	d, err := r.Allow(ctx, q)
	return err == nil && d.Allowed
}

// caseOf returns the request as a case that expects a denial.
func (w *world) caseOf(id string) (*ruletest.Case, error) {
	q, _ := w.request()
	read := make(map[string]*document.Document, len(w.docs))
	for path, fields := range w.docs {
		read[path] = &document.Document{Name: resource.Document{DB: ruletest.Database, Path: path}, Fields: fields}
	}
	return ruletest.Recorded(id, q, false, read)
}

// plainMap returns claims as package rules takes them.
func plainMap(m value.Map) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = plain(v)
	}
	return out
}

// plain returns a claim as package rules takes it.
func plain(v value.Value) any {
	switch x := v.(type) {
	case value.Bool:
		return bool(x)
	case value.Int:
		return int64(x)
	case value.Double:
		return float64(x)
	case value.String:
		return string(x)
	case value.Array:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = plain(item)
		}
		return out
	case value.Map:
		return plainMap(x)
	}
	return nil
}

// claimsOf returns the claims of a user without rights.
func claimsOf(uid, provider string, verified bool) value.Map {
	return value.Map{
		"sub": value.String(uid), "user_id": value.String(uid), "email": value.String(uid + "@example.com"), "email_verified": value.Bool(verified),
		"firebase": value.Map{"sign_in_provider": value.String(provider), "identities": value.Map{}},
	}
}
