package sdk

import (
	"math"
	"math/rand/v2"

	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"
)

// kind is what an argument of a function usually is. One in eight is something else.
type kind string

// The kinds of arguments. A list is an array, of constants or of expressions.
const (
	anyKind    kind = "any"
	number     kind = "number"
	integer    kind = "integer"
	truth      kind = "boolean"
	text       kind = "string"
	pattern    kind = "pattern"
	array      kind = "array"
	list       kind = "list"
	object     kind = "map"
	vectorKind kind = "vector"
	moment     kind = "timestamp"
	unit       kind = "unit"
	key        kind = "key"
	amount     kind = "amount"
)

// functionOfSDK is a function that the evaluator of the SDK has.
type functionOfSDK struct {
	name   string
	result kind
	args   []kind
}

// functionsOfSDK are all functions that the evaluator has and the server knows. It also has array_element,
// replace_first and replace_all, which no SDK sends.
var functionsOfSDK = []functionOfSDK{
	{"add", number, []kind{number, number}},
	{"subtract", number, []kind{number, number}},
	{"multiply", number, []kind{number, number}},
	{"divide", number, []kind{number, number}},
	{"mod", number, []kind{number, number}},
	{"and", truth, []kind{truth, truth}},
	{"and", truth, []kind{truth, truth, truth}},
	{"or", truth, []kind{truth, truth}},
	{"or", truth, []kind{truth, truth, truth}},
	{"xor", truth, []kind{truth, truth}},
	{"not", truth, []kind{truth}},
	{"equal", truth, []kind{anyKind, anyKind}},
	{"not_equal", truth, []kind{anyKind, anyKind}},
	{"less_than", truth, []kind{anyKind, anyKind}},
	{"less_than_or_equal", truth, []kind{anyKind, anyKind}},
	{"greater_than", truth, []kind{anyKind, anyKind}},
	{"greater_than_or_equal", truth, []kind{anyKind, anyKind}},
	{"equal_any", truth, []kind{anyKind, list}},
	{"not_equal_any", truth, []kind{anyKind, list}},
	{"is_nan", truth, []kind{number}},
	{"is_not_nan", truth, []kind{number}},
	{"is_null", truth, []kind{anyKind}},
	{"is_not_null", truth, []kind{anyKind}},
	{"is_error", truth, []kind{anyKind}},
	{"exists", truth, []kind{anyKind}},
	{"conditional", anyKind, []kind{truth, anyKind, anyKind}},
	{"maximum", anyKind, []kind{anyKind, anyKind}},
	{"minimum", anyKind, []kind{anyKind, anyKind, anyKind}},
	{"array_concat", array, []kind{array, array}},
	{"array_reverse", array, []kind{array}},
	{"array_contains", truth, []kind{array, anyKind}},
	{"array_contains_all", truth, []kind{array, list}},
	{"array_contains_any", truth, []kind{array, list}},
	{"array_length", integer, []kind{array}},
	{"reverse", text, []kind{text}},
	{"char_length", integer, []kind{text}},
	{"byte_length", integer, []kind{text}},
	{"like", truth, []kind{text, pattern}},
	{"regex_contains", truth, []kind{text, pattern}},
	{"regex_match", truth, []kind{text, pattern}},
	{"string_contains", truth, []kind{text, text}},
	{"starts_with", truth, []kind{text, text}},
	{"ends_with", truth, []kind{text, text}},
	{"to_lower", text, []kind{text}},
	{"to_upper", text, []kind{text}},
	{"trim", text, []kind{text}},
	{"string_concat", text, []kind{text, text}},
	{"map_get", anyKind, []kind{object, key}},
	{"cosine_distance", number, []kind{vectorKind, vectorKind}},
	{"dot_product", number, []kind{vectorKind, vectorKind}},
	{"euclidean_distance", number, []kind{vectorKind, vectorKind}},
	{"vector_length", integer, []kind{vectorKind}},
	{"unix_micros_to_timestamp", moment, []kind{integer}},
	{"unix_millis_to_timestamp", moment, []kind{integer}},
	{"unix_seconds_to_timestamp", moment, []kind{integer}},
	{"timestamp_to_unix_micros", integer, []kind{moment}},
	{"timestamp_to_unix_millis", integer, []kind{moment}},
	{"timestamp_to_unix_seconds", integer, []kind{moment}},
	{"timestamp_add", moment, []kind{moment, unit, amount}},
	{"timestamp_subtract", moment, []kind{moment, unit, amount}},
}

// expressions generates cases.
type expressions struct {
	*rand.Rand
	fields map[string]*pb.Value
	cases  []*evaluation
}

// fieldNames are the fields of documents, of which some are absent.
var fieldNames = []string{"a", "b", "c", "d", "e", "f"}

// document returns random fields.
func (g *expressions) document() map[string]*pb.Value {
	out := map[string]*pb.Value{}
	for _, name := range fieldNames {
		if g.IntN(5) > 0 {
			out[name] = g.constant(anyKind, 2)
		}
	}
	return out
}

// add adds a case.
func (g *expressions) add(v *pb.Value, args ...*evaluation) *evaluation {
	c := &evaluation{fields: g.fields, value: v, args: args}
	g.cases = append(g.cases, c)
	return c
}

// expression adds a random expression, and its parts before it.
func (g *expressions) expression(depth int, k kind) *evaluation {
	if g.IntN(8) == 0 {
		k = anyKind
	}
	if k == list && g.IntN(3) > 0 {
		items := make([]*pb.Value, g.IntN(4))
		args := make([]*evaluation, len(items))
		for i := range items {
			args[i] = g.expression(0, anyKind)
			items[i] = args[i].value
		}
		return g.add(arrayOf(items...), args...)
	}
	fits := func(f functionOfSDK) bool {
		return k == anyKind || f.result == k || k == number && f.result == integer || k == list && f.result == array
	}
	if depth > 0 && g.IntN(3) > 0 {
		for range 20 {
			f := functionsOfSDK[g.IntN(len(functionsOfSDK))]
			if !fits(f) {
				continue
			}
			call := &pb.Function{Name: f.name}
			var args []*evaluation
			for _, of := range f.args {
				arg := g.expression(depth-1, of)
				args, call.Args = append(args, arg), append(call.Args, arg.value)
			}
			return g.add(&pb.Value{ValueType: &pb.Value_FunctionValue{FunctionValue: call}}, args...)
		}
	}
	if g.IntN(4) == 0 {
		name := fieldNames[g.IntN(len(fieldNames))]
		return g.add(&pb.Value{ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: name}})
	}
	return g.add(g.constant(k, 2))
}

// one returns one of several items.
func one[T any](g *expressions, items ...T) T { return items[g.IntN(len(items))] }

// constant returns a random constant with at most depth levels.
func (g *expressions) constant(k kind, depth int) *pb.Value { // long: one case a kind
	switch k {
	case number:
		if g.IntN(2) == 0 {
			return doubleOf(one(g, 0, 1, -1.5, 2.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 9007199254740993, 0.1))
		}
		return g.constant(integer, depth)
	case integer:
		return integerOf(one(g, int64(0), 1, 2, 3, -1, -7, 10, math.MaxInt64, math.MinInt64, 1<<53+1, 1_000_000_007, 253_402_300_799, -62_135_596_800))
	case truth:
		return &pb.Value{ValueType: &pb.Value_BooleanValue{BooleanValue: g.IntN(2) == 0}}
	case text:
		return stringOf(one(g, "", "a", "b", "ab", "abc", "aXb", " a\t", "ñandú", "日本", "😀x", "a\nb", "A%_", "İ"))
	case pattern:
		return stringOf(one(g, "", "a", "a%", "_b", "a.c", "^a", "b$", "[ab]+", "(a|b)*", ".*", "%", "a_%", "(", "\\d", "A%_", "x{2}"))
	case key:
		return stringOf(one(g, "x", "y", "z"))
	case unit:
		return stringOf(one(g, "microsecond", "millisecond", "second", "minute", "hour", "day", "week", ""))
	case amount:
		return integerOf(one(g, int64(0), 1, -1, 30, 1000, 86_400, 1<<40, math.MaxInt64, math.MinInt64))
	case moment:
		t := one(g, timestamppb.Timestamp{}, timestamppb.Timestamp{Seconds: -1, Nanos: 999_999_000}, timestamppb.Timestamp{Seconds: 1_700_000_000, Nanos: 123_456_000},
			timestamppb.Timestamp{Seconds: 253_402_300_799, Nanos: 999_999_000}, timestamppb.Timestamp{Seconds: -62_135_596_800})
		return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Seconds: t.Seconds, Nanos: t.Nanos}}}
	case vectorKind:
		items := make([]*pb.Value, 1+g.IntN(3))
		for i := range items {
			items[i] = doubleOf(one(g, 0, 1, -2.5, 3))
		}
		return mapOf(map[string]*pb.Value{"__type__": stringOf("__vector__"), "value": arrayOf(items...)})
	case array, list:
		items := make([]*pb.Value, g.IntN(4))
		for i := range items {
			items[i] = g.constant(anyKind, 0)
		}
		return arrayOf(items...)
	case object:
		out := map[string]*pb.Value{}
		for _, name := range []string{"x", "y"} {
			if g.IntN(3) > 0 {
				out[name] = g.constant(anyKind, 0)
			}
		}
		return mapOf(out)
	case anyKind:
	}
	kinds := []kind{number, integer, truth, text, moment}
	if depth > 0 {
		kinds = append(kinds, array, object, vectorKind)
	}
	switch n := g.IntN(len(kinds) + 4); {
	case n < len(kinds):
		return g.constant(kinds[n], depth-1)
	case n == len(kinds):
		return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
	case n == len(kinds)+1:
		return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: one(g, []byte{1, 2, 250}, []byte("ab"))}}
	case n == len(kinds)+2:
		return &pb.Value{ValueType: &pb.Value_GeoPointValue{GeoPointValue: &latlng.LatLng{Latitude: one(g, 1.5, -2), Longitude: 3}}}
	default:
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: "projects/p/databases/d/documents/c/" + one(g, "x", "y")}}
	}
}

// integerOf returns an integer.
func integerOf(n int64) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}}
}

// doubleOf returns a double.
func doubleOf(f float64) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_DoubleValue{DoubleValue: f}}
}

// stringOf returns a string.
func stringOf(s string) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}}
}

// arrayOf returns an array.
func arrayOf(items ...*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: items}}}
}

// mapOf returns a map.
func mapOf(fields map[string]*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields}}}
}
