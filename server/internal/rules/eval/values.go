package eval

import (
	"clave/server/internal/model/value"
	"clave/server/internal/rules/syntax"
)

// Value is a value of the rules language: one of package value's types, which documents hold, or one of this
// package's: *Path, Duration, *Set, *Diff, *Document and *Failure; and for queries Bools, *Field, *Partial and
// Unknown. A value.Reference is a path.
type Value = value.Value

// Duration is a span of time. Seconds and Nanos have the same sign.
type Duration struct {
	Seconds int64
	Nanos   int32
}

// Failure is the result of an expression that has no value.
type Failure struct {
	// Text is the reason, in the official engine's words.
	Text string
	// At is the expression that failed.
	At syntax.Span
	// abort is set if no other expression may override the failure, because the budget is used up.
	abort bool
}

// Document is a document as the variable resource shows it: a map of data, id and __name__.
type Document struct {
	// Data are the fields.
	Data value.Map
	// Layout is the order of the fields.
	Layout value.Layout
	// ID is the last segment of the name.
	ID string
	// Name is the path /databases/…/documents/….
	Name *Path
}

// asMap returns the document as a plain map.
func (d *Document) asMap() value.Map {
	return value.Map{"data": d.Data, "id": value.String(d.ID), "__name__": d.Name}
}

// member returns a member of the document, or nil.
func (d *Document) member(name string) Value {
	switch name {
	case "data":
		return d.Data
	case "id":
		return value.String(d.ID)
	case "__name__":
		return d.Name
	}
	return nil
}

// Kind implements value.Value, like those of all types below. The results for types that documents can't contain have
// no meaning.
func (Duration) Kind() value.Kind { return value.KindTimestamp }

// Kind implements value.Value.
func (*Failure) Kind() value.Kind { return value.KindNull }

// Kind implements value.Value.
func (*Document) Kind() value.Kind { return value.KindMap }

// Kind implements value.Value.
func (*Path) Kind() value.Kind { return value.KindReference }

// Kind implements value.Value.
func (*Set) Kind() value.Kind { return value.KindArray }

// Kind implements value.Value.
func (*Diff) Kind() value.Kind { return value.KindMap }

// TypeName returns the name of a value's type in messages.
func TypeName(v Value) string { // long: one case a type
	switch x := v.(type) {
	case value.Null:
		return "null"
	case value.Bool:
		return "bool"
	case value.Int:
		return "int"
	case value.Double:
		return "float"
	case value.String:
		return "string"
	case value.Bytes:
		return "bytes"
	case value.Timestamp:
		return "timestamp"
	case value.GeoPoint:
		return "latlng"
	case value.Array:
		return "list"
	case value.Map:
		if _, ok := value.AsVector(x); ok {
			return "vector"
		}
		return "map"
	case *Document:
		return "map"
	case value.Reference, *Path:
		return "path"
	case Duration:
		return "duration"
	case *Set:
		return "set"
	case *Diff:
		return "map_diff"
	case *Field:
		return "constraint"
	case Bools:
		return "bool"
	case *Partial:
		return "map"
	}
	return "unknown"
}

// asMap returns v as a map, if it is one.
func asMap(v Value) (value.Map, bool) {
	switch x := v.(type) {
	case value.Map:
		return x, true
	case *Document:
		return x.asMap(), true
	}
	return nil, false
}

// asPath returns v as a path, if it is one.
func asPath(v Value) (*Path, bool) {
	switch x := v.(type) {
	case *Path:
		return x, true
	case value.Reference:
		return referencePath(x), true
	}
	return nil, false
}

// failed reports whether v is a failure.
func failed(v Value) bool {
	_, ok := v.(*Failure)
	return ok
}
