package document

import (
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Op is the operation of a write.
type Op uint8

// The operations. A write with only transforms is an Update with an empty mask.
const (
	// Update sets fields and then transforms them. It creates the document if it does not exist.
	Update Op = iota
	// Delete removes the document.
	Delete
	// Verify changes nothing. It only checks its precondition.
	Verify
)

// Write is one write of a commit.
type Write struct {
	// Op is the operation.
	Op Op
	// Name is the name of the document.
	Name resource.Document
	// Fields are the new data of an Update.
	Fields value.Map
	// Layout is the order in which the fields were given.
	Layout value.Layout
	// HasMask is set when the Update sets and deletes only the fields of Mask. Otherwise it replaces all fields.
	HasMask bool
	// Mask are the fields that the Update sets to their value in Fields, or deletes where Fields has none.
	Mask []value.FieldPath
	// Transforms are applied after the update, in order.
	Transforms []Transform
	// Precondition must hold for the document as it was before the write.
	Precondition Precondition
}

// Precondition is a condition on the document that must hold before a write. The zero value always holds.
type Precondition struct {
	// Exists, if not nil, is whether the document must exist.
	Exists *bool
	// UpdateTime, if not nil, is the required update time of the document. An absent document has update time 0.
	UpdateTime *clock.Version
}

// None reports whether there is no precondition.
func (p Precondition) None() bool { return p.Exists == nil && p.UpdateTime == nil }

// Check evaluates the precondition for the named document, which is old, or nil if there is none. It returns NotFound,
// AlreadyExists or FailedPrecondition with Firestore's texts.
func (p Precondition) Check(name resource.Document, old *Document) error {
	switch {
	case p.Exists != nil && *p.Exists && old == nil:
		return fault.E(fault.NotFound, "No document to update: %s", name)
	case p.Exists != nil && !*p.Exists && old != nil:
		return fault.E(fault.AlreadyExists, "Document already exists: %s", name)
	case p.UpdateTime == nil:
		return nil
	}
	var stored clock.Version
	if old != nil {
		stored = old.UpdateTime
	}
	if stored != *p.UpdateTime {
		return fault.E(fault.FailedPrecondition, "the stored version (%d) does not match the required base version (%d)",
			stored, *p.UpdateTime)
	}
	return nil
}

// Result is the result of one write.
type Result struct {
	// UpdateTime is the document's update time after the write. A write that changes nothing does not change it. It is 0
	// after a Delete.
	UpdateTime clock.Version
	// Transforms are the results of the transforms, in order: the new number or time, or null for arrays.
	Transforms []value.Value
}
