package document

import (
	"clave/server/clock"
	"clave/server/value"
)

// Apply applies a write to a document at a commit's version. old is nil when the document does not exist, and the result is nil
// when it does not exist afterwards. A write that changes nothing returns old itself. It returns the errors of
// Precondition.Check, and InvalidArgument for a document that would become too large.
func Apply(old *Document, w Write, at clock.Version) (*Document, Result, error) {
	if err := w.Precondition.Check(w.Name, old); err != nil {
		return nil, Result{}, err
	}
	switch w.Op {
	case Delete:
		return nil, Result{}, nil
	case Verify:
		r := Result{UpdateTime: at}
		if old != nil {
			r.UpdateTime = old.UpdateTime
		}
		return old, r, nil
	default:
		return update(old, w, at)
	}
}

// update applies an Update.
func update(old *Document, w Write, at clock.Version) (*Document, Result, error) {
	fields := w.Fields
	if w.HasMask {
		fields = merge(old, w)
	}
	if fields == nil {
		fields = value.Map{}
	}
	var r Result
	if len(w.Transforms) > 0 {
		fields, r.Transforms = transformed(fields, w.Transforms, at)
	}
	if old != nil && value.Identical(old.Fields, fields) {
		r.UpdateTime = old.UpdateTime
		return old, r, nil
	}
	d := &Document{Name: w.Name, Fields: fields, CreateTime: at, UpdateTime: at}
	if old != nil {
		d.CreateTime = old.CreateTime
	}
	if err := checkSize(d); err != nil {
		return nil, Result{}, err
	}
	r.UpdateTime = at
	return d, r, nil
}

// transformed returns the fields after transforms, and the transforms' results.
func transformed(fields value.Map, transforms []Transform, at clock.Version) (value.Map, []value.Value) {
	e := fields.Edit()
	results := make([]value.Value, len(transforms))
	for i, t := range transforms {
		before, _ := e.Get(t.Path)
		var after value.Value
		after, results[i] = t.apply(before, at)
		e.Set(t.Path, after)
	}
	return e.Map(), results
}

// merge returns the old fields with those of the mask set or deleted.
func merge(old *Document, w Write) value.Map {
	var fields value.Map
	if old != nil {
		fields = old.Fields
	}
	if len(w.Mask) == 0 {
		return fields
	}
	e := fields.Edit()
	for _, path := range w.Mask {
		if v, ok := w.Fields.Get(path); ok {
			e.Set(path, v)
		} else {
			e.Delete(path)
		}
	}
	return e.Map()
}
