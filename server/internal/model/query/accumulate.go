package query

import (
	"math"
	"math/bits"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// Accumulator computes the results of an aggregation, document by document.
type Accumulator struct {
	fields []Aggregate
	paths  []value.FieldPath
	count  int64
	totals []Total
}

// NewAccumulator returns an accumulator for a normalized aggregation.
func NewAccumulator(a *Aggregation) *Accumulator {
	return &Accumulator{fields: a.Fields, paths: a.Paths(), totals: make([]Total, len(a.Fields))}
}

// Add adds a document, if it has every field that is summed or averaged.
func (a *Accumulator) Add(d *document.Document) {
	for _, path := range a.paths {
		if _, ok := d.Fields.Get(path); !ok {
			return
		}
	}
	a.count++
	for i, f := range a.fields {
		if f.Op != Count {
			v, _ := d.Fields.Get(f.Path)
			a.totals[i].Add(v)
		}
	}
}

// AddCount adds n documents to aggregations that consist only of counts.
func (a *Accumulator) AddCount(n int64) { a.count += n }

// Results returns the figures by name.
func (a *Accumulator) Results() map[string]value.Value {
	out := make(map[string]value.Value, len(a.fields))
	for i, f := range a.fields {
		switch {
		case f.Op == Sum:
			out[f.Alias] = a.totals[i].Sum()
		case f.Op == Avg:
			out[f.Alias] = a.totals[i].Average()
		case f.Capped:
			out[f.Alias] = value.Int(min(a.count, f.UpTo))
		default:
			out[f.Alias] = value.Int(a.count)
		}
	}
	return out
}

// Total is a sum of numbers. Integers are added exactly in 128 bits. Doubles are added separately with compensated
// summation (Neumaier), so that 6.4 five times is 32 and the order of documents hardly matters.
type Total struct {
	numbers  int64
	high     int64
	low      uint64
	plain    float64
	lost     float64
	isDouble bool
}

// Add adds a value if it is a number.
func (t *Total) Add(v value.Value) {
	switch n := v.(type) {
	case value.Int:
		t.numbers++
		var carry uint64
		t.low, carry = bits.Add64(t.low, uint64(n), 0)
		t.high += int64(n>>63) + int64(carry)
	case value.Double:
		t.numbers++
		t.isDouble = true
		d := float64(n)
		next := t.plain + d
		if math.Abs(t.plain) >= math.Abs(d) {
			t.lost += (t.plain - next) + d
		} else {
			t.lost += (d - next) + t.plain
		}
		t.plain = next
	}
}

// integers returns the sum of the integers as a double.
func (t *Total) integers() float64 {
	return math.Ldexp(float64(t.high), 64) + float64(t.low)
}

// fits reports whether the sum of the integers is an int64.
func (t *Total) fits() bool { return t.high == int64(t.low)>>63 }

// Sum returns the sum: an integer if all numbers were integers and it fits, and otherwise a double.
func (t *Total) Sum() value.Value {
	switch {
	case t.isDouble:
		return value.Double(t.mixed())
	case t.fits():
		return value.Int(int64(t.low))
	default:
		return value.Double(t.integers())
	}
}

// whole returns the sum of the integers as the nearest double.
func (t *Total) whole() float64 {
	if t.fits() {
		return float64(int64(t.low))
	}
	return t.integers()
}

// mixed returns the sum of all numbers as a double. If doubles were infinite or overflowed, the compensation is
// ignored.
func (t *Total) mixed() float64 {
	if math.IsInf(t.plain, 0) || math.IsNaN(t.plain) {
		return t.plain
	}
	return t.whole() + (t.plain + t.lost)
}

// Average returns the mean as a double, or null of no numbers.
func (t *Total) Average() value.Value {
	if t.numbers == 0 {
		return value.Null{}
	}
	return value.Double(t.mixed() / float64(t.numbers))
}
