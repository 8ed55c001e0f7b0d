package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"clave/server/internal/model/value"
)

// equal is ==. At the top int and float compare as numbers; inside lists and maps they differ.
func equal(a, b Value) bool {
	switch x := a.(type) {
	case value.Int:
		if y, ok := b.(value.Double); ok {
			return float64(x) == float64(y)
		}
	case value.Double:
		switch y := b.(type) {
		case value.Int:
			return float64(x) == float64(y)
		case value.Double:
			return x == y
		}
	case *Set:
		y, ok := b.(*Set)
		return ok && x.equal(y)
	}
	return same(a, b)
}

// same is the equality of members of lists and maps: of one type, and floats bit for bit (but NaN).
func same(a, b Value) bool { // long: one case a type
	switch x := a.(type) {
	case value.Null, value.Bool, value.Int, value.String, value.Bytes, value.Timestamp, Duration:
		return a == b
	case value.GeoPoint:
		y, ok := b.(value.GeoPoint)
		return ok && x == y
	case value.Double:
		y, ok := b.(value.Double)
		return ok && x == y && math.Signbit(float64(x)) == math.Signbit(float64(y))
	case value.Reference:
		switch y := b.(type) {
		case value.Reference:
			return referenceText(x) == referenceText(y)
		case *Path:
			return y.is(x)
		}
	case *Path:
		switch y := b.(type) {
		case value.Reference:
			return x.is(y)
		case *Path:
			return x.equal(y)
		}
	case value.Array:
		y, ok := b.(value.Array)
		return ok && slices.EqualFunc(x, y, same)
	case value.Map, *Document:
		m, _ := asMap(a)
		n, ok := asMap(b)
		return ok && maps.EqualFunc(m, n, same)
	case *Set:
		y, ok := b.(*Set)
		return ok && x.equal(y)
	}
	return false
}

// compare orders two values that can be ordered; ok is false for all others. nan reports that one of them is NaN, for
// which every ordering is false.
func compare(a, b Value) (order int, nan, ok bool) {
	switch x := a.(type) {
	case value.Int:
		switch y := b.(type) {
		case value.Int:
			return cmp.Compare(x, y), false, true
		case value.Double:
			return compareFloats(float64(x), float64(y))
		}
	case value.Double:
		switch y := b.(type) {
		case value.Int:
			return compareFloats(float64(x), float64(y))
		case value.Double:
			return compareFloats(float64(x), float64(y))
		}
	case value.String:
		if y, same := b.(value.String); same {
			return compareStrings(string(x), string(y)), false, true
		}
	case value.Bytes:
		if y, same := b.(value.Bytes); same {
			return cmp.Compare(x, y), false, true
		}
	case value.Timestamp:
		if y, same := b.(value.Timestamp); same {
			return cmp.Or(cmp.Compare(x.Seconds, y.Seconds), cmp.Compare(x.Nanos, y.Nanos)), false, true
		}
	case Duration:
		if y, same := b.(Duration); same {
			return cmp.Or(cmp.Compare(x.Seconds, y.Seconds), cmp.Compare(x.Nanos, y.Nanos)), false, true
		}
	}
	return 0, false, false
}

// compareFloats orders two floats. nan is set if one of them is NaN, and ok always.
func compareFloats(a, b float64) (order int, nan, ok bool) {
	if math.IsNaN(a) || math.IsNaN(b) {
		return 0, true, true
	}
	return cmp.Compare(a, b), false, true
}

// compareStrings orders texts by their UTF-16 units, as the official engine does.
func compareStrings(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for n > 0 && !utf8.RuneStart(a[n]) {
		n--
	}
	r, _ := utf8.DecodeRuneInString(a[n:])
	s, _ := utf8.DecodeRuneInString(b[n:])
	return cmp.Compare(unit(r), unit(s))*2 + cmp.Compare(r, s)
}

// unit returns the first UTF-16 unit of a character.
func unit(r rune) rune {
	if r >= 0x10000 {
		high, _ := utf16.EncodeRune(r)
		return high
	}
	return r
}

// key returns a text that is the same for values that sets and diffs treat as equal: numbers by their exact value, NaN
// equal to itself, recursively.
func key(v Value) string {
	return string(appendKey(nil, v, false))
}

// exactKey returns a text that is the same for values that lists treat as equal, as same does. NaN, which is not even
// equal to itself, has one, too.
func exactKey(v Value) string {
	return string(appendKey(nil, v, true))
}

// appendNumber appends the key of a number.
func appendNumber(b []byte, f float64) []byte {
	if f == math.Trunc(f) && -1<<63 <= f && f < 1<<63 {
		return append(strconv.AppendInt(append(b, '#'), int64(f), 10), ';')
	}
	return append(strconv.AppendFloat(append(b, '#'), f, 'g', -1, 64), ';')
}

// appendKey appends a value's key. With exact set, it distinguishes the types and zeros of numbers, except in sets.
func appendKey(b []byte, v Value, exact bool) []byte { // long: one case a type
	text := func(tag byte, s string) []byte {
		b = append(b, tag)
		b = strconv.AppendInt(b, int64(len(s)), 10)
		b = append(b, ':')
		return append(b, s...)
	}
	switch x := v.(type) {
	case value.Null:
		return append(b, 'n')
	case value.Bool:
		return strconv.AppendBool(b, bool(x))
	case value.Int:
		return append(strconv.AppendInt(append(b, '#'), int64(x), 10), ';')
	case value.Double:
		if exact {
			return append(strconv.AppendUint(append(b, 'd', '#'), math.Float64bits(float64(x)), 10), ';')
		}
		return appendNumber(b, float64(x))
	case value.String:
		return text('s', string(x))
	case value.Bytes:
		return text('b', string(x))
	case value.Reference:
		return text('p', "/"+referenceText(x))
	case *Path:
		return text('p', x.String())
	case value.Timestamp:
		b = strconv.AppendInt(append(b, 't'), x.Seconds, 10)
		return append(strconv.AppendInt(append(b, '.'), int64(x.Nanos), 10), ';')
	case Duration:
		b = strconv.AppendInt(append(b, 'd'), x.Seconds, 10)
		return append(strconv.AppendInt(append(b, '.'), int64(x.Nanos), 10), ';')
	case value.GeoPoint:
		b = strconv.AppendFloat(append(b, 'g'), x.Lat+0, 'g', -1, 64)
		return append(strconv.AppendFloat(append(b, ','), x.Lng+0, 'g', -1, 64), ';')
	case value.Array:
		b = append(b, '[')
		for _, e := range x {
			b = appendKey(b, e, exact)
		}
		return append(b, ']')
	case *Set:
		b = append(b, '<')
		for _, k := range x.sorted() {
			b = append(b, k...)
		}
		return append(b, '>')
	}
	if m, ok := asMap(v); ok {
		b = append(b, '{')
		for _, k := range sortedKeys(m) {
			b = text('k', k)
			b = appendKey(b, m[k], exact)
		}
		return append(b, '}')
	}
	return append(b, '?')
}
