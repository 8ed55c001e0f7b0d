package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// orderedJSON is a document whose members come in no order: z, then n with y and x, then a list with a map with d and
// c, then a.
const orderedJSON = `{"name": "` + orderedName + `", "fields": {"z": {"nullValue": null},
	"n": {"mapValue": {"fields": {"y": {"nullValue": null}, "x": {"nullValue": null}}}},
	"l": {"arrayValue": {"values": [{"nullValue": null}, {"mapValue": {"fields": {"d": {"nullValue": null}, "c": {"nullValue": null}}}}]}}, "a": {"nullValue": null}}}`

// orderedName is the name of that document.
const orderedName = "projects/p/databases/(default)/documents/c/d"

// part returns a message's field that is a message.
func part(number protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), b)
}

// entry returns an entry of a map.
func entry(number protowire.Number, name string, v []byte) []byte {
	return part(number, append(part(1, []byte(name)), part(2, v)...))
}

// orderedBinary returns that document in binary.
func orderedBinary() []byte {
	null := []byte{11<<3 | byte(protowire.VarintType), 0}
	members := func(names ...string) (out []byte) {
		for _, name := range names {
			out = append(out, entry(pb.FieldMapValueFields, name, null)...)
		}
		return part(pb.FieldValueMapValue, out)
	}
	b := part(pb.FieldDocumentName, []byte("projects/p/databases/(default)/documents/c/d"))
	b = append(b, entry(pb.FieldDocumentFields, "z", null)...)
	b = append(b, entry(pb.FieldDocumentFields, "n", members("y", "x"))...)
	list := append(part(pb.FieldArrayValueValues, null), part(pb.FieldArrayValueValues, members("d", "c"))...)
	b = append(b, entry(pb.FieldDocumentFields, "l", part(pb.FieldValueArrayValue, list))...)
	return append(b, entry(pb.FieldDocumentFields, "a", null)...)
}

// checkOrder checks the order of the members of that document.
func checkOrder(t *testing.T, how string, m value.Map, l value.Layout) {
	t.Helper()
	var got [][]string
	b := l.Branch(m)
	for _, of := range []struct {
		b *value.Branch
		v value.Value
	}{{b.At(value.FieldPath{"n"}), m["n"]}, {b.At(value.FieldPath{"l"}), m["l"]}} {
		of.b.Each(of.v, func(_ value.Map, names []string) { got = append(got, names) })
	}
	got = append(got, b.Names(m))
	if want := [][]string{{"y", "x"}, {"d", "c"}, {"z", "n", "l", "a"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s: order %v, want %v", how, got, want)
	}
}

func TestWritesKeepTheOrderOfMembers(t *testing.T) {
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	check := func(how string, writes []document.Write, err error) {
		t.Helper()
		if err != nil || len(writes) != 1 {
			t.Fatalf("%s: %v, %v", how, writes, err)
		}
		checkOrder(t, how, writes[0].Fields, writes[0].Layout)
	}
	update := part(pb.FieldWriteUpdate, orderedBinary())
	none := append(slices.Clip(update), part(99, nil)...)
	for how, b := range map[string][]byte{"binary": update, "binary with an unknown field": none} {
		for _, form := range forms {
			r, number := form(), pb.FieldCommitRequestWrites
			if form().Message().ProtoReflect().Descriptor().Name() == "WriteRequest" {
				number = pb.FieldWriteRequestWrites
			}
			if err := r.Decode(part(number, b)); err != nil {
				t.Fatal(err)
			}
			writes, err := r.Writes(db)
			check(how, writes, err)
		}
	}
	for how, text := range map[string]string{
		"JSON": `{"update": ` + orderedJSON + `}`, "JSON of an unusual form": `{"update": ` + orderedJSON + `, "update_transforms": []}`,
	} {
		r := wire.NewWriteRequest()
		if err := r.DecodeJSON(`{"writes": [`+text+`]}`, nil, ""); err != nil {
			t.Fatal(err)
		}
		writes, err := r.Writes(db)
		check(how, writes, err)
	}
}

// TestTransformsKeepTheOrderOfMembers appends null, a map with d and c, and a map with a and b to an array, after a
// transform of another field.
func TestTransformsKeepTheOrderOfMembers(t *testing.T) {
	null := []byte{11<<3 | byte(protowire.VarintType), 0}
	item := func(names ...string) []byte {
		var b []byte
		for _, name := range names {
			b = append(b, entry(pb.FieldMapValueFields, name, null)...)
		}
		return part(pb.FieldArrayValueValues, part(pb.FieldValueMapValue, b))
	}
	items := slices.Concat(part(pb.FieldArrayValueValues, null), item("d", "c"), item("a", "b"))
	other := slices.Concat(part(pb.FieldDocumentTransformFieldTransformFieldPath, []byte("o")), part(pb.FieldDocumentTransformFieldTransformIncrement, []byte{byte(pb.FieldValueIntegerValue) << 3, 1}))
	transform := slices.Concat(part(pb.FieldDocumentTransformFieldTransformFieldPath, []byte("t")), part(pb.FieldDocumentTransformFieldTransformAppendMissingElements, items))
	document := []byte("projects/p/databases/(default)/documents/c/d")
	update := slices.Concat(part(pb.FieldWriteUpdate, part(pb.FieldDocumentName, document)), part(pb.FieldWriteUpdateTransforms, other), part(pb.FieldWriteUpdateTransforms, transform))
	alone := part(pb.FieldWriteTransform, slices.Concat(part(pb.FieldDocumentTransformDocument, document),
		part(pb.FieldDocumentTransformFieldTransforms, other), part(pb.FieldDocumentTransformFieldTransforms, transform)))
	const text = `{"update": {"name": "projects/p/databases/(default)/documents/c/d"}, "updateTransforms": [{"fieldPath": "o", "increment": {"integerValue": 1}},
		{"fieldPath": "t", "appendMissingElements": {"values": [{"nullValue": null}, {"mapValue": {"fields": {"d": {"nullValue": null}, "c": {"nullValue": null}}}},
		{"mapValue": {"fields": {"a": {"nullValue": null}, "b": {"nullValue": null}}}}]}}]}`
	binary := func(b []byte) func(r *wire.WritesRequest) error {
		return func(r *wire.WritesRequest) error { return r.Decode(part(pb.FieldWriteRequestWrites, b)) }
	}
	for how, parse := range map[string]func(r *wire.WritesRequest) error{
		"binary": binary(update), "binary without a document": binary(alone),
		"JSON":                 func(r *wire.WritesRequest) error { return r.DecodeJSON(`{"writes": [`+text+`]}`, nil, "") },
		"JSON by the messages": func(r *wire.WritesRequest) error { return r.DecodeMessageJSON(`{"writes": [` + text + `]}`) },
	} {
		r := wire.NewWriteRequest()
		if err := parse(r); err != nil {
			t.Fatal(err)
		}
		writes, err := r.Writes(testDatabase)
		if err != nil || len(writes) != 1 || len(writes[0].Transforms) != 2 {
			t.Fatalf("%s: %+v, %v", how, writes, err)
		}
		var got [][]string
		writes[0].Transforms[1].Layout.Each(writes[0].Transforms[1].Operand, func(_ value.Map, names []string) { got = append(got, names) })
		if want := [][]string{{"d", "c"}}; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: order %v, want %v", how, got, want)
		}
	}
}

func TestDocumentsKeepTheOrderOfMembers(t *testing.T) {
	var binary, text, params wire.CreateRequest
	if err := binary.Decode(part(pb.FieldCreateDocumentRequestDocument, orderedBinary()[len(part(pb.FieldDocumentName, []byte(orderedName))):])); err != nil {
		t.Fatal(err)
	}
	body := `{` + orderedJSON[strings.IndexByte(orderedJSON, ',')+1:]
	unusual := strings.Replace(body, `"fields"`, `fields`, 1)
	if err := errors.Join(text.DecodeJSON(body, nil, "", ""), params.DecodeJSON(unusual, nil, "", "")); err != nil {
		t.Fatal(err)
	}
	for how, r := range map[string]*wire.CreateRequest{"binary": &binary, "JSON": &text, "JSON of an unusual form": &params} {
		m, l, err := r.Fields()
		if err != nil {
			t.Fatal(err)
		}
		checkOrder(t, how, m, l)
	}
}
