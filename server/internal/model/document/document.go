// Package document holds documents and writes. Applying a write to a document is a pure function, so that the
// engine, the rules' view of a commit and the tests get the same result.
package document

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Document is a stored document. It is immutable.
type Document struct {
	// Name is the document's full name.
	Name resource.Document
	// Fields are the document's data.
	Fields value.Map
	// Layout is the order in which its writers gave the fields. Documents with the same fields are the same whatever the
	// order.
	Layout value.Layout
	// CreateTime is the version of the commit that created the document.
	CreateTime clock.Version
	// UpdateTime is the version of the last commit that changed it.
	UpdateTime clock.Version
}

// Get returns the value at a path, and whether there is one; __name__ is the document's name as a reference.
func (d *Document) Get(path value.FieldPath) (value.Value, bool) {
	if path.IsName() {
		return value.Reference(d.Name.String()), true
	}
	return d.Fields.Get(path)
}

// Size returns the size of the document that counts towards the limit, in bytes.
func (d *Document) Size() int {
	const overhead = 32
	return value.NameSize(d.Name.Path) + overhead + value.Size(d.Fields)
}
