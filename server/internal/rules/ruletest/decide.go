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
	w, err := c.state(r)
	if err != nil {
		return "", "", err
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

// Explain decides the case by rules and explains the decision: of several writes the one that is denied, or the last.
// Documents that the case lacks are read by fetch, which may be nil.
func (c *Case) Explain(ctx context.Context, r *rules.Ruleset, fetch Fetch) (*rules.Explanation, error) {
	w, err := c.state(r)
	if err != nil {
		return nil, err
	}
	w.explain, w.fetch = true, fetch
	if _, err := w.do(ctx, &c.Op); err != nil {
		return nil, err
	}
	return w.explanation, nil
}

// state returns the state before the case, for rules.
func (c *Case) state(r *rules.Ruleset) (*state, error) {
	w := &state{ruleset: r, before: make(map[string]*document.Document), auth: c.Auth.Rules(), time: defaultTime}
	if c.Now != nil {
		w.time = c.Now.UTC()
	}
	for path, text := range c.Docs {
		if string(text) == "null" {
			w.before[path] = nil
			continue
		}
		fields, layout, err := parseFields(text)
		if err != nil {
			return nil, fmt.Errorf("docs %s: %w", path, err)
		}
		w.before[path] = &document.Document{Name: resource.Document{DB: Database, Path: path}, Fields: fields, Layout: layout}
	}
	return w, nil
}

// Fetch returns a document of the database of cases, or nil if there is none.
type Fetch func(ctx context.Context, name resource.Document) (*document.Document, error)

// state is a set of documents and the user of a request.
type state struct {
	ruleset *rules.Ruleset
	auth    *rules.Auth
	time    time.Time
	// before are the documents before the operation, after those that a commit leaves.
	before, after map[string]*document.Document
	// fetch reads documents that are not in before, and stores them there; nil reads none.
	fetch Fetch
	// explain is set to explain decisions; explanation is that of the last one.
	explain     bool
	explanation *rules.Explanation
	// collect is set to keep the requests.
	collect  bool
	requests []*rules.Request
	// lacking are the paths that were looked up and are not in before.
	lacking []string
}

// Lookup implements rules.Reader.
func (w *state) Lookup(ctx context.Context, name resource.Document, after bool) (*document.Document, error) {
	if after && w.after != nil {
		if d, written := w.after[name.Path]; written {
			return d, nil
		}
	}
	return w.stored(ctx, name.Path)
}

// stored returns a document before the operation, or nil.
func (w *state) stored(ctx context.Context, path string) (*document.Document, error) {
	d, known := w.before[path]
	if known || w.fetch == nil {
		if !known {
			w.lacking = append(w.lacking, path)
		}
		return d, nil
	}
	d, err := w.fetch(ctx, resource.Document{DB: Database, Path: path})
	if err == nil {
		w.before[path] = d
	}
	return d, err
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
	if w.collect {
		w.requests = append(w.requests, q)
	}
	if w.explain {
		x, err := w.ruleset.Explain(ctx, q)
		if err != nil {
			return rules.Decision{}, err
		}
		w.explanation = x
		return rules.Decision{Allowed: x.Allowed}, nil
	}
	return w.ruleset.Allow(ctx, q)
}

// get decides a read of one document.
func (w *state) get(ctx context.Context, path string, lookups *rules.Lookups) (rules.Decision, error) {
	before, err := w.stored(ctx, path)
	if err != nil {
		return rules.Decision{}, err
	}
	name := resource.Document{DB: Database, Path: path}
	return w.decideOne(ctx, &rules.Request{Method: rules.Get, Name: name, Before: before, Lookups: lookups})
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
	// after holds what the commit writes, nil for deleted documents.
	w.after = make(map[string]*document.Document, len(writes))
	parsed := make([]document.Write, len(writes))
	for i, one := range writes {
		var err error
		if parsed[i], err = parseWrite(one); err != nil {
			return rules.Decision{}, fmt.Errorf("write %d: %w", i, err)
		}
		applied := parsed[i]
		applied.Precondition = document.Precondition{} // checked after the rules
		before, err := w.Lookup(ctx, applied.Name, true)
		if err != nil {
			return rules.Decision{}, err
		}
		if w.after[one.Path], _, err = document.Apply(before, applied, clock.VersionOf(w.time)); err != nil {
			return rules.Decision{}, fmt.Errorf("write %d: %w", i, err)
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

// Requests returns the requests that the case makes, up to the first that rules deny, and the documents before it.
func (c *Case) Requests(ctx context.Context, r *rules.Ruleset) ([]*rules.Request, map[string]*document.Document, error) {
	w, err := c.state(r)
	if err != nil {
		return nil, nil, err
	}
	w.collect = true
	_, err = w.do(ctx, &c.Op)
	return w.requests, w.before, err
}
