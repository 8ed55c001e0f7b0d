package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/wire/firestorepb"
)

// answers makes random messages.
type answers struct{ *rand.Rand }

// text returns a text, now and then one that needs escapes.
func (g answers) text() string {
	texts := []string{"", "a", "projects/p/databases/(default)/documents/c/d", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "ñ 😀 \u2028 \ufffd <&>", string(rune(g.IntN(0x300)))}
	return texts[g.IntN(len(texts))]
}

// number returns a number, of those that are written in different ways.
func (g answers) number() float64 {
	numbers := []float64{
		0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.99e-7, -1e-9, 1e-10, 1e-300, 1e20, 1e21, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1),
		math.SmallestNonzeroFloat64, g.NormFloat64(), math.Float64frombits(g.Uint64()),
	}
	return numbers[g.IntN(len(numbers))]
}

// moment returns a timestamp, or none.
func (g answers) moment() *timestamppb.Timestamp {
	nanos := []int32{0, 1, 1000, 123_456_000, 5_000_000, 500_000_000, 999_999_999}
	seconds := []int64{0, -1, 1_700_000_000, -62135596800, 253402300799}
	if g.IntN(4) == 0 {
		return nil
	}
	return &timestamppb.Timestamp{Seconds: seconds[g.IntN(len(seconds))], Nanos: nanos[g.IntN(len(nanos))]}
}

// bytes returns bytes, or none.
func (g answers) bytes() []byte {
	b := make([]byte, g.IntN(6))
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// ids returns ids of targets.
func (g answers) ids() []int32 {
	ids := make([]int32, g.IntN(3))
	for i := range ids {
		ids[i] = int32(g.Uint32())
	}
	return ids
}

// values returns values.
func (g answers) values(depth int) []*pb.Value {
	values := make([]*pb.Value, g.IntN(4))
	for i := range values {
		values[i] = g.value(depth)
	}
	return values
}

// fields returns fields.
func (g answers) fields(depth int) map[string]*pb.Value {
	fields := make(map[string]*pb.Value)
	for range g.IntN(4) {
		fields[g.text()] = g.value(depth)
	}
	return fields
}

// value returns a value, of any kind that documents have.
func (g answers) value(depth int) *pb.Value {
	switch n := g.IntN(8 + 2*min(depth, 1)); n {
	case 0:
		return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
	case 1:
		return &pb.Value{ValueType: &pb.Value_BooleanValue{BooleanValue: g.IntN(2) == 0}}
	case 2:
		return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(g.Uint64()) >> g.IntN(64)}}
	case 3:
		return &pb.Value{ValueType: &pb.Value_DoubleValue{DoubleValue: g.number()}}
	case 4:
		if at := g.moment(); at != nil {
			return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: at}}
		}
		return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: g.text()}}
	case 5:
		return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: g.bytes()}}
	case 6:
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: g.text()}}
	case 7:
		return &pb.Value{ValueType: &pb.Value_GeoPointValue{GeoPointValue: &latlng.LatLng{Latitude: g.number(), Longitude: g.number()}}}
	case 8:
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: g.values(depth - 1)}}}
	}
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: g.fields(depth - 1)}}}
}

// document returns a document.
func (g answers) document() *pb.Document {
	return &pb.Document{Name: g.text(), Fields: g.fields(3), CreateTime: g.moment(), UpdateTime: g.moment()}
}

// results returns results of writes.
func (g answers) results() []*pb.WriteResult {
	results := make([]*pb.WriteResult, g.IntN(3))
	for i := range results {
		results[i] = &pb.WriteResult{UpdateTime: g.moment(), TransformResults: g.values(2)}
	}
	return results
}

// message returns an answer of one of the kinds.
func (g answers) message() proto.Message {
	switch g.IntN(9) {
	case 0:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: &pb.TargetChange{
			TargetChangeType: pb.TargetChange_TargetChangeType(g.IntN(5)), TargetIds: g.ids(), ResumeToken: g.bytes(), ReadTime: g.moment(),
		}}}
	case 1:
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_DocumentChange{DocumentChange: &pb.DocumentChange{
			Document: g.document(), TargetIds: g.ids(), RemovedTargetIds: g.ids(),
		}}}
	case 2:
		return &pb.WriteResponse{StreamId: g.text(), StreamToken: g.bytes(), WriteResults: g.results(), CommitTime: g.moment()}
	case 3:
		return &pb.CommitResponse{WriteResults: g.results(), CommitTime: g.moment()}
	case 4:
		return &pb.BatchGetDocumentsResponse{Result: &pb.BatchGetDocumentsResponse_Found{Found: g.document()}, Transaction: g.bytes(), ReadTime: g.moment()}
	case 5:
		return &pb.BatchGetDocumentsResponse{Result: &pb.BatchGetDocumentsResponse_Missing{Missing: g.text()}, ReadTime: g.moment()}
	case 6:
		return &pb.BatchGetDocumentsResponse{Transaction: g.bytes()}
	case 7:
		return &pb.RunQueryResponse{Transaction: g.bytes(), Document: g.document(), ReadTime: g.moment(), SkippedResults: int32(g.IntN(3))}
	}
	return g.document()
}

// reflected returns a message's JSON as protojson writes it, without the spaces.
func reflected(m proto.Message) (string, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = json.Compact(&out, text)
	return out.String(), err
}

// TestKnownJSONIsThatOfProtojson compares random answers.
func TestKnownJSONIsThatOfProtojson(t *testing.T) {
	g := answers{rand.New(rand.NewPCG(1, 2))}
	for range 20_000 {
		m := g.message()
		want, err := reflected(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := appendKnownJSON([]byte("before"), m); !ok || string(got) != "before"+want {
			t.Fatalf("appendKnownJSON(%T) = %s, %v, want %s", m, got, ok, want)
		}
	}
}

// TestUnusualJSONIsLeftToProtojson wants what the appender does not know to be written all the same, or refused.
func TestUnusualJSONIsLeftToProtojson(t *testing.T) {
	value := func(v *pb.Value) *pb.Document {
		return &pb.Document{Fields: map[string]*pb.Value{"before": {ValueType: &pb.Value_BooleanValue{}}, "v": v}}
	}
	for i, m := range []proto.Message{
		&pb.ListenResponse{},
		&pb.ListenResponse{ResponseType: &pb.ListenResponse_Filter{Filter: &pb.ExistenceFilter{TargetId: 2, Count: 3}}},
		&pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: &pb.TargetChange{Cause: &status.Status{Code: 7, Message: "no"}}}},
		&pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: &pb.TargetChange{TargetChangeType: 77}}},
		&pb.RunQueryResponse{ContinuationSelector: &pb.RunQueryResponse_Done{Done: true}},
		&pb.RunQueryResponse{ExplainMetrics: &pb.ExplainMetrics{}},
		value(&pb.Value{}),
		value(&pb.Value{ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: "f"}}),
		value(&pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: &timestamppb.Timestamp{Nanos: -1}}}),
		value(&pb.Value{ValueType: &pb.Value_StringValue{StringValue: "\xff"}}),
	} {
		if text, ok := appendKnownJSON(nil, m); ok {
			t.Errorf("%d: appendKnownJSON = %s, want it left to protojson", i, text)
		}
		want, wantErr := reflected(m)
		got, err := AppendJSON([]byte("["), m)
		if (err != nil) != (wantErr != nil) || err == nil && string(got) != "["+want {
			t.Errorf("%d: AppendJSON = %s, %v, want %s, %v", i, got, err, want, wantErr)
		}
	}
}

// BenchmarkAppendJSON writes a document as it is answered.
func BenchmarkAppendJSON(b *testing.B) {
	fields := make(map[string]*pb.Value)
	for i := range 8 {
		fields[fmt.Sprintf("field%d", i)] = &pb.Value{ValueType: &pb.Value_StringValue{StringValue: "Concert number 1234"}}
	}
	d := &pb.Document{Name: "projects/p/databases/(default)/documents/c/d", Fields: fields, CreateTime: &timestamppb.Timestamp{Seconds: 1}, UpdateTime: &timestamppb.Timestamp{Seconds: 1}}
	b.Run("known", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf, _ = AppendJSON(buf[:0], d)
		}
	})
	b.Run("reflected", func(b *testing.B) {
		for b.Loop() {
			if _, err := reflected(d); err != nil {
				b.Fatal(err)
			}
		}
	})
}
