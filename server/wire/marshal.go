package wire

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/wire/firestorepb"
)

// The numbers of the fields of messages that are not Firestore's: entries of maps, google.protobuf.Timestamp and google.type.LatLng.
const (
	fieldEntryKey, fieldEntryValue protowire.Number = 1, 2
	fieldSeconds, fieldNanos       protowire.Number = 1, 2
	fieldLatitude, fieldLongitude  protowire.Number = 1, 2
)

// Append appends the wire form of an answer that holds documents, or of a commit's. It writes what proto.Marshal writes, but for
// the order of fields, and without reflection. It reports false, and appends nothing, for other messages and
// for those with something unusual; they are for proto.Marshal. The message is one of ours: fields of it that the
// protos don't have are not looked for.
func Append(dst []byte, m proto.Message) ([]byte, bool) {
	a := appender{b: dst}
	switch r := m.(type) {
	case *pb.Document:
		a.document(r)
	case *pb.BatchGetDocumentsResponse:
		a.found(r)
	case *pb.RunQueryResponse:
		a.unusual = r.GetExplainMetrics() != nil || r.GetContinuationSelector() != nil
		a.result(r)
	case *pb.CommitResponse:
		a.committed(r)
	default:
		return dst, false
	}
	if a.unusual {
		return dst, false
	}
	return a.b, true
}

// appender writes the wire form of answers.
type appender struct {
	b []byte
	// unusual reports that the message holds something that documents don't, or can't be written at all.
	unusual bool
}

// tag begins a field.
func (a *appender) tag(number protowire.Number, kind protowire.Type) {
	a.b = protowire.AppendVarint(a.b, protowire.EncodeTag(number, kind))
}

// string writes a field with a text; an empty one is left out unless it is a member of a oneof or a key.
func (a *appender) string(number protowire.Number, s string, always bool) {
	if s == "" && !always {
		return
	}
	if !utf8.ValidString(s) {
		a.unusual = true
	}
	a.tag(number, protowire.BytesType)
	a.b = protowire.AppendString(a.b, s)
}

// bytes writes a field with bytes; no bytes are left out.
func (a *appender) bytes(number protowire.Number, b []byte) {
	if len(b) == 0 {
		return
	}
	a.tag(number, protowire.BytesType)
	a.b = protowire.AppendBytes(a.b, b)
}

// varint writes a field with a number; 0 is left out.
func (a *appender) varint(number protowire.Number, n uint64) {
	if n == 0 {
		return
	}
	a.tag(number, protowire.VarintType)
	a.b = protowire.AppendVarint(a.b, n)
}

// begin begins a field with a message, and returns what end needs. One byte is kept for the length; end makes room
// where it takes more.
func (a *appender) begin(number protowire.Number) int {
	a.tag(number, protowire.BytesType)
	a.b = append(a.b, 0)
	return len(a.b)
}

// end ends the message that began at a place.
func (a *appender) end(at int) {
	n := len(a.b) - at
	if n < 1<<7 {
		a.b[at-1] = byte(n)
		return
	}
	size := protowire.SizeVarint(uint64(n))
	a.b = append(a.b, make([]byte, size-1)...)
	copy(a.b[at+size-1:], a.b[at:at+n])
	protowire.AppendVarint(a.b[:at-1], uint64(n))
}

// time writes a field with a time, if there is one.
func (a *appender) time(number protowire.Number, t *timestamppb.Timestamp) {
	if t == nil {
		return
	}
	at := a.begin(number)
	a.varint(fieldSeconds, uint64(t.Seconds))
	a.varint(fieldNanos, uint64(int64(t.Nanos)))
	a.end(at)
}

// found writes an answer to a request for documents.
func (a *appender) found(r *pb.BatchGetDocumentsResponse) {
	switch x := r.Result.(type) {
	case *pb.BatchGetDocumentsResponse_Found:
		at := a.begin(pb.FieldBatchGetDocumentsResponseFound)
		a.document(x.Found)
		a.end(at)
	case *pb.BatchGetDocumentsResponse_Missing:
		a.string(pb.FieldBatchGetDocumentsResponseMissing, x.Missing, true)
	}
	a.bytes(pb.FieldBatchGetDocumentsResponseTransaction, r.Transaction)
	a.time(pb.FieldBatchGetDocumentsResponseReadTime, r.ReadTime)
}

// result writes an answer to a query.
func (a *appender) result(r *pb.RunQueryResponse) {
	if r.Document != nil {
		at := a.begin(pb.FieldRunQueryResponseDocument)
		a.document(r.Document)
		a.end(at)
	}
	a.bytes(pb.FieldRunQueryResponseTransaction, r.Transaction)
	a.time(pb.FieldRunQueryResponseReadTime, r.ReadTime)
	a.varint(pb.FieldRunQueryResponseSkippedResults, uint64(int64(r.SkippedResults)))
}

// committed writes the answer to a commit.
func (a *appender) committed(r *pb.CommitResponse) {
	for _, w := range r.WriteResults {
		at := a.begin(pb.FieldCommitResponseWriteResults)
		a.time(pb.FieldWriteResultUpdateTime, w.GetUpdateTime())
		for _, v := range w.GetTransformResults() {
			a.value(pb.FieldWriteResultTransformResults, v)
		}
		a.end(at)
	}
	a.time(pb.FieldCommitResponseCommitTime, r.CommitTime)
}

// document writes a document's fields.
func (a *appender) document(d *pb.Document) {
	a.string(pb.FieldDocumentName, d.GetName(), false)
	a.members(pb.FieldDocumentFields, d.GetFields())
	a.time(pb.FieldDocumentCreateTime, d.GetCreateTime())
	a.time(pb.FieldDocumentUpdateTime, d.GetUpdateTime())
}

// members writes a map of values.
func (a *appender) members(number protowire.Number, m map[string]*pb.Value) {
	for key, v := range m {
		at := a.begin(number)
		a.string(fieldEntryKey, key, true)
		a.value(fieldEntryValue, v)
		a.end(at)
	}
}

// value writes a field with a value.
func (a *appender) value(number protowire.Number, v *pb.Value) { // long: one case a kind
	at := a.begin(number)
	switch x := v.GetValueType().(type) {
	case *pb.Value_NullValue:
		a.tag(pb.FieldValueNullValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, uint64(int64(x.NullValue)))
	case *pb.Value_BooleanValue:
		a.tag(pb.FieldValueBooleanValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, protowire.EncodeBool(x.BooleanValue))
	case *pb.Value_IntegerValue:
		a.tag(pb.FieldValueIntegerValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, uint64(x.IntegerValue))
	case *pb.Value_DoubleValue:
		a.tag(pb.FieldValueDoubleValue, protowire.Fixed64Type)
		a.b = protowire.AppendFixed64(a.b, math.Float64bits(x.DoubleValue))
	case *pb.Value_TimestampValue:
		a.time(pb.FieldValueTimestampValue, x.TimestampValue)
	case *pb.Value_StringValue:
		a.string(pb.FieldValueStringValue, x.StringValue, true)
	case *pb.Value_BytesValue:
		a.tag(pb.FieldValueBytesValue, protowire.BytesType)
		a.b = protowire.AppendBytes(a.b, x.BytesValue)
	case *pb.Value_ReferenceValue:
		a.string(pb.FieldValueReferenceValue, x.ReferenceValue, true)
	case *pb.Value_GeoPointValue:
		inner := a.begin(pb.FieldValueGeoPointValue)
		a.double(fieldLatitude, x.GeoPointValue.GetLatitude())
		a.double(fieldLongitude, x.GeoPointValue.GetLongitude())
		a.end(inner)
	case *pb.Value_ArrayValue:
		inner := a.begin(pb.FieldValueArrayValue)
		for _, item := range x.ArrayValue.GetValues() {
			a.value(pb.FieldArrayValueValues, item)
		}
		a.end(inner)
	case *pb.Value_MapValue:
		inner := a.begin(pb.FieldValueMapValue)
		a.members(pb.FieldMapValueFields, x.MapValue.GetFields())
		a.end(inner)
	default:
		a.unusual = true
	}
	a.end(at)
}

// double writes a field with a double; 0 is left out, -0 is not.
func (a *appender) double(number protowire.Number, d float64) {
	if bits := math.Float64bits(d); bits != 0 {
		a.tag(number, protowire.Fixed64Type)
		a.b = protowire.AppendFixed64(a.b, bits)
	}
}
