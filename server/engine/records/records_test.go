package records

import (
	"reflect"
	"testing"

	"clave/server/document"
	"clave/server/value"
)

// encode returns a document's record.
func encode(d *document.Document) []byte { return Append(nil, d, value.SortedKeys(d.Fields)) }

// FuzzRecords decodes arbitrary bytes as records of commits and documents.
func FuzzRecords(f *testing.F) {
	d := &document.Document{Fields: value.Map{"a": value.Int(1)}, CreateTime: 3, UpdateTime: 4}
	record, _ := AppendImage(nil, Image{Path: "c/a", After: encode(d)})
	f.Add(record)
	f.Fuzz(func(_ *testing.T, b []byte) {
		images, err := Images(b)
		if err != nil {
			return
		}
		for _, i := range images {
			_, _ = i.Change(d.Name.DB)
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
	record, at = AppendImage(record, Image{Path: "c/a", Before: encode(before), After: encode(&after)})
	SetTimes(record[at:], 9, false)
	after.UpdateTime = 9
	record, _ = AppendImage(record, Image{Path: "c/a", Before: encode(before)})
	record, at = AppendImage(record, Image{Path: "c/a", After: encode(before)})
	SetTimes(record[at:], 12, true)
	created := *before
	created.CreateTime, created.UpdateTime = 12, 12
	want := []document.Change{{Name: before.Name, Before: before, After: &after}, {Name: before.Name, Before: before}, {Name: before.Name, After: &created}}
	images, err := Images(record)
	if err != nil || len(images) != len(want) {
		t.Fatalf("Images = %d images, %v", len(images), err)
	}
	for i, im := range images {
		got, err := im.Change(before.Name.DB)
		if err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("image %d = %+v, %v, want %+v", i, got, err, want[i])
		}
	}
}
