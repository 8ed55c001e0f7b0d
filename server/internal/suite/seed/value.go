package seed

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// near is a timestamp that is relative to the second at which the seed is applied. A stored timestamp that differs from
// it by less than a day counts as the same, so that a seed that is applied again changes nothing.
type near struct{ value.Timestamp }

// nearEnough is the difference below which a stored timestamp counts as the same as a near one.
const nearEnough = 24 * time.Hour

// same reports whether a stored value is what a seed describes.
func same(want, have value.Value) bool {
	switch x := want.(type) {
	case near:
		y, ok := have.(value.Timestamp)
		return ok && y.Time().Sub(x.Time()).Abs() < nearEnough
	case value.Array:
		y, ok := have.(value.Array)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case value.Map:
		y, ok := have.(value.Map)
		if !ok || len(x) != len(y) {
			return false
		}
		for name := range x {
			if there, ok := y[name]; !ok || !same(x[name], there) {
				return false
			}
		}
		return true
	}
	return value.Identical(want, have)
}

// plain returns a value with timestamps instead of near ones.
func plain(v value.Value) value.Value {
	switch x := v.(type) {
	case near:
		return x.Timestamp
	case value.Array:
		out := make(value.Array, len(x))
		for i := range x {
			out[i] = plain(x[i])
		}
		return out
	case value.Map:
		out := make(value.Map, len(x))
		for name, one := range x {
			out[name] = plain(one)
		}
		return out
	}
	return v
}

// reader converts nodes to values of documents.
type reader struct {
	problems
	db resource.Database
	// now is the time at which the seed is applied, in the time zone of the file that is read.
	now time.Time
	// references are the documents that references name, with the places of the first ones.
	references map[string]reference
}

// reference is where a document is referenced.
type reference struct {
	place
	line int
}

// special converts the member of a form of values that JSON lacks: an object with one member. ok is false if there is
// no such form.
func (r *reader) special(name string, n *node, at place) (v value.Value, ok bool) {
	switch name {
	case "$timestamp":
		return r.timestamp(n, at), true
	case "$date":
		return r.date(n, at), true
	case "$ref":
		return r.reference(n, at), true
	case "$geo":
		return r.geo(n, at), true
	case "$bytes":
		return r.bytes(n, at), true
	case "$vector":
		return r.vector(n, at), true
	case "$int":
		return r.integer(n, at), true
	case "$double":
		return r.double(n, at), true
	case "$map":
		return r.verbatim(n, at), true
	}
	return nil, false
}

// value converts a node. It returns nil after adding a problem.
func (r *reader) value(n *node, at place) value.Value {
	switch n.kind {
	case isNull:
		return value.Null{}
	case isBool:
		return value.Bool(n.text == "true")
	case isText:
		return value.String(n.text)
	case isInteger, isDouble:
		return r.number(n, at)
	case isBytes:
		return r.bytes(n, at)
	case isMoment:
		r.add(at, n.line, "quote a text, or write {$timestamp: %s} or {$date: %s}", n.text, n.text)
	case isList:
		out := make(value.Array, 0, len(n.items))
		for i, item := range n.items {
			out = append(out, r.value(item, at.item(i)))
		}
		return out
	case isObject:
		if len(n.members) == 1 && strings.HasPrefix(n.members[0].name, "$") {
			m := n.members[0]
			if v, ok := r.special(m.name, m.value, at.at(m.name)); ok {
				return v
			}
		}
		return r.fields(n, at)
	}
	return nil
}

// fields converts an object to a map.
func (r *reader) fields(n *node, at place) value.Map {
	out := make(value.Map, len(n.members))
	for _, m := range r.object(n, at) {
		if strings.HasPrefix(m.name, "$") {
			r.add(at.at(m.name), m.line, "unknown special value; known are $timestamp, $date, $ref, $geo, $bytes, $vector, $int, $double, and $map, in which names may begin with $")
			continue
		}
		out[m.name] = r.value(m.value, at.at(m.name))
	}
	return out
}

// verbatim converts an object whose names may begin with $.
func (r *reader) verbatim(n *node, at place) value.Value {
	out := make(value.Map, len(n.members))
	for _, m := range r.object(n, at) {
		out[m.name] = r.value(m.value, at.at(m.name))
	}
	return out
}

// number converts a number: one without a fraction and an exponent is an integer.
func (r *reader) number(n *node, at place) value.Value {
	if n.kind == isInteger {
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return value.Int(i)
		}
		r.add(at, n.line, "%s is no 64-bit integer; write {$double: %s}", n.text, n.text)
		return nil
	}
	return r.double(n, at)
}

// double converts a number or a text to a double.
func (r *reader) double(n *node, at place) value.Value {
	names := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}
	if f, ok := names[n.text]; ok && n.kind == isText {
		return value.Double(f)
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || n.kind != isInteger && n.kind != isDouble {
		r.add(at, n.line, "expected a number, NaN, Infinity or -Infinity")
		return nil
	}
	return value.Double(f)
}

// integer converts a number, or a text, as JavaScript needs it for large ones, to an integer.
func (r *reader) integer(n *node, at place) value.Value {
	i, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil || n.kind != isInteger && n.kind != isText {
		r.add(at, n.line, "expected a 64-bit integer")
		return nil
	}
	return value.Int(i)
}

// moment converts the text of a moment. ok is false after a problem was added.
func (r *reader) moment(n *node, at place) (when time.Time, relative, ok bool) {
	if n.kind == isText || n.kind == isMoment {
		if when, relative, ok = moment(n.text, r.now); ok {
			return when, relative, true
		}
		r.add(at, n.line, "%q is no moment; %s", n.text, momentHelp)
		return when, false, false
	}
	r.add(at, n.line, "expected a moment; %s", momentHelp)
	return when, false, false
}

// timestamp converts a moment to a timestamp, of which Firestore keeps microseconds.
func (r *reader) timestamp(n *node, at place) value.Value {
	when, relative, ok := r.moment(n, at)
	if !ok {
		return nil
	}
	t := value.TimestampOf(when.Truncate(time.Microsecond))
	if relative {
		return near{t}
	}
	return t
}

// date converts a moment to the text of its day.
func (r *reader) date(n *node, at place) value.Value {
	when, _, ok := r.moment(n, at)
	if !ok {
		return nil
	}
	return value.String(when.In(r.now.Location()).Format(time.DateOnly))
}

// reference converts the path of a document.
func (r *reader) reference(n *node, at place) value.Value {
	if n.kind != isText {
		r.add(at, n.line, "expected the path of a document, such as users/ann")
		return nil
	}
	name := n.text
	if !strings.HasPrefix(name, "projects/") {
		name = r.db.Root() + "/" + strings.TrimPrefix(name, "/")
	}
	doc, err := resource.ParseDocument(name)
	if err != nil {
		r.add(at, n.line, "%q is no path of a document: %v", n.text, err)
		return nil
	}
	if _, known := r.references[doc.Path]; !known && doc.DB == r.db {
		r.references[doc.Path] = reference{at, n.line}
	}
	return value.Reference(doc.String())
}

// geo converts [latitude, longitude].
func (r *reader) geo(n *node, at place) value.Value {
	found := r.doubles(n, at)
	if len(found) != 2 || math.Abs(found[0]) > 90 || math.Abs(found[1]) > 180 {
		r.add(at, n.line, "expected [latitude, longitude] in degrees")
		return nil
	}
	return value.GeoPoint{Lat: found[0], Lng: found[1]}
}

// vector converts a list of numbers.
func (r *reader) vector(n *node, at place) value.Value { return value.Vector(r.doubles(n, at)...) }

// doubles converts a list of numbers.
func (r *reader) doubles(n *node, at place) []float64 {
	if n.kind != isList {
		r.add(at, n.line, "expected a list of numbers")
		return nil
	}
	out := make([]float64, 0, len(n.items))
	for i, item := range n.items {
		d, ok := r.double(item, at.item(i)).(value.Double)
		if !ok {
			return nil
		}
		out = append(out, float64(d))
	}
	return out
}

// bytes converts base64.
func (r *reader) bytes(n *node, at place) value.Value {
	if n.kind == isText || n.kind == isBytes {
		if b, err := base64.StdEncoding.DecodeString(n.text); err == nil {
			return value.Bytes(b)
		}
	}
	r.add(at, n.line, "expected bytes as base64")
	return nil
}

// Form returns a value in the form that seeds have for it, for encoding as JSON. References to documents of db become
// their paths.
func Form(db resource.Database, v value.Value) any { // long: one case a kind
	switch x := plain(v).(type) {
	case value.Bool:
		return bool(x)
	case value.Int:
		if x > 1<<53 || x < -1<<53 {
			return map[string]any{"$int": strconv.FormatInt(int64(x), 10)}
		}
		return int64(x)
	case value.Double:
		f := float64(x)
		switch {
		case math.IsNaN(f):
			return map[string]any{"$double": "NaN"}
		case math.IsInf(f, 0):
			return map[string]any{"$double": strings.TrimPrefix(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "Inf", "Infinity", 1), "+")}
		case f == math.Trunc(f):
			return map[string]any{"$double": f}
		}
		return f
	case value.Timestamp:
		return map[string]any{"$timestamp": x.Time().Format(time.RFC3339Nano)}
	case value.String:
		return string(x)
	case value.Bytes:
		return map[string]any{"$bytes": []byte(x)}
	case value.Reference:
		return map[string]any{"$ref": strings.TrimPrefix(string(x), db.Root()+"/")}
	case value.GeoPoint:
		return map[string]any{"$geo": []float64{x.Lat, x.Lng}}
	case value.Array:
		out := make([]any, len(x))
		for i := range x {
			out[i] = Form(db, x[i])
		}
		return out
	case value.Map:
		return formOfMap(db, x)
	}
	return nil
}

// formOfMap returns a map in the form that seeds have for it.
func formOfMap(db resource.Database, m value.Map) any {
	if numbers, ok := value.AsVector(m); ok {
		return map[string]any{"$vector": formsOf(numbers)}
	}
	out, escape := make(map[string]any, len(m)), false
	for name, one := range m {
		out[name] = Form(db, one)
		escape = escape || strings.HasPrefix(name, "$")
	}
	if escape {
		return map[string]any{"$map": out}
	}
	return out
}

// formsOf returns numbers in a form that JSON has.
func formsOf(numbers []float64) []any {
	out := make([]any, len(numbers))
	for i, f := range numbers {
		if out[i] = f; math.IsNaN(f) || math.IsInf(f, 0) {
			out[i] = strings.TrimPrefix(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "Inf", "Infinity", 1), "+")
		}
	}
	return out
}

// ParseValue parses a value in the form that seeds have for it.
func ParseValue(text []byte, o Options) (value.Value, error) {
	root, err := parseJSON(text, newBudget())
	if failed := (*fileError)(nil); errors.As(err, &failed) {
		return nil, fault.E(fault.InvalidArgument, "%s", failed.reason)
	}
	if err != nil {
		return nil, err
	}
	root.forgetLines()
	r := reader{db: o.DB, now: o.Now.UTC(), references: make(map[string]reference)}
	v := r.value(root, place{file: "value"})
	return plain(v), r.err()
}
