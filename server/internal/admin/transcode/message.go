package transcode

import (
	"encoding/json"
	"net/url"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"clave/server/internal/base/fault"
)

// types has the messages of the program.
var types = protoregistry.GlobalTypes

// Request is a request over HTTP. Its path is not encoded.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte
}

// Request returns the request of a call with an encoded message.
func (m *Method) Request(message []byte) (*Request, error) {
	in := newMessage(m.input)
	if err := proto.Unmarshal(message, in); err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "The message of the call is not a valid %s.", m.input.FullName())
	}
	if len(m.forms) == 0 {
		return nil, fault.E(fault.Unimplemented, "This server does not have the method %s.", m.Name)
	}
	for _, f := range m.forms {
		path, ok := f.path.fill(func(field []string) string { return textOf(in.ProtoReflect(), field) })
		if ok {
			return f.request(path, in)
		}
	}
	return nil, fault.E(fault.InvalidArgument, "Invalid resource field value in the request.")
}

// textOf returns the value of a field of text; empty if the message does not have it.
func textOf(m protoreflect.Message, field []string) string {
	for i, name := range field {
		d := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		if d == nil {
			return ""
		}
		if i == len(field)-1 {
			return m.Get(d).String()
		}
		m = m.Get(d).Message()
	}
	return ""
}

// request returns the request of a message.
func (f *form) request(path string, in proto.Message) (*Request, error) {
	text, err := protojson.Marshal(in)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "The message of the call has a value that is not valid.")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	out := &Request{Method: f.method, Path: path, Query: url.Values{}}
	fields := in.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		d := fields.Get(i)
		value, set := members[d.JSONName()]
		switch {
		case f.path.has(string(d.Name())):
			delete(members, d.JSONName())
		case f.body == string(d.Name()):
			out.Body = value
		case f.body != "*" && set:
			if err := addQuery(out.Query, d.JSONName(), value); err != nil {
				return nil, err
			}
		}
	}
	if f.body == "*" {
		out.Body, err = json.Marshal(members)
	}
	return out, err
}

// addQuery adds a value of JSON to a query: each element of a list by itself.
func addQuery(q url.Values, name string, value json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	for _, one := range list {
		var text string
		switch {
		case json.Unmarshal(one, &text) == nil:
			q.Add(name, text)
		case len(one) > 0 && one[0] == '{':
			return fault.E(fault.Unimplemented, "This server does not have the field %s.", name)
		default:
			q.Add(name, string(one))
		}
	}
	return nil
}

// Response returns the encoded message of a response in JSON.
func (m *Method) Response(text []byte) ([]byte, error) {
	out := newMessage(m.output)
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, out); err != nil {
		return nil, err
	}
	return proto.Marshal(out)
}
