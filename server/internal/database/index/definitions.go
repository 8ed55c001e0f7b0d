package index

import (
	"slices"
)

// Definitions are the composite indexes and the exemptions of a database, as firestore.indexes.json holds them.
type Definitions struct {
	Indexes   []Definition
	Overrides []Override
}

// Status is a composite index of a database.
type Status struct {
	Definition
	// Building reports that queries cannot use the index yet.
	Building bool
	// Scope and Properties name the index in query plans.
	Scope, Properties string
}

// Definition is one composite index.
type Definition struct {
	// CollectionGroup is the id of its collections.
	CollectionGroup string
	// Group is set if it serves queries over all collections with that id, instead of queries over one collection.
	Group bool
	// Fields are its components in order, without the document's name, which is implied.
	Fields []Field
}

// Mode is the mode in which an index holds a field.
type Mode uint8

// The modes.
const (
	Ascending Mode = iota
	Descending
	Contains
	Vector
)

// Field is one component of an index.
type Field struct {
	// Path is the field's canonical path.
	Path string
	Mode Mode
	// Dimension is the number of dimensions of a Vector.
	Dimension int
}

// Override replaces the automatic indexes of one field of a collection group.
type Override struct {
	CollectionGroup string
	// Path is the field's canonical path, or "*" for every field without an override of its own.
	Path string
	// Collection and Group are the single-field indexes in either scope.
	Collection, Group Single
	// TTL is set if a document of the group expires at the time that it holds in the field (expiry.go).
	TTL bool `json:",omitempty"`
}

// Single holds the single-field indexes of a field. All automatic ones have the scope COLLECTION.
type Single struct {
	Ascending, Descending, Contains bool
}

// Any reports whether there is an index.
func (s Single) Any() bool { return s.Ascending || s.Descending || s.Contains }

// Ordered reports whether there is an index by value, in either order.
func (s Single) Ordered() bool { return s.Ascending || s.Descending }

// Limits of definitions: of composite indexes in a database, and of fields in one
// (firebase.google.com/docs/firestore/quotas).
const (
	MaxComposites = 1000
	maxFields     = 100
)

// Equal reports whether two definitions are of the same index.
func (d Definition) Equal(o Definition) bool {
	return d.CollectionGroup == o.CollectionGroup && d.Group == o.Group && slices.Equal(d.Fields, o.Fields)
}
