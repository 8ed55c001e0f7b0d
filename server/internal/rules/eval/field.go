package eval

import (
	"math"

	"clave/server/internal/model/value"
)

// exactInt is the bound below which ints and floats convert without loss.
const exactInt = 1 << 53

// sure reports whether comparisons with v have the same result for all values that the database considers equal to v,
// and for values on the same side of v.
func sure(v Value) bool {
	switch x := v.(type) {
	case value.Int:
		return -exactInt < x && x < exactInt
	case value.Double:
		return math.Abs(float64(x)) < exactInt || math.IsInf(float64(x), 0)
	case value.String:
		for _, r := range string(x) {
			if r >= 0xd800 {
				return false // the database orders by code point, rules by UTF-16 unit
			}
		}
	}
	return true
}

// number reports whether v is a number.
func number(v Value) bool {
	switch v.(type) {
	case value.Int, value.Double:
		return true
	}
	return false
}

// numeric reports whether v is or contains a number, so that the database's equality is wider than that of rules.
func numeric(v Value) bool { return holds(v, number) }

// holds reports whether the function is returns true for v or for a value in it at any depth.
func holds(v Value, is func(Value) bool) bool {
	switch x := v.(type) {
	case value.Array:
		for _, item := range x {
			if holds(item, is) {
				return true
			}
		}
	case value.Map:
		for _, item := range x {
			if holds(item, is) {
				return true
			}
		}
	}
	return is(v)
}

// ClassOf returns the class of a concrete value.
func ClassOf(v Value) Class {
	switch v.(type) {
	case value.Null:
		return NullClass
	case value.Int, value.Double:
		return NumberClass
	case value.String:
		return StringClass
	case value.Bytes:
		return BytesClass
	case value.Bool:
		return BoolClass
	case value.Timestamp:
		return TimestampClass
	case value.Reference, *Path:
		return ReferenceClass
	case value.GeoPoint:
		return PointClass
	case value.Array:
		return ListClass
	case value.Map, *Document:
		return MapClass
	}
	return Class(TypeName(v))
}

// Pin returns the abstract value of a field that the database considers equal to v. It is v itself, unless rules
// distinguish values that are equal to v in the database.
func Pin(v Value) Value {
	if numeric(v) {
		return &Field{Class: ClassOf(v), Equal: v}
	}
	return v
}

// equals returns the possible results of field == v. member is set for comparisons of list members, for which 1 and 1.0
// differ.
func (f *Field) equals(v Value, member bool) Bools {
	if f.Class != AnyClass && f.Class != ClassOf(v) {
		return CanFalse
	}
	if _, null := v.(value.Null); null && f.NotNull {
		return CanFalse
	}
	// The query determines the value up to the database's equality, which is wider than that of rules: there 1 and 1.0 are
	// equal, even inside lists and maps. Values with different keys differ for both, if their numbers convert exactly
	// (sure). If rules may distinguish values that the database does not, the result is either.
	if f.Equal != nil {
		switch {
		case !number(f.Equal):
			if key(f.Equal) != key(v) && sureDeep(f.Equal) {
				return CanFalse
			}
			return either
		case !sure(f.Equal) || !sure(v):
			return either
		case !equal(f.Equal, v):
			return CanFalse
		case member:
			return either
		}
		return CanTrue
	}
	// An excluded value is certainly unequal only if the database's equality and that of rules agree on it.
	for _, n := range f.Not {
		if number(n) && sure(n) && sure(v) && equal(n, v) || !numeric(n) && same(n, v) {
			return CanFalse
		}
	}
	if f.outside(v) {
		return CanFalse
	}
	return either
}

// sureDeep reports whether all numbers in v are sure.
func sureDeep(v Value) bool { return !holds(v, func(v Value) bool { return !sure(v) }) }

// outside reports whether v is certainly outside the field's range.
func (f *Field) outside(v Value) bool {
	if f.Low != nil && sure(f.Low.Value) && sure(v) {
		if order, nan, ok := compare(v, f.Low.Value); ok && !nan && (order < 0 || order == 0 && !f.Low.Inclusive) {
			return true
		}
	}
	if f.High != nil && sure(f.High.Value) && sure(v) {
		if order, nan, ok := compare(v, f.High.Value); ok && !nan && (order > 0 || order == 0 && !f.High.Inclusive) {
			return true
		}
	}
	return false
}

// compareOp is one of the four orderings.
type compareOp uint8

// The orderings.
const (
	less compareOp = iota
	lessEqual
	greater
	greaterEqual
)

// mirror returns the ordering with its sides exchanged.
func (op compareOp) mirror() compareOp {
	return [...]compareOp{less: greater, lessEqual: greaterEqual, greater: less, greaterEqual: lessEqual}[op]
}

// not returns the ordering that holds where op doesn't.
func (op compareOp) not() compareOp {
	return [...]compareOp{less: greaterEqual, lessEqual: greater, greater: lessEqual, greaterEqual: less}[op]
}

// holds reports whether the ordering holds of two values that compare as order.
func (op compareOp) holds(order int) bool {
	switch op {
	case less:
		return order < 0
	case lessEqual:
		return order <= 0
	case greater:
		return order > 0
	}
	return order >= 0
}

// compares returns whether field op v can hold.
func (f *Field) compares(op compareOp, v Value) Bools {
	if f.Class == AnyClass {
		return either | CanFail
	}
	if _, _, ok := compare(v, v); !ok || f.Class != ClassOf(v) {
		return CanFail // no order between the types
	}
	if f.Equal != nil {
		order, nan, ok := compare(f.Equal, v)
		switch {
		case !ok || !sure(f.Equal) || !sure(v):
			return either
		case !nan && op.holds(order):
			return CanTrue
		}
		return CanFalse
	}
	if f.implies(op, v) { // no range of the database's holds NaN
		return CanTrue
	}
	if f.implies(op.not(), v) {
		return CanFalse
	}
	return either
}

// implies reports whether op v holds for all values of the field's range.
func (f *Field) implies(op compareOp, v Value) bool {
	bound := f.High
	if op == greater || op == greaterEqual {
		bound = f.Low
	}
	if bound == nil || !sure(bound.Value) || !sure(v) {
		return false
	}
	order, nan, ok := compare(bound.Value, v)
	if !ok || nan {
		return false
	}
	if order == 0 {
		return op == lessEqual || op == greaterEqual || !bound.Inclusive
	}
	return op.holds(order)
}

// holds returns the possible results of v in field, which is a list or map.
func (f *Field) holds(v Value) Bools {
	if f.Class != ListClass {
		return either | CanFail
	}
	if !numeric(v) {
		for _, c := range f.Contains {
			if same(c, v) {
				return CanTrue
			}
		}
	}
	return either
}

// has returns whether field.hasAll(list) or field.hasAny(list) can hold.
func (f *Field) has(name string, list Value) Bools {
	items, ok := list.(value.Array)
	if !ok || f.Class != ListClass {
		return either | CanFail
	}
	certain := 0
	for _, item := range items {
		if f.holds(item) == CanTrue {
			certain++
		}
	}
	if name == "hasAll" && certain == len(items) || name == "hasAny" && certain > 0 {
		return CanTrue
	}
	return either
}

// is returns whether the field can be of a type.
func (f *Field) is(typ string) Bools {
	switch {
	case f.Class == AnyClass:
		return either
	case f.Class == MapClass && (typ == "map" || typ == "vector"):
		return either
	case string(f.Class) == typ:
		return CanTrue
	case f.Class == NumberClass && (typ == "int" || typ == "float"):
		return either
	}
	return CanFalse
}
