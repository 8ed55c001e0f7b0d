package query

import (
	"strings"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Matches reports whether a document is in the query's scope, passes its filter and has every field of its
// order. Cursors, offset and limit are ignored.
func (q *Query) Matches(d *document.Document) bool { return q.MatchesBy(nil, d) }

// MatchesBy is Matches with a Judge, which may be nil.
func (q *Query) MatchesBy(j *Judge, d *document.Document) bool {
	if !q.InScope(d.Name) {
		return false
	}
	for _, o := range q.OrderBy {
		if _, ok := field(d, o.Path); !ok {
			return false
		}
	}
	return q.Where == nil || j.holds(q.Where, d)
}

// InScope reports whether the query reads the collection that a document is in.
func (q *Query) InScope(name resource.Document) bool {
	if name.DB != q.DB {
		return false
	}
	rest := name.Path
	if q.Parent != "" {
		after, ok := strings.CutPrefix(rest, q.Parent)
		if !ok || after == "" || after[0] != '/' {
			return false
		}
		rest = after[1:]
	}
	end := strings.LastIndexByte(rest, '/')
	if end < 0 {
		return false
	}
	start := strings.LastIndexByte(rest[:end], '/') + 1
	if start > 0 && !q.From[0].AllDescendants {
		return false
	}
	id := q.From[0].Collection
	return id == "" || rest[start:end] == id
}

// field returns a document's value at a path, and whether there is one. For __name__ the value is a placeholder; names
// are compared without it.
func field(d *document.Document, path value.FieldPath) (value.Value, bool) {
	if path.IsName() {
		return nil, true
	}
	return d.Fields.Get(path)
}

// holds reports whether a filter holds for a document.
func (j *Judge) holds(f Filter, d *document.Document) bool {
	switch x := f.(type) {
	case *And:
		for _, inner := range x.Filters {
			if !j.holds(inner, d) {
				return false
			}
		}
		return true
	case *Or:
		for _, inner := range x.Filters {
			if j.holds(inner, d) {
				return true
			}
		}
		return false
	case Field:
		v, ok := d.Get(x.Path)
		return ok && j.compares(x, v)
	case Unary:
		v, ok := d.Get(x.Path)
		return ok && x.Holds(v)
	}
	return false
}

// Holds reports whether the condition holds for a field's value.
func (f Unary) Holds(v value.Value) bool {
	switch f.Op {
	case IsNaN:
		return value.IsNaN(v)
	case IsNull:
		return value.IsNull(v)
	case IsNotNaN:
		return !value.IsNaN(v) && !value.IsNull(v)
	case IsNotNull:
		return !value.IsNull(v)
	}
	return false
}

// Holds reports whether the comparison holds for a field's value.
func (f Field) Holds(v value.Value) bool { return (*Judge)(nil).compares(f, v) }

// compares reports whether a comparison holds for a field's value. Null and NaN equal nothing, not even
// themselves, and are in no range; a range holds only values of its own kind.
func (j *Judge) compares(f Field, v value.Value) bool {
	switch f.Op {
	case Equal:
		return filterEqual(v, f.Value)
	case NotEqual:
		return !value.IsNull(v) && !value.IsNull(f.Value) && !filterEqual(v, f.Value)
	case In:
		return inList(v, f.Value)
	case NotIn:
		items, _ := f.Value.(value.Array)
		return !value.IsNull(v) && !hasNull(items) && !inList(v, f.Value)
	case ArrayContains:
		return j.contains(v, f.Value)
	case ArrayContainsAny:
		items, _ := f.Value.(value.Array)
		for _, item := range items {
			if j.contains(v, item) {
				return true
			}
		}
		return false
	default:
		return j.inRange(f, v)
	}
}

// inRange reports whether a range's comparison holds.
func (j *Judge) inRange(f Field, v value.Value) bool {
	if v.Kind() != f.Value.Kind() || !ordered(v) || !ordered(f.Value) {
		return false
	}
	c := j.compare(v, f.Value)
	switch f.Op {
	case LessThan:
		return c < 0
	case LessThanOrEqual:
		return c <= 0
	case GreaterThan:
		return c > 0
	case GreaterThanOrEqual:
		return c >= 0
	default:
		return false
	}
}

// ordered reports whether a value is neither null nor NaN.
func ordered(v value.Value) bool { return !value.IsNull(v) && !value.IsNaN(v) }

// filterEqual is equality in filters.
func filterEqual(a, b value.Value) bool {
	return a.Kind() == b.Kind() && ordered(a) && value.Equal(a, b)
}

// inList reports whether v equals an element of list, which may be a value of any kind.
func inList(v, list value.Value) bool {
	items, _ := list.(value.Array)
	for _, item := range items {
		if filterEqual(v, item) {
			return true
		}
	}
	return false
}
