package query

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"clave/server/internal/model/value"
)

// judged are values of all kinds. Some arrays and maps are large enough for a Judge to keep what it reads of them.
func judged() []value.Value {
	few, many, mixed := make(value.Map), make(value.Map), make(value.Array, 0, 3*large)
	for i := range 2 * large {
		many[fmt.Sprint("m", i)] = value.Int(i)
		mixed = append(mixed, value.Int(i), value.String(fmt.Sprint(i)), value.Map{"i": value.Int(i)})
	}
	few["m0"] = value.Int(0)
	other := many.Set(value.FieldPath{"m7"}, value.Int(-1))
	scalars := value.Array{
		value.Null{}, value.Bool(true), value.Int(3), value.Double(3), value.Double(math.Copysign(0, -1)), value.Int(0),
		value.Double(math.NaN()), value.Double(2.5), value.String("3"), value.Bytes("3"), value.Reference("c/3"),
		value.GeoPoint{Lat: 1}, value.Timestamp{Seconds: 3},
	}
	withScalars := append(append(value.Array{}, mixed...), scalars...)
	all := append(value.Array{}, scalars...)
	return append(all, few, many, other, mixed, withScalars, mixed[:2], value.Array{many, value.Int(1)}, value.Array{other, value.Int(1)},
		value.Map{"in": many}, value.Map{"in": other}, value.Map{"i": value.Int(5)}, value.Map{"i": value.Double(5)})
}

// TestJudge compares the decisions of a Judge with those without one.
func TestJudge(t *testing.T) {
	var j Judge
	values := judged()
	for _, v := range values {
		for _, w := range values {
			if got, want := cmp.Compare(j.compare(v, w), 0), value.Compare(v, w); got != want {
				t.Errorf("compare(%v, %v) = %d, want %d", v, w, got, want)
			}
			if got, want := value.Equal(v, w), value.Compare(v, w) == 0; got != want {
				t.Errorf("Equal(%v, %v) = %t, want %t", v, w, got, want)
			}
			for op := LessThan; op <= NotIn; op++ {
				f := Field{Path: value.FieldPath{"f"}, Op: op, Value: w}
				if got, want := j.compares(f, v), (*Judge)(nil).compares(f, v); got != want {
					t.Errorf("%v %v %v: %t, want %t", v, op, w, got, want)
				}
			}
		}
	}
}

// TestJudgeReadsEachArrayOnce evaluates many filters for one document, as a commit does for many live queries.
func TestJudgeReadsEachArrayOnce(t *testing.T) {
	var j Judge
	tags := make(value.Array, 1000)
	for i := range tags {
		tags[i] = value.Int(i)
	}
	members := make(value.Map)
	for i := range large {
		members[fmt.Sprint("m", i)] = value.Int(i)
	}
	for i := range 1000 {
		for _, f := range []Field{
			{Op: ArrayContains, Value: value.Int(-i)}, {Op: ArrayContainsAny, Value: value.Array{value.Int(-i), value.Int(-i - 1)}},
		} {
			if j.compares(f, tags) && i > 0 {
				t.Fatalf("an element that does not exist is found: %v", f)
			}
		}
		j.compares(Field{Op: GreaterThan, Value: value.Map{"m0": value.Int(i)}}, members)
	}
	if len(j.elements) != 1 || len(j.members) != 1 {
		t.Errorf("%d arrays and %d maps were read, want one of each", len(j.elements), len(j.members))
	}
}
