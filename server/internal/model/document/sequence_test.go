package document_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// fields parses fields in the REST form, with their order.
func fields(t *testing.T, text json.RawMessage) (value.Map, value.Layout) {
	t.Helper()
	m, layout, err := wire.ParseFieldsJSON(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return m, layout
}

// storedForm returns the stored form of a layout.
func storedForm(m value.Map, l value.Layout) []byte {
	return l.AppendStored(nil, m, value.SortedKeys(m))
}

// TestMaskOrdersFieldsAsRecorded applies writes with masks to documents. testdata/order.json has what the official
// emulator made of them, with the members of maps in the order that its rules read.
func TestMaskOrdersFieldsAsRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Before, Fields, After json.RawMessage
		Mask                  []string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		before := &document.Document{Name: name}
		before.Fields, before.Layout = fields(t, c.Before)
		w := document.Write{Name: name, HasMask: true, Mask: paths(t, c.Mask...)}
		w.Fields, w.Layout = fields(t, c.Fields)
		after, _, err := document.Apply(before, w, 5)
		if err != nil {
			t.Fatal(err)
		}
		want, layout := fields(t, c.After)
		if !value.Identical(after.Fields, want) || !slices.Equal(storedForm(after.Fields, after.Layout), storedForm(want, layout)) {
			t.Errorf("%s\nwith %s in %s\n%v, want %s", c.Before, c.Mask, c.Fields, after.Layout.Branch(after.Fields), c.After)
		}
	}
}

func TestOrderIsNoChange(t *testing.T) {
	old := &document.Document{Name: name, UpdateTime: 3}
	old.Fields, old.Layout = fields(t, json.RawMessage(`{"b":{"integerValue":"1"},"a":{"mapValue":{"fields":{"y":{"nullValue":null},"x":{"nullValue":null}}}}}`))
	w := document.Write{Name: name}
	w.Fields, w.Layout = fields(t, json.RawMessage(`{"a":{"mapValue":{"fields":{"x":{"nullValue":null},"y":{"nullValue":null}}}},"b":{"integerValue":"1"}}`))
	masked := w
	masked.HasMask, masked.Mask = true, []value.FieldPath{{"a"}, {"b"}}
	for _, w := range []document.Write{w, masked} {
		if after, _, err := document.Apply(old, w, 5); after != old || err != nil {
			t.Errorf("the same fields in another order: %v, %v, want the document before", after, err)
		}
	}
	draft := document.NewDraft(name, old)
	draft.Apply(w, 5)
	after, err := draft.Document(5)
	if err != nil {
		t.Fatal(err)
	}
	if given := draft.Given(after); !slices.Equal(storedForm(given.Fields, given.Layout), storedForm(w.Fields, w.Layout)) {
		t.Errorf("rules read the order %v, want that of the write", given.Layout.Branch(given.Fields))
	}
	if slices.Equal(storedForm(old.Fields, old.Layout), storedForm(w.Fields, w.Layout)) {
		t.Error("the write has the same order: the test checks nothing")
	}
}

func TestTransformsOfArraysKeepTheOrderOfElements(t *testing.T) {
	const first = `{"mapValue":{"fields":{"y":{"integerValue":"1"},"x":{"nullValue":null}}}}`
	const second = `{"mapValue":{"fields":{"d":{"nullValue":null},"c":{"nullValue":null}}}}`
	old := &document.Document{Name: name, UpdateTime: 3}
	old.Fields, old.Layout = fields(t, json.RawMessage(`{"a":{"arrayValue":{"values":[`+first+`,{"nullValue":null}]}}}`))
	of, layout := fields(t, json.RawMessage(`{"a":{"arrayValue":{"values":[`+first+`,`+second+`]}}}`))
	path := value.FieldPath{"a"}
	w := document.Write{Name: name, HasMask: true, Transforms: []document.Transform{
		{Path: path, Kind: document.AppendMissing, Operand: of["a"], Layout: layout.Branch(of).At(path)},
		{Path: path, Kind: document.RemoveAll, Operand: value.Array{value.Null{}}},
	}}
	after, _, err := document.Apply(old, w, 5)
	if err != nil {
		t.Fatal(err)
	}
	want, wantLayout := fields(t, json.RawMessage(`{"a":{"arrayValue":{"values":[`+first+`,`+second+`]}}}`))
	if !value.Identical(after.Fields, want) || !slices.Equal(storedForm(after.Fields, after.Layout), storedForm(want, wantLayout)) {
		t.Errorf("%v in the order %v", after.Fields, after.Layout.Branch(after.Fields))
	}
	if len(storedForm(want, wantLayout)) == 0 {
		t.Error("the members are sorted: the test checks nothing")
	}
}

func TestTransformsMoveFieldsThatChange(t *testing.T) {
	old := &document.Document{Name: name, UpdateTime: 3}
	old.Fields, old.Layout = fields(t, json.RawMessage(
		`{"d":{"integerValue":"1"},"b":{"integerValue":"1"},"a":{"arrayValue":{"values":[{"mapValue":{"fields":{"y":{"nullValue":null},"x":{"nullValue":null}}}}]}},"c":{"integerValue":"1"}}`))
	w := document.Write{Name: name, HasMask: true, Transforms: []document.Transform{
		{Path: value.FieldPath{"d"}, Kind: document.Increment, Operand: value.Int(1)},
		{Path: value.FieldPath{"b"}, Kind: document.Maximum, Operand: value.Int(0)},
		{Path: value.FieldPath{"a"}, Kind: document.AppendMissing, Operand: value.Array{value.Int(1)}},
		{Path: value.FieldPath{"new"}, Kind: document.Increment, Operand: value.Int(1)},
	}}
	after, _, err := document.Apply(old, w, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := after.Layout.Branch(after.Fields)
	if got, want := b.Names(after.Fields), []string{"b", "c", "a", "new", "d"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	kept := 0
	b.At(value.FieldPath{"a"}).Each(after.Fields["a"], func(_ value.Map, names []string) {
		if kept++; !slices.Equal(names, []string{"y", "x"}) {
			t.Errorf("an element of the array has the order %v", names)
		}
	})
	if kept != 1 {
		t.Errorf("%d elements of the array have an order, want 1", kept)
	}
}
