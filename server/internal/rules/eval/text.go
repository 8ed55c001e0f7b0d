package eval

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf16"

	"clave/server/internal/model/value"
)

// stringMethods are the methods of texts, except those with patterns. Letters outside of ASCII keep their case.
var stringMethods = map[string]builtin{
	"size":    {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(units16(string(args[0].(value.String)))) }}}},
	"lower":   {types("string"), overloads{{nil, func(args []Value) Value { return value.String(mapASCII(args[0], 'A', 'Z', 32)) }}}},
	"upper":   {types("string"), overloads{{nil, func(args []Value) Value { return value.String(mapASCII(args[0], 'a', 'z', -32)) }}}},
	"trim":    {types("string"), overloads{{nil, func(args []Value) Value { return value.String(trim(string(args[0].(value.String)))) }}}},
	"toUtf8":  {types("bytes"), overloads{{nil, func(args []Value) Value { return value.Bytes(args[0].(value.String)) }}}},
	"matches": {types("bool"), overloads{{types("string"), nil}}},
	"split":   {types("list"), overloads{{types("string"), nil}}},
	"replace": {types("string"), overloads{{types("string", "string"), nil}}},
}

// bytesMethods are the methods of byte strings.
var bytesMethods = map[string]builtin{
	"size": {types("int"), overloads{{nil, func(args []Value) Value { return value.Int(len(args[0].(value.Bytes))) }}}},
	"toBase64": {types("string"), overloads{{nil, func(args []Value) Value {
		return value.String(base64.URLEncoding.EncodeToString([]byte(args[0].(value.Bytes))))
	}}}},
	"toHexString": {types("string"), overloads{{nil, func(args []Value) Value {
		return value.String(strings.ToUpper(hex.EncodeToString([]byte(args[0].(value.Bytes)))))
	}}}},
}

// units16 returns the number of UTF-16 units of a text, which is its size.
func units16(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return slowUnits16(s)
		}
	}
	return n
}

// slowUnits16 is units16 of a text that is not all ASCII.
func slowUnits16(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// mapASCII shifts the characters from first to last by a distance.
func mapASCII(v Value, first, last rune, by rune) string {
	return strings.Map(func(r rune) rune {
		if first <= r && r <= last {
			return r + by
		}
		return r
	}, string(v.(value.String)))
}

// trim cuts ASCII white space off both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' })
}

// indexString is s[i].
func indexString(s string, i int64) Value {
	size := units16(s)
	if i < 0 || i >= int64(size) {
		return outOfBounds(i, size)
	}
	return value.String(cut(s, int(i), int(i)+1))
}

// cut returns the text between two UTF-16 offsets.
func cut(s string, low, high int) string {
	if units16(s) == len(s) {
		return s[low:high]
	}
	return string(utf16.Decode(utf16.Encode([]rune(s))[low:high]))
}

// sliceOf is v[low:high]; high is nil if it is omitted. A bound that is null counts as omitted.
func sliceOf(v, low, high Value) Value {
	var size int
	switch x := v.(type) {
	case value.String:
		size = units16(string(x))
	case value.Array:
		size = len(x)
	case *Path:
		segments, f := x.closed()
		if f != nil {
			return f
		}
		size, v = len(segments), &Path{Parts: segments}
	case value.Reference:
		return sliceOf(referencePath(x), low, high)
	case value.Null:
		return nullValue()
	default:
		return notFound("@range")
	}
	if isNull(low) {
		low = value.Int(0)
	}
	if high == nil || isNull(high) {
		high = value.Int(size)
	}
	from, ok := low.(value.Int)
	to, ok2 := high.(value.Int)
	if !ok || !ok2 {
		t := TypeName(v)
		ways := [...]string{"null:null", "null:int", "int:null", "int:int"}
		return unsupported(t+"["+TypeName(low)+":"+TypeName(high)+"]", t+"["+strings.Join(ways[:], "], "+t+"[")+"]")
	}
	// The start and the last item must be inside the value, even for an empty slice.
	switch {
	case from < 0 || int(from) >= size:
		return outOfBounds(int64(from), size)
	case to-1 < 0 || int(to-1) >= size:
		return outOfBounds(int64(to-1), size)
	case from > to:
		return outOfBounds(int64(from), size)
	}
	switch x := v.(type) {
	case value.String:
		return value.String(cut(string(x), int(from), int(to)))
	case value.Array:
		return x[from:to]
	case *Path:
		return &Path{Parts: x.Parts[from:to]}
	}
	return nil
}
