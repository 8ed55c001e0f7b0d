package value

import (
	"math"
	"strconv"
)

// composite is the key of an array or a map.
type composite string

// nan is the key of NaN, which as a map's key does not equal itself.
type nan struct{}

// Key returns a key for Go's maps. The keys of two values are equal if and only if the values are Equal. Both are
// values of documents.
func Key(v Value) any {
	switch x := v.(type) {
	case Double:
		if x != x {
			return nan{}
		}
		if i, ok := whole(x); ok {
			return i
		}
	case GeoPoint:
		return GeoPoint{Lat: x.Lat + 0, Lng: x.Lng + 0} // -0 becomes 0
	case Array, Map:
		return composite(appendKey(nil, v))
	}
	return v
}

// whole returns the integer that equals a double, or false if none does.
func whole(d Double) (Int, bool) {
	f := float64(d)
	if f != math.Trunc(f) || f < -1<<63 || f >= 1<<63 {
		return 0, false
	}
	return Int(f), true
}

// appendKey appends a text that is the same for equal values only. Each part has an end or a length, so parts of
// different values cannot be mistaken for each other.
func appendKey(b []byte, v Value) []byte {
	b = append(b, 'A'+byte(v.Kind()))
	switch x := v.(type) {
	case Bool:
		b = strconv.AppendBool(b, bool(x))
	case Int:
		b = strconv.AppendInt(b, int64(x), 10)
	case Double:
		// 3.0 equals the integer 3, so both have one text.
		if i, ok := whole(x); ok {
			b = strconv.AppendInt(b, int64(i), 10)
		} else {
			b = strconv.AppendFloat(b, float64(x), 'g', -1, 64)
		}
	case Timestamp:
		b = strconv.AppendInt(append(strconv.AppendInt(b, x.Seconds, 10), '.'), int64(x.Nanos), 10)
	case String:
		return appendText(b, string(x))
	case Bytes:
		return appendText(b, string(x))
	case Reference:
		return appendText(b, string(x))
	case GeoPoint:
		// Adding 0 turns -0 into 0, which it equals.
		b = strconv.AppendFloat(b, x.Lat+0, 'g', -1, 64)
		b = strconv.AppendFloat(append(b, ','), x.Lng+0, 'g', -1, 64)
	case Array:
		for _, item := range x {
			b = appendKey(b, item)
		}
	case Map:
		for _, name := range SortedKeys(x) {
			b = appendKey(appendText(append(b, '.'), name), x[name])
		}
	}
	return append(b, ';')
}

// appendText appends a text and its length.
func appendText(b []byte, s string) []byte {
	return append(append(strconv.AppendInt(b, int64(len(s)), 10), ':'), s...)
}
