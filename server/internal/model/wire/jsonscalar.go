package wire

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// scalar returns the value of a field whose type is not a message. ok is false if n is not one of the type.
func (a *assigner) scalar(fd protoreflect.FieldDescriptor, n jsonNode, path string) (v protoreflect.Value, ok bool) {
	// Firestore's messages have only these kinds; ok stays false for others.
	switch fd.Kind() {
	case protoreflect.EnumKind:
		return a.enum(fd.Enum(), n, path)
	case protoreflect.BytesKind:
		return a.bytes(n, path)
	case protoreflect.BoolKind:
		var b bool
		b, ok = n.boolean()
		v = protoreflect.ValueOfBool(b)
	case protoreflect.StringKind:
		ok = n.kind == jsonString
		v = protoreflect.ValueOfString(a.keep(n.text))
	case protoreflect.Int32Kind:
		var i int64
		i, ok = n.integer(32)
		v = protoreflect.ValueOfInt32(int32(i))
	case protoreflect.Int64Kind:
		var i int64
		i, ok = n.integer(64)
		v = protoreflect.ValueOfInt64(i)
	case protoreflect.DoubleKind:
		var d float64
		d, ok = n.double()
		v = protoreflect.ValueOfFloat64(d)
	}
	if !ok {
		a.invalid(path, "TYPE_"+strings.ToUpper(fd.Kind().String()), n.shown())
	}
	return v, ok
}

// boolean parses true or false, quoted or not.
func (n jsonNode) boolean() (b, ok bool) {
	if n.kind != jsonBool && n.kind != jsonString {
		return false, false
	}
	switch strings.ToLower(n.text) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	default:
		return false, false
	}
}

// integer parses a number, quoted or not, as an integer of the given bits. The numbers 1.0 and 1e3 are integers. It
// returns false if there is none.
func (n jsonNode) integer(bits int) (int64, bool) {
	if n.kind != jsonNumber && n.kind != jsonString {
		return 0, false
	}
	if i, err := strconv.ParseInt(n.text, 10, bits); err == nil {
		return i, true
	}
	d, err := strconv.ParseFloat(n.text, 64)
	limit := math.Ldexp(1, bits-1)
	if n.kind == jsonString || err != nil || d != math.Trunc(d) || d < -limit || d >= limit || !strings.ContainsAny(n.text, ".eE") {
		return 0, false
	}
	return int64(d), true
}

// double parses a number, quoted or not, as a double. It returns false if there is none.
func (n jsonNode) double() (float64, bool) {
	if n.kind == jsonString {
		switch n.text {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
	}
	if (n.kind != jsonNumber && n.kind != jsonString) || strings.ContainsAny(n.text, "_xXnN") {
		return 0, false
	}
	d, err := strconv.ParseFloat(n.text, 64)
	return d, err == nil
}

// enum parses the name or the number of an enum value. It notes any other value as invalid and returns false.
func (a *assigner) enum(ed protoreflect.EnumDescriptor, n jsonNode, path string) (protoreflect.Value, bool) {
	switch n.kind {
	case jsonNull:
		return protoreflect.ValueOfEnum(0), true
	case jsonString:
		if v := ed.Values().ByName(protoreflect.Name(n.text)); v != nil {
			return protoreflect.ValueOfEnum(v.Number()), true
		}
	}
	if i, ok := n.integer(32); ok {
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(i)), true
	}
	a.invalid(path, typeURL(ed.FullName()), n.shown())
	return protoreflect.Value{}, false
}

// toStandard converts the URL alphabet of base64 to the standard one.
var toStandard = strings.NewReplacer("-", "+", "_", "/")

// bytes decodes base64 of either alphabet, padded or not. It notes any other value as invalid and returns false.
func (a *assigner) bytes(n jsonNode, path string) (protoreflect.Value, bool) {
	if n.kind != jsonString {
		a.invalid(path, "TYPE_BYTES", n.shown())
		return protoreflect.Value{}, false
	}
	text := toStandard.Replace(strings.TrimRight(n.text, "="))
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		a.invalid(path, "TYPE_BYTES", "Base64 decoding failed for "+n.shown())
		return protoreflect.Value{}, false
	}
	return protoreflect.ValueOfBytes(b), true
}

// timestamp parses an RFC 3339 time into a Timestamp.
func (a *assigner) timestamp(m protoreflect.Message, n jsonNode, path string) {
	_, snake := cutPath(path)
	refuse := func(why string) {
		a.invalid(path, "type.googleapis.com/google.protobuf.Timestamp", "Field '"+camel(snake)+"', "+why)
	}
	if n.kind != jsonString {
		refuse("Invalid data type for timestamp, value is " + n.shown())
		return
	}
	t, err := time.Parse(time.RFC3339Nano, n.text)
	switch {
	case err != nil && !strings.HasSuffix(n.text, "Z") && !strings.ContainsAny(n.text[min(len(n.text), 10):], "+-"):
		refuse("Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset.")
		return
	case err != nil:
		refuse("Invalid time format: " + n.text)
		return
	case t.Unix() < minSeconds || t.Unix() > maxSeconds:
		refuse("Invalid time value: " + n.text)
		return
	}
	fields := m.Descriptor().Fields()
	m.Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(t.Unix()))
	m.Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(int32(t.Nanosecond())))
}

// camel returns the JSON name of a field. An index after the name is omitted.
func camel(snake string) string {
	snake, _, _ = strings.Cut(snake, "[")
	var b strings.Builder
	up := false
	for _, c := range snake {
		switch {
		case c == '_':
			up = true
		case up && c >= 'a' && c <= 'z':
			b.WriteRune(c - 'a' + 'A')
			up = false
		default:
			b.WriteRune(c)
			up = false
		}
	}
	return b.String()
}
