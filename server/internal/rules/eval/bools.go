package eval

import "clave/server/internal/model/value"

// bools returns the possible results of a value as a condition.
func bools(v Value) Bools {
	switch x := v.(type) {
	case value.Bool:
		if x {
			return CanTrue
		}
		return CanFalse
	case Bools:
		return x
	case Unknown, *Field:
		return CanTrue | CanFalse | CanFail
	}
	return CanFail
}

// value returns a set with one member as a plain value, unless it is a failure.
func (b Bools) value() Value {
	switch b {
	case CanTrue:
		return value.Bool(true)
	case CanFalse:
		return value.Bool(false)
	}
	return b
}

// either is a condition that can be true or false and doesn't fail.
const either = CanTrue | CanFalse

// and returns the possible results of the conjunction of two conditions.
func (b Bools) and(c Bools) Bools {
	var out Bools
	if (b|c)&CanFalse != 0 {
		out |= CanFalse
	}
	if b&CanTrue != 0 && c&CanTrue != 0 {
		out |= CanTrue
	}
	if b&CanFail != 0 && c&(CanTrue|CanFail) != 0 || c&CanFail != 0 && b&(CanTrue|CanFail) != 0 {
		out |= CanFail
	}
	return out
}

// not returns the possible results of the negation of a condition.
func (b Bools) not() Bools {
	out := b & CanFail
	if b&CanTrue != 0 {
		out |= CanFalse
	}
	if b&CanFalse != 0 {
		out |= CanTrue
	}
	return out
}

// Or returns the possible results of the disjunction of two conditions.
func (b Bools) Or(c Bools) Bools { return b.not().and(c.not()).not() }

// join returns a value that covers both a and b, and a failure if fail is set.
func join(a, b Value, fail bool) Value {
	if condition(a) && condition(b) {
		out := bools(a) | bools(b)
		if fail {
			out |= CanFail
		}
		return out.value()
	}
	if !fail && !abstract(a) && !abstract(b) && same(a, b) {
		return a
	}
	return Unknown{}
}

// condition reports whether a value is a boolean or a failure.
func condition(v Value) bool {
	switch v.(type) {
	case value.Bool, Bools, *Failure:
		return true
	}
	return false
}

// strict adds failure to a result if one of the operands can fail.
func strict(result Bools, operands ...Value) Value {
	for _, v := range operands {
		switch x := v.(type) {
		case Unknown:
			result |= CanFail
		case Bools:
			result |= x & CanFail
		}
	}
	return result.value()
}
