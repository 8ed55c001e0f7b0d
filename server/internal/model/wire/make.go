package wire

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"
)

// The functions below create the most frequent messages of values. Each allocates a message together with its content,
// once instead of two or three times.

// newBool makes the message of a boolean.
func newBool(b bool) *pb.Value {
	m := &struct {
		v pb.Value
		x pb.Value_BooleanValue
	}{x: pb.Value_BooleanValue{BooleanValue: b}}
	m.v.ValueType = &m.x
	return &m.v
}

// newInteger makes the message of an integer.
func newInteger(n int64) *pb.Value {
	m := &struct {
		v pb.Value
		x pb.Value_IntegerValue
	}{x: pb.Value_IntegerValue{IntegerValue: n}}
	m.v.ValueType = &m.x
	return &m.v
}

// newDouble makes the message of a double.
func newDouble(d float64) *pb.Value {
	m := &struct {
		v pb.Value
		x pb.Value_DoubleValue
	}{x: pb.Value_DoubleValue{DoubleValue: d}}
	m.v.ValueType = &m.x
	return &m.v
}

// newString makes the message of a text.
func newString(s string) *pb.Value {
	m := &struct {
		v pb.Value
		x pb.Value_StringValue
	}{x: pb.Value_StringValue{StringValue: s}}
	m.v.ValueType = &m.x
	return &m.v
}

// newTimestamp makes the message of a time.
func newTimestamp(seconds int64, nanos int32) *pb.Value {
	m := &struct {
		v pb.Value
		x pb.Value_TimestampValue
		t timestamppb.Timestamp
	}{}
	m.t.Seconds, m.t.Nanos = seconds, nanos
	m.x.TimestampValue = &m.t
	m.v.ValueType = &m.x
	return &m.v
}
