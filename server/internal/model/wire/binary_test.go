package wire_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"google.golang.org/genproto/googleapis/type/latlng"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
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

// compareParsed compares the writes of a CommitRequest, whose documents are parsed with the message, with those of the
// general parser.
func compareParsed(t *testing.T, b []byte) {
	t.Helper()
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	var got wire.CommitRequest
	var want pb.CommitRequest
	gotErr, wantErr := wire.Unmarshal(b, &got), proto.Unmarshal(b, &want)
	if (gotErr == nil) != (wantErr == nil) {
		t.Errorf("Unmarshal(%x) = %v, want %v", b, gotErr, wantErr)
	}
	if gotErr != nil || wantErr != nil {
		return
	}
	if got.GetDatabase() != want.GetDatabase() || !bytes.Equal(got.GetTransaction(), want.GetTransaction()) {
		t.Errorf("Unmarshal(%x): database %q, transaction %x", b, got.GetDatabase(), got.GetTransaction())
	}
	gotWrites, gotErr := got.ParseWrites(db)
	wantWrites, wantErr := wire.ParseWrites(db, want.GetWrites())
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || len(gotWrites) != len(wantWrites) {
		t.Errorf("ParseWrites after Unmarshal(%x) = %d writes, %v, want %d, %v", b, len(gotWrites), gotErr, len(wantWrites), wantErr)
		return
	}
	for i, w := range gotWrites {
		if (w.Fields == nil) != (wantWrites[i].Fields == nil) || !value.Identical(w.Fields, wantWrites[i].Fields) {
			t.Errorf("write %d after Unmarshal(%x) has the fields %v, want %v", i, b, w.Fields, wantWrites[i].Fields)
		}
		w.Fields, wantWrites[i].Fields, w.Transforms, wantWrites[i].Transforms = nil, nil, nil, nil
		if !reflect.DeepEqual(w, wantWrites[i]) {
			t.Errorf("write %d after Unmarshal(%x) = %v, want %v", i, b, w, wantWrites[i])
		}
	}
}

// TestUnmarshalParsesDocuments parses requests to commit with all values, with values that are not valid, and with
// parts of other forms.
func TestUnmarshalParsesDocuments(t *testing.T) {
	valid := &pb.CommitRequest{Database: "projects/p/databases/(default)", Transaction: []byte{1}}
	valid.Writes = append(valid.Writes, requests()[1].(*pb.CommitRequest).GetWrites()[:3]...)
	valid.Writes = append(valid.Writes, &pb.Write{Operation: &pb.Write_Delete{Delete: everything().GetName()}},
		&pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: everything().GetName()}}})
	deep := &pb.Value{}
	for range 99 {
		deep = &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{deep}}}}
	}
	messages := []*pb.CommitRequest{valid}
	for _, v := range []*pb.Value{
		{}, deep,
		{ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Seconds: math.MaxInt64}}},
		{ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Nanos: -1}}},
		{ValueType: &pb.Value_ReferenceValue{ReferenceValue: "nowhere"}},
		{ValueType: &pb.Value_GeoPointValue{GeoPointValue: &latlng.LatLng{Latitude: 91}}},
		{ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: "f"}},
		{ValueType: &pb.Value_DoubleValue{DoubleValue: math.NaN()}},
	} {
		d := &pb.Document{Name: everything().GetName(), Fields: map[string]*pb.Value{"f": v}}
		messages = append(messages, &pb.CommitRequest{Writes: []*pb.Write{
			{Operation: &pb.Write_Update{Update: everything()}}, {Operation: &pb.Write_Update{Update: d}},
		}})
	}
	for _, m := range messages {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		compareParsed(t, b)
		compareParsed(t, protowire.AppendVarint(protowire.AppendTag(b, 99, protowire.VarintType), 1))
		compareParsed(t, append(b, b...))
		for n := range b {
			compareParsed(t, b[:n])
		}
	}
	b, err := proto.Marshal(valid)
	if err != nil {
		t.Fatal(err)
	}
	var r wire.CommitRequest
	if err := wire.Unmarshal(b, &r); err != nil || len(r.GetWrites()) != 5 || r.GetWrites()[0].GetUpdate().GetFields() != nil {
		t.Errorf("Unmarshal = %v; the message has %d writes, the first with fields", err, len(r.GetWrites()))
	}
}

func TestUnmarshal(t *testing.T) {
	for _, m := range requests() {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		compare := func(t *testing.T, b []byte) { compareUnmarshal(t, b, m.ProtoReflect().New().Interface()) }
		if _, commit := m.(*pb.CommitRequest); commit {
			compare = compareParsed
		}
		compare(t, b)
		// with an unknown field, and with the same field twice
		compare(t, protowire.AppendVarint(protowire.AppendTag(b, 99, protowire.VarintType), 1))
		compare(t, append(b, b...))
		for n := range b {
			compare(t, b[:n])
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
		compareParsed(t, b)
		compareUnmarshal(t, b, &pb.BatchGetDocumentsRequest{})
	})
}

func BenchmarkUnmarshalCommit(b *testing.B) {
	in, err := proto.Marshal(&pb.CommitRequest{Database: "projects/p/databases/(default)", Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: everything()}}}})
	if err != nil {
		b.Fatal(err)
	}
	for name, parse := range map[string]func() error{
		"wire":    func() error { return wire.Unmarshal(in, &wire.CommitRequest{}) },
		"general": func() error { return proto.Unmarshal(in, &pb.CommitRequest{}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := parse(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
