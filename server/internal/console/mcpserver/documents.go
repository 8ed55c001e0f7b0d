package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	"clave/server/internal/suite/seed"
)

// The default and the maximum limit of a query, and the maximum number of documents of get_documents.
const (
	usualLimit = 20
	maxLimit   = 300
	maxPaths   = 50
)

// condition is a condition of a query.
type condition struct {
	Field string `json:"field" jsonschema:"field path, or __name__"`
	Op    string `json:"op" jsonschema:"one of ==, !=, <, <=, >, >=, in, not-in, array-contains or array-contains-any"`
	Value any    `json:"value" jsonschema:"value in the form of seeds, such as 3, \"x\" or {\"$timestamp\": \"-3h\"}"`
}

// order is an order of a query.
type order struct {
	Field      string `json:"field" jsonschema:"field path"`
	Descending bool   `json:"descending,omitempty"`
}

// queryIn is a query.
type queryIn struct {
	Place
	Collection string      `json:"collection" jsonschema:"path of a collection, such as users/ann/orders; the id of the collections with group"`
	Group      bool        `json:"group,omitempty" jsonschema:"query all collections of this id"`
	Where      []condition `json:"where,omitempty" jsonschema:"conditions, all of which must hold"`
	OrderBy    []order     `json:"orderBy,omitempty"`
	Select     []string    `json:"select,omitempty" jsonschema:"field paths to return; default: all"`
	Limit      int         `json:"limit,omitempty" jsonschema:"1 to 300; default 20"`
}

// operators are the operators of conditions by their names in SDKs.
var operators = map[string]string{
	"==": "EQUAL", "!=": "NOT_EQUAL", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUAL", ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUAL",
	"in": "IN", "not-in": "NOT_IN", "array-contains": "ARRAY_CONTAINS", "array-contains-any": "ARRAY_CONTAINS_ANY",
}

// addDocuments adds the tools on documents.
func (t *tools) addDocuments() {
	add(t.server, reading("query_documents", "Query documents", "Runs a query with the rights of an administrator and returns documents."+warning), t.queryDocuments)
	add(t.server, reading("get_documents", "Get documents", "Returns documents by their paths; null for those that do not exist."+warning), t.getDocuments)
	add(t.server, reading("explain_query", "Explain a query", "Returns the plan of a query: the indexes that it uses and, with analyze, what it read."), t.explainQuery)
}

// body returns the path of the parent and the JSON of a query.
func (in *queryIn) body(db resource.Database) (parent string, structured map[string]any, err error) {
	path := strings.Trim(in.Collection, "/")
	above, id := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		above, id = "/"+path[:i], path[i+1:]
	}
	if strings.Count(path, "/")%2 == 1 || path == "" || in.Group && above != "" {
		return "", nil, fault.E(fault.InvalidArgument, "collection must be the path of a collection, such as users or users/ann/orders")
	}
	if in.Limit == 0 {
		in.Limit = usualLimit
	}
	if in.Limit < 1 || in.Limit > maxLimit {
		return "", nil, fault.E(fault.InvalidArgument, "limit must be 1 to %d", maxLimit)
	}
	structured = map[string]any{"from": []any{map[string]any{"collectionId": id, "allDescendants": in.Group}}, "limit": in.Limit}
	var filters []any
	for _, c := range in.Where {
		one, err := c.filter(db)
		if err != nil {
			return "", nil, err
		}
		filters = append(filters, one)
	}
	if len(filters) > 0 {
		structured["where"] = map[string]any{"compositeFilter": map[string]any{"op": "AND", "filters": filters}}
	}
	var orders, fields []any
	for _, o := range in.OrderBy {
		direction := "ASCENDING"
		if o.Descending {
			direction = "DESCENDING"
		}
		orders = append(orders, map[string]any{"field": map[string]any{"fieldPath": o.Field}, "direction": direction})
	}
	for _, f := range in.Select {
		fields = append(fields, map[string]any{"fieldPath": f})
	}
	if len(orders) > 0 {
		structured["orderBy"] = orders
	}
	if len(fields) > 0 {
		structured["select"] = map[string]any{"fields": fields}
	}
	return above, structured, nil
}

// filter returns the JSON of a condition.
func (c condition) filter(db resource.Database) (any, error) {
	op := operators[c.Op]
	if op == "" {
		return nil, fault.E(fault.InvalidArgument, "op %q is unknown", c.Op)
	}
	text, err := json.Marshal(c.Value)
	if err != nil {
		return nil, err
	}
	v, err := seed.ParseValue(text, seed.Options{DB: db, Now: clock.System().Now()})
	if err != nil {
		return nil, err
	}
	encoded, err := wire.AppendJSON(nil, wire.FormatValue(v))
	if err != nil {
		return nil, err
	}
	return map[string]any{"fieldFilter": map[string]any{"field": map[string]any{"fieldPath": c.Field}, "op": op, "value": json.RawMessage(encoded)}}, nil
}

// stored is a document as the REST API returns it.
type stored struct {
	Name       string          `json:"name"`
	Fields     json.RawMessage `json:"fields"`
	CreateTime string          `json:"createTime"`
	UpdateTime string          `json:"updateTime"`
}

// shown is a document in an answer.
type shown struct {
	Path       string `json:"path"`
	Fields     any    `json:"fields"`
	CreateTime string `json:"createTime,omitempty"`
	UpdateTime string `json:"updateTime,omitempty"`
}

// fields parses the fields of a document.
func (d *stored) fields() (value.Map, error) {
	if len(d.Fields) == 0 {
		return value.Map{}, nil
	}
	fields, _, err := wire.ParseFieldsJSON(string(d.Fields))
	return fields, err
}

// show returns a document for an answer.
func (d *stored) show(db resource.Database) (*shown, error) {
	fields, err := d.fields()
	if err != nil {
		return nil, err
	}
	return &shown{strings.TrimPrefix(d.Name, db.Root()+"/"), seed.Form(db, fields), d.CreateTime, d.UpdateTime}, nil
}

// result is a response of a query.
type result struct {
	Document *stored         `json:"document"`
	Explain  json.RawMessage `json:"explainMetrics"`
}

// run runs a query.
func (t *tools) run(ctx context.Context, in queryIn, explain any) (db resource.Database, out []result, err error) {
	if db, err = t.client.database(in.Place); err != nil {
		return db, nil, err
	}
	parent, structured, err := in.body(db)
	if err != nil {
		return db, nil, err
	}
	if parent != "" {
		if _, err := resource.ParseDocument(db.Root() + parent); err != nil {
			return db, nil, err
		}
	}
	body := map[string]any{"structuredQuery": structured}
	if explain != nil {
		body["explainOptions"] = explain
	}
	err = t.client.call(ctx, http.MethodPost, "/v1/"+escaped(db.Root()+parent)+":runQuery", body, &out)
	return db, out, err
}

// queryDocuments runs a query.
func (t *tools) queryDocuments(ctx context.Context, in queryIn) (any, error) {
	db, results, err := t.run(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	p, err := list([]*shown{}, nil)
	count := 0
	for _, r := range results {
		if r.Document == nil || err != nil {
			continue
		}
		var one *shown
		if one, err = r.Document.show(db); err == nil {
			err = p.add(one, one.Path)
		}
		count++
	}
	if in.Limit == 0 {
		in.Limit = usualLimit
	}
	p.More = count == in.Limit
	return p, err
}

// explainQuery explains a query.
func (t *tools) explainQuery(ctx context.Context, in struct {
	queryIn
	Analyze bool `json:"analyze,omitempty" jsonschema:"run the query, and return what it read"`
},
) (any, error) {
	_, results, err := t.run(ctx, in.queryIn, map[string]bool{"analyze": in.Analyze})
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if len(r.Explain) > 0 {
			return r.Explain, nil
		}
	}
	return nil, fault.E(fault.Unavailable, "the server returned no plan")
}

// pathsIn are paths of documents.
type pathsIn struct {
	Place
	Paths []string `json:"paths" jsonschema:"paths of documents, such as users/ann; 50 at most"`
}

// getDocuments returns documents.
func (t *tools) getDocuments(ctx context.Context, in pathsIn) (any, error) {
	db, err := t.client.database(in.Place)
	if err != nil {
		return nil, err
	}
	if len(in.Paths) == 0 || len(in.Paths) > maxPaths {
		return nil, fault.E(fault.InvalidArgument, "give 1 to %d paths", maxPaths)
	}
	found, err := t.get(ctx, db, in.Paths)
	if err != nil {
		return nil, err
	}
	p, err := list([]*shown{}, nil)
	for _, path := range in.Paths {
		one := &shown{Path: strings.Trim(path, "/")}
		if d := found[one.Path]; d != nil && err == nil {
			one, err = d.show(db)
		}
		if err == nil {
			err = p.add(one, path)
		}
	}
	return p, err
}

// get reads documents by their paths.
func (t *tools) get(ctx context.Context, db resource.Database, paths []string) (map[string]*stored, error) {
	names := make([]string, len(paths))
	for i, path := range paths {
		name, err := resource.ParseDocument(db.Root() + "/" + strings.Trim(path, "/"))
		if err != nil {
			return nil, err
		}
		names[i] = name.String()
	}
	var answers []struct {
		Found *stored `json:"found"`
	}
	if err := t.client.call(ctx, http.MethodPost, "/v1/"+escaped(db.Root())+":batchGet", map[string]any{"documents": names}, &answers); err != nil {
		return nil, err
	}
	out := make(map[string]*stored)
	for _, a := range answers {
		if a.Found != nil {
			out[strings.TrimPrefix(a.Found.Name, db.Root()+"/")] = a.Found
		}
	}
	return out, nil
}

// fetch returns a document for rules, nil if there is none.
func (t *tools) fetch(db resource.Database) func(ctx context.Context, name resource.Document) (*document.Document, error) {
	return func(ctx context.Context, name resource.Document) (*document.Document, error) {
		found, err := t.get(ctx, db, []string{name.Path})
		if err != nil || found[name.Path] == nil {
			return nil, err
		}
		fields, err := found[name.Path].fields()
		return &document.Document{Name: name, Fields: fields}, err
	}
}
