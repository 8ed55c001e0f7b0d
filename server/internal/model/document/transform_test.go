package document_test

import (
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// numbers returns the integers from first to before end.
func numbers(first, end int) value.Array {
	out := make(value.Array, 0, end-first)
	for i := first; i < end; i++ {
		out = append(out, value.Int(i))
	}
	return out
}

// TestTransformsOfLongArrays transforms arrays as long as a request may be. Comparing all pairs of their elements would
// exceed the time limit of the tests.
func TestTransformsOfLongArrays(t *testing.T) {
	const n = 1_000_000
	for _, tt := range []struct {
		name       string
		kind       document.TransformKind
		old, items value.Array
		want       int
	}{
		{"elements that the array has", document.AppendMissing, numbers(0, 60_000), numbers(0, n), -1},
		{"elements that the array lacks", document.RemoveAll, numbers(0, 60_000), numbers(60_000, n), 60_000},
		{"elements that the array consists of", document.RemoveAll, numbers(0, 60_000), numbers(0, n), 0},
	} {
		w := document.Write{Name: name, HasMask: true, Transforms: []document.Transform{{Path: value.FieldPath{"a"}, Kind: tt.kind, Operand: tt.items}}}
		d, _, err := document.Apply(stored(value.Map{"a": tt.old}), w, at)
		switch {
		case tt.want < 0 && err == nil:
			t.Errorf("%s: the document is not too large", tt.name)
		case tt.want >= 0 && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want >= 0:
			if got, _ := d.Fields["a"].(value.Array); len(got) != tt.want {
				t.Errorf("%s: %d elements, want %d", tt.name, len(got), tt.want)
			}
		}
	}
}

// BenchmarkAppendMissing appends to arrays of several lengths, by elements of the array and of the transform.
func BenchmarkAppendMissing(b *testing.B) {
	for name, sizes := range map[string][2]int{"array=3/items=1": {3, 1}, "array=1000/items=1": {1000, 1}, "array=19000/items=1": {19_000, 1}, "array=19000/items=300000": {19_000, 300_000}} {
		w := document.Write{Name: document.Document{}.Name, HasMask: true,
			Transforms: []document.Transform{{Path: value.FieldPath{"a"}, Kind: document.AppendMissing, Operand: numbers(20_000, 20_000+sizes[1])}}}
		old := stored(value.Map{"a": numbers(0, sizes[0])})
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := document.Apply(old, w, at)
				if (err != nil) != (sizes[1] > 60_000) {
					b.Fatal(err)
				}
			}
		})
	}
}
