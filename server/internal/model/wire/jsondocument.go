package wire

import (
	"encoding/base64"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	pb "clave/server/internal/model/wire/firestorepb"
)

// Most of a request's content is values. The functions here convert them from JSON without reflection if they have the
// form that clients usually send. For anything unusual they return false. The assigner, which accepts every form and
// has the error texts, then converts the message from its beginning. Within it, it tries these functions for each value
// again, but not for those inside it. So it reads no part of a body more than a few times, at any depth. Usual requests
// with writes never come here (jsonscan.go).

// valueName is the name of the message of values.
var valueName = (&pb.Value{}).ProtoReflect().Descriptor().FullName()

// known fills a message from an object, and reports whether it could.
func (a *assigner) known(m protoreflect.Message, n jsonNode) bool {
	if a.slow {
		return false
	}
	switch m := m.Interface().(type) {
	case *pb.Value:
		v, ok := a.knownValue(n)
		if ok {
			m.ValueType = v.GetValueType()
		}
		return ok
	default:
		return false
	}
}

// knownFields converts the members of a map, and returns their names in order if they are not sorted.
func (a *assigner) knownFields(n jsonNode) (out map[string]*pb.Value, order []string, ok bool) {
	if n.kind != jsonObject {
		return nil, nil, false
	}
	out = make(map[string]*pb.Value, n.count)
	last, sorted := "", true
	for name, item := range n.members() {
		v, ok := a.knownValue(item)
		if !ok {
			return nil, nil, false
		}
		out[a.keep(name)] = v
		sorted = sorted && last <= name
		last = name
	}
	if !sorted {
		order = n.names()
	}
	return out, order, true
}

// names returns the names of an object's members in order.
func (n jsonNode) names() []string {
	names := make([]string, 0, n.count)
	for name := range n.members() {
		names = append(names, name)
	}
	return names
}

// knownValue converts a value: an object with one member, whose name is the kind, or with none. It returns false for
// other forms.
func (a *assigner) knownValue(n jsonNode) (*pb.Value, bool) { // long: one case a kind
	if n.kind == jsonObject && n.count == 0 {
		return &pb.Value{}, true // The reader of the message refuses it.
	}
	if n.kind != jsonObject || n.count != 1 {
		return nil, false
	}
	kind, item := n.member()
	switch kind {
	case "stringValue":
		return newString(a.keep(item.text)), item.kind == jsonString
	case "integerValue":
		i, ok := item.integer(64)
		return newInteger(i), ok
	case "booleanValue":
		return newBool(item.text == "true"), item.kind == jsonBool
	case "doubleValue":
		d, ok := item.double()
		return newDouble(d), ok
	case "nullValue":
		return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}, item.kind == jsonNull
	case "timestampValue":
		t, err := time.Parse(time.RFC3339Nano, item.text)
		ok := item.kind == jsonString && err == nil && t.Unix() >= minSeconds && t.Unix() <= maxSeconds
		return newTimestamp(t.Unix(), int32(t.Nanosecond())), ok
	case "referenceValue":
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: a.keep(item.text)}}, item.kind == jsonString
	case "bytesValue":
		b, ok := item.bytes()
		return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: b}}, ok
	case "geoPointValue":
		g, ok := knownPlace(item)
		return &pb.Value{ValueType: &pb.Value_GeoPointValue{GeoPointValue: g}}, ok
	case "arrayValue":
		array, ok := a.knownArray(item)
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: array}}, ok
	case "mapValue":
		m, ok := a.knownMap(item)
		return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: m}}, ok
	default:
		return nil, false
	}
}

// bytes decodes a string of padded base64, or returns false for any other node.
func (n jsonNode) bytes() ([]byte, bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(n.text)
	return b, n.kind == jsonString && err == nil && !strings.ContainsAny(n.text, "\r\n")
}

// knownPlace converts a geo point. It returns false for other forms, as the functions below do.
func knownPlace(n jsonNode) (*latlng.LatLng, bool) {
	if n.kind != jsonObject {
		return nil, false
	}
	g := &latlng.LatLng{}
	for name, item := range n.members() {
		d, ok := item.double()
		switch {
		case ok && name == "latitude":
			g.Latitude = d
		case ok && name == "longitude":
			g.Longitude = d
		default:
			return nil, false
		}
	}
	return g, true
}

// knownArray converts an array.
func (a *assigner) knownArray(n jsonNode) (*pb.ArrayValue, bool) {
	out := &pb.ArrayValue{}
	if n.kind != jsonObject || n.count == 0 {
		return out, n.kind == jsonObject
	}
	name, values := n.member()
	if n.count > 1 || name != "values" || values.kind != jsonArray {
		return nil, false
	}
	out.Values = make([]*pb.Value, 0, values.count)
	for item := range values.elements() {
		v, ok := a.knownValue(item)
		if !ok {
			return nil, false
		}
		out.Values = append(out.Values, v)
	}
	return out, true
}

// knownMap converts a map.
func (a *assigner) knownMap(n jsonNode) (*pb.MapValue, bool) {
	out := &pb.MapValue{}
	if n.kind != jsonObject || n.count == 0 {
		return out, n.kind == jsonObject
	}
	name, fields := n.member()
	if n.count > 1 || name != "fields" {
		return nil, false
	}
	var ok bool
	var order []string
	out.Fields, order, ok = a.knownFields(fields)
	a.order.set(out, order)
	return out, ok
}
