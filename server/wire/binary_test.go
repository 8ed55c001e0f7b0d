package wire_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"google.golang.org/genproto/googleapis/type/latlng"

	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// everything is a document with a value of every kind.
func everything() *pb.Document {
	str := func(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }
	long := make([]byte, 300)
	for i := range long {
		long[i] = 'x'
	}
	return &pb.Document{
		Name: "projects/p/databases/(default)/documents/c/d",
		Fields: map[string]*pb.Value{
			"null":      {ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}},
			"false":     {ValueType: &pb.Value_BooleanValue{}},
			"true":      {ValueType: &pb.Value_BooleanValue{BooleanValue: true}},
			"zero":      {ValueType: &pb.Value_IntegerValue{}},
			"negative":  {ValueType: &pb.Value_IntegerValue{IntegerValue: -7}},
			"double":    {ValueType: &pb.Value_DoubleValue{DoubleValue: 1.5}},
			"empty":     str(""),
			"long":      str(string(long)),
			"bytes":     {ValueType: &pb.Value_BytesValue{BytesValue: []byte{0, 255}}},
			"time":      {ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Seconds: -1, Nanos: 5000}}},
			"epoch":     {ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{}}},
			"reference": {ValueType: &pb.Value_ReferenceValue{ReferenceValue: "projects/p/databases/(default)/documents/c/e"}},
			"place":     {ValueType: &pb.Value_GeoPointValue{GeoPointValue: &latlng.LatLng{Latitude: -1, Longitude: 2}}},
			"array":     {ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{str("a"), str(string(long))}}}},
			"nothing":   {ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{}}},
			"":          {ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{"m": str("n"), "long": str(string(long))}}}},
		},
	}
}

// requests lists requests of clients.
func requests() []proto.Message {
	mask := &pb.DocumentMask{FieldPaths: []string{"a", "b.c"}}
	update := &pb.Write_Update{Update: everything()}
	return []proto.Message{
		&pb.CommitRequest{},
		&pb.CommitRequest{Database: "projects/p/databases/(default)", Transaction: []byte{1}, Writes: []*pb.Write{
			{Operation: update, UpdateMask: mask},
			{Operation: update, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}}},
			{Operation: update, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: &timestamppb.Timestamp{Seconds: 1}}}},
			{Operation: &pb.Write_Delete{Delete: "d"}},
			{Operation: &pb.Write_Verify{Verify: "d"}},
			{Operation: update, UpdateMask: &pb.DocumentMask{}, UpdateTransforms: []*pb.DocumentTransform_FieldTransform{{FieldPath: "n"}}},
			{},
		}},
		&pb.BatchGetDocumentsRequest{Database: "projects/p/databases/(default)", Documents: []string{"a", "", "b"}, Mask: mask},
		&pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_Transaction{Transaction: []byte{}}},
		&pb.BatchGetDocumentsRequest{ConsistencySelector: &pb.BatchGetDocumentsRequest_ReadTime{ReadTime: &timestamppb.Timestamp{Seconds: 1}}},
	}
}

// compareUnmarshal compares Unmarshal with the general parser.
func compareUnmarshal(t *testing.T, b []byte, empty proto.Message) {
	t.Helper()
	got, want := proto.Clone(empty), proto.Clone(empty)
	gotErr, wantErr := wire.Unmarshal(b, got), proto.Unmarshal(b, want)
	if (gotErr == nil) != (wantErr == nil) || wantErr == nil && !proto.Equal(got, want) {
		t.Errorf("Unmarshal(%x) = %v, %v, want %v, %v", b, got, gotErr, want, wantErr)
	}
}

func TestUnmarshal(t *testing.T) {
	for _, m := range requests() {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		empty := m.ProtoReflect().New().Interface()
		compareUnmarshal(t, b, empty)
		// with an unknown field, and with the same field twice
		compareUnmarshal(t, protowire.AppendVarint(protowire.AppendTag(b, 99, protowire.VarintType), 1), empty)
		compareUnmarshal(t, append(b, b...), empty)
		for n := range b {
			compareUnmarshal(t, b[:n], empty)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, m := range requests() {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		compareUnmarshal(t, b, &pb.CommitRequest{})
		compareUnmarshal(t, b, &pb.BatchGetDocumentsRequest{})
	})
}

func BenchmarkUnmarshalCommit(b *testing.B) {
	in, err := proto.Marshal(&pb.CommitRequest{Database: "projects/p/databases/(default)", Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: everything()}}}})
	if err != nil {
		b.Fatal(err)
	}
	for name, parse := range map[string]func([]byte, proto.Message) error{"wire": wire.Unmarshal, "general": proto.Unmarshal} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := parse(in, &pb.CommitRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
