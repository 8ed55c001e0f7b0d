package transfer

import (
	"bytes"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

func TestEntitiesKeepTheOrderOfFields(t *testing.T) {
	fields, layout, err := wire.ParseFieldsJSON(`{"z": {"nullValue": null}, "v": {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": [{"doubleValue": 1}]}}}}},
		"n": {"mapValue": {"fields": {"y": {"nullValue": null}, "x": {"mapValue": {"fields": {"q": {"nullValue": null}, "p": {"nullValue": null}}}}}}}, "e": {"arrayValue": {}},
		"l": {"arrayValue": {"values": [{"nullValue": null}, {"mapValue": {"fields": {"d": {"nullValue": null}, "c": {"nullValue": null}}}}]}}, "a": {"nullValue": null}}`)
	if err != nil {
		t.Fatal(err)
	}
	d := &document.Document{Fields: fields, Layout: layout}
	d.Name = resource.Document{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Path: "c/d"}
	got, err := decodeDocument(d.Name.DB, appendDocument(nil, d))
	if err != nil || !value.Identical(got.Fields, fields) {
		t.Fatalf("%v, %v, want %v", got, err, fields)
	}
	stored := func(m value.Map, l value.Layout) []byte { return l.AppendStored(nil, m, value.SortedKeys(m)) }
	if a, b := stored(got.Fields, got.Layout), stored(fields, layout); !bytes.Equal(a, b) || len(b) == 0 {
		t.Errorf("the order is %x, want %x", a, b)
	}
}
