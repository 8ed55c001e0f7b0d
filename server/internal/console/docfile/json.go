package docfile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/model/value"
)

// tags are the keys that, alone in an object, denote values for which JSON has no type.
var tags = []string{"$timestamp", "$bytes", "$reference", "$geopoint", "$vector", "$double", "$map"}

// appendText appends a JSON string.
func appendText(b []byte, s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no other error
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// appendNumber appends a finite number as JavaScript prints it.
func appendNumber(b []byte, f float64) []byte {
	text, _ := json.Marshal(f) // numbers that are not finite are the only error
	return append(b, text...)
}

// appendDouble appends a double, which differs from an integer by a point or an exponent.
func appendDouble(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `{ "$double": "NaN" }`...)
	case math.IsInf(f, 1):
		return append(b, `{ "$double": "Infinity" }`...)
	case math.IsInf(f, -1):
		return append(b, `{ "$double": "-Infinity" }`...)
	}
	from := len(b)
	b = appendNumber(b, f)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// appendTagged appends an object with one key, whose value is a JSON string.
func appendTagged(b []byte, tag, text string) []byte {
	b = append(b, `{ "`+tag+`": `...)
	return append(appendText(b, text), " }"...)
}

// timeText returns a time in the form of RFC 3339.
func timeText(t value.Timestamp) string {
	return time.Unix(t.Seconds, int64(t.Nanos)).UTC().Format(time.RFC3339Nano)
}

// encoder encodes values of a database, whose documents' names begin with root and a slash. References to these
// documents are paths, so that an import into another database makes them its own. References to other databases are
// whole names.
type encoder struct{ root string }

// reference returns a reference as text.
func (e encoder) reference(r value.Reference) string {
	return strings.TrimPrefix(string(r), e.root+"/")
}

// appendValue appends a value. indent precedes the lines of nested values.
func (e encoder) appendValue(b []byte, v value.Value, indent string) []byte { // long: one case a kind
	switch v := v.(type) {
	case value.Null:
		return append(b, "null"...)
	case value.Bool:
		return strconv.AppendBool(b, bool(v))
	case value.Int:
		return strconv.AppendInt(b, int64(v), 10)
	case value.Double:
		return appendDouble(b, float64(v))
	case value.Timestamp:
		return appendTagged(b, "$timestamp", timeText(v))
	case value.String:
		return appendText(b, string(v))
	case value.Bytes:
		return appendTagged(b, "$bytes", base64.StdEncoding.EncodeToString([]byte(v)))
	case value.Reference:
		return appendTagged(b, "$reference", e.reference(v))
	case value.GeoPoint:
		b = appendNumber(append(b, `{ "$geopoint": [`...), v.Lat)
		return append(appendNumber(append(b, ", "...), v.Lng), "] }"...)
	case value.Array:
		return e.appendArray(b, v, indent)
	case value.Map:
		if vector, ok := value.AsVector(v); ok && finite(vector) {
			return appendVector(b, vector)
		}
		if len(v) == 1 && slices.Contains(tags, value.SortedKeys(v)[0]) {
			return append(e.appendFields(append(b, `{ "$map": `...), v, indent), " }"...)
		}
		return e.appendFields(b, v, indent)
	}
	return append(b, "null"...)
}

// finite reports whether JSON has all numbers of a vector. Other vectors are written as maps.
func finite(vector []float64) bool {
	return !slices.ContainsFunc(vector, func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) })
}

// appendVector appends a vector of finite numbers.
func appendVector(b []byte, vector []float64) []byte {
	b = append(b, `{ "$vector": [`...)
	for i, f := range vector {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendNumber(b, f)
	}
	return append(b, "] }"...)
}

// appendArray appends an array, each item on a line.
func (e encoder) appendArray(b []byte, a value.Array, indent string) []byte {
	if len(a) == 0 {
		return append(b, "[]"...)
	}
	inner := indent + "  "
	for i, item := range a {
		b = append(append(b, begin('[', i)...), inner...)
		b = e.appendValue(b, item, inner)
	}
	return append(append(append(b, '\n'), indent...), ']')
}

// appendFields appends the fields of a document or a map in the order of their names, each on a line.
func (e encoder) appendFields(b []byte, fields value.Map, indent string) []byte {
	if len(fields) == 0 {
		return append(b, "{}"...)
	}
	inner := indent + "  "
	for i, name := range value.SortedKeys(fields) {
		b = append(append(b, begin('{', i)...), inner...)
		b = append(appendText(b, name), ": "...)
		b = e.appendValue(b, fields[name], inner)
	}
	return append(append(append(b, '\n'), indent...), '}')
}

// begin returns what precedes the item i of a list that begins with a bracket.
func begin(bracket byte, i int) string {
	if i == 0 {
		return string(bracket) + "\n"
	}
	return ",\n"
}
