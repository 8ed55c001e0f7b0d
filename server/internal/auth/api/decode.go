package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/limit/parse"
)

// maxBody is the maximum size of a body. Administrators import many accounts at once.
const (
	maxBody      = 1 << 20
	maxAdminBody = 64 << 20
)

// maxNesting is the maximum nesting of a body.
const maxNesting = 64

// maxValues is the maximum number of values, names and objects in a body. A thousand accounts with all that they may
// have take a quarter of it. It bounds the memory of a body that is larger than the limit of all and is parsed alone.
const maxValues = 400_000

// valuesOf returns the number of values, names and objects in a body. In a form each value follows an &.
func valuesOf(text []byte) int { return parse.Elements(text) + bytes.Count(text, []byte("&")) }

// admit waits until a large body may be parsed, whoever has sent it. It returns InvalidArgument for one with too many
// values. The share must be released when the request has been answered.
func (h *Handler) admit(req *request, text []byte) (*parse.Share, error) {
	if len(text) < parse.Large {
		return nil, nil
	}
	n := valuesOf(text)
	if n > maxValues {
		return nil, fault.E(fault.InvalidArgument, "Invalid JSON payload received. It has %d values, more than %d.", n, maxValues)
	}
	return h.o.Parsing.Admit(req.http.Context(), clientaddr.Client(req.call.Address, nil, 0), parse.MemoryOf(text, n))
}

// readBody reads a request's body.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			return nil, fault.E(fault.InvalidArgument, "Request payload size exceeds the limit: %d bytes.", limit)
		}
		if fault.Is(err, fault.Unavailable) {
			return nil, err // the memory budget is exhausted
		}
		return nil, fault.Wrap(err, fault.Canceled, "The request was not read to its end.")
	}
	return text, nil
}

// parseBody parses a request's body, JSON or a form, as an object with names in camel case.
func parseBody(r *http.Request, text []byte) (map[string]any, error) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(text))
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "Invalid form body.")
		}
		return fromValues(form), nil
	}
	return parseObject(text)
}

// parseObject decodes a JSON object. An empty text counts as an empty object.
func parseObject(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var body any
	if err := d.Decode(&body); err != nil {
		return nil, jsonError{"Invalid JSON payload received. " + err.Error()}
	}
	if d.More() {
		return nil, jsonError{"Invalid JSON payload received. Expected end of input."}
	}
	if body == nil {
		return map[string]any{}, nil
	}
	object, ok := body.(map[string]any)
	if !ok {
		return nil, jsonError{"Invalid JSON payload received. Root element must be a message."}
	}
	if deeper(object, maxNesting) {
		return nil, jsonError{"Invalid JSON payload received. Message too deep."}
	}
	camelKeys(object)
	return object, nil
}

// deeper reports whether a value nests deeper than n.
func deeper(v any, n int) bool {
	if n < 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if deeper(e, n-1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if deeper(e, n-1) {
				return true
			}
		}
	}
	return false
}

// fromValues converts a form or a query to an object.
func fromValues(values url.Values) map[string]any {
	object := make(map[string]any, len(values))
	for k, v := range values {
		if len(v) == 1 {
			object[camel(k)] = v[0]
			continue
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		object[camel(k)] = list
	}
	return object
}

// camelKeys converts the names in a value to camel case, in place.
func camelKeys(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k != "customParameter" { // Its names are those of a provider's page.
				camelKeys(e)
			}
			if to := camel(k); to != k { // The loop may pass the new name as well, which stays as it is.
				delete(v, k)
				v[to] = e
			}
		}
	case []any:
		for _, e := range v {
			camelKeys(e)
		}
	}
}

// camel converts a_name to aName.
func camel(name string) string {
	if !strings.Contains(name, "_") {
		return name
	}
	var b strings.Builder
	up := false
	for i, r := range name {
		switch {
		case r == '_' && i > 0:
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// snake converts aName to a_name, the form in error messages.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// enum is a string type with a closed list of values.
type enum interface{ Values() []string }

// assign stores a decoded value in a field, as leniently as the API: it accepts a single value for a list of one, a
// number for a string and vice versa, and an enum's number for its name. Null counts as absent.
func assign(to reflect.Value, v any, path string) error { // long: one case a kind
	if v == nil {
		return nil
	}
	if e, ok := to.Interface().(enum); ok {
		return assignEnum(to, e.Values(), v, path)
	}
	bad := func(kind string) error { return badValue(path, kind, v) }
	switch to.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(to.Type().Elem())
		if err := assign(fresh.Elem(), v, path); err != nil {
			return err
		}
		to.Set(fresh)
	case reflect.String:
		switch v := v.(type) {
		case string:
			to.SetString(v)
		case json.Number:
			to.SetString(v.String())
		default:
			return bad("TYPE_STRING")
		}
	case reflect.Bool:
		switch v {
		case true, "true":
			to.SetBool(true)
		case false, "false":
			to.SetBool(false)
		default:
			return bad("TYPE_BOOL")
		}
	case reflect.Int64, reflect.Int:
		n, ok := integer(v)
		if !ok {
			return bad("TYPE_INT64")
		}
		to.SetInt(n)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		out := reflect.MakeSlice(to.Type(), len(list), len(list))
		for i := range list {
			if err := assign(out.Index(i), list[i], path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
		to.Set(out)
	case reflect.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return bad("message")
		}
		return assignFields(to, object, path)
	case reflect.Map, reflect.Interface:
		if value := reflect.ValueOf(v); value.Type().AssignableTo(to.Type()) {
			to.Set(value)
			return nil
		}
		return bad("message")
	}
	return nil
}

// assignFields sets a struct's fields by their JSON names. Unknown names are ignored.
func assignFields(to reflect.Value, object map[string]any, path string) error {
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		v, ok := object[name]
		if !ok || name == "" || name == "-" {
			continue
		}
		below := name
		if path != "" {
			below = path + "." + name
		}
		if err := assign(to.Field(i), v, below); err != nil {
			return err
		}
	}
	return nil
}

// assignEnum stores the name of an enum's value, which may be given by its number.
func assignEnum(to reflect.Value, names []string, v any, path string) error {
	if n, ok := integer(v); ok {
		if n >= 0 && n < int64(len(names)) {
			to.SetString(names[n])
			return nil
		}
		return badValue(path, to.Type().Name(), v)
	}
	s, _ := v.(string)
	for _, name := range names {
		if s == name {
			to.SetString(s)
			return nil
		}
	}
	return badValue(path, to.Type().Name(), v)
}

// integer returns an integer, which may be given as a string, and whether the value is one.
func integer(v any) (int64, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// badValue returns the error for a value of the wrong type.
func badValue(path, kind string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		text = nil
	}
	return fieldError{field: fault.Limited(snake(path)), message: fault.Limited("Invalid value at '" + snake(path) + "' (" + kind + "), " + string(text))}
}
