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

	"clave/server/internal/base/fault"
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
			"map":       {ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{"m": str("n"), "long": str(string(long))}}}},
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
			{Operation: &pb.Write_Verify{Verify: everything().GetName()}, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: true}}},
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

// testDatabase is the database of the tests of writes.
var testDatabase = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// forms are the requests with writes.
var forms = []func() *wire.WritesRequest{wire.NewCommitRequest, wire.NewBatchWriteRequest, wire.NewWriteRequest}

// compareWrites compares a request that was parsed to values with one that the generated codec has decoded.
func compareWrites(t *testing.T, in any, got, want *wire.WritesRequest, gotErr, wantErr error) {
	t.Helper()
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) && (gotErr == nil || wantErr == nil || fault.CodeOf(gotErr) != fault.CodeOf(wantErr)) {
		t.Fatalf("%q is decoded with %v, want %v", in, gotErr, wantErr)
	}
	if gotErr != nil {
		return
	}
	if got.Database != want.Database || got.StreamID != want.StreamID || !bytes.Equal(got.Token, want.Token) || got.Empty() != want.Empty() {
		t.Errorf("%q: database %q, stream %q, token %x, empty %v; want %q, %q, %x, %v", in, got.Database, got.StreamID, got.Token, got.Empty(),
			want.Database, want.StreamID, want.Token, want.Empty())
	}
	gotWrites, gotErr := got.Writes(testDatabase)
	wantWrites, wantErr := want.Writes(testDatabase)
	if (gotErr == nil) != (wantErr == nil) || fault.CodeOf(gotErr) != fault.CodeOf(wantErr) || len(gotWrites) != len(wantWrites) {
		t.Fatalf("%q has %d writes, %v, want %d, %v", in, len(gotWrites), gotErr, len(wantWrites), wantErr)
	}
	for i, g := range gotWrites {
		w := wantWrites[i]
		if !sameFields(g.Fields, g.Layout, w.Fields, w.Layout) || len(g.Transforms) != len(w.Transforms) {
			t.Fatalf("write %d of %q has the fields %v and %d transforms, want %v and %d", i, in, g.Fields, len(g.Transforms), w.Fields, len(w.Transforms))
		}
		for k, gt := range g.Transforms {
			wt := w.Transforms[k]
			a, b := value.Map{"v": gt.Operand}, value.Map{"v": wt.Operand}
			same := gt.Operand == nil && wt.Operand == nil || gt.Operand != nil && wt.Operand != nil &&
				sameFields(a, value.LayoutOf(value.Members(nil, map[string]*value.Branch{"v": gt.Layout})), b, value.LayoutOf(value.Members(nil, map[string]*value.Branch{"v": wt.Layout})))
			if !same || gt.Kind != wt.Kind || gt.Path.Compare(wt.Path) != 0 {
				t.Fatalf("transform %d of write %d of %q is %v, want %v", k, i, in, gt, wt)
			}
		}
		g.Fields, w.Fields, g.Layout, w.Layout, g.Transforms, w.Transforms = nil, nil, value.Layout{}, value.Layout{}, nil, nil
		if !reflect.DeepEqual(g, w) {
			t.Fatalf("write %d of %q is %+v, want %+v", i, in, g, w)
		}
	}
}

// sameFields reports whether fields and their layouts are the same.
func sameFields(a value.Map, la value.Layout, b value.Map, lb value.Layout) bool {
	if (a == nil) != (b == nil) || !value.Identical(a, b) {
		return false
	}
	return bytes.Equal(la.AppendStored(nil, a, value.SortedKeys(a)), lb.AppendStored(nil, b, value.SortedKeys(b)))
}

// compareParsed decodes bytes as each request with writes, both ways.
func compareParsed(t *testing.T, b []byte) {
	t.Helper()
	for _, form := range forms {
		compareForm(t, b, form)
	}
}

// compareForm decodes bytes as a request with writes, both ways.
func compareForm(t *testing.T, b []byte, form func() *wire.WritesRequest) {
	t.Helper()
	got, want := form(), form()
	gotErr, wantErr := got.Decode(b), want.DecodeMessage(b)
	compareWrites(t, b, got, want, gotErr, wantErr)
}

// TestUnmarshalParsesDocuments parses requests to commit with all values, with values that are not valid, and with
// parts of other forms.
func TestUnmarshalParsesDocuments(t *testing.T) {
	valid := &pb.CommitRequest{Database: "projects/p/databases/(default)", Transaction: []byte{1}}
	valid.Writes = append(valid.Writes, requests()[1].(*pb.CommitRequest).GetWrites()[:3]...)
	vs := func(v *pb.Value) *pb.ArrayValue { return &pb.ArrayValue{Values: []*pb.Value{v, v}} }
	number := &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: 7}}
	transforms := []*pb.DocumentTransform_FieldTransform{
		{FieldPath: "t", TransformType: &pb.DocumentTransform_FieldTransform_SetToServerValue{SetToServerValue: pb.DocumentTransform_FieldTransform_REQUEST_TIME}},
		{FieldPath: "`in c`", TransformType: &pb.DocumentTransform_FieldTransform_Increment{Increment: number}},
		{FieldPath: "min", TransformType: &pb.DocumentTransform_FieldTransform_Minimum{Minimum: number}},
		{FieldPath: "max", TransformType: &pb.DocumentTransform_FieldTransform_Maximum{Maximum: number}},
		{FieldPath: "app", TransformType: &pb.DocumentTransform_FieldTransform_AppendMissingElements{AppendMissingElements: vs(number)}},
		{FieldPath: "rem", TransformType: &pb.DocumentTransform_FieldTransform_RemoveAllFromArray{RemoveAllFromArray: vs(number)}},
	}
	valid.Writes = append(valid.Writes, &pb.Write{Operation: &pb.Write_Delete{Delete: everything().GetName()}},
		&pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: everything().GetName()}}, UpdateTransforms: transforms},
		&pb.Write{Operation: &pb.Write_Verify{Verify: everything().GetName()}, CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: true}}},
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
			compareForm(t, b[:n], wire.NewCommitRequest)
		}
	}
	b, err := proto.Marshal(valid)
	if err != nil {
		t.Fatal(err)
	}
	r := wire.NewCommitRequest()
	if err := r.Decode(b); err != nil || !r.Parsed() {
		t.Errorf("Decode = %v; a usual commit is parsed to values: %v", err, r.Parsed())
	}
}

func TestUnmarshal(t *testing.T) {
	for _, m := range requests() {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		compare := func(t *testing.T, b []byte) { compareUnmarshal(t, b, m.ProtoReflect().New().Interface()) }
		_, commit := m.(*pb.CommitRequest)
		if commit {
			compare = compareParsed
		}
		compare(t, b)
		// with an unknown field, and with the same field twice
		compare(t, protowire.AppendVarint(protowire.AppendTag(b, 99, protowire.VarintType), 1))
		compare(t, append(b, b...))
		for n := range b {
			if commit {
				compareForm(t, b[:n], wire.NewCommitRequest)
			} else {
				compare(t, b[:n])
			}
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
		"wire": func() error {
			r := wire.NewCommitRequest()
			if err := r.Decode(in); err != nil {
				return err
			}
			_, err := r.Writes(testDatabase)
			return err
		},
		"general": func() error {
			r := wire.NewCommitRequest()
			if err := r.DecodeMessage(in); err != nil {
				return err
			}
			_, err := r.Writes(testDatabase)
			return err
		},
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
