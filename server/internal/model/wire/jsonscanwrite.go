package wire

import (
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// writes parses the body of a request with writes. It returns false if the general parser is needed; the request may
// then have a part of them.
func (s *jsonScanner) writes(r *WritesRequest) bool {
	var seen struct{ database, token, writes bool }
	for ok := s.begin('{'); ok; ok = s.more('}') {
		switch name := s.name(); {
		case name == "database" && !seen.database:
			seen.database = true
			r.Database = s.text()
		case name == r.form.tokenName && name != "" && !seen.token:
			seen.token = true
			token, ok := s.scalar().bytes()
			s.check(ok)
			r.Token = token
		case name == "writes" && !seen.writes:
			seen.writes = true
			for ok := s.begin('['); ok; ok = s.more(']') {
				r.writes.parsed = append(r.writes.parsed, document.Write{})
				s.write(&r.writes.parsed[len(r.writes.parsed)-1])
			}
		default:
			s.fail()
		}
	}
	return s.whole()
}

// whole reports whether the body was read to its end.
func (s *jsonScanner) whole() bool {
	s.check(s.peek() == 0 && s.at == len(s.in))
	return !s.failed && s.count <= maxJSONValues
}

// write reads a write.
func (s *jsonScanner) write(w *document.Write) {
	var seen struct{ operation, condition, transforms bool }
	for ok := s.begin('{'); ok; ok = s.more('}') {
		switch name := s.name(); {
		case name == "update" && !seen.operation:
			seen.operation = true
			s.check(s.document(w))
		case name == "delete" && !seen.operation:
			seen.operation, w.Op = true, document.Delete
			s.documentName(&w.Name)
		case name == "verify" && !seen.operation:
			seen.operation, w.Op = true, document.Verify
			s.documentName(&w.Name)
		case name == "updateMask" && !w.HasMask:
			w.HasMask = true
			s.mask(w)
		case name == "updateTransforms" && !seen.transforms:
			seen.transforms = true
			for ok := s.begin('['); ok; ok = s.more(']') {
				w.Transforms = append(w.Transforms, document.Transform{})
				s.transform(&w.Transforms[len(w.Transforms)-1])
			}
		case name == "currentDocument" && !seen.condition:
			seen.condition = true
			s.precondition(&w.Precondition)
		default:
			s.fail()
		}
	}
	s.check(!s.failed && seen.operation && finish(w))
}

// mask reads a mask.
func (s *jsonScanner) mask(w *document.Write) {
	s.check(s.begin('{') && s.name() == "fieldPaths")
	for ok := s.begin('['); ok; ok = s.more(']') {
		s.check(addPath(w, s.text()))
	}
	s.end()
}

// jsonTransforms are the kinds of the transforms with an operand, by their names.
var jsonTransforms = map[string]document.TransformKind{
	"increment": document.Increment, "maximum": document.Maximum, "minimum": document.Minimum,
	"appendMissingElements": document.AppendMissing, "removeAllFromArray": document.RemoveAll,
}

// requestTime is the only server value of a transform.
var requestTime = pb.DocumentTransform_FieldTransform_REQUEST_TIME.String()

// transform reads a transform of a field.
func (s *jsonScanner) transform(t *document.Transform) {
	known := false
	for ok := s.begin('{'); ok; ok = s.more('}') {
		name := s.name()
		operation, operand := jsonTransforms[name]
		switch {
		case name == "fieldPath" && t.Path == nil:
			var err error
			t.Path, err = ParsePath(s.text())
			s.check(err == nil)
		case name == "setToServerValue" && !known:
			known, t.Kind = true, document.RequestTime
			n := s.scalar()
			s.check(n.kind == jsonString && n.text == requestTime)
		case operand && !known:
			known, t.Kind = true, operation
			s.operand(t)
		default:
			s.fail()
		}
	}
	s.check(known && t.Path != nil)
}

// operand reads the operand of a transform.
func (s *jsonScanner) operand(t *document.Transform) {
	switch t.Kind {
	case document.AppendMissing:
		t.Operand = s.array(scannedNesting)
		t.Layout = s.branch
	case document.RemoveAll:
		t.Operand = s.array(scannedNesting)
	default:
		t.Operand = s.value(scannedNesting)
	}
}

// ParseFieldsJSON parses the JSON of a document's fields, with their layout. Its errors are those of ParseJSON and of
// writes.
func ParseFieldsJSON(text string) (value.Map, value.Layout, error) {
	var d pb.Document
	order, err := parseOrdered(`{"fields":`+text+`}`, &d)
	if err != nil {
		return nil, value.Layout{}, err
	}
	return parseDocumentFields(&d, order)
}

// ParseWriteJSON parses and validates the JSON of a write to a database. Its errors are those of ParseJSON and of
// writes.
func ParseWriteJSON(db resource.Database, text string) (document.Write, error) {
	var w pb.Write
	order, err := parseOrdered(text, &w)
	if err != nil {
		return document.Write{}, err
	}
	return parseWrite(db, &w, order)
}
