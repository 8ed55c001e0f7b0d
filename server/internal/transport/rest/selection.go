package rest

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/base/fault"
)

// selection is a requested partial response, such as "documents(name,fields/a),nextPageToken": the parts of a message
// to keep, by name. A selection without parts keeps all.
type selection map[string]selection

// anyField is the wildcard for every field.
const anyField = "*"

// maxSelection bounds the text of a selection, and with it the depth.
const maxSelection = 2048

// parseSelection parses a selection.
func parseSelection(s string) (selection, error) {
	p := selectionParser{in: s}
	out := selection{}
	if len(s) > maxSelection || !p.list(out) || p.in != "" {
		return nil, badSelection(s)
	}
	return out, nil
}

// badSelection refuses a selection, or a path of one.
func badSelection(path string) error {
	description := "Error expanding 'fields' parameter. Cannot find matching fields for path '" + path + "'."
	return &fault.Error{
		Code: fault.InvalidArgument, Message: "Request contains an invalid argument.",
		Violations: []fault.Violation{{Field: path, Description: description}},
	}
}

// selectionParser parses the rest of a selection.
type selectionParser struct{ in string }

// list parses paths between commas into a selection.
func (p *selectionParser) list(into selection) bool {
	for {
		if !p.path(into) {
			return false
		}
		if !p.take(',') {
			return true
		}
	}
}

// path parses names between slashes or dots, and the selection of the last one in parentheses.
func (p *selectionParser) path(into selection) bool {
	for {
		p.in = strings.TrimLeft(p.in, " ")
		end := strings.IndexAny(p.in, ",/.() ")
		if end < 0 {
			end = len(p.in)
		}
		name := p.in[:end]
		if p.in = strings.TrimLeft(p.in[end:], " "); name == "" {
			return false
		}
		part, again := into[name]
		deeper := p.in != "" && strings.IndexByte("/.(", p.in[0]) >= 0
		switch {
		case !deeper:
			into[name] = nil // All of it is selected, even if a part was selected before.
			return true
		case again && part == nil:
			part = selection{} // All is selected already; the rest is read and discarded.
		case !again:
			part = selection{}
			into[name] = part
		}
		if p.take('(') {
			return p.list(part) && p.take(')')
		}
		p.in = p.in[1:]
		into = part
	}
}

// take consumes a character if it is the next one.
func (p *selectionParser) take(c byte) bool {
	p.in = strings.TrimLeft(p.in, " ")
	if p.in == "" || p.in[0] != c {
		return false
	}
	p.in = p.in[1:]
	return true
}

// check reports whether a kind of message has all selected fields.
func (s selection) check(md protoreflect.MessageDescriptor, path string) error {
	for name, part := range s {
		at := strings.TrimPrefix(path+"."+name, ".")
		if name == anyField {
			if part != nil {
				return badSelection(at)
			}
			continue
		}
		fd := field(md, name)
		if fd == nil {
			return badSelection(at)
		}
		if part == nil {
			continue
		}
		if fd.IsMap() {
			if err := part.checkMembers(fd.MapValue().Message(), at); err != nil {
				return err
			}
			continue
		}
		// Scalars have no fields, and messages of google.protobuf are written as scalars in JSON.
		if fd.Message() == nil || fd.Message().FullName().Parent() == "google.protobuf" {
			return badSelection(at)
		}
		if err := part.check(fd.Message(), at); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers is check for a map, whose members may have any name.
func (s selection) checkMembers(md protoreflect.MessageDescriptor, path string) error {
	for name, part := range s {
		if part == nil {
			continue
		}
		if md == nil {
			return badSelection(path + "." + name)
		}
		if err := part.check(md, path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

// field finds a field by either of its names.
func field(md protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if fd := md.Fields().ByJSONName(name); fd != nil {
		return fd
	}
	return md.Fields().ByTextName(name)
}

// prune removes the unselected parts of a message.
func (s selection) prune(m proto.Message) { s.keep(m.ProtoReflect()) }

// keep clears the fields of a message that are not selected.
func (s selection) keep(m protoreflect.Message) {
	if _, whole := s[anyField]; whole || s == nil {
		return
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		part, selected := s[fd.JSONName()]
		if !selected {
			part, selected = s[fd.TextName()]
		}
		switch {
		case !selected:
			m.Clear(fd)
		case part == nil:
		case fd.IsMap():
			part.keepMembers(v.Map())
		case fd.IsList():
			for i := range v.List().Len() {
				part.keep(v.List().Get(i).Message())
			}
		default:
			part.keep(v.Message())
		}
		return true
	})
}

// keepMembers clears the members of a map that are not selected.
func (s selection) keepMembers(m protoreflect.Map) {
	if _, whole := s[anyField]; whole {
		return
	}
	m.Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
		part, selected := s[key.String()]
		switch {
		case !selected:
			m.Clear(key)
		case part != nil:
			part.keep(v.Message())
		}
		return true
	})
}
