package wire

import (
	"time"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// maxNesting is the maximum depth of a value that is parsed. The lower limit of documents is checked by
// document.Validate.
const maxNesting = 100

// ParseValue parses a value.
func ParseValue(v *pb.Value) (value.Value, error) {
	out, _, err := (orders)(nil).parseValue(v, maxNesting)
	return out, err
}

// parseDocumentFields parses the fields of a document and their order.
func parseDocumentFields(d *pb.Document, o orders) (value.Map, value.Layout, error) {
	m, b, err := o.parseFields(d.GetFields(), o[d], maxNesting)
	return m, value.LayoutOf(b), err
}

// parseValue parses a value with at most depth levels, and its layout.
func (o orders) parseValue(v *pb.Value, depth int) (value.Value, *value.Branch, error) {
	switch x := v.GetValueType().(type) {
	case *pb.Value_ArrayValue:
		if depth > 0 {
			return o.parseArray(x.ArrayValue.GetValues(), depth)
		}
	case *pb.Value_MapValue:
		if depth > 0 {
			return o.parseFields(x.MapValue.GetFields(), o[x.MapValue], depth)
		}
	}
	out, err := parseScalar(v, depth)
	return out, nil, err
}

// parseScalar parses a value that is neither an array nor a map, with at most depth levels.
func parseScalar(v *pb.Value, depth int) (value.Value, error) { // long: one case a kind
	if depth == 0 {
		return nil, fault.E(fault.InvalidArgument, "Value is nested too deeply.")
	}
	switch x := v.GetValueType().(type) {
	case *pb.Value_NullValue:
		return value.Null{}, nil
	case *pb.Value_BooleanValue:
		return value.Bool(x.BooleanValue), nil
	case *pb.Value_IntegerValue:
		return value.Int(x.IntegerValue), nil
	case *pb.Value_DoubleValue:
		return value.Double(x.DoubleValue), nil
	case *pb.Value_TimestampValue:
		return ParseTimestamp(x.TimestampValue)
	case *pb.Value_StringValue:
		if !utf8.ValidString(x.StringValue) {
			return nil, fault.E(fault.InvalidArgument, "A string value is not valid UTF-8.")
		}
		return value.String(x.StringValue), nil
	case *pb.Value_BytesValue:
		return value.Bytes(x.BytesValue), nil
	case *pb.Value_ReferenceValue:
		if _, err := resource.ParseReference(x.ReferenceValue); err != nil {
			return nil, err
		}
		return value.Reference(x.ReferenceValue), nil
	case *pb.Value_GeoPointValue:
		return value.GeoPoint{Lat: x.GeoPointValue.GetLatitude(), Lng: x.GeoPointValue.GetLongitude()}, nil
	case nil:
		return nil, fault.E(fault.InvalidArgument, "Cannot convert firestore.v1.Value with type unset.")
	default:
		return nil, fault.E(fault.InvalidArgument, "Value type is not supported: %s", expressionKind(x))
	}
}

// expressionKind returns the name, in error texts, of a kind of value that only pipelines accept.
func expressionKind(v any) string {
	switch v.(type) {
	case *pb.Value_FieldReferenceValue:
		return "FIELD_REFERENCE_VALUE"
	case *pb.Value_FunctionValue:
		return "FUNCTION_VALUE"
	default:
		return "PIPELINE_VALUE"
	}
}

// parseArray parses the elements of an array at depth levels, and its layout.
func (o orders) parseArray(items []*pb.Value, depth int) (value.Array, *value.Branch, error) {
	out := make(value.Array, len(items))
	var layouts value.Items
	for i, item := range items {
		v, b, err := o.parseValue(item, depth-1)
		if err != nil {
			return nil, nil, err
		}
		out[i] = v
		layouts.Put(i, b)
	}
	return out, layouts.Branch(), nil
}

// parseFields parses the members of a map at depth levels, and its layout. order is the order of the members if they
// are not sorted.
func (o orders) parseFields(fields map[string]*pb.Value, order []string, depth int) (value.Map, *value.Branch, error) {
	out := make(value.Map, len(fields))
	var inside map[string]*value.Branch
	for name, item := range fields {
		v, b, err := o.parseValue(item, depth-1)
		if err != nil {
			return nil, nil, err
		}
		out[name] = v
		if b != nil {
			if inside == nil {
				inside = make(map[string]*value.Branch)
			}
			inside[name] = b
		}
	}
	return out, value.Members(namesOf(order, out), inside), nil
}

// The range of timestamps: the years 1 to 9999.
const (
	minSeconds = -62135596800
	maxSeconds = 253402300799
)

// ParseTimestamp parses a timestamp, rounding down to the microsecond.
func ParseTimestamp(t *timestamppb.Timestamp) (value.Timestamp, error) {
	if t.GetSeconds() < minSeconds || t.GetSeconds() > maxSeconds || t.GetNanos() < 0 || t.GetNanos() > 999_999_999 {
		return value.Timestamp{}, fault.E(fault.InvalidArgument, "Timestamp is out of range: seconds %d, nanos %d.",
			t.GetSeconds(), t.GetNanos())
	}
	return value.Timestamp{Seconds: t.GetSeconds(), Nanos: t.GetNanos() / 1000 * 1000}, nil
}

// ParseVersion parses a time that names a commit. It returns 0 for nil.
func ParseVersion(t *timestamppb.Timestamp) (clock.Version, error) {
	if t == nil {
		return 0, nil
	}
	ts, err := ParseTimestamp(t)
	if err != nil {
		return 0, err
	}
	return clock.Version(ts.Seconds*int64(time.Second/time.Microsecond) + int64(ts.Nanos)/1000), nil
}

// FormatVersion formats the version of a commit as a time.
func FormatVersion(v clock.Version) *timestamppb.Timestamp { return timestamppb.New(v.Time()) }

// FormatValue formats a value.
func FormatValue(v value.Value) *pb.Value { // long: one case a kind
	switch x := v.(type) {
	case value.Bool:
		return newBool(bool(x))
	case value.Int:
		return newInteger(int64(x))
	case value.Double:
		return newDouble(float64(x))
	case value.Timestamp:
		return newTimestamp(x.Seconds, x.Nanos)
	case value.String:
		return newString(string(x))
	case value.Bytes:
		return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: []byte(x)}}
	case value.Reference:
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: string(x)}}
	case value.GeoPoint:
		return &pb.Value{ValueType: &pb.Value_GeoPointValue{
			GeoPointValue: &latlng.LatLng{Latitude: x.Lat, Longitude: x.Lng},
		}}
	case value.Array:
		items := make([]*pb.Value, len(x))
		for i, item := range x {
			items[i] = FormatValue(item)
		}
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: items}}}
	case value.Map:
		return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: FormatFields(x)}}}
	default:
		return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
	}
}

// FormatFields formats the members of a map.
func FormatFields(m value.Map) map[string]*pb.Value {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]*pb.Value, len(m))
	for name, v := range m {
		out[name] = FormatValue(v)
	}
	return out
}
