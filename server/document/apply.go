package document

import (
	"clave/server/clock"
	"clave/server/value"
)

// Apply does a write to a document at a commit's version. old is nil where there is no document, and the
// answer is nil where there is none afterwards. A write that changes nothing answers old itself. It answers
// the errors of Precondition.Check, and InvalidArgument for a document that would grow too large.
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

// update does an Update.
func update(old *Document, w Write, at clock.Version) (*Document, Result, error) {
	fields := w.Fields
	if w.HasMask {
		fields = merge(old, w)
	}
	if fields == nil {
		fields = value.Map{}
	}
	var r Result
	for _, t := range w.Transforms {
		before, _ := fields.Get(t.Path)
		after, result := t.apply(before, at)
		fields = fields.Set(t.Path, after)
		r.Transforms = append(r.Transforms, result)
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

// merge returns the old fields with those of the mask set or deleted.
func merge(old *Document, w Write) value.Map {
	var fields value.Map
	if old != nil {
		fields = old.Fields
	}
	for _, path := range w.Mask {
		if v, ok := w.Fields.Get(path); ok {
			fields = fields.Set(path, v)
		} else {
			fields = fields.Delete(path)
		}
	}
	return fields
}
