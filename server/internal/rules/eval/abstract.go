package eval

// A list query is decided once for all documents that it can return. The ordinary evaluator evaluates the conditions
// over abstract values, each of which represents a set of values:
//
//   - Field is a field that certainly exists, with the facts that follow from the query's filters: a class of types, a
//     value that it equals, a range, values that it does not equal or that it contains.
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
// The operations are in other files: conditions in bools.go, comparisons in abstract_compare.go, and members and
// methods in abstract_member.go. sound_test.go of package rules checks the invariant with random rules, queries and
// documents.

import "clave/server/internal/model/value"

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
