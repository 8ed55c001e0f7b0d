package value

import (
	"encoding/binary"
	"errors"
	"math"
)

// The stored form of a value: one tag byte, then
//
//	int        zigzag varint
//	double     8 bytes, little endian, all bits kept
//	timestamp  zigzag varint of seconds, uvarint of nanos
//	string, bytes, reference
//	           uvarint length, the bytes
//	geopoint   two doubles
//	array      uvarint count, the elements
//	map        uvarint count, then for each member, sorted by key: uvarint length, the key, the value
//
// One value has one form, so equal forms mean identical values. The form does not keep the order of values.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagDouble
	tagTimestamp
	tagString
	tagBytes
	tagReference
	tagGeoPoint
	tagArray
	tagMap
)

// maxDecodeDepth bounds the nesting of a stored value; accepted documents stay far below it.
const maxDecodeDepth = 128

// errCorrupt is the error for bytes that are not a stored value.
var errCorrupt = errors.New("value: corrupt stored value")

// AppendBinary appends the stored form of v to b.
func AppendBinary(b []byte, v Value) []byte { // long: one case a kind
	switch x := v.(type) {
	case Null:
		return append(b, tagNull)
	case Bool:
		if x {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case Int:
		return binary.AppendVarint(append(b, tagInt), int64(x))
	case Double:
		return appendDouble(append(b, tagDouble), float64(x))
	case Timestamp:
		b = binary.AppendVarint(append(b, tagTimestamp), x.Seconds)
		return binary.AppendUvarint(b, uint64(uint32(x.Nanos)))
	case String:
		return appendString(append(b, tagString), string(x))
	case Bytes:
		return appendString(append(b, tagBytes), string(x))
	case Reference:
		return appendString(append(b, tagReference), string(x))
	case GeoPoint:
		return appendDouble(appendDouble(append(b, tagGeoPoint), x.Lat), x.Lng)
	case Array:
		b = binary.AppendUvarint(append(b, tagArray), uint64(len(x)))
		for _, item := range x {
			b = AppendBinary(b, item)
		}
		return b
	case Map:
		return AppendMap(b, x, SortedKeys(x))
	}
	panic("value: unknown value") // The interface is closed: all its types are above.
}

// AppendMap appends the stored form of a map to b. names are the names of its members in order (SortedKeys).
func AppendMap(b []byte, m Map, names []string) []byte {
	b = binary.AppendUvarint(append(b, tagMap), uint64(len(m)))
	for _, k := range names {
		b = AppendBinary(appendString(b, k), m[k])
	}
	return b
}

// appendDouble appends all bits of a double.
func appendDouble(b []byte, d float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(d))
}

// appendString appends a length and the bytes.
func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Decode reads one value off the front of b and returns the rest. The value shares no memory with b.
func Decode(b []byte) (v Value, rest []byte, err error) {
	d := decoder{b: b}
	v = d.value(maxDecodeDepth)
	if d.failed {
		return nil, nil, errCorrupt
	}
	return v, d.b, nil
}

// decoder reads stored values. After a failure its results are undefined.
type decoder struct {
	b      []byte
	failed bool
}

// fail records that the bytes are not a stored value.
func (d *decoder) fail() Value {
	d.failed, d.b = true, nil
	return Null{}
}

// value reads one value with at most depth levels.
func (d *decoder) value(depth int) Value { // long: one case a kind
	if len(d.b) == 0 || depth == 0 {
		return d.fail()
	}
	tag := d.b[0]
	d.b = d.b[1:]
	switch tag {
	case tagNull:
		return Null{}
	case tagFalse:
		return Bool(false)
	case tagTrue:
		return Bool(true)
	case tagInt:
		return Int(d.varint())
	case tagDouble:
		return Double(d.double())
	case tagTimestamp:
		s, n := d.varint(), d.uvarint()
		if n > 999_999_999 {
			return d.fail()
		}
		return Timestamp{Seconds: s, Nanos: int32(n)}
	case tagString:
		return String(d.text())
	case tagBytes:
		return Bytes(d.text())
	case tagReference:
		return Reference(d.text())
	case tagGeoPoint:
		lat := d.double()
		return GeoPoint{Lat: lat, Lng: d.double()}
	case tagArray:
		return d.array(depth)
	case tagMap:
		return d.members(depth)
	default:
		return d.fail()
	}
}

// array reads a count and the elements.
func (d *decoder) array(depth int) Value {
	n := d.count()
	items := make(Array, 0, n)
	for range n {
		items = append(items, d.value(depth-1))
		if d.failed {
			break
		}
	}
	return items
}

// members reads a count and the members of a map, whose keys must be in ascending order.
func (d *decoder) members(depth int) Value {
	n := d.count()
	m := make(Map, n)
	last := ""
	for i := range n {
		k := d.text()
		if d.failed || (i > 0 && k <= last) {
			return d.fail()
		}
		last = k
		m[k] = d.value(depth - 1)
	}
	return m
}

// count reads the count of elements of at least one byte each.
func (d *decoder) count() int {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(n)
}

// varint reads a zigzag varint.
func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

// uvarint reads an unsigned varint.
func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

// double reads eight bytes.
func (d *decoder) double() float64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	bits := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return math.Float64frombits(bits)
}

// text reads a length and that many bytes.
func (d *decoder) text() string {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.fail()
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}
