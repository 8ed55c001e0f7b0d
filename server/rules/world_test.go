package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/query"
	"clave/server/resource"
	"clave/server/rules"
	"clave/server/value"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// database is where the tests' documents lie.
var database = resource.Database{Project: "demo", ID: resource.DefaultDatabase}

// world is a set of documents, and what a commit makes of it.
type world struct {
	before, after map[string]*document.Document
}

// Lookup implements rules.Reader.
func (w *world) Lookup(_ context.Context, name resource.Document, after bool) (value.Map, bool, error) {
	docs := w.before
	if after && w.after != nil {
		docs = w.after
	}
	d := docs[name.Path]
	if d == nil {
		return nil, false, nil
	}
	return d.Fields, true, nil
}

// newWorld makes documents of fields in the REST form, by path.
func newWorld(t testing.TB, docs map[string]json.RawMessage) *world {
	t.Helper()
	w := &world{before: make(map[string]*document.Document)}
	for path, fields := range docs {
		name := resource.Document{DB: database, Path: path}
		w.before[path] = &document.Document{Name: name, Fields: fieldsOf(t, fields)}
	}
	return w
}

// fieldsOf reads fields in the REST form.
func fieldsOf(t testing.TB, fields json.RawMessage) value.Map {
	t.Helper()
	var d pb.Document
	if len(fields) == 0 {
		return value.Map{}
	}
	if err := wire.ParseJSON([]byte(fmt.Sprintf(`{"fields":%s}`, fields)), &d); err != nil {
		t.Fatalf("fields %s: %v", fields, err)
	}
	v, err := wire.ParseValue(&pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: d.Fields}}})
	if err != nil {
		t.Fatalf("fields %s: %v", fields, err)
	}
	return v.(value.Map)
}

// queryOf reads a structured query in the REST form.
func queryOf(t testing.TB, parent string, text json.RawMessage) *query.Query {
	t.Helper()
	var m pb.StructuredQuery
	if err := wire.ParseJSON(text, &m); err != nil {
		t.Fatalf("query %s: %v", text, err)
	}
	full := database.Root()
	if parent != "" {
		full += "/" + parent
	}
	q, err := wire.ParseQuery(full, &m)
	if err != nil {
		t.Fatalf("query %s: %v", text, err)
	}
	return q
}

// auth is a case's signed-in user.
type auth struct {
	UID   string         `json:"uid"`
	Token map[string]any `json:"token"`
}

// rulesAuth returns the user as rules see it. Integral JSON numbers are ints.
func (a *auth) rulesAuth() *rules.Auth {
	if a == nil {
		return nil
	}
	return &rules.Auth{UID: a.UID, Claims: claims(a.Token).(map[string]any)}
}

// claims turns JSON into what a token's claims hold.
func claims(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = claims(item)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = claims(item)
		}
		return out
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	}
	return v
}

// write is one write of a case.
type write struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Data       json.RawMessage   `json:"data"`
	UpdateMask *[]string         `json:"updateMask"`
	Transforms []json.RawMessage `json:"transforms"`
}

// words returns the write in the house's words.
func (w write) words(t testing.TB) document.Write {
	t.Helper()
	m := map[string]any{}
	name := resource.Document{DB: database, Path: w.Path}.String()
	switch w.Method {
	case "delete":
		m["delete"] = name
	default:
		fields := w.Data
		if len(fields) == 0 {
			fields = json.RawMessage("{}")
		}
		m["update"] = map[string]any{"name": name, "fields": fields}
		if w.UpdateMask != nil {
			m["updateMask"] = map[string]any{"fieldPaths": *w.UpdateMask}
		}
		if w.Transforms != nil {
			m["updateTransforms"] = w.Transforms
		}
	}
	switch w.Method {
	case "create":
		m["currentDocument"] = map[string]any{"exists": false}
	case "update":
		m["currentDocument"] = map[string]any{"exists": true}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var p pb.Write
	if err := wire.ParseJSON(text, &p); err != nil {
		t.Fatalf("write %s: %v", text, err)
	}
	out, err := wire.ParseWrite(database, &p)
	if err != nil {
		t.Fatalf("write %s: %v", text, err)
	}
	return out
}

// commit decides writes as one commit does.
func (w *world) commit(t testing.TB, r *rules.Ruleset, a *rules.Auth, now time.Time, writes []write) rules.Decision {
	t.Helper()
	w.after = make(map[string]*document.Document)
	for path, d := range w.before {
		w.after[path] = d
	}
	var requests []*rules.Request
	now = now.Truncate(time.Millisecond) // as server timestamps are
	at := clock.VersionOf(now)
	lookups := rules.NewLookups()
	for _, one := range writes {
		words := one.words(t)
		old := w.after[one.Path]
		request := &rules.Request{
			Method: rules.Update, Name: words.Name, Before: w.before[one.Path], Auth: a, Time: value.TimestampOf(now), Reader: w, Lookups: lookups,
		}
		if request.Before == nil {
			request.Method = rules.Create
		}
		must := words.Precondition
		words.Precondition = document.Precondition{}
		switch {
		case one.Method == "delete":
			request.Method = rules.Delete
			delete(w.after, one.Path)
		default:
			if must.Exists != nil {
				request.Method = map[bool]rules.Method{true: rules.Update, false: rules.Create}[*must.Exists]
			}
			after, _, err := document.Apply(old, words, at)
			if err != nil {
				t.Fatalf("apply %v: %v", words, err)
			}
			w.after[one.Path] = after
		}
		requests = append(requests, request)
	}
	d := rules.Decision{Allowed: true}
	for _, request := range requests {
		if request.Method != rules.Delete {
			request.After = w.after[request.Name.Path]
		}
		var err error
		if d, err = r.Allow(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if !d.Allowed {
			return d
		}
	}
	return d
}
