package value_test

import (
	"math/rand/v2"
	"testing"

	"clave/server/internal/model/value"
)

func TestEditorEqualsSetAndDelete(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "a.b", "`"}
	leaves := []value.Value{value.Int(1), value.Map{}, value.Map{"a": value.Map{"b": value.Int(2)}}, value.Vector(1), value.Array{}}
	for range 2000 {
		begin := value.Map{"a": value.Map{"b": value.Map{"a": value.Int(1)}}, "b": value.Vector(1, 2)}
		want := begin
		e := begin.Edit(value.Layout{})
		for range 6 {
			path := value.FieldPath{}
			for range 1 + r.IntN(3) {
				path = append(path, names[r.IntN(len(names))])
			}
			if r.IntN(3) == 0 {
				want = want.Delete(path)
				e.Delete(path)
			} else {
				v := leaves[r.IntN(len(leaves))]
				want = want.Set(path, v)
				e.Set(path, v, nil)
			}
		}
		if got := e.Map(); !value.Identical(got, want) {
			t.Fatalf("edited = %v, want %v", got, want)
		}
		if !value.Identical(begin, value.Map{"a": value.Map{"b": value.Map{"a": value.Int(1)}}, "b": value.Vector(1, 2)}) {
			t.Fatalf("the map it began with changed to %v", begin)
		}
		if !value.Identical(leaves[2], value.Map{"a": value.Map{"b": value.Int(2)}}) {
			t.Fatalf("a value that was set changed to %v", leaves[2])
		}
	}
}
