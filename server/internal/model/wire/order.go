package wire

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// orders are the orders of the members of a request's documents and maps, by their messages; those whose members are in
// the order of their names are left out. The rules can read the order in which a client sent members, and messages hold
// them in Go maps, which have none. Only requests of an unusual form become messages: see sentWrites.
type orders map[proto.Message][]string

// set sets the order of the members of a document or a map.
func (o *orders) set(m proto.Message, names []string) {
	if slices.IsSorted(names) {
		return
	}
	if *o == nil {
		*o = make(orders)
	}
	(*o)[m] = names
}

// namesOf returns the names of a map's members in an order, nil if they are sorted.
func namesOf(order []string, m value.Map) []string {
	if len(order) == 0 {
		return nil
	}
	names, seen := make([]string, 0, len(m)), make(map[string]bool, len(m))
	for _, name := range order {
		if _, ok := m[name]; ok && !seen[name] {
			names = append(names, name)
			seen[name] = true
		}
	}
	if len(names) != len(m) {
		return nil
	}
	return names
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

// writes finds the order of members in writes, which are the fields of a message with a number.
func (o *orders) writes(b []byte, number protowire.Number, writes []*pb.Write) {
	eachItem(b, number, len(writes), func(i int, part []byte) { o.write(part, writes[i]) })
}

// write finds the order of members in a write: in its document, and in the elements that its transforms append.
func (o *orders) write(b []byte, w *pb.Write) {
	if d := w.GetUpdate(); d != nil {
		eachPart(b, pb.FieldWriteUpdate, func(part []byte) { o.document(part, d) })
	}
	o.transforms(b, pb.FieldWriteUpdateTransforms, w.GetUpdateTransforms())
	if t := w.GetTransform(); t != nil {
		eachPart(b, pb.FieldWriteTransform, func(part []byte) {
			o.transforms(part, pb.FieldDocumentTransformFieldTransforms, t.GetFieldTransforms())
		})
	}
}

// transforms finds the order of members in the elements that transforms append. The transforms are the fields of a
// message with a number.
func (o *orders) transforms(b []byte, number protowire.Number, transforms []*pb.DocumentTransform_FieldTransform) {
	eachItem(b, number, len(transforms), func(i int, part []byte) {
		if a := transforms[i].GetAppendMissingElements(); a != nil {
			eachPart(part, pb.FieldDocumentTransformFieldTransformAppendMissingElements, func(list []byte) { o.items(list, a, maxNesting) })
		}
	})
}

// document finds the order of members in a document.
func (o *orders) document(b []byte, d *pb.Document) {
	o.set(d, o.members(b, pb.FieldDocumentFields, d.GetFields(), maxNesting))
}

// members finds the order of members in the values of a map, whose entries are the fields of a message with a number.
// It returns the names.
func (o *orders) members(b []byte, number protowire.Number, members map[string]*pb.Value, depth int) []string {
	names := make([]string, 0, len(members))
	eachPart(b, number, func(entry []byte) {
		var name string
		eachPart(entry, fieldEntryKey, func(part []byte) { name = string(part) })
		names = append(names, name)
		eachPart(entry, fieldEntryValue, func(part []byte) { o.value(part, members[name], depth-1) })
	})
	return names
}

// value finds the order of members in a value of at most depth levels.
func (o *orders) value(b []byte, v *pb.Value, depth int) {
	if depth <= 0 {
		return // It is refused later.
	}
	switch x := v.GetValueType().(type) {
	case *pb.Value_MapValue:
		eachPart(b, pb.FieldValueMapValue, func(part []byte) {
			o.set(x.MapValue, o.members(part, pb.FieldMapValueFields, x.MapValue.GetFields(), depth))
		})
	case *pb.Value_ArrayValue:
		eachPart(b, pb.FieldValueArrayValue, func(part []byte) { o.items(part, x.ArrayValue, depth) })
	}
}

// items finds the order of members in the elements of an array of at most depth levels.
func (o *orders) items(b []byte, a *pb.ArrayValue, depth int) {
	eachItem(b, pb.FieldArrayValueValues, len(a.GetValues()), func(i int, item []byte) { o.value(item, a.Values[i], depth-1) })
}
