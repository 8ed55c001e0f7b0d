package attack

import (
	"context"
	"strings"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/rules/ruletest"
)

// worldsOf returns the requests of a case whose form the attack can change: queries with conditions other than equality
// of fields are left out.
func worldsOf(ctx context.Context, r *rules.Ruleset, c *ruletest.Case) ([]*world, error) {
	requests, docs, err := c.Requests(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []*world
	for _, q := range requests {
		w := &world{method: q.Method, docs: make(map[string]value.Map), before: fieldsOf(q.Before), after: fieldsOf(q.After)}
		for path, d := range docs {
			if d != nil {
				w.docs[path] = d.Fields
			}
		}
		if q.Auth != nil {
			w.uid, w.claims = q.Auth.UID, rules.ClaimsValue(q.Auth.Claims)
		}
		switch {
		case q.Verify:
			continue
		case q.Method != rules.List:
			w.path = strings.Split(q.Name.Path, "/")
		case !w.read(q.Query):
			continue
		}
		out = append(out, w)
	}
	return out, nil
}

// fieldsOf returns a document's fields, nil without a document.
func fieldsOf(d *document.Document) value.Map {
	switch {
	case d == nil:
		return nil
	case d.Fields == nil:
		return value.Map{}
	}
	return d.Fields
}

// read takes over a query, and reports whether it has the form of a list.
func (w *world) read(q *query.Query) bool {
	if len(q.From) != 1 || q.From[0].AllDescendants || q.From[0].Collection == "" {
		return false
	}
	if q.Parent != "" {
		w.path = strings.Split(q.Parent, "/")
	}
	w.path = append(w.path, q.From[0].Collection, "document")
	if q.Limit != query.NoLimit {
		w.limit = q.Limit
	}
	alternatives, err := q.DNF()
	if err != nil || len(alternatives) > 1 {
		return false
	}
	for _, alternative := range alternatives {
		for _, leaf := range alternative {
			f, ok := leaf.(query.Field)
			if !ok || f.Op != query.Equal || f.Path.IsName() {
				return false
			}
			w.where = append(w.where, filter{f.Path, f.Value})
		}
	}
	return true
}
