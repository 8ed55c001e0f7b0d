package eval

// A list query is decided once for all documents that it can return. The ordinary evaluator evaluates the conditions
// over abstract values, each of which represents a set of values:
//
//   - Field is a field that certainly exists, with the facts that follow from the query's filters: a class of types, a value that it equals, a
//     range, values that it does not equal or that it contains.
//   - Partial is a map with some known members and perhaps others, such as resource.data.
//   - Bools is a set of possible results of a condition: true, false, failure.
//   - Unknown is any value or a failure.
//
// The invariant, by induction over the expression: the abstract result of an expression covers its concrete result for
// every document that the query can return. So a condition whose result is exactly {true} holds for all of them, and
// only such a condition allows the query. An operation without a case for abstract values returns Unknown, which allows
// nothing. In the database 1 equals 1.0, while rules sometimes distinguish them, so a field that equals a number stays
// a Field (Pin), while a field that equals a string becomes that string.
//
// sound_test.go of package rules checks the invariant with random rules, queries and documents.

import (
	"clave/server/value"
)

// Bools is a set of possible results of a condition.
type Bools uint8

// The members of Bools.
const (
	CanTrue Bools = 1 << iota
	CanFalse
	CanFail
)

// Unknown is any value; it may be a failure.
type Unknown struct{}

// Partial is a map that certainly has some keys and may have others.
type Partial struct {
	// Fields are the known members.
	Fields map[string]Value
}

// Bound is one end of a range.
type Bound struct {
	Value     Value
	Inclusive bool
}

// Class is a group of types that a range of values lies in.
type Class string

// The classes; their names are those of the types in the rules language.
const (
	AnyClass       Class = ""
	NumberClass    Class = "number"
	StringClass    Class = "string"
	BytesClass     Class = "bytes"
	BoolClass      Class = "bool"
	TimestampClass Class = "timestamp"
	ReferenceClass Class = "path"
	PointClass     Class = "latlng"
	ListClass      Class = "list"
	MapClass       Class = "map"
	NullClass      Class = "null"
)

// Field is a field that certainly exists, with the facts that follow from a query's filters. The zero Field can have
// any value.
type Field struct {
	// Class is the group of types that the value is of.
	Class Class
	// Equal is a value that the field equals by the database's equality: 1 and 1.0 are equal, in lists and maps too.
	Equal Value
	// Low and High are the ends of the range that it is in.
	Low, High *Bound
	// Not are values that it doesn't equal.
	Not []Value
	// NotNull is set when it is not null.
	NotNull bool
	// Contains lists items of the field, which is a list.
	Contains []Value
}

// Kind implements value.Value.
func (Bools) Kind() value.Kind { return value.KindBool }

// Kind implements value.Value.
func (Unknown) Kind() value.Kind { return value.KindNull }

// Kind implements value.Value.
func (*Partial) Kind() value.Kind { return value.KindMap }

// Kind implements value.Value.
func (*Field) Kind() value.Kind { return value.KindMap }

// abstract reports whether a value is abstract.
func abstract(v Value) bool {
	switch v.(type) {
	case Bools, Unknown, *Partial, *Field, *keysOf:
		return true
	}
	return false
}

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

// abstractEqual evaluates a == b if one of them is abstract.
func abstractEqual(a, b Value) Value {
	if _, ok := b.(*Field); ok {
		a, b = b, a
	}
	// a is the Field if one of them is. A case returns a certain result; otherwise the values can be equal or not, and the result fails if an
	// operand can.
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

// abstractMember evaluates v.name or v['name'] for an abstract value.
func abstractMember(v Value, name string) Value {
	switch x := v.(type) {
	case *Partial:
		if member, known := x.Fields[name]; known {
			return member
		}
	case *Field:
		if m, ok := x.Equal.(value.Map); ok {
			if member, has := m[name]; has {
				return Pin(member)
			}
			return missing(name)
		}
	}
	return Unknown{}
}

// atLeast is the number of keys of a map that has at least n.
func atLeast(n int) *Field {
	return &Field{Class: NumberClass, Low: &Bound{Value: value.Int(n), Inclusive: true}}
}

// abstractMethod evaluates v.name(args) if one of the values is abstract. The result fails if an argument can.
func abstractMethod(v Value, name string, args []Value) Value {
	result := methodOf(v, name, args)
	for _, a := range args {
		if canFail(a) {
			return join(result, &Failure{}, false)
		}
	}
	return result
}

// canFail reports whether a value may be a failure.
func canFail(v Value) bool {
	switch x := v.(type) {
	case Unknown, *Failure:
		return true
	case Bools:
		return x&CanFail != 0
	}
	return false
}

// methodOf evaluates v.name(args) if no argument fails.
func methodOf(v Value, name string, args []Value) Value {
	switch x := v.(type) {
	case *Partial:
		if name == "get" && len(args) == 2 {
			return x.get(args[0])
		}
		if name == "keys" && len(args) == 0 {
			return &keysOf{x}
		}
		if name == "size" && len(args) == 0 {
			return atLeast(len(x.Fields))
		}
	case *keysOf:
		return x.method(name, args)
	case *Field:
		if len(args) == 1 && (name == "hasAll" || name == "hasAny") {
			return x.has(name, args[0]).value()
		}
	}
	return Unknown{}
}

// get evaluates m.get(key, default) of a partially known map.
func (p *Partial) get(key Value) Value {
	path, ok := key.(value.Array)
	if !ok {
		path = value.Array{key}
	}
	var v Value = p
	for _, k := range path {
		name, ok := k.(value.String)
		m, partial := v.(*Partial)
		if !ok || !partial {
			return Unknown{}
		}
		v = abstractMember(m, string(name))
	}
	return v
}

// keysOf is the list of the keys of a partially known map.
type keysOf struct{ of *Partial }

// Kind implements value.Value.
func (*keysOf) Kind() value.Kind { return value.KindArray }

// method evaluates keys().name(args): hasAll and hasAny are certain for known keys.
func (k *keysOf) method(name string, args []Value) Value {
	if name == "size" && len(args) == 0 {
		return atLeast(len(k.of.Fields))
	}
	if len(args) != 1 {
		return Unknown{}
	}
	list, ok := args[0].(value.Array)
	if !ok || name != "hasAll" && name != "hasAny" {
		return Unknown{}
	}
	known := 0
	for _, item := range list {
		if s, ok := item.(value.String); ok && k.of.Fields[string(s)] != nil {
			known++
		}
	}
	if name == "hasAll" && known == len(list) || name == "hasAny" && known > 0 {
		return value.Bool(true)
	}
	return either
}
