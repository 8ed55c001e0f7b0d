// Package query implements structured queries and aggregations: their normal form, matching, order and cursors. It
// works on documents, independently of their storage.
//
// A client's query is first normalized: Normalize validates it and adds what Firestore implies (the order by inequality
// fields and by name). All other functions take normalized queries.
package query

import (
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Query is a structured query (google/firestore/v1/query.proto).
type Query struct {
	// DB is the database to read.
	DB resource.Database
	// Parent is the relative path of the document under which the collections are, or empty for the root.
	Parent string
	// From are the collections; without any, all documents under Parent are read.
	From []From
	// Where is the filter, or nil.
	Where Filter
	// OrderBy is the order, outermost first.
	OrderBy []Order
	// Implied is the number of orders that Normalize has added at the end.
	Implied int
	// Start is the position at which the results begin, or nil.
	Start *Cursor
	// End is the position at which the results end, or nil.
	End *Cursor
	// Offset is the number of results to skip.
	Offset int
	// Limit is the maximum number of results, or NoLimit.
	Limit int
	// HasSelect is set if only the fields of Select are returned.
	HasSelect bool
	// Select lists the fields to return. With HasSelect and an empty Select only names are returned.
	Select []value.FieldPath
	// Nearest is the search for the nearest vectors, or nil.
	Nearest *Nearest
}

// NoLimit is the Limit of a query without one.
const NoLimit = -1

// From selects the collections to read.
type From struct {
	// Collection is the collection's id; empty reads all collections.
	Collection string
	// AllDescendants reads the collections of that id at any depth under the parent.
	AllDescendants bool
}

// Order is one field of an order.
type Order struct {
	// Path is the field.
	Path value.FieldPath
	// Desc orders from the greatest to the least.
	Desc bool
}

// Cursor is a position in a query's order.
type Cursor struct {
	// Values are those of the first fields of the order.
	Values []value.Value
	// Before is set if the position is just before the documents with these values, and not just after them.
	Before bool
}

// Measure is a measure of the distance of two vectors.
type Measure uint8

// The measures.
const (
	// Euclidean is the length of the difference.
	Euclidean Measure = iota + 1
	// Cosine is one minus the cosine of the angle.
	Cosine
	// DotProduct is the product, greatest first.
	DotProduct
)

// Nearest selects the documents whose vectors are nearest to one.
type Nearest struct {
	// Path is the field of the vectors.
	Path value.FieldPath
	// Vector is the vector to which others are compared.
	Vector []float64
	// Measure is the measure of distance.
	Measure Measure
	// Limit is the maximum number of results.
	Limit int
	// ResultField, if not empty, receives the distance in each result.
	ResultField value.FieldPath
	// Threshold, if not nil, is the maximum distance (for DotProduct the minimum product) of a result.
	Threshold *float64
}

// Filter is one of *And, *Or, Field and Unary.
type Filter interface{ filter() }

// And holds where all its filters hold.
type And struct{ Filters []Filter }

// Or holds where one of its filters holds.
type Or struct{ Filters []Filter }

// Field compares a field with a value.
type Field struct {
	// Path is the field.
	Path value.FieldPath
	// Op is the comparison.
	Op Op
	// Value is the other side.
	Value value.Value
}

// Unary is a condition on a field without another operand.
type Unary struct {
	// Path is the field.
	Path value.FieldPath
	// Op is the operator.
	Op UnaryOp
}

// filter marks And as a Filter.
func (*And) filter() {}

// filter marks Or as a Filter.
func (*Or) filter() {}

// filter marks Field as a Filter.
func (Field) filter() {}

// filter marks Unary as a Filter.
func (Unary) filter() {}

// Op is a comparison of a field with a value.
type Op uint8

// The comparisons, with the numbers of query.proto.
const (
	LessThan           Op = 1
	LessThanOrEqual    Op = 2
	GreaterThan        Op = 3
	GreaterThanOrEqual Op = 4
	Equal              Op = 5
	NotEqual           Op = 6
	ArrayContains      Op = 7
	In                 Op = 8
	ArrayContainsAny   Op = 9
	NotIn              Op = 10
)

// opNames are the operators' names in query.proto.
var opNames = map[Op]string{
	LessThan: "LESS_THAN", LessThanOrEqual: "LESS_THAN_OR_EQUAL", GreaterThan: "GREATER_THAN",
	GreaterThanOrEqual: "GREATER_THAN_OR_EQUAL", Equal: "EQUAL", NotEqual: "NOT_EQUAL",
	ArrayContains: "ARRAY_CONTAINS", In: "IN", ArrayContainsAny: "ARRAY_CONTAINS_ANY", NotIn: "NOT_IN",
}

// String returns the operator's name in query.proto.
func (o Op) String() string { return opNames[o] }

// Range reports whether the operator is one of <, <=, > and >=.
func (o Op) Range() bool { return o >= LessThan && o <= GreaterThanOrEqual }

// Inequality reports whether the operator makes its field part of the implicit order.
func (o Op) Inequality() bool { return o.Range() || o == NotEqual || o == NotIn }

// UnaryOp is a unary operator.
type UnaryOp uint8

// The unary operators, with the numbers of query.proto.
const (
	IsNaN     UnaryOp = 2
	IsNull    UnaryOp = 3
	IsNotNaN  UnaryOp = 4
	IsNotNull UnaryOp = 5
)

// unaryNames holds the names of the unary operators in query.proto.
var unaryNames = map[UnaryOp]string{IsNaN: "IS_NAN", IsNull: "IS_NULL", IsNotNaN: "IS_NOT_NAN", IsNotNull: "IS_NOT_NULL"}

// String returns the name of the operator in query.proto.
func (o UnaryOp) String() string { return unaryNames[o] }

// Inequality reports whether the operator makes its field part of the implicit order.
func (o UnaryOp) Inequality() bool { return o == IsNotNaN || o == IsNotNull }
