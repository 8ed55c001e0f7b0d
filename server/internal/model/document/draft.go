package document

import (
	"cmp"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Draft is a document to which the writes of one commit are applied. Its maps are copied once, so the cost of many
// writes does not grow with their number times the document's size.
type Draft struct {
	name   resource.Document
	before *Document
	exists bool
	// now is the time of the request for transforms; zero means the commit's version.
	now clock.Version
	// given is the document in the order of a write that changed nothing.
	given *Document
	// written is set after the first Update or Delete, and created after an Update of a document that did not exist.
	written, created bool
	// fields are the present fields if editor is nil; otherwise the editor has them.
	fields value.Map
	layout value.Layout
	editor *value.Editor
}

// NewDraft returns a draft of the named document. before is the document before the commit, or nil if it does not
// exist.
func NewDraft(name resource.Document, before *Document) *Draft {
	d := &Draft{name: name, before: before, exists: before != nil}
	if before != nil {
		d.fields, d.layout = before.Fields, before.Layout
	}
	return d
}

// SetTime sets the time of the request, which transforms store, for projects whose time is not that of versions.
func (d *Draft) SetTime(now clock.Version) { d.now = now }

// Exists reports whether the document exists after the writes so far.
func (d *Draft) Exists() bool { return d.exists }

// Check evaluates the precondition of the next write, at the commit's version. It returns the errors of
// Precondition.Check.
func (d *Draft) Check(p Precondition, at clock.Version) error {
	switch {
	case !d.exists:
		return p.Check(d.name, nil)
	case d.written:
		return p.Check(d.name, &Document{Name: d.name, UpdateTime: at})
	}
	return p.Check(d.name, d.before)
}

// Apply applies a write without checking its precondition. The update time in an Update's result is the commit's
// version; the caller replaces it if Document reports that nothing has changed.
func (d *Draft) Apply(w Write, at clock.Version) Result {
	switch w.Op {
	case Delete:
		d.exists, d.written, d.editor = false, true, nil
		d.fields, d.layout = nil, value.Layout{}
		return Result{}
	case Verify:
		if d.before != nil {
			return Result{UpdateTime: d.before.UpdateTime}
		}
		return Result{UpdateTime: at}
	}
	if !d.exists {
		d.created = true
	}
	d.exists, d.written = true, true
	if w.HasMask {
		d.merge(w)
	} else {
		d.fields, d.layout, d.editor = w.Fields, w.Layout, nil
	}
	r := Result{UpdateTime: at}
	if len(w.Transforms) > 0 {
		r.Transforms = d.transform(w.Transforms, cmp.Or(d.now, at))
	}
	return r
}

// edit returns the editor of the present fields.
func (d *Draft) edit() *value.Editor {
	if d.editor == nil {
		d.editor = d.fields.Edit(d.layout)
	}
	return d.editor
}

// get returns the present value at a path, and whether there is one.
func (d *Draft) get(path value.FieldPath) (value.Value, bool) {
	if d.editor != nil {
		return d.editor.Get(path)
	}
	return d.fields.Get(path)
}

// merge sets the fields of the write's mask, or deletes those that the write lacks. It leaves alone those that do not
// change.
func (d *Draft) merge(w Write) {
	changed := inOrder(w.Mask, true, func(path value.FieldPath) bool {
		v, ok := w.Fields.Get(path)
		old, had := d.get(path)
		return ok != had || ok && !value.Identical(old, v)
	})
	if len(changed) == 0 {
		return
	}
	given := w.Layout.Branch(w.Fields)
	for _, path := range changed {
		if v, ok := w.Fields.Get(path); ok {
			d.edit().Set(path, v, given.At(path))
		} else {
			d.edit().Delete(path)
		}
	}
}

// transform applies transforms and returns their results.
func (d *Draft) transform(transforms []Transform, at clock.Version) []value.Value {
	e := d.edit()
	results := make([]value.Value, len(transforms))
	var changed []value.FieldPath
	for i, t := range transforms {
		before, had := e.Get(t.Path)
		var after value.Value
		var layout *value.Branch
		if after, layout, results[i] = t.apply(before, e.Branch(t.Path), at); had && value.Identical(before, after) {
			continue
		}
		e.Set(t.Path, after, layout)
		changed = append(changed, t.Path)
	}
	if len(changed) > 1 {
		for _, path := range inOrder(changed, false, func(value.FieldPath) bool { return true }) {
			e.Move(path)
		}
	}
	return results
}

// Given returns the document after all writes in the order that they gave, which is that before the commit if they did
// not change it. It is valid after Document.
func (d *Draft) Given(after *Document) *Document {
	if d.given != nil && after == d.before {
		return d.given
	}
	return after
}

// Document returns the document after all writes: nil if it does not exist, and the document before the commit if
// nothing has changed. If it is too large, Document returns it with an InvalidArgument error. The draft must not be
// used afterwards.
func (d *Draft) Document(at clock.Version) (*Document, error) {
	switch {
	case !d.written:
		return d.before, nil
	case !d.exists:
		return nil, nil
	}
	fields, layout := d.fields, d.layout
	if d.editor != nil {
		fields, layout = d.editor.Map(), d.editor.Layout()
	}
	if fields == nil {
		fields = value.Map{}
	}
	if !d.created && value.Identical(d.before.Fields, fields) {
		given := *d.before
		given.Fields, given.Layout = fields, layout
		d.given = &given
		return d.before, nil
	}
	after := &Document{Name: d.name, Fields: fields, Layout: layout, CreateTime: at, UpdateTime: at}
	if !d.created {
		after.CreateTime = d.before.CreateTime
	}
	return after, checkSize(after)
}
