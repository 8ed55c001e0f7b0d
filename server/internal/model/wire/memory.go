package wire

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/base/fault"
	pb "clave/server/internal/model/wire/firestorepb"
)

// The memory in bytes that each byte of a message's binary form takes while it is parsed, and that each message in it
// takes in addition: its struct, its place in a list or a table, and the value that it becomes.
const (
	binaryPerByte    = 2
	binaryPerMessage = 256
)

// maxMessages is the maximum number of messages in one, and of strings in its lists. Each value of a document is one,
// so the largest request has this many only if its fields take less than 10 bytes each.
const maxMessages = 1 << 20

// countedDepth is the depth to which messages are counted. Deeper ones are refused when they are parsed.
const countedDepth = 128

// BinaryMemory returns about how many bytes Unmarshal takes at most for the binary form of a request. It returns
// InvalidArgument for one of too many messages. Invalid parts are not counted.
func BinaryMemory(b []byte, m proto.Message) (int64, error) {
	n := 0
	if s := shapes()[m.ProtoReflect().Descriptor().FullName()]; s != nil {
		n = s.count(b, countedDepth)
	}
	if n > maxMessages {
		return 0, fault.E(fault.InvalidArgument, "The request has more than %d values.", maxMessages)
	}
	return binaryPerByte*int64(len(b)) + binaryPerMessage*int64(n), nil
}

// shape has the shapes of a message's fields by their numbers; nil for those that are not counted.
type shape struct {
	fields []*shape
	// entry is set for the entries of a table, which are no messages of their own.
	entry bool
}

// shapes returns the shapes of all messages, by their names.
var shapes = sync.OnceValue(func() map[protoreflect.FullName]*shape {
	made := make(map[protoreflect.FullName]*shape)
	requests := pb.File_clave_firestore_v1_firestore_proto.Messages()
	for i := range requests.Len() {
		makeShape(requests.Get(i), made)
	}
	return made
})

// makeShape returns the shape of a message, which may contain itself, and adds it to those that are made.
func makeShape(d protoreflect.MessageDescriptor, made map[protoreflect.FullName]*shape) *shape {
	if s := made[d.FullName()]; s != nil {
		return s
	}
	s := &shape{entry: d.IsMapEntry()}
	made[d.FullName()] = s
	fields := d.Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		counted := &shape{}
		switch {
		case f.Kind() == protoreflect.MessageKind:
			counted = makeShape(f.Message(), made)
		case !f.IsList():
			continue
		}
		for len(s.fields) <= int(f.Number()) {
			s.fields = append(s.fields, nil)
		}
		s.fields[f.Number()] = counted
	}
	return s
}

// count returns the number of messages in the binary form of one with this shape, itself included, or somewhat more
// than maxMessages. Those below depth levels are counted as if they took two bytes each, the least.
func (s *shape) count(b []byte, depth int) int {
	if depth == 0 {
		return len(b) / 2
	}
	n := 1
	if s.entry {
		n = 0
	}
	if s.fields == nil {
		return n
	}
	for len(b) > 0 && n <= maxMessages {
		var number protowire.Number
		var part []byte
		if len(b) > 1 && b[0] < 0x80 && b[0]&7 == byte(protowire.BytesType) && b[1] < 0x80 && int(b[1])+2 <= len(b) {
			number, part, b = protowire.Number(b[0]>>3), b[2:2+b[1]], b[2+b[1]:] // a usual field, without calls
		} else {
			var size int
			if number, part, size = consumeField(b); size < 0 {
				return n
			}
			b = b[size:]
		}
		if int(number) < len(s.fields) && s.fields[number] != nil {
			n += s.fields[number].count(part, depth-1)
		}
	}
	return n
}

// consumeField returns the number of the first field of a message and its bytes, which are nil for a number. size is
// negative if the field is not valid.
func consumeField(b []byte) (number protowire.Number, part []byte, size int) {
	number, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 {
		return 0, nil, tag
	}
	if kind == protowire.BytesType {
		part, size = protowire.ConsumeBytes(b[tag:])
	} else {
		number, size = 0, protowire.ConsumeFieldValue(number, kind, b[tag:])
	}
	if size < 0 {
		return 0, nil, size
	}
	return number, part, tag + size
}
