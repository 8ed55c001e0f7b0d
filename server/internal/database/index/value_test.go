package index_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// edges lists values that are difficult to encode.
var edges = []value.Value{
	value.Null{}, value.Bool(false), value.Bool(true), value.Double(math.NaN()), value.Double(math.Inf(-1)),
	value.Double(-math.MaxFloat64), value.Int(math.MinInt64), value.Int(math.MinInt64 + 1), value.Double(math.MinInt64),
	value.Int(-1<<53 - 1), value.Int(-1 << 53), value.Double(-1 << 53), value.Int(-2), value.Double(-1.5), value.Int(-1),
	value.Double(-math.SmallestNonzeroFloat64), value.Double(math.Copysign(0, -1)), value.Int(0), value.Double(0),
	value.Double(math.SmallestNonzeroFloat64), value.Int(1), value.Double(1), value.Double(1.5), value.Int(1<<53 - 1),
	value.Int(1 << 53), value.Int(1<<53 + 1), value.Double(1 << 53), value.Double(1<<53 + 2), value.Int(math.MaxInt64 - 1),
	value.Int(math.MaxInt64), value.Double(math.MaxInt64), value.Double(math.MaxFloat64), value.Double(math.Inf(1)),
	value.Timestamp{}, value.Timestamp{Seconds: -1, Nanos: 999_999_999}, value.Timestamp{Seconds: 1, Nanos: 1},
	value.String(""), value.String("\x00"), value.String("\x00\x00"), value.String("\x00a"), value.String("a"),
	value.String("a\x00"), value.String("a\x00b"), value.String("a\x01"), value.String("aa"), value.String("ÿ"),
	value.String("\U0010ffff"), value.String("\uffff"), value.Bytes(""), value.Bytes("\x00"), value.Bytes("\xff"),
	value.Bytes("\xff\xff"), value.Reference("projects/p/databases/d/documents/c/a"),
	value.Reference("projects/p/databases/d/documents/c/a/d/b"), value.Reference("projects/p/databases/d/documents/c/__id7__"),
	value.Reference("projects/p/databases/d/documents/c/__id-7__"), value.Reference("projects/p/databases/d/documents/c/__id10__"),
	value.Reference("projects/p/databases/d/documents/c-a/a"), value.GeoPoint{Lat: -90, Lng: 180},
	value.GeoPoint{Lat: 0, Lng: -180}, value.GeoPoint{Lat: math.Copysign(0, -1), Lng: -180}, value.Array{},
	value.Array{value.Null{}}, value.Array{value.Int(1)}, value.Array{value.Int(1), value.Int(2)},
	value.Array{value.String("a")}, value.Array{value.Map{}}, value.Map{}, value.Map{"": value.Null{}},
	value.Map{"a": value.Int(1)}, value.Map{"a": value.Int(1), "b": value.Int(0)}, value.Map{"a\x00": value.Int(0)},
	value.Map{"b": value.Null{}}, value.Map{"a": value.Map{"a": value.Array{}}}, vector(), vector(1), vector(-1, 2), vector(1, 2),
}

// vector is a vector of numbers.
func vector(numbers ...float64) value.Map {
	a := value.Array{}
	for _, x := range numbers {
		a = append(a, value.Double(x))
	}
	return value.Map{"__type__": value.String("__vector__"), "value": a}
}

// checkOrder checks that two values and their encodings have the same order.
func checkOrder(t *testing.T, a, b value.Value) {
	t.Helper()
	x, cutX := index.AppendValue(nil, a)
	y, cutY := index.AppendValue(nil, b)
	got, want := bytes.Compare(x, y), value.Compare(a, b)
	if got != want && !(got == 0 && cutX && cutY) {
		t.Errorf("encodings of %v and %v compare as %d, want %d\n%x\n%x", a, b, got, want, x, y)
	}
	if want != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) && !(cutX && cutY) {
		t.Errorf("the encoding of one of %v and %v begins the other", a, b)
	}
}

func TestOrderOfKeysIsOrderOfValues(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			checkOrder(t, a, b)
		}
	}
}

func TestSkipValueFindsTheEnd(t *testing.T) {
	long := value.String(strings.Repeat("x", 5000))
	for _, v := range append(edges, long, value.Array{long}, value.Map{"a": long}) {
		for _, desc := range []bool{false, true} {
			b, _ := index.AppendValue(nil, v)
			want := len(b)
			b = append(b, 0x20, 'x')
			if desc {
				index.Invert(b)
			}
			if got, _ := index.SkipValue(b, desc); got != want {
				t.Errorf("SkipValue(%v, desc %t) = %d, want %d", v, desc, got, want)
			}
		}
	}
}

func TestLongValuesAreCut(t *testing.T) {
	x := strings.Repeat("x", 3000)
	long, truncated := index.AppendValue([]byte("prefix"), value.String(x))
	if !truncated || len(long) != len("prefix")+index.MaxComponent {
		t.Errorf("a long text has %d bytes, truncated %t", len(long), truncated)
	}
	values := []value.Value{value.String(x[:1000]), value.String(x[:1499]), value.String(x[:1500]), value.String(x + "a"),
		value.String(x + "b"), value.String(x[:1400] + "y"), value.Array{value.String(x), value.Int(1)},
		value.Array{value.String(x), value.Int(2)}, value.Map{"a": value.Bytes(x)}, value.Map{"a": value.Bytes(x[:1494])}}
	for _, a := range values {
		for _, b := range values {
			checkOrder(t, a, b)
		}
	}
}

func TestNumberReadsBack(t *testing.T) {
	for _, v := range edges {
		b, _ := index.AppendValue(nil, v)
		d, n, whole, ok := index.Number(b)
		want, isNumber := value.Float(v)
		if ok != isNumber || ok && d != want && !math.IsNaN(want) {
			t.Errorf("Number(%v) = %v, %t, want %v, %t", v, d, ok, want, isNumber)
		}
		if i, isInt := v.(value.Int); isInt && (!whole || n != int64(i)) {
			t.Errorf("Number(%v) = integer %d, %t", v, n, whole)
		}
	}
}

// FuzzOrder generates two values from the input and compares their order with that of their encodings.
func FuzzOrder(f *testing.F) {
	f.Add(uint64(1), "a", int64(3), 1.5)
	f.Fuzz(func(t *testing.T, seed uint64, text string, i int64, d float64) {
		g := generator{rnd: rand.New(rand.NewPCG(seed, seed)), text: text, i: i, d: d}
		a, b := g.value(3), g.value(3)
		checkOrder(t, a, b)
		checkOrder(t, value.Array{a, b}, value.Array{a, g.value(2)})
		enc, truncated := index.AppendValue(nil, a)
		if got, whole := index.SkipValue(append(enc, 0x10), false); got != len(enc) || whole == truncated {
			t.Errorf("SkipValue(%v) = %d, %t, want %d", a, got, whole, len(enc))
		}
	})
}

// FuzzSkipValue skips values in bytes that are not valid encodings.
func FuzzSkipValue(f *testing.F) {
	f.Add([]byte{0x40, 0x02, 0x05, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, desc := range []bool{false, true} {
			if n, _ := index.SkipValue(b, desc); n < 0 || n > len(b) {
				t.Errorf("SkipValue(%x) = %d of %d bytes", b, n, len(b))
			}
		}
		_, _, _ = index.DecodePath(b)
		_, _ = index.ParseInfo(b)
		_, _, _, _ = index.Number(b)
	})
}

// generator generates values close to given ones.
type generator struct {
	rnd  *rand.Rand
	text string
	i    int64
	d    float64
}

// value generates a value with at most depth levels.
func (g *generator) value(depth int) value.Value {
	kinds := 14
	if depth == 0 {
		kinds = 11
	}
	switch g.rnd.IntN(kinds) {
	case 0:
		return edges[g.rnd.IntN(len(edges))]
	case 1, 2:
		return value.Int(g.i + int64(g.rnd.IntN(5)) - 2)
	case 3, 4:
		return value.Double(math.Nextafter(g.d, float64(g.rnd.IntN(3)-1)*math.MaxFloat64))
	case 5:
		return value.Double(float64(g.i))
	case 6:
		return value.String(g.cut())
	case 7:
		return value.Bytes(g.cut())
	case 8:
		return value.Timestamp{Seconds: g.i, Nanos: int32(g.rnd.IntN(1e9))}
	case 9:
		return value.GeoPoint{Lat: g.d, Lng: float64(g.i)}
	case 10:
		return value.Reference("projects/p/databases/d/documents/c/" + strings.ReplaceAll(g.cut(), "/", "") + "x")
	case 11:
		a := make(value.Array, g.rnd.IntN(4))
		for i := range a {
			a[i] = g.value(depth - 1)
		}
		return a
	case 12:
		return vector(g.d, float64(g.i))
	}
	m := value.Map{}
	for range g.rnd.IntN(4) {
		m[g.cut()] = g.value(depth - 1)
	}
	return m
}

// cut returns a piece of the text.
func (g *generator) cut() string {
	if g.text == "" {
		return ""
	}
	i := g.rnd.IntN(len(g.text))
	return g.text[i : i+g.rnd.IntN(len(g.text)-i+1)]
}

func TestPathsKeepTheOrderOfNames(t *testing.T) {
	paths := []string{"a", "a/b", "a/b/c", "a/b/c/d", "a-/b", "a!/b", "a\x00/b", "a/__id5__", "a/__id10__", "a/__id-3__", "a/__x", "b",
		"a/é", "a/z", "a/\U0001f600", "a/\uffff"}
	for _, a := range paths {
		for _, b := range paths {
			x := append(index.AppendPath(nil, a), 0x01)
			y := append(index.AppendPath(nil, b), 0x01)
			if got, want := bytes.Compare(x, y), resource.ComparePaths(a, b); got != want {
				t.Errorf("encodings of paths %q and %q compare as %d, want %d", a, b, got, want)
			}
		}
		got, rest, err := index.DecodePath(append(index.AppendPath(nil, a), 0x01, 'r'))
		if got != a || string(rest) != "r" || err != nil {
			t.Errorf("DecodePath of %q = %q, %q, %v", a, got, rest, err)
		}
	}
}

// TestSpansHoldWhatFiltersHold compares spans with the filters that they represent, in both orders.
func TestSpansHoldWhatFiltersHold(t *testing.T) {
	ops := []query.Op{query.LessThan, query.LessThanOrEqual, query.GreaterThan, query.GreaterThanOrEqual, query.NotEqual, query.NotIn}
	for _, operand := range edges {
		for _, op := range ops {
			f := query.Field{Op: op, Value: operand}
			if op == query.NotIn {
				f.Value = value.Array{operand, value.Int(7)}
			}
			spans, exact := index.OfField(f)
			if !exact {
				t.Errorf("%v of %v is not exact", op, operand)
			}
			for _, v := range edges {
				checkSpans(t, spans, v, f.Holds(v), f)
			}
		}
	}
	for _, op := range []query.UnaryOp{query.IsNotNull, query.IsNotNaN} {
		f := query.Unary{Op: op}
		for _, v := range edges {
			checkSpans(t, index.OfUnary(f), v, f.Holds(v), f)
		}
	}
}

// checkSpans reports whether spans contain a value.
func checkSpans(t *testing.T, spans []index.Span, v value.Value, want bool, f query.Filter) {
	t.Helper()
	b, _ := index.AppendValue(nil, v)
	inverted := index.Invert(append(bytes.Clone(b), 0x01))
	up, down := false, false
	for _, s := range spans {
		up = up || s.Has(b)
		down = down || s.Inverted().Has(inverted)
	}
	if up != want || down != want {
		t.Errorf("filter %v holds %v: ascending %t, descending %t, want %t", f, v, up, down, want)
	}
}

// FuzzNumbers compares the encodings of raw bit patterns.
func FuzzNumbers(f *testing.F) {
	f.Add([]byte("0123456789abcdef"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 16 {
			return
		}
		x, y := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
		values := []value.Value{value.Int(int64(x)), value.Double(math.Float64frombits(y)), value.Double(float64(int64(x))), value.Int(int64(y))}
		for _, v := range values {
			for _, w := range values {
				checkOrder(t, v, w)
			}
		}
	})
}
