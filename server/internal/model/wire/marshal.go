package wire

import (
	"errors"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// The numbers of the fields of messages that are not Firestore's: entries of maps, google.protobuf.Timestamp and
// google.type.LatLng.
const (
	fieldEntryKey, fieldEntryValue protowire.Number = 1, 2
	fieldSeconds, fieldNanos       protowire.Number = 1, 2
	fieldLatitude, fieldLongitude  protowire.Number = 1, 2
)

// AppendDocument appends the wire form of a document. It returns an error for text that is
// not UTF-8, which messages cannot contain.
func AppendDocument(dst []byte, d *document.Document) ([]byte, error) {
	a := appender{b: dst}
	a.document(d)
	return a.end(dst)
}

// errNoForm is the error for values that messages or their JSON cannot contain.
var errNoForm = errors.New("wire: a text is not UTF-8, or a time is not in the years 1 to 9999")

// appender writes the wire form of responses. It equals the output of proto.Marshal except for the order of fields.
type appender struct {
	b []byte
	// invalid reports that a text is not UTF-8.
	invalid bool
}

// end returns the buffer, or dst and the error.
func (a *appender) end(dst []byte) ([]byte, error) {
	if a.invalid {
		return dst, errNoForm
	}
	return a.b, nil
}

// tag begins a field.
func (a *appender) tag(number protowire.Number, kind protowire.Type) {
	a.b = protowire.AppendVarint(a.b, protowire.EncodeTag(number, kind))
}

// string writes a string field. It omits an empty string unless always is set, as for members of a oneof and keys.
func (a *appender) string(number protowire.Number, s string, always bool) {
	if s == "" && !always {
		return
	}
	if !utf8.ValidString(s) {
		a.invalid = true
	}
	a.tag(number, protowire.BytesType)
	a.b = protowire.AppendString(a.b, s)
}

// bytes writes a bytes field. It omits empty bytes.
func (a *appender) bytes(number protowire.Number, b []byte) {
	if len(b) == 0 {
		return
	}
	a.tag(number, protowire.BytesType)
	a.b = protowire.AppendBytes(a.b, b)
}

// varint writes a number field. It omits 0.
func (a *appender) varint(number protowire.Number, n uint64) {
	if n == 0 {
		return
	}
	a.tag(number, protowire.VarintType)
	a.b = protowire.AppendVarint(a.b, n)
}

// open begins a message field and returns the argument for shut. It reserves one byte for the length; shut moves the
// content if the length needs more.
func (a *appender) open(number protowire.Number) int {
	a.tag(number, protowire.BytesType)
	a.b = append(a.b, 0)
	return len(a.b)
}

// shut ends the message that began at an offset.
func (a *appender) shut(at int) {
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

// moment writes a timestamp field.
func (a *appender) moment(number protowire.Number, seconds int64, nanos int32) {
	at := a.open(number)
	a.varint(fieldSeconds, uint64(seconds))
	a.varint(fieldNanos, uint64(int64(nanos)))
	a.shut(at)
}

// version writes a field with the time of a version. It omits 0.
func (a *appender) version(number protowire.Number, v clock.Version) {
	if v != 0 {
		t := v.Time()
		a.moment(number, t.Unix(), int32(t.Nanosecond()))
	}
}

// message writes a field with a message's wire form.
func (a *appender) message(number protowire.Number, b []byte) {
	a.tag(number, protowire.BytesType)
	a.b = protowire.AppendBytes(a.b, b)
}

// inner writes a field with a document.
func (a *appender) inner(number protowire.Number, d *document.Document) {
	at := a.open(number)
	a.document(d)
	a.shut(at)
}

// document writes a document's fields.
func (a *appender) document(d *document.Document) { a.named(d.Name.String(), d) }

// named writes the fields of a document under a name.
func (a *appender) named(name string, d *document.Document) {
	a.string(pb.FieldDocumentName, name, false)
	a.members(pb.FieldDocumentFields, d.Fields)
	a.version(pb.FieldDocumentCreateTime, d.CreateTime)
	a.version(pb.FieldDocumentUpdateTime, d.UpdateTime)
}

// results writes the results of a commit's writes as fields of the given number.
func (a *appender) results(number protowire.Number, results []document.Result) {
	for _, r := range results {
		at := a.open(number)
		a.version(pb.FieldWriteResultUpdateTime, r.UpdateTime)
		for _, v := range r.Transforms {
			a.value(pb.FieldWriteResultTransformResults, v)
		}
		a.shut(at)
	}
}

// members writes a map of values.
func (a *appender) members(number protowire.Number, m value.Map) {
	for key, v := range m {
		at := a.open(number)
		a.string(fieldEntryKey, key, true)
		a.value(fieldEntryValue, v)
		a.shut(at)
	}
}

// value writes a field with a value.
func (a *appender) value(number protowire.Number, v value.Value) { // long: one case a kind
	at := a.open(number)
	switch x := v.(type) {
	case value.Bool:
		a.tag(pb.FieldValueBooleanValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, protowire.EncodeBool(bool(x)))
	case value.Int:
		a.tag(pb.FieldValueIntegerValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, uint64(x))
	case value.Double:
		a.tag(pb.FieldValueDoubleValue, protowire.Fixed64Type)
		a.b = protowire.AppendFixed64(a.b, math.Float64bits(float64(x)))
	case value.Timestamp:
		a.moment(pb.FieldValueTimestampValue, x.Seconds, x.Nanos)
	case value.String:
		a.string(pb.FieldValueStringValue, string(x), true)
	case value.Bytes:
		a.tag(pb.FieldValueBytesValue, protowire.BytesType)
		a.b = protowire.AppendString(a.b, string(x))
	case value.Reference:
		a.string(pb.FieldValueReferenceValue, string(x), true)
	case value.GeoPoint:
		inner := a.open(pb.FieldValueGeoPointValue)
		a.double(fieldLatitude, x.Lat)
		a.double(fieldLongitude, x.Lng)
		a.shut(inner)
	case value.Array:
		inner := a.open(pb.FieldValueArrayValue)
		for _, item := range x {
			a.value(pb.FieldArrayValueValues, item)
		}
		a.shut(inner)
	case value.Map:
		inner := a.open(pb.FieldValueMapValue)
		a.members(pb.FieldMapValueFields, x)
		a.shut(inner)
	default: // Null, as in FormatValue.
		a.tag(pb.FieldValueNullValue, protowire.VarintType)
		a.b = protowire.AppendVarint(a.b, 0)
	}
	a.shut(at)
}

// double writes a double field. It omits 0, but not -0.
func (a *appender) double(number protowire.Number, d float64) {
	if bits := math.Float64bits(d); bits != 0 {
		a.tag(number, protowire.Fixed64Type)
		a.b = protowire.AppendFixed64(a.b, bits)
	}
}
