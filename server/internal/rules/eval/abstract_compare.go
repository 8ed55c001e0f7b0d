package eval

import "clave/server/internal/model/value"

// abstractEqual evaluates a == b if one of them is abstract.
func abstractEqual(a, b Value) Value {
	if _, ok := b.(*Field); ok {
		a, b = b, a
	}
	// a is the Field if one of them is. A case returns a certain result; otherwise the values can be equal or not, and the
	// result fails if an operand can.
	switch x := a.(type) {
	case *Field:
		if !abstract(b) {
			return x.equals(b, false).value()
		}
		if n := pinnedNumber(b); n != nil && pinnedNumber(x) != nil {
			return x.equals(n, false).value()
		}
	case *Partial:
		if !abstract(b) && TypeName(b) != "map" && TypeName(b) != "vector" {
			return value.Bool(false)
		}
	case Bools:
		if y, ok := b.(value.Bool); ok {
			if !y {
				x = x.not()
			}
			return x.value()
		}
	}
	if _, ok := b.(*Partial); ok && !abstract(a) {
		return abstractEqual(b, a)
	}
	if _, ok := b.(Bools); ok && !abstract(a) {
		return abstractEqual(b, a)
	}
	return strict(either, a, b)
}

// pinnedNumber returns the number that a field equals, or nil if no filter determines one. The field is that number as
// an int or as a float, which comparisons do not distinguish.
func pinnedNumber(v Value) Value {
	if f, ok := v.(*Field); ok && number(f.Equal) {
		return f.Equal
	}
	return nil
}

// abstractCompare evaluates an ordering of a and b if one of them is abstract.
func abstractCompare(op compareOp, a, b Value) Value {
	if n := pinnedNumber(b); n != nil && pinnedNumber(a) != nil {
		b = n
	}
	if x, ok := a.(*Field); ok && !abstract(b) {
		return x.compares(op, b).value()
	}
	if y, ok := b.(*Field); ok && !abstract(a) {
		return y.compares(op.mirror(), a).value()
	}
	return strict(either|CanFail, a, b)
}

// abstractIn evaluates x in c if one of them is abstract.
func abstractIn(x, c Value) Value {
	switch container := c.(type) {
	case *Partial:
		if k, ok := x.(value.String); ok {
			if _, known := container.Fields[string(k)]; known {
				return value.Bool(true)
			}
			return either
		}
	case *keysOf:
		return abstractIn(x, container.of)
	case *Field:
		if !abstract(x) {
			return container.holds(x).value()
		}
	case value.Array:
		out := CanFalse
		for _, item := range container {
			out = out.Or(itemEqual(x, item))
		}
		return strict(out, x)
	case *Set:
		return strict(either, x)
	case value.Map:
		if f, ok := x.(*Field); ok && f.Class == StringClass {
			return either
		}
	}
	// The container may have a type without items, which is a failure.
	return Unknown{}
}

// itemEqual returns whether x can be the same as an item of a list, as the operator in compares them.
func itemEqual(x, item Value) Bools {
	switch f := x.(type) {
	case *Field:
		return f.equals(item, true)
	case *Partial:
		if t := TypeName(item); t != "map" && t != "vector" {
			return CanFalse
		}
		return either
	case Bools:
		if y, ok := item.(value.Bool); ok {
			if !y {
				return f.not()
			}
			return f
		}
		return CanFalse | f&CanFail
	case Unknown:
		return either | CanFail
	}
	if same(x, item) {
		return CanTrue
	}
	return CanFalse
}

// abstractIs evaluates v is typ for an abstract value.
func abstractIs(v Value, typ string) Value {
	switch x := v.(type) {
	case *Field:
		return x.is(typ).value()
	case *Partial:
		return value.Bool(typ == "map")
	case Bools:
		if typ == "bool" {
			return strict(CanTrue, v)
		}
		return strict(CanFalse, v)
	}
	return Unknown{}
}
