package query

import "clave/server/internal/model/value"

// Size returns the approximate size of a query in bytes, without the fields that it selects. That of nil is 0.
func (q *Query) Size() int {
	if q == nil {
		return 0
	}
	size := len(q.Parent) + filterSize(q.Where)
	for _, from := range q.From {
		size += len(from.Collection)
	}
	for _, order := range q.OrderBy {
		size += pathSize(order.Path)
	}
	for _, cursor := range []*Cursor{q.Start, q.End} {
		if cursor != nil {
			size += value.Size(value.Array(cursor.Values))
		}
	}
	if q.Nearest != nil {
		size += 8 * len(q.Nearest.Vector)
	}
	return size
}

// filterSize returns the approximate size of a filter in bytes.
func filterSize(f Filter) int {
	size := 0
	switch x := f.(type) {
	case *And:
		for _, part := range x.Filters {
			size += filterSize(part)
		}
	case *Or:
		for _, part := range x.Filters {
			size += filterSize(part)
		}
	case Field:
		size = pathSize(x.Path) + value.Size(x.Value)
	case Unary:
		size = pathSize(x.Path)
	}
	return size
}

// pathSize returns the approximate size of a field path in bytes.
func pathSize(path value.FieldPath) int {
	size := 0
	for _, segment := range path {
		size += len(segment)
	}
	return size
}
