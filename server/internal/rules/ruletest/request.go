package ruletest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// Request describes a request in the words of a command line, from which Case makes a case.
type Request struct {
	// As is the user: "uid:ann" or "ann"; empty without one.
	As string
	// Claims are further claims of the user's token, a JSON object.
	Claims string
	// Method is get, list, create, update, set or delete.
	Method string
	// Path is the document, or the collection of a list. Slashes at its beginning and end do not count.
	Path string
	// Group makes a list one of a collection group.
	Group bool
	// Data are the fields that are written, as Fields reads them.
	Data string
	// Where are a list's conditions, such as `owner == "ann"`; Order its orders, such as "created desc".
	Where, Order []string
	// Limit is a list's limit; zero sets none.
	Limit int
	// Docs are documents before the request: a JSON object of fields by path, as Fields reads them.
	Docs string
	// Now is the time of the request; zero means the default time of cases.
	Now time.Time
}

// Case returns the request as a case without rules and verdict.
func (r *Request) Case() (*Case, error) {
	c := &Case{ID: r.Method + " " + r.Path, Docs: make(map[string]json.RawMessage)}
	if !r.Now.IsZero() {
		c.Now = &r.Now
	}
	var err error
	if c.Auth, err = r.auth(); err != nil {
		return nil, err
	}
	now := defaultTime
	if c.Now != nil {
		now = *c.Now
	}
	var docs map[string]json.RawMessage
	if r.Docs != "" {
		if err := json.Unmarshal([]byte(r.Docs), &docs); err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "The documents must be a JSON object of fields by path: %s", err)
		}
	}
	for path, text := range docs {
		if c.Docs[strings.Trim(path, "/")], err = Fields(text, now); err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "%s: %s", path, fault.Reason(err))
		}
	}
	path := strings.Trim(r.Path, "/")
	c.Op.Method = r.Method
	if r.Method == "list" {
		return c, r.list(c, path, now)
	}
	if path == "" || strings.Count(path, "/")%2 == 0 {
		return nil, fault.E(fault.InvalidArgument, "%q is no path of a document, which has an even number of segments.", r.Path)
	}
	c.Op.Path = path
	if r.Method == "get" || r.Method == "delete" {
		return c, nil
	}
	if c.Op.Data, err = Fields(json.RawMessage(r.Data), now); err != nil {
		return nil, err
	}
	if r.Method == "update" {
		mask, err := maskOf(c.Op.Data)
		c.Op.UpdateMask = &mask
		return c, err
	}
	return c, nil
}

// auth returns the user, nil without one.
func (r *Request) auth() (*Auth, error) {
	uid := strings.TrimPrefix(r.As, "uid:")
	claims := make(map[string]any)
	if r.Claims != "" {
		if err := json.Unmarshal([]byte(r.Claims), &claims); err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "The claims must be a JSON object: %s", err)
		}
	}
	if uid == "" {
		if r.Claims != "" {
			return nil, fault.E(fault.InvalidArgument, "Claims need a user: --as uid:ann")
		}
		return nil, nil
	}
	token := map[string]any{"sub": uid, "user_id": uid, "firebase": map[string]any{"sign_in_provider": "custom", "identities": map[string]any{}}}
	maps.Copy(token, claims)
	return &Auth{UID: uid, Token: token}, nil
}

// operators are the operators of conditions, with their names in queries.
var operators = map[string]string{
	"==": "EQUAL", "!=": "NOT_EQUAL", "<": "LESS_THAN", "<=": "LESS_THAN_OR_EQUAL", ">": "GREATER_THAN", ">=": "GREATER_THAN_OR_EQUAL",
	"in": "IN", "not-in": "NOT_IN", "array-contains": "ARRAY_CONTAINS", "array-contains-any": "ARRAY_CONTAINS_ANY",
}

// list makes the case a query of a collection.
func (r *Request) list(c *Case, path string, now time.Time) error {
	if path == "" || strings.Count(path, "/")%2 == 1 {
		return fault.E(fault.InvalidArgument, "%q is no path of a collection, which has an odd number of segments.", r.Path)
	}
	collection := path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		c.Op.Parent, collection = path[:i], path[i+1:]
	}
	q := map[string]any{"from": []any{map[string]any{"collectionId": collection, "allDescendants": r.Group}}}
	var filters []any
	for _, text := range r.Where {
		filter, err := condition(text, now)
		if err != nil {
			return err
		}
		filters = append(filters, filter)
	}
	if len(filters) > 0 {
		q["where"] = map[string]any{"compositeFilter": map[string]any{"op": "AND", "filters": filters}}
	}
	var orders []any
	for _, text := range r.Order {
		field, desc := strings.CutSuffix(text, " desc")
		direction := "ASCENDING"
		if desc {
			direction = "DESCENDING"
		}
		orders = append(orders, map[string]any{"field": map[string]any{"fieldPath": strings.TrimSuffix(field, " asc")}, "direction": direction})
	}
	if len(orders) > 0 {
		q["orderBy"] = orders
	}
	if r.Limit > 0 {
		q["limit"] = r.Limit
	}
	var err error
	c.Op.Query, err = json.Marshal(q)
	return err
}

// condition returns the filter of a condition: FIELD OPERATOR VALUE, the value as JSON.
func condition(text string, now time.Time) (any, error) {
	words := strings.SplitN(strings.TrimSpace(text), " ", 3)
	if len(words) != 3 || operators[words[1]] == "" {
		return nil, fault.E(fault.InvalidArgument, "%q is no condition such as: owner == \"ann\". The operators are %s.", text,
			strings.Join(slices.Sorted(maps.Keys(operators)), ", "))
	}
	v, err := decode([]byte(words[2]))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%q: the value must be JSON, with quotes around a text: %s", text, err)
	}
	typed, err := typedValue(v, now)
	return map[string]any{"fieldFilter": map[string]any{"field": map[string]any{"fieldPath": words[0]}, "op": operators[words[1]], "value": typed}}, err
}

// decode decodes JSON and keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

// Fields converts the fields of a document from plain JSON to the REST form. Values of other types are written as in
// the REST form: {"timestampValue": "2026-01-02T03:04:05Z"}; the time "now" is that of the request.
func Fields(text json.RawMessage, now time.Time) (json.RawMessage, error) {
	v, err := decode(text)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, fault.E(fault.InvalidArgument, "The fields of a document must be a JSON object such as {\"owner\": \"ann\"}.")
	}
	out := make(map[string]any, len(m))
	for name, v := range m {
		if out[name], err = typedValue(v, now); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// typedMembers are the members of values in the REST form.
var typedMembers = []string{
	"nullValue", "booleanValue", "integerValue", "doubleValue", "timestampValue", "stringValue", "bytesValue", "referenceValue", "geoPointValue", "arrayValue", "mapValue",
}

// typedValue converts decoded JSON to the REST form.
func typedValue(v any, now time.Time) (any, error) {
	switch x := v.(type) {
	case nil:
		return map[string]any{"nullValue": nil}, nil
	case bool:
		return map[string]any{"booleanValue": x}, nil
	case string:
		return map[string]any{"stringValue": x}, nil
	case json.Number:
		if strings.ContainsAny(x.String(), ".eE") {
			return map[string]any{"doubleValue": x}, nil
		}
		return map[string]any{"integerValue": x.String()}, nil
	case []any:
		items := make([]any, len(x))
		for i, item := range x {
			var err error
			if items[i], err = typedValue(item, now); err != nil {
				return nil, err
			}
		}
		return map[string]any{"arrayValue": map[string]any{"values": items}}, nil
	case map[string]any:
		for name, inner := range x {
			if len(x) == 1 && slices.Contains(typedMembers, name) {
				if name == "timestampValue" && inner == "now" {
					return map[string]any{name: now.UTC().Format(time.RFC3339Nano)}, nil
				}
				return x, nil
			}
		}
		fields := make(map[string]any, len(x))
		for name, inner := range x {
			var err error
			if fields[name], err = typedValue(inner, now); err != nil {
				return nil, err
			}
		}
		return map[string]any{"mapValue": map[string]any{"fields": fields}}, nil
	}
	return nil, fmt.Errorf("unexpected JSON %T", v)
}

// maskOf returns the paths of the fields of a document in the REST form.
func maskOf(fields json.RawMessage) ([]string, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(fields, &m); err != nil {
		return nil, err
	}
	mask := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		mask = append(mask, value.FieldPath{name}.String())
	}
	return mask, nil
}
