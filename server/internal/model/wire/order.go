package wire

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// orderNumber is the number of the field with the order of the members of a document or a map. Generated messages hold
// the members of maps in Go maps, which have no order. The rules can read the order in which a client sent them. So a
// message whose members do not come in the order of their names has them, in their order, as a field of this number in
// place of its unknown fields, which the parsers here discard.
const orderNumber = 1

// setOrder sets the order of the members of a document or a map.
func setOrder(m proto.Message, names []string) {
	if slices.IsSorted(names) {
		return
	}
	var b []byte
	for _, name := range names {
		b = protowire.AppendString(protowire.AppendTag(b, orderNumber, protowire.BytesType), name)
	}
	m.ProtoReflect().SetUnknown(protoreflect.RawFields(b))
}

// orderOf returns the order of the members of a document or a map, for namesOf. It is empty if they are sorted.
func orderOf(m proto.Message) []byte { return m.ProtoReflect().GetUnknown() }

// namesOf returns the names of a map's members in an order, nil if they are sorted.
func namesOf(order []byte, m value.Map) []string {
	if len(order) == 0 {
		return nil
	}
	names, seen := make([]string, 0, len(m)), make(map[string]bool, len(m))
	fields(order, func(_ protowire.Number, part []byte) bool {
		name := string(part)
		if _, ok := m[name]; ok && !seen[name] {
			names = append(names, name)
			seen[name] = true
		}
		return true
	})
	if len(names) != len(m) {
		return nil
	}
	return names
}

// unmarshalOrdered parses the wire form of a message with writes or a document, and keeps the order of members.
func unmarshalOrdered(b []byte, m proto.Message) error {
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, m); err != nil {
		return err
	}
	switch m := m.(type) {
	case *pb.CommitRequest:
		orderWrites(b, pb.FieldCommitRequestWrites, m.Writes)
	case *pb.WriteRequest:
		orderWrites(b, pb.FieldWriteRequestWrites, m.Writes)
	case *pb.BatchWriteRequest:
		orderWrites(b, pb.FieldBatchWriteRequestWrites, m.Writes)
	case *pb.CreateDocumentRequest:
		eachPart(b, pb.FieldCreateDocumentRequestDocument, func(part []byte) { orderDocument(part, m.Document) })
	case *pb.UpdateDocumentRequest:
		eachPart(b, pb.FieldUpdateDocumentRequestDocument, func(part []byte) { orderDocument(part, m.Document) })
	case *pb.Write:
		orderWrite(b, m)
	}
	return nil
}

// eachPart calls do for the fields of a valid message with a number that are messages.
func eachPart(b []byte, number protowire.Number, do func(part []byte)) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeField(b)
		if size < 0 {
			return
		}
		if n == number && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(b)
			part, _ := protowire.ConsumeBytes(b[tag:])
			do(part)
		}
		b = b[size:]
	}
}

// eachItem calls do for the fields of a valid message with a number that are the n messages of a list, with their
// places in it.
func eachItem(b []byte, number protowire.Number, n int, do func(i int, part []byte)) {
	if n == 0 {
		return
	}
	i := 0
	eachPart(b, number, func(part []byte) {
		if i < n { // A list can come in several parts. No client sends that, and the order is then not that of the parts.
			do(i, part)
		}
		i++
	})
}

// orderWrites sets the order of members in writes, which are the fields of a message with a number.
func orderWrites(b []byte, number protowire.Number, writes []*pb.Write) {
	eachItem(b, number, len(writes), func(i int, part []byte) { orderWrite(part, writes[i]) })
}

// orderWrite sets the order of members in a write: in its document, and in the elements that its transforms append.
func orderWrite(b []byte, w *pb.Write) {
	if d := w.GetUpdate(); d != nil {
		eachPart(b, pb.FieldWriteUpdate, func(part []byte) { orderDocument(part, d) })
	}
	orderTransforms(b, pb.FieldWriteUpdateTransforms, w.GetUpdateTransforms())
	if t := w.GetTransform(); t != nil {
		eachPart(b, pb.FieldWriteTransform, func(part []byte) {
			orderTransforms(part, pb.FieldDocumentTransformFieldTransforms, t.GetFieldTransforms())
		})
	}
}

// orderTransforms sets the order of members in the elements that transforms append. The transforms are the fields of a
// message with a number.
func orderTransforms(b []byte, number protowire.Number, transforms []*pb.DocumentTransform_FieldTransform) {
	eachItem(b, number, len(transforms), func(i int, part []byte) {
		if a := transforms[i].GetAppendMissingElements(); a != nil {
			eachPart(part, pb.FieldDocumentTransformFieldTransformAppendMissingElements, func(list []byte) { orderItems(list, a, maxNesting) })
		}
	})
}

// orderDocument sets the order of members in a document.
func orderDocument(b []byte, d *pb.Document) {
	setOrder(d, orderMembers(b, pb.FieldDocumentFields, d.GetFields(), maxNesting))
}

// orderMembers sets the order of members in the values of a map, whose entries are the fields of a message with a
// number. It returns the names.
func orderMembers(b []byte, number protowire.Number, members map[string]*pb.Value, depth int) []string {
	names := make([]string, 0, len(members))
	eachPart(b, number, func(entry []byte) {
		var name string
		eachPart(entry, fieldEntryKey, func(part []byte) { name = string(part) })
		names = append(names, name)
		eachPart(entry, fieldEntryValue, func(part []byte) { orderValue(part, members[name], depth-1) })
	})
	return names
}

// orderValue sets the order of members in a value of at most depth levels.
func orderValue(b []byte, v *pb.Value, depth int) {
	if depth <= 0 {
		return // It is refused later.
	}
	switch x := v.GetValueType().(type) {
	case *pb.Value_MapValue:
		eachPart(b, pb.FieldValueMapValue, func(part []byte) {
			setOrder(x.MapValue, orderMembers(part, pb.FieldMapValueFields, x.MapValue.GetFields(), depth))
		})
	case *pb.Value_ArrayValue:
		eachPart(b, pb.FieldValueArrayValue, func(part []byte) { orderItems(part, x.ArrayValue, depth) })
	}
}

// orderItems sets the order of members in the elements of an array of at most depth levels.
func orderItems(b []byte, a *pb.ArrayValue, depth int) {
	eachItem(b, pb.FieldArrayValueValues, len(a.GetValues()), func(i int, item []byte) { orderValue(item, a.Values[i], depth-1) })
}
