package value

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"clave/server/internal/model/resource"
)

// Compare orders any two values as Firestore does: by kind, then within the kind. Integers and doubles are one
// kind and are compared exactly; NaN comes before all numbers and equals itself; 0 and -0 are equal.
func Compare(a, b Value) int { // long: one case a kind
	ka, kb := a.Kind(), b.Kind()
	if ka != kb {
		return cmp.Compare(ka, kb)
	}
	switch x := a.(type) {
	case Null:
		return 0
	case Bool:
		return compareBools(bool(x), bool(b.(Bool)))
	case Int, Double:
		return compareNumbers(a, b)
	case Timestamp:
		y := b.(Timestamp)
		if c := cmp.Compare(x.Seconds, y.Seconds); c != 0 {
			return c
		}
		return cmp.Compare(x.Nanos, y.Nanos)
	case String:
		return strings.Compare(string(x), string(b.(String)))
	case Bytes:
		return strings.Compare(string(x), string(b.(Bytes)))
	case Reference:
		return resource.ComparePaths(string(x), string(b.(Reference)))
	case GeoPoint:
		y := b.(GeoPoint)
		if c := compareDoubles(x.Lat, y.Lat); c != 0 {
			return c
		}
		return compareDoubles(x.Lng, y.Lng)
	case Array:
		return compareArrays(x, b.(Array))
	case Map:
		if ka == KindVector {
			return compareVectors(x, b.(Map))
		}
		return compareMaps(x, b.(Map))
	}
	panic("value: unknown value") // The interface is closed: all its types are above.
}

// Equal reports whether two values are equal in queries and array transforms: 1 and 1.0 are, 0 and -0 are, NaN
// and NaN are.
func Equal(a, b Value) bool {
	switch x := a.(type) {
	case Array:
		y, ok := b.(Array)
		return ok && slices.EqualFunc(x, y, Equal)
	case Map:
		y, ok := b.(Map)
		return ok && maps.EqualFunc(x, y, Equal)
	}
	return Compare(a, b) == 0
}

// Identical reports whether two values are the same in every bit, so that a write of one over the other changes
// nothing: 1 and 1.0 are not.
func Identical(a, b Value) bool {
	switch x := a.(type) {
	case Double:
		y, ok := b.(Double)
		return ok && (math.Float64bits(float64(x)) == math.Float64bits(float64(y)) || (x != x && y != y))
	case GeoPoint:
		y, ok := b.(GeoPoint)
		return ok && Identical(Double(x.Lat), Double(y.Lat)) && Identical(Double(x.Lng), Double(y.Lng))
	case Array:
		y, ok := b.(Array)
		return ok && slices.EqualFunc(x, y, Identical)
	case Map:
		y, ok := b.(Map)
		return ok && maps.EqualFunc(x, y, Identical)
	default:
		switch b.(type) {
		case Array, Map:
			return false // An interface that holds a slice or a map can't be compared.
		}
		return a == b
	}
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// compareNumbers orders two numbers of either type by their exact values.
func compareNumbers(a, b Value) int {
	switch x := a.(type) {
	case Int:
		if y, ok := b.(Int); ok {
			return cmp.Compare(x, y)
		}
		return compareIntDouble(int64(x), float64(b.(Double)))
	default:
		d := float64(a.(Double))
		if y, ok := b.(Int); ok {
			return -compareIntDouble(int64(y), d)
		}
		return compareDoubles(d, float64(b.(Double)))
	}
}

// compareDoubles orders NaN first; 0 and -0 are equal.
func compareDoubles(a, b float64) int { return cmp.Compare(a, b) }

// compareIntDouble compares without rounding: a double of 2⁵³ or more has no neighbours among the integers it
// would be rounded to.
func compareIntDouble(i int64, d float64) int {
	switch {
	case d != d:
		return 1
	case d >= 1<<63:
		return -1
	case d < -1<<63:
		return 1
	}
	whole := math.Trunc(d)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, d)
}

// compareArrays orders by elements; a prefix comes before the longer array.
func compareArrays(a, b Array) int {
	for i := range min(len(a), len(b)) {
		if c := Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareVectors orders by length, then by elements.
func compareVectors(a, b Map) int {
	x, _ := a[vectorValueKey].(Array)
	y, _ := b[vectorValueKey].(Array)
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c
	}
	return compareArrays(x, y)
}

// compareMaps orders by the sorted members: first key against first key, then their values, and so on.
func compareMaps(a, b Map) int {
	x, y := SortedKeys(a), SortedKeys(b)
	for i := range min(len(x), len(y)) {
		if c := strings.Compare(x[i], y[i]); c != 0 {
			return c
		}
		if c := Compare(a[x[i]], b[y[i]]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// SortedKeys returns a map's keys by their UTF-8 bytes.
func SortedKeys(m Map) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
