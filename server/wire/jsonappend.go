package wire

import (
	"encoding/base64"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/wire/firestorepb"
)

// jsonAppender appends the messages that answers are made of as JSON, by the same bytes as protojson and without reflection.
type jsonAppender struct {
	b []byte
	// unusual reports that the message holds something that is left to protojson, or that has no JSON.
	unusual bool
}

// appendKnownJSON appends a message as JSON, or answers false for one that is left to protojson.
func appendKnownJSON(b []byte, m proto.Message) ([]byte, bool) {
	a := &jsonAppender{b: b}
	switch m := m.(type) {
	case *pb.ListenResponse:
		a.listenResponse(m)
	case *pb.WriteResponse:
		a.writeResponse(m)
	case *pb.CommitResponse:
		a.commitResponse(m)
	case *pb.BatchGetDocumentsResponse:
		a.batchGetResponse(m)
	case *pb.RunQueryResponse:
		a.runQueryResponse(m)
	case *pb.Document:
		a.document(m)
	default:
		return b, false
	}
	return a.b, !a.unusual
}

// open begins an object; shut ends it.
func (a *jsonAppender) open() { a.b = append(a.b, '{') }

// shut ends an object.
func (a *jsonAppender) shut() { a.b = append(a.b, '}') }

// next parts an element or member from the one before it.
func (a *jsonAppender) next() {
	if last := a.b[len(a.b)-1]; last != '{' && last != '[' {
		a.b = append(a.b, ',')
	}
}

// member begins a member whose name needs no escapes.
func (a *jsonAppender) member(name string) {
	a.next()
	a.b = append(a.b, '"')
	a.b = append(a.b, name...)
	a.b = append(a.b, '"', ':')
}

// text appends a string.
func (a *jsonAppender) text(s string) {
	const hex = "0123456789abcdef"
	a.b = append(a.b, '"')
	// From plain on are the bytes that need no escape; they are appended in one piece.
	plain := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		a.b = append(append(a.b, s[plain:i]...), '\\')
		plain = i + 1
		switch c {
		case '"', '\\':
			a.b = append(a.b, c)
		case '\b':
			a.b = append(a.b, 'b')
		case '\f':
			a.b = append(a.b, 'f')
		case '\n':
			a.b = append(a.b, 'n')
		case '\r':
			a.b = append(a.b, 'r')
		case '\t':
			a.b = append(a.b, 't')
		default:
			a.b = append(a.b, 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	a.b = append(append(a.b, s[plain:]...), '"')
	// protojson refuses text that is not UTF-8, with an error that names the field.
	a.unusual = a.unusual || !utf8.ValidString(s)
}

// bytes appends bytes as base64.
func (a *jsonAppender) bytes(v []byte) {
	a.b = append(base64.StdEncoding.AppendEncode(append(a.b, '"'), v), '"')
}

// double appends a number.
func (a *jsonAppender) double(v float64) {
	switch {
	case math.IsNaN(v):
		a.b = append(a.b, `"NaN"`...)
		return
	case math.IsInf(v, 1):
		a.b = append(a.b, `"Infinity"`...)
		return
	case math.IsInf(v, -1):
		a.b = append(a.b, `"-Infinity"`...)
		return
	}
	// As JavaScript writes numbers: an exponent for the very small and very large, of one digit where that is enough.
	const small, large = 1e-6, 1e21
	format := byte('f')
	if v != 0 && (math.Abs(v) < small || math.Abs(v) >= large) {
		format = 'e'
	}
	a.b = strconv.AppendFloat(a.b, v, format, -1, 64)
	if n := len(a.b); format == 'e' && a.b[n-4] == 'e' && a.b[n-3] == '-' && a.b[n-2] == '0' {
		a.b[n-2] = a.b[n-1]
		a.b = a.b[:n-1]
	}
}

// timestamp appends a moment, with as many digits as it needs of 0, 3, 6 and 9.
func (a *jsonAppender) timestamp(t *timestamppb.Timestamp) {
	if t.CheckValid() != nil {
		a.unusual = true
		return
	}
	layout := `"2006-01-02T15:04:05.000000000Z"`
	switch nanos := t.GetNanos(); {
	case nanos == 0:
		layout = `"2006-01-02T15:04:05Z"`
	case nanos%int32(time.Millisecond) == 0:
		layout = `"2006-01-02T15:04:05.000Z"`
	case nanos%int32(time.Microsecond) == 0:
		layout = `"2006-01-02T15:04:05.000000Z"`
	}
	a.b = t.AsTime().AppendFormat(a.b, layout)
}

// moment appends a member that is a timestamp, if it is there.
func (a *jsonAppender) moment(name string, t *timestamppb.Timestamp) {
	if t != nil {
		a.member(name)
		a.timestamp(t)
	}
}

// token appends a member of bytes, if there are any.
func (a *jsonAppender) token(name string, v []byte) {
	if len(v) > 0 {
		a.member(name)
		a.bytes(v)
	}
}

// ids appends a member of target ids, if there are any.
func (a *jsonAppender) ids(name string, ids []int32) {
	if len(ids) == 0 {
		return
	}
	a.member(name)
	a.b = append(a.b, '[')
	for _, id := range ids {
		a.next()
		a.b = strconv.AppendInt(a.b, int64(id), 10)
	}
	a.b = append(a.b, ']')
}

// listenResponse appends an answer of a Listen stream.
func (a *jsonAppender) listenResponse(m *pb.ListenResponse) {
	a.open()
	switch r := m.GetResponseType().(type) {
	case *pb.ListenResponse_TargetChange:
		a.member("targetChange")
		a.targetChange(r.TargetChange)
	case *pb.ListenResponse_DocumentChange:
		a.member("documentChange")
		a.open()
		a.part("document", r.DocumentChange.GetDocument())
		a.ids("targetIds", r.DocumentChange.GetTargetIds())
		a.ids("removedTargetIds", r.DocumentChange.GetRemovedTargetIds())
		a.shut()
	default:
		a.unusual = true
	}
	a.shut()
}

// targetChange appends a change of targets without a cause.
func (a *jsonAppender) targetChange(m *pb.TargetChange) {
	_, named := pb.TargetChange_TargetChangeType_name[int32(m.GetTargetChangeType())]
	a.unusual = a.unusual || m.GetCause() != nil || !named
	a.open()
	if kind := m.GetTargetChangeType(); kind != pb.TargetChange_NO_CHANGE {
		a.member("targetChangeType")
		a.text(kind.String())
	}
	a.ids("targetIds", m.GetTargetIds())
	a.token("resumeToken", m.GetResumeToken())
	a.moment("readTime", m.GetReadTime())
	a.shut()
}

// writeResponse appends an answer of a Write stream.
func (a *jsonAppender) writeResponse(m *pb.WriteResponse) {
	a.open()
	if m.GetStreamId() != "" {
		a.member("streamId")
		a.text(m.GetStreamId())
	}
	a.token("streamToken", m.GetStreamToken())
	a.writeResults(m.GetWriteResults())
	a.moment("commitTime", m.GetCommitTime())
	a.shut()
}

// commitResponse appends the answer of a commit.
func (a *jsonAppender) commitResponse(m *pb.CommitResponse) {
	a.open()
	a.writeResults(m.GetWriteResults())
	a.moment("commitTime", m.GetCommitTime())
	a.shut()
}

// writeResults appends the member of results, if there are any.
func (a *jsonAppender) writeResults(results []*pb.WriteResult) {
	if len(results) == 0 {
		return
	}
	a.member("writeResults")
	a.b = append(a.b, '[')
	for _, r := range results {
		a.next()
		a.open()
		a.moment("updateTime", r.GetUpdateTime())
		a.values("transformResults", r.GetTransformResults())
		a.shut()
	}
	a.b = append(a.b, ']')
}

// batchGetResponse appends a document that was requested by name.
func (a *jsonAppender) batchGetResponse(m *pb.BatchGetDocumentsResponse) {
	a.open()
	switch r := m.GetResult().(type) {
	case *pb.BatchGetDocumentsResponse_Found:
		a.member("found")
		a.document(r.Found)
	case *pb.BatchGetDocumentsResponse_Missing:
		a.member("missing")
		a.text(r.Missing)
	}
	a.token("transaction", m.GetTransaction())
	a.moment("readTime", m.GetReadTime())
	a.shut()
}

// runQueryResponse appends a result of a query that is not explained.
func (a *jsonAppender) runQueryResponse(m *pb.RunQueryResponse) {
	a.unusual = m.GetExplainMetrics() != nil || m.GetContinuationSelector() != nil
	a.open()
	a.token("transaction", m.GetTransaction())
	a.part("document", m.GetDocument())
	a.moment("readTime", m.GetReadTime())
	if n := m.GetSkippedResults(); n != 0 {
		a.member("skippedResults")
		a.b = strconv.AppendInt(a.b, int64(n), 10)
	}
	a.shut()
}

// part appends a member that is a document, if it is there.
func (a *jsonAppender) part(name string, d *pb.Document) {
	if d != nil {
		a.member(name)
		a.document(d)
	}
}

// document appends a document.
func (a *jsonAppender) document(d *pb.Document) {
	a.open()
	if d.GetName() != "" {
		a.member("name")
		a.text(d.GetName())
	}
	a.fields(d.GetFields())
	a.moment("createTime", d.GetCreateTime())
	a.moment("updateTime", d.GetUpdateTime())
	a.shut()
}

// fields appends the member of a document's or map's fields, if there are any, by their names.
func (a *jsonAppender) fields(fields map[string]*pb.Value) {
	if len(fields) == 0 {
		return
	}
	a.member("fields")
	a.open()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		a.next()
		a.text(name)
		a.b = append(a.b, ':')
		a.value(fields[name])
	}
	a.shut()
}

// values appends a member of values, if there are any.
func (a *jsonAppender) values(name string, values []*pb.Value) {
	if len(values) == 0 {
		return
	}
	a.member(name)
	a.b = append(a.b, '[')
	for _, v := range values {
		a.next()
		a.value(v)
	}
	a.b = append(a.b, ']')
}

// value appends a value.
func (a *jsonAppender) value(v *pb.Value) {
	a.open()
	switch v := v.GetValueType().(type) {
	case *pb.Value_NullValue:
		a.member("nullValue")
		a.b = append(a.b, "null"...)
	case *pb.Value_BooleanValue:
		a.member("booleanValue")
		a.b = strconv.AppendBool(a.b, v.BooleanValue)
	case *pb.Value_IntegerValue:
		a.member("integerValue")
		a.b = append(strconv.AppendInt(append(a.b, '"'), v.IntegerValue, 10), '"')
	case *pb.Value_DoubleValue:
		a.member("doubleValue")
		a.double(v.DoubleValue)
	case *pb.Value_TimestampValue:
		a.member("timestampValue")
		a.timestamp(v.TimestampValue)
	case *pb.Value_StringValue:
		a.member("stringValue")
		a.text(v.StringValue)
	case *pb.Value_BytesValue:
		a.member("bytesValue")
		a.bytes(v.BytesValue)
	case *pb.Value_ReferenceValue:
		a.member("referenceValue")
		a.text(v.ReferenceValue)
	case *pb.Value_GeoPointValue:
		a.member("geoPointValue")
		a.open()
		a.degrees("latitude", v.GeoPointValue.GetLatitude())
		a.degrees("longitude", v.GeoPointValue.GetLongitude())
		a.shut()
	case *pb.Value_ArrayValue:
		a.member("arrayValue")
		a.open()
		a.values("values", v.ArrayValue.GetValues())
		a.shut()
	case *pb.Value_MapValue:
		a.member("mapValue")
		a.open()
		a.fields(v.MapValue.GetFields())
		a.shut()
	default:
		// A value without a kind, or of one that documents don't have: protojson decides.
		a.unusual = true
	}
	a.shut()
}

// degrees appends a part of a place, unless it is zero without a sign.
func (a *jsonAppender) degrees(name string, v float64) {
	if v != 0 || math.Signbit(v) {
		a.member(name)
		a.double(v)
	}
}
