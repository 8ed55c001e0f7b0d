package wire

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// AppendDocumentJSON appends a document as JSON. It returns an error for
// text that is not UTF-8 and for times outside the years 1 to 9999.
func AppendDocumentJSON(dst []byte, d *document.Document) ([]byte, error) {
	a := jsonAppender{b: dst}
	a.document(d)
	return a.end(dst)
}

// appendKnownJSON appends a message as JSON. It returns false for a type that protojson has to encode.
func appendKnownJSON(dst []byte, m proto.Message) ([]byte, bool) {
	r, ok := m.(*pb.ListenResponse)
	change := r.GetTargetChange()
	if !ok || change == nil || change.GetCause() != nil {
		return dst, false
	}
	a := jsonAppender{b: dst}
	a.open()
	a.member("targetChange")
	a.targetChange(change)
	a.shut()
	return a.b, !a.invalid
}

// jsonAppender appends responses as JSON without reflection. The bytes are those of protojson for their messages.
type jsonAppender struct {
	b []byte
	// invalid reports that a value has no JSON form.
	invalid bool
}

// end returns the buffer, or dst and the error.
func (a *jsonAppender) end(dst []byte) ([]byte, error) {
	if a.invalid {
		return dst, errNoForm
	}
	return a.b, nil
}

// open begins an object; shut ends it.
func (a *jsonAppender) open() { a.b = append(a.b, '{') }

// shut ends an object.
func (a *jsonAppender) shut() { a.b = append(a.b, '}') }

// next appends the comma between two elements or members.
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
	// The bytes from plain on need no escape. They are appended together.
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
	a.invalid = a.invalid || !utf8.ValidString(s)
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
	// Numbers have JavaScript's form: very small and very large ones have an exponent without leading zeros.
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

// time appends a time in UTC with 0, 3, 6 or 9 fractional digits, as few as suffice.
func (a *jsonAppender) time(t time.Time) {
	layout := `"2006-01-02T15:04:05.000000000Z"`
	switch nanos := t.Nanosecond(); {
	case nanos == 0:
		layout = `"2006-01-02T15:04:05Z"`
	case nanos%int(time.Millisecond) == 0:
		layout = `"2006-01-02T15:04:05.000Z"`
	case nanos%int(time.Microsecond) == 0:
		layout = `"2006-01-02T15:04:05.000000Z"`
	}
	a.b = t.AppendFormat(a.b, layout)
}

// version appends a member with the time of a version. It omits 0.
func (a *jsonAppender) version(name string, v clock.Version) {
	if v != 0 {
		a.member(name)
		a.time(v.Time())
	}
}

// string appends a string member. It omits an empty string.
func (a *jsonAppender) string(name, s string) {
	if s != "" {
		a.member(name)
		a.text(s)
	}
}

// token appends a member of bytes. It omits empty bytes.
func (a *jsonAppender) token(name string, v []byte) {
	if len(v) > 0 {
		a.member(name)
		a.bytes(v)
	}
}

// ids appends a member with target ids. It omits an empty list.
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

// targetChange appends a change of targets without a cause.
func (a *jsonAppender) targetChange(m *pb.TargetChange) {
	_, named := pb.TargetChange_TargetChangeType_name[int32(m.GetTargetChangeType())]
	a.invalid = !named || m.GetReadTime() != nil && m.GetReadTime().CheckValid() != nil
	a.open()
	if kind := m.GetTargetChangeType(); kind != pb.TargetChange_NO_CHANGE {
		a.member("targetChangeType")
		a.text(kind.String())
	}
	a.ids("targetIds", m.GetTargetIds())
	a.token("resumeToken", m.GetResumeToken())
	if t := m.GetReadTime(); t != nil {
		a.member("readTime")
		a.time(t.AsTime())
	}
	a.shut()
}

// results appends the member with the results of writes. It omits an empty list.
func (a *jsonAppender) results(results []document.Result) {
	if len(results) == 0 {
		return
	}
	a.member("writeResults")
	a.b = append(a.b, '[')
	for _, r := range results {
		a.next()
		a.open()
		a.version("updateTime", r.UpdateTime)
		a.values("transformResults", r.Transforms)
		a.shut()
	}
	a.b = append(a.b, ']')
}

// document appends a document.
func (a *jsonAppender) document(d *document.Document) { a.named(d.Name.String(), d) }

// named appends a document under a name.
func (a *jsonAppender) named(name string, d *document.Document) {
	a.open()
	a.string("name", name)
	a.fields(d.Fields)
	a.version("createTime", d.CreateTime)
	a.version("updateTime", d.UpdateTime)
	a.shut()
}

// fields appends the member with the fields of a document or map, sorted by name. It omits an empty map.
func (a *jsonAppender) fields(fields value.Map) {
	if len(fields) == 0 {
		return
	}
	a.member("fields")
	a.open()
	for _, name := range value.SortedKeys(fields) {
		a.next()
		a.text(name)
		a.b = append(a.b, ':')
		a.value(fields[name])
	}
	a.shut()
}

// values appends a member with values. It omits an empty list.
func (a *jsonAppender) values(name string, values []value.Value) {
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
func (a *jsonAppender) value(v value.Value) { // long: one case a kind
	a.open()
	switch x := v.(type) {
	case value.Bool:
		a.member("booleanValue")
		a.b = strconv.AppendBool(a.b, bool(x))
	case value.Int:
		a.member("integerValue")
		a.b = append(strconv.AppendInt(append(a.b, '"'), int64(x), 10), '"')
	case value.Double:
		a.member("doubleValue")
		a.double(float64(x))
	case value.Timestamp:
		a.invalid = a.invalid || x.Seconds < minSeconds || x.Seconds > maxSeconds
		a.member("timestampValue")
		a.time(x.Time())
	case value.String:
		a.member("stringValue")
		a.text(string(x))
	case value.Bytes:
		a.member("bytesValue")
		a.bytes([]byte(x))
	case value.Reference:
		a.member("referenceValue")
		a.text(string(x))
	case value.GeoPoint:
		a.member("geoPointValue")
		a.open()
		a.degrees("latitude", x.Lat)
		a.degrees("longitude", x.Lng)
		a.shut()
	case value.Array:
		a.member("arrayValue")
		a.open()
		a.values("values", x)
		a.shut()
	case value.Map:
		a.member("mapValue")
		a.open()
		a.fields(x)
		a.shut()
	default: // Null, as in FormatValue.
		a.member("nullValue")
		a.b = append(a.b, "null"...)
	}
	a.shut()
}

// degrees appends a coordinate. It omits 0, but not -0.
func (a *jsonAppender) degrees(name string, v float64) {
	if v != 0 || math.Signbit(v) {
		a.member(name)
		a.double(v)
	}
}
