package value_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"clave/server/internal/model/value"
)

// ascending returns values in strictly ascending order.
func ascending() []value.Value {
	const docs = "projects/p/databases/(default)/documents/"
	return []value.Value{
		value.Null{}, value.Bool(false), value.Bool(true),
		value.Double(math.NaN()), value.Double(math.Inf(-1)), value.Double(-math.MaxFloat64), value.Int(math.MinInt64 + 1),
		value.Int(-3), value.Double(-2.5), value.Int(0), value.Double(math.SmallestNonzeroFloat64), value.Double(1.5), value.Int(2),
		value.Double(1 << 53), value.Int(1<<53 + 1), value.Double(1<<53 + 2),
		value.Int(math.MaxInt64 - 1), value.Int(math.MaxInt64), value.Double(1 << 63), value.Double(math.Inf(1)),
		value.Timestamp{Seconds: -1, Nanos: 5}, value.Timestamp{Seconds: 1}, value.Timestamp{Seconds: 1, Nanos: 1000},
		value.String(""), value.String("B"), value.String("a"), value.String("aa"), value.String("é"), value.String("日"),
		value.String("\U0001F600"),
		value.Bytes(""), value.Bytes("\x01"), value.Bytes("\x01\x02"), value.Bytes("\xff"),
		value.Reference(docs + "aaa/z"), value.Reference(docs + "ord/__id-5__"), value.Reference(docs + "ord/__id7__"),
		value.Reference(docs + "ord/12"), value.Reference(docs + "ord/a"), value.Reference(docs + "ord/a/sub/x"), value.Reference(docs + "ord/c"),
		value.GeoPoint{Lat: -1, Lng: 5}, value.GeoPoint{Lat: 1, Lng: -5}, value.GeoPoint{Lat: 1, Lng: 5},
		value.Array{}, value.Array{value.Int(1)}, value.Array{value.Int(1), value.Int(2)}, value.Array{value.Int(2)}, value.Array{value.String("a")},
		value.Vector(9), value.Vector(1, 2), value.Vector(1, 3),
		value.Map{}, value.Map{"a": value.Int(1)}, value.Map{"a": value.Int(1), "b": value.Int(0)}, value.Map{"a": value.Int(2)},
		value.Map{"aa": value.Int(0)}, value.Map{"b": value.Int(0)},
	}
}

func TestCompareOrdersAllKinds(t *testing.T) {
	all := ascending()
	for i, a := range all {
		for j, b := range all {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := value.Compare(a, b); got != want {
				t.Errorf("Compare(%#v, %#v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestEqualAndIdentical(t *testing.T) {
	negativeZero := value.Double(math.Copysign(0, -1))
	tests := []struct {
		a, b             value.Value
		equal, identical bool
	}{
		{value.Int(1), value.Double(1), true, false},
		{value.Double(0), negativeZero, true, false},
		{value.Int(0), negativeZero, true, false},
		{value.Double(math.NaN()), value.Double(math.NaN()), true, true},
		{value.Array{value.Int(1)}, value.Array{value.Double(1)}, true, false},
		{value.Array{value.Int(1)}, value.Int(1), false, false},
		{value.Int(1), value.Map{}, false, false},
		{value.Map{"a": value.Int(1)}, value.Map{"a": value.Int(1)}, true, true},
		{value.Map{"a": value.Int(1)}, value.Map{"b": value.Int(1)}, false, false},
		{value.GeoPoint{Lat: 0}, value.GeoPoint{Lat: float64(negativeZero)}, true, false},
		{value.Int(math.MaxInt64), value.Double(math.MaxInt64), false, false},
		{value.String("a"), value.Bytes("a"), false, false},
	}
	for _, tt := range tests {
		if got := value.Equal(tt.a, tt.b); got != tt.equal {
			t.Errorf("Equal(%#v, %#v) = %t, want %t", tt.a, tt.b, got, tt.equal)
		}
		if got := value.Identical(tt.a, tt.b); got != tt.identical {
			t.Errorf("Identical(%#v, %#v) = %t, want %t", tt.a, tt.b, got, tt.identical)
		}
	}
}

func TestVectorIsItsOwnKind(t *testing.T) {
	if k := value.Vector(1, 2).Kind(); k != value.KindVector {
		t.Errorf("Vector(1, 2).Kind() = %d, want KindVector", k)
	}
	for _, m := range []value.Map{
		{"__type__": value.String("__vector__")},
		{"__type__": value.String("__vector__"), "value": value.Array{value.String("a")}},
		{"__type__": value.Map{}, "value": value.Array{}},
		{"__type__": value.String("__vector__"), "value": value.Array{value.Int(1)}},
	} {
		if k := m.Kind(); k != value.KindMap {
			t.Errorf("%#v.Kind() = %d, want KindMap", m, k)
		}
	}
}

func TestSortIsTotal(t *testing.T) {
	want := ascending()
	got := slices.Clone(want)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, value.Compare)
	for i := range want {
		if !value.Identical(got[i], want[i]) {
			t.Fatalf("sorted[%d] = %#v, want %#v", i, got[i], want[i])
		}
	}
}
