package value_test

import (
	"math"
	"slices"
	"testing"

	"clave/server/internal/model/value"
)

// TestKeyFollowsEqual checks each pair of values, alone and inside arrays and maps.
func TestKeyFollowsEqual(t *testing.T) {
	all := append(ascending(),
		value.Int(1), value.Double(1), value.Double(math.Copysign(0, -1)), value.Double(1<<53), value.Int(1<<53), value.Double(-1<<63), value.Int(math.MinInt64),
		value.GeoPoint{Lat: math.Copysign(0, -1), Lng: 1}, value.GeoPoint{Lng: 1}, value.String("1"), value.String("1;"), value.Array{}, value.Map{},
		value.Array{value.Array{}, value.Array{}}, value.Array{value.Array{value.Array{}}},
		value.Array{value.String("a"), value.String("b")}, value.Array{value.String("aE1:b")}, value.Map{"a": value.Map{"b": value.Null{}}}, value.Map{"a": value.Map{}, "b": value.Null{}})
	for _, v := range slices.Clone(all) {
		all = append(all, value.Array{v}, value.Map{"a": v})
	}
	for _, a := range all {
		for _, b := range all {
			if got, want := value.Key(a) == value.Key(b), value.Equal(a, b); got != want {
				t.Errorf("Key(%#v) == Key(%#v) is %v, Equal is %v", a, b, got, want)
			}
		}
	}
}
