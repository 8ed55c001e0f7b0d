package wire

import (
	"strings"

	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/document"
	"clave/server/resource"
	"clave/server/value"
	pb "clave/server/wire/firestorepb"
)

// CommitRequest is a request to commit. Unmarshal parses the fields of its documents to values at once, without messages in between, which the
// embedded message lacks then. Writes with anything unusual are in the message as they were sent.
type CommitRequest struct {
	pb.CommitRequest
	// fields are the parsed fields of the documents of updates, nil for a write that is in the message as it was sent. It is empty if all are.
	fields []value.Map
}

// ParseWrites parses and validates the writes, as the function ParseWrites does.
func (r *CommitRequest) ParseWrites(db resource.Database) ([]document.Write, error) {
	out := make([]document.Write, len(r.Writes))
	for i, w := range r.Writes {
		var parsed value.Map
		if i < len(r.fields) {
			parsed = r.fields[i]
		}
		var err error
		if out[i], err = parseWrite(db, w, parsed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unmarshal parses the wire form.
func (r *CommitRequest) unmarshal(b []byte) error {
	if r.scan(b) {
		return nil
	}
	proto.Reset(&r.CommitRequest)
	r.fields = nil
	return Unmarshal(b, &r.CommitRequest)
}

// scan parses the wire form. It returns false if the general parser is needed.
func (r *CommitRequest) scan(b []byte) bool {
	return scanCommitFields(b, &r.CommitRequest, func(part []byte) bool {
		w := &pb.Write{}
		r.Writes, r.fields = append(r.Writes, w), append(r.fields, nil)
		if scanWrite(part, w, &r.fields[len(r.fields)-1]) {
			return true
		}
		r.fields[len(r.fields)-1] = nil
		return proto.Unmarshal(part, w) == nil
	})
}

// parsedDocument reads a document's name, and its fields as values.
func (s *scanner) parsedDocument(d *pb.Document) value.Map {
	out := make(value.Map, usualFields)
	for s.more() {
		switch number, kind := s.tag(); {
		case number == pb.FieldDocumentName && kind == protowire.BytesType && d.Name == "":
			d.Name = strings.Clone(s.string()) // Names are kept longer than documents.
		case number == pb.FieldDocumentFields && kind == protowire.BytesType:
			s.parsedMember(out, maxNesting)
		default:
			s.fail()
		}
	}
	return out
}

// parsedMember reads one entry of a map of values into m.
func (s *scanner) parsedMember(m value.Map, depth int) {
	entry := scanner{text: s.part()}
	var key string
	var v value.Value
	for seen := false; entry.more(); {
		switch number, kind := entry.tag(); {
		case number == fieldEntryKey && kind == protowire.BytesType && !seen:
			seen, key = true, entry.string()
		case number == fieldEntryValue && kind == protowire.BytesType && v == nil:
			inner := scanner{text: entry.part()}
			if v = inner.parsed(depth - 1); inner.failed {
				entry.fail()
			}
		default:
			entry.fail()
		}
	}
	if entry.failed || v == nil {
		s.fail()
		return
	}
	m[key] = v
}

// parsed reads a value of at most depth levels. It returns what parseValue returns for the message of scanner.value, and fails for a value
// that is not valid.
func (s *scanner) parsed(depth int) (out value.Value) { // long: one case a kind
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
		out = s.parsedTimestamp()
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
		out = s.parsedArray(depth)
	case number == pb.FieldValueMapValue && kind == protowire.BytesType:
		out = s.parsedMap(depth)
	default:
		s.fail()
	}
	if s.text != "" {
		s.fail() // The oneof has a second value.
	}
	return out
}

// parsedTimestamp reads a timestamp and its length.
func (s *scanner) parsedTimestamp() value.Value {
	var t timestamppb.Timestamp
	s.inside(func(s *scanner) { s.timestamp(&t) })
	out, err := ParseTimestamp(&t)
	if err != nil {
		s.fail()
	}
	return out
}

// parsedArray reads an array inside depth levels, and its length.
func (s *scanner) parsedArray(depth int) value.Value {
	out := value.Array{}
	s.inside(func(s *scanner) {
		for s.more() {
			if number, kind := s.tag(); number != pb.FieldArrayValueValues || kind != protowire.BytesType {
				s.fail()
				return
			}
			s.inside(func(s *scanner) { out = append(out, s.parsed(depth-1)) })
		}
	})
	return out
}

// parsedMap reads a map inside depth levels, and its length.
func (s *scanner) parsedMap(depth int) value.Value {
	out := value.Map{}
	s.inside(func(s *scanner) {
		for s.more() {
			if number, kind := s.tag(); number != pb.FieldMapValueFields || kind != protowire.BytesType {
				s.fail()
				return
			}
			s.parsedMember(out, depth)
		}
	})
	return out
}
