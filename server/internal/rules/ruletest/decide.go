package ruletest

import (
	"context"
	"fmt"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// Database is the database of the cases' documents.
var Database = resource.Database{Project: "demo", ID: resource.DefaultDatabase}

// defaultTime is the time of cases that name none.
var defaultTime = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Decide returns the verdict on a case and, unless it is Allow, the reason. It returns an error for an invalid case.
func (c *Case) Decide(ctx context.Context) (verdict, why string, err error) {
	r, issues := rules.Compile(c.Rules)
	if r == nil {
		return CompileError, rules.Summary(issues), nil
	}
	w := &state{ruleset: r, before: make(map[string]*document.Document), auth: c.Auth.Rules(), time: defaultTime}
	if c.Now != nil {
		w.time = c.Now.UTC()
	}
	for path, text := range c.Docs {
		fields, layout, err := parseFields(text)
		if err != nil {
			return "", "", fmt.Errorf("docs %s: %w", path, err)
		}
		w.before[path] = &document.Document{Name: resource.Document{DB: Database, Path: path}, Fields: fields, Layout: layout}
	}
	d, err := w.do(ctx, &c.Op)
	if err != nil {
		return "", "", err
	}
	if d.Allowed {
		return Allow, "", nil
	}
	return Deny, d.Denial(), nil
}

// state is a set of documents and the user of a request.
type state struct {
	ruleset *rules.Ruleset
	auth    *rules.Auth
	time    time.Time
	// before are the documents before the operation, after those that a commit leaves.
	before, after map[string]*document.Document
}

// Lookup implements rules.Reader.
func (w *state) Lookup(_ context.Context, name resource.Document, after bool) (*document.Document, error) {
	docs := w.before
	if after && w.after != nil {
		docs = w.after
	}
	return docs[name.Path], nil
}

// do decides an operation.
func (w *state) do(ctx context.Context, op *Operation) (rules.Decision, error) {
	switch op.Method {
	case "get":
		return w.get(ctx, op.Path, nil)
	case "list", "aggregate":
		return w.list(ctx, op)
	case "batch", "transaction":
		lookups := rules.NewLookups()
		for _, path := range op.Reads {
			if d, err := w.get(ctx, path, lookups); err != nil || !d.Allowed {
				return d, err
			}
		}
		return w.commit(ctx, op.Writes)
	case "create", "update", "set", "delete":
		return w.commit(ctx, []Write{op.Write})
	}
	return rules.Decision{}, fmt.Errorf("op.method is %q, expected get, list, aggregate, create, update, set, delete, batch or transaction", op.Method)
}

// decideOne decides one request.
func (w *state) decideOne(ctx context.Context, q *rules.Request) (rules.Decision, error) {
	q.Auth, q.Time, q.Reader = w.auth, value.TimestampOf(w.time), w
	return w.ruleset.Allow(ctx, q)
}

// get decides a read of one document.
func (w *state) get(ctx context.Context, path string, lookups *rules.Lookups) (rules.Decision, error) {
	name := resource.Document{DB: Database, Path: path}
	return w.decideOne(ctx, &rules.Request{Method: rules.Get, Name: name, Before: w.before[path], Lookups: lookups})
}

// list decides a query. It refuses an invalid query.
func (w *state) list(ctx context.Context, op *Operation) (rules.Decision, error) {
	q, err := parseQuery(op.Parent, op.Query)
	if err != nil {
		return rules.Decision{}, fmt.Errorf("op.query: %w", err)
	}
	return w.decideOne(ctx, &rules.Request{Method: rules.List, Query: q})
}

// commit decides the writes of one commit by the state before and after the whole of it.
func (w *state) commit(ctx context.Context, writes []Write) (rules.Decision, error) {
	w.time = w.time.Truncate(time.Millisecond) // as server timestamps are
	w.after = make(map[string]*document.Document, len(w.before))
	for path, d := range w.before {
		w.after[path] = d
	}
	parsed := make([]document.Write, len(writes))
	for i, one := range writes {
		var err error
		if parsed[i], err = parseWrite(one); err != nil {
			return rules.Decision{}, fmt.Errorf("write %d: %w", i, err)
		}
		applied := parsed[i]
		applied.Precondition = document.Precondition{} // checked after the rules
		after, _, err := document.Apply(w.after[one.Path], applied, clock.VersionOf(w.time))
		if err != nil {
			return rules.Decision{}, fmt.Errorf("write %d: %w", i, err)
		}
		w.after[one.Path] = after
		if after == nil {
			delete(w.after, one.Path)
		}
	}
	return w.decideAll(ctx, parsed)
}

// decideAll decides writes that are applied. Several writes of a document are decided as one.
func (w *state) decideAll(ctx context.Context, writes []document.Write) (rules.Decision, error) {
	lookups := rules.NewLookups()
	first, last := map[string]int{}, map[string]int{}
	for i := range writes {
		path := writes[i].Name.Path
		lookups.Writes(writes[i].Name)
		if _, ok := first[path]; !ok {
			first[path] = i
		}
		last[path] = i
	}
	for i := range writes {
		path := writes[i].Name.Path
		if last[path] != i {
			continue
		}
		q := &rules.Request{Name: writes[i].Name, Before: w.before[path], Lookups: lookups}
		q.Method = methodOf(&writes[first[path]], &writes[i], q.Before)
		if q.Method != rules.Delete {
			q.After = w.after[path]
		}
		if d, err := w.decideOne(ctx, q); err != nil || !d.Allowed {
			return d, err
		}
	}
	return rules.Decision{Allowed: true}, nil
}

// methodOf returns the method of a document's writes in the rules, given the first and the last of them.
func methodOf(first, last *document.Write, before *document.Document) rules.Method {
	exists := before != nil
	if first.Precondition.Exists != nil {
		exists = *first.Precondition.Exists
	}
	switch {
	case last.Op == document.Delete:
		return rules.Delete
	case exists:
		return rules.Update
	}
	return rules.Create
}
