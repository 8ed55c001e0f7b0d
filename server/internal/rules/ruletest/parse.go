package ruletest

import (
	"encoding/json"

	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/rules"
)

// parseFields reads fields in the REST form, and their order.
func parseFields(text json.RawMessage) (value.Map, value.Layout, error) {
	if len(text) == 0 {
		return value.Map{}, value.Layout{}, nil
	}
	return wire.ParseFieldsJSON(string(text))
}

// parseQuery reads a structured query in the REST form.
func parseQuery(parent string, text json.RawMessage) (*query.Query, error) {
	var m pb.StructuredQuery
	if err := wire.ParseJSON(text, &m); err != nil {
		return nil, err
	}
	full := Database.Root()
	if parent != "" {
		full += "/" + parent
	}
	q, err := wire.ParseQuery(full, &m)
	if err != nil {
		return nil, err
	}
	return q.Normalize()
}

// Query returns the query of a case, or nil if its operation has none.
func (c *Case) Query() (*query.Query, error) {
	if len(c.Op.Query) == 0 {
		return nil, nil
	}
	return parseQuery(c.Op.Parent, c.Op.Query)
}

// parseWrite converts a write of a case to one of package document.
func parseWrite(w Write) (document.Write, error) {
	name := resource.Document{DB: Database, Path: w.Path}.String()
	// The write is parsed like a client's: as JSON of the protocol's message, by the parser of requests. So the server's
	// checks of transforms and masks apply to a case.
	m := map[string]any{}
	if w.Method == "delete" {
		m["delete"] = name
	} else {
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
	if w.Method == "create" || w.Method == "update" {
		m["currentDocument"] = map[string]any{"exists": w.Method == "update"}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return document.Write{}, err
	}
	return wire.ParseWriteJSON(Database, string(text))
}

// Rules returns the user as rules see it.
func (a *Auth) Rules() *rules.Auth {
	if a == nil {
		return nil
	}
	claims, _ := integral(a.Token).(map[string]any)
	return &rules.Auth{UID: a.UID, Claims: claims}
}

// integral turns the whole numbers in decoded JSON into ints.
func integral(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = integral(item)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = integral(item)
		}
		return out
	case float64:
		if x == float64(int64(x)) {
			return int64(x)
		}
	}
	return v
}
