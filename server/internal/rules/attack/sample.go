package attack

import (
	"regexp/syntax"
	"strings"

	"clave/server/internal/model/value"
)

// sampleOf returns a value of a type of the rules language, or nil.
func sampleOf(kind string) value.Value {
	switch kind {
	case "string":
		return value.String("text")
	case "int", "number":
		return value.Int(1)
	case "float":
		return value.Double(1.5)
	case "bool":
		return value.Bool(true)
	case "timestamp":
		return now
	case "list":
		return value.Array{value.String("text")}
	case "map":
		return value.Map{"text": value.String("text")}
	case "bytes":
		return value.Bytes("bytes")
	case "latlng":
		return value.GeoPoint{Lat: 1, Lng: 1}
	case "null":
		return value.Null{}
	}
	return nil
}

// otherType returns a value of another type.
func otherType(v value.Value) value.Value {
	if _, text := v.(value.String); text {
		return value.Int(7)
	}
	return value.String("text")
}

// sized returns a value of a size and of the type of v, by default a text.
func sized(v value.Value, size int) value.Value {
	if size < 0 || size > 1<<20 {
		return nil
	}
	switch v.(type) {
	case value.Array:
		out := make(value.Array, size)
		for i := range out {
			out[i] = value.String("text")
		}
		return out
	case value.Map:
		return nil
	}
	return value.String(strings.Repeat("a", size))
}

// matching returns a text that a regular expression matches, or nil.
func matching(pattern string) value.Value {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	var b strings.Builder
	write(&b, re)
	return value.String(b.String())
}

// write writes a text that matches a part of a regular expression.
func write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(runeOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(b, re.Sub[0])
		}
	default: // what matches the empty text
	}
}

// runeOf returns a character of a class, given as pairs of bounds.
func runeOf(class []rune) rune {
	for _, want := range "a1A_" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return class[0]
}
