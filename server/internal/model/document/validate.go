package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// Limits of documents (firebase.google.com/docs/firestore/quotas).
const (
	maxSize       = 1 << 20
	maxValue      = maxSize - 89
	maxFieldName  = 1500
	maxDepth      = 20
	maxTransforms = 500
)

// Validate checks the parts of a write that do not depend on the document: names, values, their sizes and depth, and
// transforms. It returns InvalidArgument with Firestore's texts.
func Validate(w Write) error {
	switch {
	case w.Op == Delete && len(w.Transforms) > 0:
		return fault.E(fault.InvalidArgument, "a delete must not specify a update transform.")
	case w.Op == Verify && len(w.Transforms) > 0:
		return fault.E(fault.InvalidArgument, "a verify must not specify a update transform.")
	case w.Op == Verify && w.Precondition.None():
		return fault.E(fault.InvalidArgument, "a verify must contain a precondition")
	}
	if err := checkFields(w.Fields); err != nil {
		return err
	}
	for _, path := range w.Mask {
		if err := CheckPath(path); err != nil {
			return err
		}
	}
	return checkTransforms(w.Transforms)
}

// checkTransforms checks the transforms of one write. A write must not transform both a field and a field inside it.
func checkTransforms(transforms []Transform) error {
	if len(transforms) > maxTransforms {
		return tooManyTransforms()
	}
	seen := make(map[string]bool, len(transforms))
	for _, t := range transforms {
		if err := checkTransform(t); err != nil {
			return err
		}
		seen[t.Path.String()] = true
	}
	for _, t := range transforms {
		for n := 1; n < len(t.Path); n++ {
			if around := t.Path[:n]; seen[around.String()] {
				return fault.E(fault.InvalidArgument, "Cannot transform property %s and its nested property at the same time.", around)
			}
		}
	}
	return nil
}

// tooManyTransforms returns the error for too many transforms of one document in a commit.
func tooManyTransforms() error {
	return fault.E(fault.InvalidArgument, "cannot have more than %d field transforms on a single document", maxTransforms)
}

// CheckPath checks a field path that a write or a projection names.
func CheckPath(path value.FieldPath) error {
	if len(path.String()) > maxFieldName {
		return fault.E(fault.InvalidArgument, "property path is longer than %d bytes.", maxFieldName)
	}
	if len(path) > maxDepth {
		return fault.E(fault.InvalidArgument, "paths must have at most %d elements", maxDepth)
	}
	for _, name := range path {
		if IsReserved(name) {
			return fault.E(fault.InvalidArgument, "Invalid reserved name in field path %s", name)
		}
		if err := checkFieldName(name); err != nil {
			return err
		}
	}
	return nil
}

// checkFields checks the fields of a document. It returns the error of the first one in the order of names.
func checkFields(fields value.Map) error {
	for name, v := range fields {
		if checkField(name, v) != nil {
			return firstError(fields)
		}
	}
	return nil
}

// firstError returns the error of the first field that has one, in the order of names. Only invalid documents are
// sorted for it.
func firstError(fields value.Map) error {
	for _, name := range value.SortedKeys(fields) {
		if err := checkField(name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkField checks one field of a document.
func checkField(name string, v value.Value) error {
	if err := checkFieldName(name); err != nil {
		return err
	}
	c := checker{field: name}
	return c.value(v, 0, len(name))
}

// checkFieldName checks one field's own name.
func checkFieldName(name string) error {
	switch {
	case name == "":
		return fault.E(fault.InvalidArgument, "The property.name is the empty string.")
	case len(name) > maxFieldName:
		return fault.E(fault.InvalidArgument, "The property.name is longer than %d bytes.", maxFieldName)
	case !utf8.ValidString(name):
		return fault.E(fault.InvalidArgument, "The property.name is not valid UTF-8.")
	case IsReserved(name):
		return fault.E(fault.InvalidArgument, "field name %s is reserved", name)
	}
	return nil
}

// IsReserved reports whether a field's name has the form __x__, which is not for users.
func IsReserved(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// checker checks the values of one field of a document.
type checker struct {
	// field is the name of the outermost field, for error texts.
	field string
}

// value checks a value inside depth maps and arrays. path is the length of the path to the value; arrays do not count
// in it.
func (c checker) value(v value.Value, depth, path int) error {
	switch x := v.(type) {
	case value.Array:
		return c.array(x, depth, path)
	case value.Map:
		return c.members(x, depth, path)
	case value.String:
		if !utf8.ValidString(string(x)) {
			return fault.E(fault.InvalidArgument, "The value of property \"%s\" is not valid UTF-8.", c.field)
		}
		return c.length(len(x), path)
	case value.Bytes:
		return c.length(len(x), path)
	case value.Reference:
		return c.length(len(x), path)
	case value.GeoPoint:
		return checkGeoPoint(x)
	default:
		return nil
	}
}

// length checks the length n of a string or bytes. path is the length of the path to the value.
func (c checker) length(n, path int) error {
	switch {
	case n <= maxValue:
		return nil
	case path > len(c.field):
		return c.invalid()
	default:
		return fault.E(fault.InvalidArgument, "The value of property \"%s\" is longer than %d bytes.", c.field, maxValue)
	}
}

// deeper returns an error if the depth exceeds the limit.
func (c checker) deeper(depth int) error {
	if depth >= maxDepth {
		return c.invalid()
	}
	return nil
}

// invalid returns the error for a value inside a field.
func (c checker) invalid() error {
	return fault.E(fault.InvalidArgument, "Property %s contains an invalid nested entity.", c.field)
}

// array checks an array inside depth maps and arrays.
func (c checker) array(a value.Array, depth, path int) error {
	if err := c.deeper(depth); err != nil {
		return err
	}
	for _, item := range a {
		switch item.Kind() {
		case value.KindArray:
			return fault.E(fault.InvalidArgument, "Nested arrays are not allowed")
		case value.KindVector:
			return fault.E(fault.InvalidArgument, "Cannot convert a vector value in an array value.")
		default: // Other kinds may be in an array.
		}
		if err := c.value(item, depth+1, path); err != nil {
			return err
		}
	}
	return nil
}

// members checks a map inside depth maps and arrays. The members of a vector are exempt, because users do not name
// them.
func (c checker) members(m value.Map, depth, path int) error {
	if err := c.deeper(depth); err != nil {
		return err
	}
	if m["__type__"] == value.String("__vector__") {
		return checkVector(m)
	}
	for _, name := range value.SortedKeys(m) {
		if err := checkFieldName(name); err != nil {
			if !IsReserved(name) {
				return c.invalid()
			}
			if built := CheckBuilt(name, len(m)); built != nil {
				return built
			}
			return err
		}
		inside := path + 1 + len(name)
		if inside > maxFieldName {
			return c.invalid()
		}
		if err := c.value(m[name], depth+1, inside); err != nil {
			return err
		}
	}
	return nil
}

// checkVector checks a map whose __type__ is that of a vector.
func checkVector(m value.Map) error {
	const maxDimensions = 2048
	items, ok := m["value"].(value.Array)
	switch {
	case m["value"] == nil:
		return fault.E(fault.InvalidArgument, "Vector map is missing key 'value'.")
	case len(m) != 2:
		return fault.E(fault.InvalidArgument, "Vector Value map has extraneous entries.")
	case !ok:
		return fault.E(fault.InvalidArgument, "Vector Value type must be an array.")
	case len(items) == 0:
		return fault.E(fault.InvalidArgument, "Cannot have a zero length vector.")
	case len(items) > maxDimensions:
		return fault.E(fault.InvalidArgument, "Vectors must be at most %d dimensions.", maxDimensions)
	case m.Kind() != value.KindVector:
		return fault.E(fault.InvalidArgument, "Vector must only contain values of type 'double'")
	case slices.ContainsFunc(items, value.IsNaN):
		return fault.E(fault.InvalidArgument, "Vector cannot contain NaN values.")
	}
	return nil
}

// checkGeoPoint checks the ranges of a latitude and a longitude.
func checkGeoPoint(g value.GeoPoint) error {
	if !(g.Lat >= -90 && g.Lat <= 90) {
		return fault.E(fault.InvalidArgument, "Geo point latitude '%s' outside permitted range -90.0 to 90.0.", degrees(g.Lat))
	}
	if !(g.Lng >= -180 && g.Lng <= 180) {
		return fault.E(fault.InvalidArgument, "Geo point longitude '%s' outside permitted range -180.0 to 180.0.", degrees(g.Lng))
	}
	return nil
}

// degrees prints a number with at least one decimal, as Firestore's texts do.
func degrees(d float64) string {
	s := fmt.Sprint(d)
	if !strings.ContainsAny(s, ".eNI") {
		s += ".0"
	}
	return s
}

// checkTransform checks a transform's path and operand.
func checkTransform(t Transform) error {
	if err := CheckPath(t.Path); err != nil {
		return err
	}
	switch t.Kind {
	case Increment, Maximum, Minimum:
		if _, ok := value.Float(t.Operand); !ok {
			return fault.E(fault.InvalidArgument, "Input must be a number.")
		}
	case AppendMissing:
		return checker{field: t.Path[0]}.value(t.Operand, len(t.Path)-1, len(strings.Join(t.Path, ".")))
	}
	return nil
}

// checkSize returns an error for a document that became too large or too deep.
func checkSize(d *Document) error {
	if n := d.Size(); n > maxSize {
		return fault.E(fault.InvalidArgument,
			"Document '%s' cannot be written because its size (%s bytes) exceeds the maximum allowed size of %s bytes.",
			d.Name, thousands(n), thousands(maxSize))
	}
	return nil
}

// thousands prints a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
