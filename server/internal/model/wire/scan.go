package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// usualFields is the number of fields for which the map of a document's fields has space at first.
const usualFields = 8

// scanner parses the wire form of documents and values. It supports only what clients usually send. It fails at
// anything unusual (an unknown field, a repeated field, an invalid length), and the general parser parses the message
// instead. Strings share the memory of text.
type scanner struct {
	text   string
	failed bool
	// branch is the layout of the value that was read last.
	branch *value.Branch
}

// more reports whether there are fields left.
func (s *scanner) more() bool { return !s.failed && s.text != "" }

// fail ends the scan; the general parser is needed.
func (s *scanner) fail() { s.failed, s.text = true, "" }

// uvarint reads a varint.
func (s *scanner) uvarint() uint64 {
	var x uint64
	for i := range min(len(s.text), binary.MaxVarintLen64) {
		b := s.text[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break
		}
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			s.text = s.text[i+1:]
			return x
		}
	}
	s.fail()
	return 0
}

// tag reads a field's number and type.
func (s *scanner) tag() (protowire.Number, protowire.Type) {
	v := s.uvarint()
	if v>>3 > uint64(protowire.MaxValidNumber) {
		s.fail()
		return 0, 0
	}
	return protowire.Number(v >> 3), protowire.Type(v & 7)
}

// double reads eight bytes.
func (s *scanner) double() float64 {
	if len(s.text) < 8 {
		s.fail()
		return 0
	}
	var bits uint64
	for i := range 8 {
		bits |= uint64(s.text[i]) << (8 * i)
	}
	s.text = s.text[8:]
	return math.Float64frombits(bits)
}

// part reads a length and the bytes that follow it.
func (s *scanner) part() string {
	n := s.uvarint()
	if n > uint64(len(s.text)) {
		s.fail()
		return ""
	}
	out := s.text[:n]
	s.text = s.text[n:]
	return out
}

// string reads a string, which must be UTF-8.
func (s *scanner) string() string {
	out := s.part()
	if !utf8.ValidString(out) {
		s.fail()
	}
	return out
}

// isText reports whether the remaining bytes are UTF-8.
func (s *scanner) isText() bool { return utf8.ValidString(s.text) }

// inside reads an embedded message with the given function.
func (s *scanner) inside(read func(*scanner)) {
	inner := scanner{text: s.part()}
	if read(&inner); inner.failed {
		s.fail()
	}
}

// member reads one entry of a map of values into m.
func (s *scanner) member(m value.Map, filler *value.Filler, depth int) {
	entry := scanner{text: s.part()}
	var key string
	var v value.Value
	var branch *value.Branch
	for seen := false; entry.more(); {
		switch number, kind := entry.tag(); {
		case number == fieldEntryKey && kind == protowire.BytesType && !seen:
			seen, key = true, entry.string()
		case number == fieldEntryValue && kind == protowire.BytesType && v == nil:
			inner := scanner{text: entry.part()}
			if v = inner.value(depth - 1); inner.failed {
				entry.fail()
			}
			branch = inner.branch
		default:
			entry.fail()
		}
	}
	if entry.failed || v == nil {
		s.fail()
		return
	}
	filler.Put(m, key, v, branch)
}

// value reads a value of at most depth levels. It returns what parseValue returns for the value's message, and fails
// for a value that is not valid.
func (s *scanner) value(depth int) (out value.Value) { // long: one case a kind
	number, kind := s.tag()
	if s.failed || depth <= 0 {
		s.fail()
		return nil
	}
	switch {
	case number == pb.FieldValueBooleanValue && kind == protowire.VarintType:
		out = value.Bool(s.uvarint() != 0)
	case number == pb.FieldValueIntegerValue && kind == protowire.VarintType:
		out = value.Int(int64(s.uvarint()))
	case number == pb.FieldValueDoubleValue && kind == protowire.Fixed64Type:
		out = value.Double(s.double())
	case number == pb.FieldValueStringValue && kind == protowire.BytesType:
		out = value.String(s.string())
	case number == pb.FieldValueTimestampValue && kind == protowire.BytesType:
		out = s.timestampValue()
	case number == pb.FieldValueReferenceValue && kind == protowire.BytesType:
		name := s.string()
		if _, err := resource.ParseReference(name); err != nil {
			s.fail()
		}
		out = value.Reference(name)
	case number == pb.FieldValueBytesValue && kind == protowire.BytesType:
		out = value.Bytes(s.part())
	case number == pb.FieldValueNullValue && kind == protowire.VarintType:
		s.uvarint()
		out = value.Null{}
	case number == pb.FieldValueGeoPointValue && kind == protowire.BytesType:
		var g latlng.LatLng
		s.inside(func(s *scanner) { s.geoPoint(&g) })
		out = value.GeoPoint{Lat: g.Latitude, Lng: g.Longitude}
	case number == pb.FieldValueArrayValue && kind == protowire.BytesType:
		out = s.array(depth)
	case number == pb.FieldValueMapValue && kind == protowire.BytesType:
		out = s.mapValue(depth)
	default:
		s.fail()
	}
	if s.text != "" {
		s.fail() // The oneof has a second value.
	}
	return out
}

// timestampValue reads a timestamp and its length.
func (s *scanner) timestampValue() value.Value {
	var t timestamppb.Timestamp
	s.inside(func(s *scanner) { s.timestamp(&t) })
	out, err := ParseTimestamp(&t)
	if err != nil {
		s.fail()
	}
	return out
}

// array reads an array inside depth levels, and its length.
func (s *scanner) array(depth int) value.Value {
	out := value.Array{}
	var layouts value.Items
	s.inside(func(s *scanner) {
		for s.more() {
			if number, kind := s.tag(); number != pb.FieldArrayValueValues || kind != protowire.BytesType {
				s.fail()
				return
			}
			s.inside(func(s *scanner) {
				out = append(out, s.value(depth-1))
				layouts.Put(len(out)-1, s.branch)
			})
		}
	})
	s.branch = layouts.Branch()
	return out
}

// mapValue reads a map inside depth levels, and its length.
func (s *scanner) mapValue(depth int) value.Value {
	out := value.Map{}
	var filler value.Filler
	s.inside(func(s *scanner) {
		for s.more() {
			if number, kind := s.tag(); number != pb.FieldMapValueFields || kind != protowire.BytesType {
				s.fail()
				return
			}
			s.member(out, &filler, depth)
		}
	})
	s.branch = filler.Branch(out)
	return out
}

// timestamp reads a timestamp.
func (s *scanner) timestamp(t *timestamppb.Timestamp) {
	for s.more() {
		switch number, kind := s.tag(); {
		case number == fieldSeconds && kind == protowire.VarintType:
			t.Seconds = int64(s.uvarint())
		case number == fieldNanos && kind == protowire.VarintType:
			t.Nanos = int32(s.uvarint())
		default:
			s.fail()
		}
	}
}

// geoPoint reads a geo point.
func (s *scanner) geoPoint(g *latlng.LatLng) {
	for s.more() {
		switch number, kind := s.tag(); {
		case number == fieldLatitude && kind == protowire.Fixed64Type:
			g.Latitude = s.double()
		case number == fieldLongitude && kind == protowire.Fixed64Type:
			g.Longitude = s.double()
		default:
			s.fail()
		}
	}
}
