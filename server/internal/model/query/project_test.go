package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// randomMap returns a map of random members.
func randomMap(r *rand.Rand, depth int) value.Map {
	m := make(value.Map)
	for range r.IntN(5) {
		name := string(rune('a' + r.IntN(5)))
		switch {
		case depth > 0 && r.IntN(2) == 0:
			m[name] = randomMap(r, depth-1)
		default:
			m[name] = value.Int(r.IntN(3))
		}
	}
	return m
}

// TestProject compares projections with those of a loop over all paths.
func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		d := &document.Document{Fields: randomMap(r, 3)}
		var paths []value.FieldPath
		for range r.IntN(12) {
			var path value.FieldPath
			for range 1 + r.IntN(4) {
				path = append(path, string(rune('a'+r.IntN(6))))
			}
			paths = append(paths, path)
		}
		slices.SortFunc(paths, value.FieldPath.Compare)
		want := value.Map{}
		for _, path := range paths {
			if v, ok := d.Fields.Get(path); ok {
				want = want.Set(path, v)
			}
		}
		if got := Project(d, paths); !value.Equal(got.Fields, want) {
			t.Fatalf("Project(%v, %v) = %v, want %v", d.Fields, paths, got.Fields, want)
		}
	}
}

// BenchmarkProject projects a small document to many fields that it does not have.
func BenchmarkProject(b *testing.B) {
	d := &document.Document{Fields: value.Map{"a": value.Int(1), "m": value.Map{"a": value.Int(1)}}}
	for _, n := range []int{10, 200_000} {
		var paths []value.FieldPath
		for i := range n {
			paths = append(paths, value.FieldPath{"m", fmt.Sprint("f", i)})
		}
		slices.SortFunc(paths, value.FieldPath.Compare)
		b.Run(fmt.Sprintf("paths=%d", n), func(b *testing.B) {
			for b.Loop() {
				Project(d, paths)
			}
		})
	}
}
