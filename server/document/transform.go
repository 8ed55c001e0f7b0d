package document

import (
	"math"
	"time"

	"clave/server/clock"
	"clave/server/value"
)

// TransformKind is the kind of a transform.
type TransformKind uint8

// The kinds of transforms (google/firestore/v1/write.proto, DocumentTransform.FieldTransform).
const (
	// RequestTime sets the field to the commit's time, in milliseconds.
	RequestTime TransformKind = iota
	// Increment adds a number; a field that is not a number becomes the operand.
	Increment
	// Maximum keeps the greater of field and operand; a field that is not a number becomes the operand.
	Maximum
	// Minimum keeps the lesser of field and operand; a field that is not a number becomes the operand.
	Minimum
	// AppendMissing appends the elements that the array lacks; a field that is not an array becomes one.
	AppendMissing
	// RemoveAll removes every occurrence of the elements; a field that is not an array becomes an empty one.
	RemoveAll
)

// Transform changes one field depending on its present value.
type Transform struct {
	// Path is the field.
	Path value.FieldPath
	// Kind is the kind of the transform.
	Kind TransformKind
	// Operand is the number of Increment, Maximum and Minimum, or the Array of AppendMissing and RemoveAll.
	Operand value.Value
}

// apply returns the field's new value and the transform's result. old is nil where the field is
// missing.
func (t Transform) apply(old value.Value, at clock.Version) (field, result value.Value) {
	switch t.Kind {
	case RequestTime:
		field = value.TimestampOf(at.Time().Truncate(time.Millisecond))
	case Increment:
		field = increment(old, t.Operand)
	case Maximum:
		field = extreme(old, t.Operand, 1)
	case Minimum:
		field = extreme(old, t.Operand, -1)
	case AppendMissing:
		return appendMissing(old, t.Operand), value.Null{}
	case RemoveAll:
		return removeAll(old, t.Operand), value.Null{}
	}
	return field, field
}

// increment adds two numbers: integers saturate, anything with a double is a double.
func increment(old, by value.Value) value.Value {
	a, isInt := old.(value.Int)
	b, byInt := by.(value.Int)
	if isInt && byInt {
		return addSaturated(a, b)
	}
	x, ok := value.Float(old)
	if !ok {
		return by
	}
	y, _ := value.Float(by)
	return value.Double(x + y)
}

// addSaturated adds two integers, stopping at the ends of their range.
func addSaturated(a, b value.Int) value.Int {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}

// extreme returns the greater (sign 1) or lesser (sign -1) number. If the numbers are equal, the field does not change. NaN
// has precedence.
func extreme(old, operand value.Value, sign int) value.Value {
	if _, ok := value.Float(old); !ok {
		return operand
	}
	switch {
	case value.IsNaN(old):
		return old
	case value.IsNaN(operand) || value.Compare(operand, old)*sign > 0:
		return operand
	default:
		return old
	}
}

// appendMissing appends the elements that the array lacks, each once.
func appendMissing(old, operand value.Value) value.Value {
	had, _ := old.(value.Array)
	items, _ := operand.(value.Array)
	missing := keysOf(items)
	for _, item := range had {
		delete(missing, value.Key(item))
	}
	out := append(make(value.Array, 0, len(had)+len(missing)), had...)
	for _, item := range items {
		if k := value.Key(item); missing[k] {
			out = append(out, item)
			delete(missing, k)
		}
	}
	return out
}

// removeAll returns the array without the elements.
func removeAll(old, operand value.Value) value.Value {
	had, _ := old.(value.Array)
	items, _ := operand.(value.Array)
	out, gone := make(value.Array, 0, len(had)), keysOf(items)
	for _, item := range had {
		if !gone[value.Key(item)] {
			out = append(out, item)
		}
	}
	return out
}

// keysOf returns the keys of an array's elements. Comparing each element of one array with each of another takes minutes
// for arrays that fit into a request.
func keysOf(items value.Array) map[any]bool {
	keys := make(map[any]bool, len(items))
	for _, item := range items {
		keys[value.Key(item)] = true
	}
	return keys
}
