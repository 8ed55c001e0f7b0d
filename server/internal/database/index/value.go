package index

import (
	"encoding/binary"
	"math"
	"strings"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// MaxComponent is the number of bytes of one value that an index entry holds.
const MaxComponent = 1500

// The first bytes of encodings, in the order of types, and the marks inside them.
const (
	tagEnd       = 0x01
	tagItem      = 0x02
	tagNull      = 0x05
	tagFalse     = 0x08
	tagTrue      = 0x09
	tagNaN       = 0x10
	tagNumber    = 0x11
	tagTimestamp = 0x18
	tagString    = 0x20
	tagBytes     = 0x28
	tagReference = 0x30
	tagGeoPoint  = 0x38
	tagArray     = 0x40
	tagVector    = 0x44
	tagMap       = 0x50
	tagBeyond    = 0x7f
)

// The first bytes of a name's segment.
const (
	segNumeric = 0x10
	segText    = 0x20
)

// exactBelow is the magnitude from which doubles no longer distinguish all integers.
const exactBelow = 1 << 53

// AppendValue appends the encoding of a value, cut at MaxComponent bytes; truncated reports whether it was.
func AppendValue(dst []byte, v value.Value) (out []byte, truncated bool) {
	e := encoder{dst: dst, limit: len(dst) + MaxComponent}
	e.value(v)
	if len(e.dst) > e.limit {
		return e.dst[:e.limit], true
	}
	return e.dst, false
}

// encoder appends encodings and may stop once it is past limit.
type encoder struct {
	dst   []byte
	limit int
}

// full reports whether all further bytes would be cut off.
func (e *encoder) full() bool { return len(e.dst) > e.limit }

// value appends one value.
func (e *encoder) value(v value.Value) {
	switch v := v.(type) {
	case value.Null:
		e.dst = append(e.dst, tagNull)
	case value.Bool:
		if v {
			e.dst = append(e.dst, tagTrue)
		} else {
			e.dst = append(e.dst, tagFalse)
		}
	case value.Int:
		e.dst = appendInt(e.dst, int64(v))
	case value.Double:
		e.dst = appendDouble(e.dst, float64(v))
	case value.Timestamp:
		e.dst = append(e.dst, tagTimestamp)
		// The sign bit is inverted, so that moments before 1970 come first in the order of bytes.
		e.dst = binary.BigEndian.AppendUint64(e.dst, uint64(v.Seconds)^(1<<63))
		e.dst = binary.BigEndian.AppendUint32(e.dst, uint32(v.Nanos))
	case value.String:
		e.text(tagString, string(v))
	case value.Bytes:
		e.text(tagBytes, string(v))
	case value.Reference:
		e.dst = append(e.dst, tagReference)
		e.dst = append(AppendPath(e.dst, string(v)), tagEnd)
	case value.GeoPoint:
		e.dst = append(e.dst, tagGeoPoint)
		e.dst = appendSortable(e.dst, v.Lat)
		e.dst = appendSortable(e.dst, v.Lng)
	case value.Array:
		e.array(v)
	case value.Map:
		e.mapping(v)
	}
}

// text appends a string or bytes, up to the limit.
func (e *encoder) text(tag byte, s string) {
	if room := max(0, e.limit-len(e.dst)); len(s) > room {
		s = s[:room+1] // enough to be cut
	}
	e.dst = append(e.dst, tag)
	e.dst = appendText(e.dst, s)
}

// array appends the elements in order.
func (e *encoder) array(a value.Array) {
	e.dst = append(e.dst, tagArray)
	for _, item := range a {
		if e.full() {
			return
		}
		e.dst = append(e.dst, tagItem)
		e.value(item)
	}
	e.dst = append(e.dst, tagEnd)
}

// mapping appends a vector's numbers, or a map's members in order of their names.
func (e *encoder) mapping(m value.Map) {
	if vector, ok := value.AsVector(m); ok {
		e.dst = append(e.dst, tagVector)
		e.dst = binary.BigEndian.AppendUint32(e.dst, uint32(len(vector)))
		for _, x := range vector {
			e.dst = appendSortable(e.dst, x)
		}
		return
	}
	e.dst = append(e.dst, tagMap)
	for _, name := range value.SortedKeys(m) {
		if e.full() {
			return
		}
		e.text(tagItem, name)
		e.value(m[name])
	}
	e.dst = append(e.dst, tagEnd)
}

// appendInt appends an integer: the double not above it, and the distance to it where there can be one.
func appendInt(dst []byte, n int64) []byte {
	if n > -exactBelow && n < exactBelow {
		return appendNumber(dst, float64(n), 0)
	}
	d := float64(n)
	if d >= 1<<63 || int64(d) > n {
		d = math.Nextafter(d, math.Inf(-1))
	}
	return appendNumber(dst, d, uint16(n-int64(d)))
}

// appendDouble appends a double; -0 is 0.
func appendDouble(dst []byte, d float64) []byte {
	if math.IsNaN(d) {
		return append(dst, tagNaN)
	}
	return appendNumber(dst, d, 0)
}

// appendNumber appends a double and, from exactBelow on, the distance of the number from it.
func appendNumber(dst []byte, d float64, distance uint16) []byte {
	dst = append(dst, tagNumber)
	dst = appendSortable(dst, d)
	if math.Abs(d) >= exactBelow {
		dst = binary.BigEndian.AppendUint16(dst, distance)
	}
	return dst
}

// appendSortable appends 8 bytes that order as the double does; -0 is 0 and NaN is the least.
func appendSortable(dst []byte, d float64) []byte {
	if math.IsNaN(d) {
		return binary.BigEndian.AppendUint64(dst, 0)
	}
	var bits uint64
	if d != 0 {
		bits = math.Float64bits(d)
	}
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, bits)
}

// fromSortable reverses appendSortable, except for NaN.
func fromSortable(b []byte) float64 {
	bits := binary.BigEndian.Uint64(b)
	if bits>>63 == 1 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}

// Number reads the number that a component encodes, as a double and, if it is an integer, as an integer. ok is false
// for other values, and whole for doubles that are no integers.
func Number(component []byte) (d float64, n int64, whole, ok bool) {
	if len(component) == 1 && component[0] == tagNaN {
		return math.NaN(), 0, false, true
	}
	if len(component) < 9 || component[0] != tagNumber {
		return 0, 0, false, false
	}
	d = fromSortable(component[1:9])
	if d < -(1<<63) || d >= 1<<63 || d != math.Trunc(d) {
		return d, 0, false, true
	}
	n = int64(d)
	if len(component) == 11 {
		n += int64(binary.BigEndian.Uint16(component[9:]))
		d = float64(n)
	}
	return d, n, true, true
}

// appendText appends the bytes of a text and its end.
func appendText(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			break
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, 0x00, 0xff)
		s = s[i+1:]
	}
	dst = append(dst, s...)
	return append(dst, 0x00, 0x01)
}

// AppendSegment appends one id of a name.
func AppendSegment(dst []byte, id string) []byte {
	if n, ok := resource.NumericID(id); ok {
		dst = append(dst, segNumeric)
		return binary.BigEndian.AppendUint64(dst, uint64(n)^(1<<63))
	}
	return appendText(append(dst, segText), id)
}

// AppendPath appends the ids of a relative path, without an end mark.
func AppendPath(dst []byte, path string) []byte {
	for path != "" {
		var id string
		id, path, _ = strings.Cut(path, "/")
		dst = AppendSegment(dst, id)
	}
	return dst
}
