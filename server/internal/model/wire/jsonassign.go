package wire

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	pb "clave/server/internal/model/wire/firestorepb"
)

// ParseJSON parses a JSON body into a message, as Google's servers transcode. It returns InvalidArgument with their
// texts, one line for each error. Strings of the message do not keep the memory of a large body.
func ParseJSON[Text ~[]byte | ~string](body Text, m proto.Message) error {
	_, err := parseOrdered(string(body), m)
	return err
}

// parseOrdered is ParseJSON that also returns the order of members.
func parseOrdered(body string, m proto.Message) (orders, error) {
	n, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	a := &assigner{kept: keeper{copies: len(body) > sharedText}}
	if n.kind != jsonObject {
		a.unknown("", "", "Root element must be a message.")
		return nil, a.err()
	}
	if !a.known(m.ProtoReflect(), n) {
		a.message(m.ProtoReflect(), n, "")
	}
	return a.order, a.err()
}

// The memory in bytes that each byte of a body takes while it is parsed, and that each value takes in addition: its
// node and the field of a message.
const (
	memoryPerByte  = 3
	memoryPerValue = 192
)

// JSONMemory returns about how many bytes ParseJSON takes at most for a body.
func JSONMemory[Text ~[]byte | ~string](body Text) int64 {
	return memoryPerByte*int64(len(body)) + memoryPerValue*min(parse.Values(body), maxJSONValues)
}

// assigner sets the fields of messages from JSON and collects the errors.
type assigner struct {
	kept  keeper
	wrong []fault.Violation
	// order is the order of the members of documents and maps.
	order orders
	// slow disables the conversion without reflection: within a value of an unusual form, and in tests that compare both.
	slow bool
}

// keep returns a string of the body as the message keeps it.
func (a *assigner) keep(s string) string { return a.kept.keep(s) }

// maxWrong is the maximum number of errors in one error text.
const maxWrong = 50

// err returns the collected errors as one, or nil.
func (a *assigner) err() error {
	if len(a.wrong) == 0 {
		return nil
	}
	return fault.Violated(a.wrong...)
}

// add records an error at a path.
func (a *assigner) add(path, format string, args ...any) {
	if len(a.wrong) < maxWrong {
		a.wrong = append(a.wrong, fault.Violation{Field: path, Description: fmt.Sprintf(format, args...)})
	}
}

// unknown records a name that the message does not have.
func (a *assigner) unknown(name, path, why string) {
	a.add(path, "Invalid JSON payload received. Unknown name \"%s\"%s: %s", name, at(path), why)
}

// invalid records a value that its field cannot hold.
func (a *assigner) invalid(path, typ, what string) {
	a.add(path, "Invalid value%s (%s), %s", at(path), typ, what)
}

// at returns the position for an error text, empty for the root.
func at(path string) string {
	if path == "" {
		return ""
	}
	return " at '" + path + "'"
}

// join appends a field's name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// message sets the fields of a message from an object.
func (a *assigner) message(m protoreflect.Message, n jsonNode, path string) {
	fields := m.Descriptor().Fields()
	for name, item := range n.members() {
		fd := fields.ByJSONName(name)
		if fd == nil {
			fd = fields.ByTextName(name)
		}
		if fd == nil {
			a.unknown(name, path, "Cannot find field.")
			continue
		}
		if item.kind == jsonNull && !takesNull(fd) {
			continue
		}
		if o := fd.ContainingOneof(); o != nil && m.WhichOneof(o) != nil {
			a.invalid(path, "oneof", fmt.Sprintf("oneof field '%s' is already set. Cannot set '%s'", o.Name(), name))
			continue
		}
		a.field(m, fd, item, join(path, string(fd.Name())))
	}
}

// takesNull reports whether null is a value of a field and does not mean its absence.
func takesNull(fd protoreflect.FieldDescriptor) bool {
	return fd.Enum() != nil && fd.Enum().FullName() == "google.protobuf.NullValue"
}

// field sets one field.
func (a *assigner) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, n jsonNode, path string) {
	switch {
	case fd.IsMap():
		a.members(m.Mutable(fd).Map(), fd, n, path)
		switch m := m.Interface().(type) {
		case *pb.Document, *pb.MapValue:
			a.order.set(m, n.names())
		}
	case fd.IsList():
		list := m.Mutable(fd).List()
		if n.kind != jsonArray {
			a.element(list, fd, n, path, 0)
			return
		}
		i := 0
		for item := range n.elements() {
			a.element(list, fd, item, path, i)
			i++
		}
	case n.kind == jsonArray:
		parent, name := cutPath(path)
		a.unknown(name, parent, "Proto field is not repeating, cannot start list.")
	default:
		if v, ok := a.value(fd, func() protoreflect.Value { return m.NewField(fd) }, n, path); ok {
			m.Set(fd, v)
		}
	}
}

// element adds an element to a list.
func (a *assigner) element(list protoreflect.List, fd protoreflect.FieldDescriptor, n jsonNode, path string, i int) {
	if v, ok := a.value(fd, list.NewElement, n, fmt.Sprintf("%s[%d]", path, i)); ok {
		list.Append(v)
	}
}

// cutPath cuts the last name off a path.
func cutPath(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// members sets a map field.
func (a *assigner) members(out protoreflect.Map, fd protoreflect.FieldDescriptor, n jsonNode, path string) {
	if n.kind != jsonObject {
		a.unknown(string(fd.Name()), path, "Cannot bind a value that is no object to a map.")
		return
	}
	i := -1
	for name, item := range n.members() {
		i++
		v, ok := a.value(fd.MapValue(), out.NewValue, item, fmt.Sprintf("%s[%d].value", path, i))
		if ok {
			out.Set(protoreflect.ValueOfString(a.keep(name)).MapKey(), v)
		}
	}
}

// value returns the value of a field or an element. ok is false if there was an error.
func (a *assigner) value(fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value, n jsonNode, path string) (protoreflect.Value, bool) {
	if fd.Message() == nil {
		return a.scalar(fd, n, path)
	}
	v := fresh()
	before := len(a.wrong)
	switch fd.Message().FullName() {
	case "google.protobuf.Timestamp":
		a.timestamp(v.Message(), n, path)
	case "google.protobuf.Int32Value", "google.protobuf.Int64Value", "google.protobuf.DoubleValue":
		inner := v.Message().Descriptor().Fields().ByName("value")
		if w, ok := a.scalar(inner, n, path); ok {
			v.Message().Set(inner, w)
		}
	default:
		if a.known(v.Message(), n) {
			break
		}
		if n.kind != jsonObject {
			a.invalid(path, typeURL(fd.Message().FullName()), n.shown())
			break
		}
		slow := a.slow
		// The unusual part is somewhere within the value. Trying the nested values as well would read it once for each level.
		a.slow = slow || fd.Message().FullName() == valueName
		a.message(v.Message(), n, path)
		a.slow = slow
	}
	return v, len(a.wrong) == before
}

// typeURL returns the name of a type in error texts. Firestore's messages have their public names.
func typeURL(name protoreflect.FullName) string {
	return "type.googleapis.com/" + strings.Replace(string(name), "clave.firestore.v1", "google.firestore.v1", 1)
}

// shown returns a value as error texts show it.
func (n jsonNode) shown() string {
	if n.kind == jsonString {
		return `"` + n.text + `"`
	}
	return n.text
}
