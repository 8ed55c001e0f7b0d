package records

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
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

func TestRecordsKeepTheOrderOfFields(t *testing.T) {
	d := &document.Document{Fields: value.Map{}, CreateTime: 3, UpdateTime: 4}
	var filler value.Filler
	for i, name := range []string{"z", "b", "a"} {
		filler.Put(d.Fields, name, value.Int(i), nil)
	}
	sorted := encode(d) // as earlier versions wrote it
	d.Layout = value.LayoutOf(filler.Branch(d.Fields))
	record := encode(d)
	if len(record) != len(sorted)+2 || !bytes.HasPrefix(record, sorted) {
		t.Errorf("record %x, want 2 bytes after %x", record, sorted)
	}
	for _, tt := range []struct {
		record []byte
		want   []string
	}{{sorted, []string{"a", "b", "z"}}, {record, []string{"z", "b", "a"}}} {
		got, err := Decode(d.Name, tt.record)
		if err != nil || !value.Identical(got.Fields, d.Fields) {
			t.Fatalf("Decode = %v, %v", got, err)
		}
		if names := got.Layout.Branch(got.Fields).Names(got.Fields); !slices.Equal(names, tt.want) {
			t.Errorf("order %v, want %v", names, tt.want)
		}
		if again := encode(got); !bytes.Equal(again, tt.record) {
			t.Errorf("encoded again as %x, want %x", again, tt.record)
		}
	}
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

// TestCutRecordsAreRefused decodes each beginning of a commit's record and of a document's. Only what ends with an
// image is one.
func TestCutRecordsAreRefused(t *testing.T) {
	d := &document.Document{Fields: value.Map{"a": value.String("text"), "b": value.Array{value.Int(1 << 40)}}, CreateTime: 3, UpdateTime: 4}
	whole := encode(d)
	for n := range whole {
		if got, err := Decode(d.Name, whole[:n]); err == nil {
			t.Errorf("%d of %d bytes of a document are %+v", n, len(whole), got)
		}
	}
	first, _ := AppendImage(nil, Image{Path: "c/a", Before: whole})
	record, _ := AppendImage(first, Image{Path: "c/b", After: whole})
	for n := 1; n < len(record); n++ {
		if images, err := Images(record[:n]); (err == nil) != (n == len(first)) {
			t.Errorf("%d of %d bytes of a commit are %d images, %v", n, len(record), len(images), err)
		}
	}
	notAMap := value.AppendBinary(slices.Clone(whole[:times]), value.Int(1))
	if got, err := Decode(d.Name, notAMap); !errors.Is(err, keys.ErrCorrupt) {
		t.Errorf("a document whose fields are a number is %+v, %v", got, err)
	}
}
