// Package value holds Firestore's values: their kinds, total order and equality, field paths and storage
// sizes. Values are immutable: slices and maps in them are never changed.
package value

import "time"

// Kind is a value's place in the order of types (firebase.google.com/docs/firestore/manage-data/data-types).
type Kind uint8

// The kinds, in Firestore's order of types.
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindTimestamp
	KindString
	KindBytes
	KindReference
	KindGeoPoint
	KindArray
	KindVector
	KindMap
)

// Value is one of Null, Bool, Int, Double, Timestamp, String, Bytes, Reference, GeoPoint, Array and Map.
type Value interface {
	// Kind returns the value's place in the order of types.
	Kind() Kind
}

type (
	// Null is the null value.
	Null struct{}
	// Bool is a boolean.
	Bool bool
	// Int is a 64-bit integer.
	Int int64
	// Double is an IEEE 754 double.
	Double float64
	// Timestamp is a time with microsecond precision.
	Timestamp struct {
		// Seconds is the whole seconds since the Unix epoch.
		Seconds int64
		// Nanos is the rest, 0 to 999,999,999.
		Nanos int32
	}
	// String is a text in UTF-8.
	String string
	// Bytes is a byte string.
	Bytes string
	// Reference is a document's full name.
	Reference string
	// GeoPoint is a latitude and a longitude in degrees.
	GeoPoint struct {
		// Lat is -90 to 90.
		Lat float64
		// Lng is -180 to 180.
		Lng float64
	}
	// Array is a list of values.
	Array []Value
	// Map is a set of named values. A map with the member __type__ of "__vector__" is a vector.
	Map map[string]Value
)

// Kind implements Value.
func (Null) Kind() Kind { return KindNull }

// Kind implements Value.
func (Bool) Kind() Kind { return KindBool }

// Kind implements Value.
func (Int) Kind() Kind { return KindNumber }

// Kind implements Value.
func (Double) Kind() Kind { return KindNumber }

// Kind implements Value.
func (Timestamp) Kind() Kind { return KindTimestamp }

// Kind implements Value.
func (String) Kind() Kind { return KindString }

// Kind implements Value.
func (Bytes) Kind() Kind { return KindBytes }

// Kind implements Value.
func (Reference) Kind() Kind { return KindReference }

// Kind implements Value.
func (GeoPoint) Kind() Kind { return KindGeoPoint }

// Kind implements Value.
func (Array) Kind() Kind { return KindArray }

// Kind implements Value: KindMap, or KindVector for a map that is a vector.
func (m Map) Kind() Kind {
	if isVector(m) {
		return KindVector
	}
	return KindMap
}

// isVector reports whether a map is a vector.
func isVector(m Map) bool {
	if len(m) != 2 || m[vectorTypeKey] != String(vectorTypeName) {
		return false
	}
	items, ok := m[vectorValueKey].(Array)
	if !ok {
		return false
	}
	for _, item := range items {
		if _, ok := item.(Double); !ok {
			return false
		}
	}
	return true
}

// The members of a map that is a vector.
const (
	vectorTypeKey  = "__type__"
	vectorTypeName = "__vector__"
	vectorValueKey = "value"
)

// AsVector returns the numbers of a map that is a vector: members __type__ = "__vector__" and value = an array
// of doubles, and no other. It returns false for other maps.
func AsVector(m Map) ([]float64, bool) {
	if !isVector(m) {
		return nil, false
	}
	items, _ := m[vectorValueKey].(Array)
	v := make([]float64, len(items))
	for i, item := range items {
		v[i], _ = Float(item)
	}
	return v, true
}

// Vector returns the map that is a vector of the given numbers.
func Vector(numbers ...float64) Map {
	items := make(Array, len(numbers))
	for i, n := range numbers {
		items[i] = Double(n)
	}
	return Map{vectorTypeKey: String(vectorTypeName), vectorValueKey: items}
}

// Float returns a number as a double, rounded if a double can't represent the integer, and whether v is a number.
func Float(v Value) (float64, bool) {
	switch n := v.(type) {
	case Double:
		return float64(n), true
	case Int:
		return float64(n), true
	default:
		return 0, false
	}
}

// IsNaN reports whether v is the double NaN.
func IsNaN(v Value) bool {
	d, ok := v.(Double)
	return ok && d != d
}

// IsNull reports whether v is the null value.
func IsNull(v Value) bool {
	_, ok := v.(Null)
	return ok
}

// TimestampOf returns the Timestamp of a time, rounded down to the microsecond.
func TimestampOf(t time.Time) Timestamp {
	t = t.Truncate(time.Microsecond)
	return Timestamp{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())}
}

// Time returns the time in UTC.
func (t Timestamp) Time() time.Time { return time.Unix(t.Seconds, int64(t.Nanos)).UTC() }
