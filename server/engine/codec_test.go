package engine

import (
	"bytes"
	"reflect"
	"testing"

	"clave/server/document"
	"clave/server/index"
	"clave/server/value"
)

// FuzzPageToken decodes arbitrary tokens. Each must be refused, or equal the token of its ids.
func FuzzPageToken(f *testing.F) {
	f.Add(pageToken("a"))
	f.Add(pageToken("__id7__"))
	f.Fuzz(func(t *testing.T, token string) {
		b, err := parsePageToken(token)
		if err != nil {
			return
		}
		id, rest, err := index.CutSegment(b)
		if err != nil || len(rest) > 0 {
			t.Errorf("parsePageToken(%q) = %x, which is no segment (%v)", token, b, err)
		}
		if again, err := parsePageToken(pageToken(id)); err != nil || !bytes.Equal(again, index.AppendSegment(nil, id)) {
			t.Errorf("parsePageToken(pageToken(%q)) = %x, %v", id, again, err)
		}
	})
}

// FuzzRecords decodes arbitrary bytes as records of commits and documents.
func FuzzRecords(f *testing.F) {
	d := &document.Document{Fields: value.Map{"a": value.Int(1)}, CreateTime: 3, UpdateTime: 4}
	record, _ := appendImage(nil, image{path: "c/a", after: encodeDocument(d)})
	f.Add(record)
	f.Fuzz(func(_ *testing.T, b []byte) {
		images, err := cutImages(b)
		if err != nil {
			return
		}
		for _, i := range images {
			_, _ = decodeImage(d.Name.DB, i)
		}
	})
}

func TestRecordsReadBack(t *testing.T) {
	before := &document.Document{Fields: value.Map{"a": value.Int(1), "b": value.Array{value.Null{}}}, CreateTime: 3, UpdateTime: 4}
	before.Name.Path = "c/a"
	after := *before
	after.Fields = value.Map{}
	var record []byte
	var at int
	record, at = appendImage(record, image{path: "c/a", before: encodeDocument(before), after: encodeDocument(&after)})
	setTimes(record[at:], 9, false)
	after.UpdateTime = 9
	record, _ = appendImage(record, image{path: "c/a", before: encodeDocument(before)})
	record, at = appendImage(record, image{path: "c/a", after: encodeDocument(before)})
	setTimes(record[at:], 12, true)
	created := *before
	created.CreateTime, created.UpdateTime = 12, 12
	want := []document.Change{{Name: before.Name, Before: before, After: &after}, {Name: before.Name, Before: before}, {Name: before.Name, After: &created}}
	images, err := cutImages(record)
	if err != nil || len(images) != len(want) {
		t.Fatalf("cutImages = %d images, %v", len(images), err)
	}
	for i, im := range images {
		got, err := decodeImage(before.Name.DB, im)
		if err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("image %d = %+v, %v, want %+v", i, got, err, want[i])
		}
	}
}
