package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// AppendJSON appends a message as JSON on one line, by proto3's JSON mapping.
func AppendJSON(b []byte, m proto.Message) ([]byte, error) {
	if out, ok := appendKnownJSON(b, m); ok {
		return out, nil
	}
	out, err := protojson.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("json of %s: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	// protojson deliberately adds random spaces; they are removed, so that equal responses have equal bytes.
	buf := bytes.NewBuffer(b)
	if err := json.Compact(buf, out); err != nil {
		return nil, fmt.Errorf("json of %s: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	return buf.Bytes(), nil
}

// SetParam sets the field of a message that a query parameter names, such as mask.fieldPaths. It returns
// InvalidArgument if the message has no such field or the field cannot hold the value.
func SetParam(m proto.Message, name string, values []string) error {
	a := &assigner{}
	a.param(m.ProtoReflect(), name, name, "", values)
	return a.err()
}

// SetParams sets the fields of a message that query parameters name.
func SetParams(m proto.Message, params map[string][]string) error {
	for name, values := range params {
		if err := SetParam(m, name, values); err != nil {
			return err
		}
	}
	return nil
}

// param sets the field that rest names in the message at a path. name is the whole name, for error texts.
func (a *assigner) param(m protoreflect.Message, name, rest, path string, values []string) {
	first, after, nested := strings.Cut(rest, ".")
	fields := m.Descriptor().Fields()
	fd := fields.ByJSONName(first)
	if fd == nil {
		fd = fields.ByTextName(first)
	}
	if fd == nil || fd.IsMap() || (nested && (fd.IsList() || fd.Message() == nil)) {
		a.unknown(name, "", fmt.Sprintf("Cannot bind query parameter. Field '%s' could not be found in request message.", first))
		return
	}
	if nested {
		a.param(m.Mutable(fd).Message(), name, after, join(path, string(fd.Name())), values)
		return
	}
	if o := fd.ContainingOneof(); o != nil && m.WhichOneof(o) != nil {
		a.invalid(path, "oneof", fmt.Sprintf("oneof field '%s' is already set. Cannot set '%s'", o.Name(), first))
		return
	}
	if fd.IsList() {
		a.field(m, fd, jsonStrings(values), join(path, string(fd.Name())))
		return
	}
	// If a parameter is repeated, the last value counts.
	a.field(m, fd, jsonNode{kind: jsonString, text: values[len(values)-1]}, join(path, string(fd.Name())))
}
