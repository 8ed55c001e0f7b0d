package wire

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// finish validates a write that was parsed to values. It returns false if the general parser is needed.
func finish(w *document.Write) bool {
	return (w.Op == document.Update || !w.HasMask) && document.Validate(*w) == nil
}

// addPath adds a field of a mask to a write. It returns false for one that is not valid. A mask may contain the
// document's name, although a write cannot change it.
func addPath(w *document.Write, name string) bool {
	path, err := ParsePath(name)
	if err != nil {
		return false
	}
	if !path.IsName() {
		w.Mask = append(w.Mask, path)
	}
	return true
}

// scanWrite parses a write to values. It returns false if the general parser is needed.
func scanWrite(b []byte, w *document.Write) bool {
	var seen struct{ operation, condition bool }
	ok := fields(b, func(number protowire.Number, part []byte) bool {
		switch {
		case number == pb.FieldWriteUpdate && !seen.operation:
			seen.operation = true
			// Each document has its own copy of the text, so that keeping one document does not keep the memory of the
			// others.
			s := scanner{text: string(part)}
			w.Name, w.Fields, w.Layout = s.document()
			return !s.failed
		case number == pb.FieldWriteDelete && !seen.operation:
			seen.operation, w.Op = true, document.Delete
			return scanName(part, &w.Name)
		case number == pb.FieldWriteVerify && !seen.operation:
			seen.operation, w.Op = true, document.Verify
			return scanName(part, &w.Name)
		case number == pb.FieldWriteUpdateMask && !w.HasMask:
			w.HasMask = true
			return scanMask(part, func(path string) bool { return addPath(w, path) })
		case number == pb.FieldWriteUpdateTransforms:
			s, t := scanner{text: string(part)}, document.Transform{}
			s.transform(&t)
			w.Transforms = append(w.Transforms, t)
			return !s.failed
		case number == pb.FieldWriteCurrentDocument && !seen.condition:
			seen.condition = true
			return scanPrecondition(part, &w.Precondition)
		}
		return false
	})
	return ok && seen.operation && finish(w)
}

// scanName parses the name of a document.
func scanName(part []byte, name *resource.Document) bool {
	d, err := resource.ParseDocument(string(part)) // which refuses what is not UTF-8
	*name = d
	return err == nil
}

// document reads a document as clients send it, without times: its name, and its fields with their layout.
func (s *scanner) document() (name resource.Document, out value.Map, layout value.Layout) {
	out = make(value.Map, usualFields)
	var filler value.Filler
	for s.more() {
		switch number, kind := s.tag(); {
		case number == pb.FieldDocumentName && kind == protowire.BytesType && name.Path == "":
			var err error
			// Names are kept longer than documents.
			if name, err = resource.ParseDocument(strings.Clone(s.string())); err != nil {
				s.fail()
			}
		case number == pb.FieldDocumentFields && kind == protowire.BytesType:
			s.member(out, &filler, maxNesting)
		default:
			s.fail()
		}
	}
	if name.Path == "" {
		s.fail()
	}
	return name, out, value.LayoutOf(filler.Branch(out))
}

// transformKinds are the kinds of the transforms with an operand, by their fields.
var transformKinds = map[protowire.Number]document.TransformKind{
	pb.FieldDocumentTransformFieldTransformIncrement:             document.Increment,
	pb.FieldDocumentTransformFieldTransformMaximum:               document.Maximum,
	pb.FieldDocumentTransformFieldTransformMinimum:               document.Minimum,
	pb.FieldDocumentTransformFieldTransformAppendMissingElements: document.AppendMissing,
	pb.FieldDocumentTransformFieldTransformRemoveAllFromArray:    document.RemoveAll,
}

// transform reads a transform of a field.
func (s *scanner) transform(t *document.Transform) {
	known := false
	for s.more() {
		number, kind := s.tag()
		operation, operand := transformKinds[number]
		switch {
		case number == pb.FieldDocumentTransformFieldTransformFieldPath && kind == protowire.BytesType && t.Path == nil:
			var err error
			if t.Path, err = ParsePath(s.string()); err != nil {
				s.fail()
			}
		case number == pb.FieldDocumentTransformFieldTransformSetToServerValue && kind == protowire.VarintType && !known:
			known, t.Kind = true, document.RequestTime
			if s.uvarint() != uint64(pb.DocumentTransform_FieldTransform_REQUEST_TIME) {
				s.fail()
			}
		case operand && kind == protowire.BytesType && !known:
			known, t.Kind = true, operation
			s.operand(t)
		default:
			s.fail()
		}
	}
	if !known || t.Path == nil {
		s.fail()
	}
}

// operand reads the operand of a transform, and its length.
func (s *scanner) operand(t *document.Transform) {
	switch t.Kind {
	case document.AppendMissing:
		t.Operand = s.array(maxNesting)
		t.Layout = s.branch
	case document.RemoveAll:
		t.Operand = s.array(maxNesting)
	default:
		s.inside(func(s *scanner) { t.Operand = s.value(maxNesting) })
	}
}

// scanPrecondition parses a precondition.
func scanPrecondition(b []byte, p *document.Precondition) bool {
	s := scanner{text: string(b)}
	switch number, kind := s.tag(); {
	case number == pb.FieldPreconditionExists && kind == protowire.VarintType:
		exists := s.uvarint() != 0
		p.Exists = &exists
	case number == pb.FieldPreconditionUpdateTime && kind == protowire.BytesType:
		var t timestamppb.Timestamp
		s.inside(func(s *scanner) { s.timestamp(&t) })
		v, err := parseBaseVersion(&t)
		if err != nil {
			return false
		}
		p.UpdateTime = &v
	default:
		return false
	}
	return !s.failed && s.text == ""
}
