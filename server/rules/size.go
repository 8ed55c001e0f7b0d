package rules

import (
	"clave/server/query"
	"clave/server/value"
)

// slimQuery returns a query without the fields that it selects, which no rule reads and whose number has no limit.
func slimQuery(q *query.Query) *query.Query {
	if q == nil || !q.HasSelect {
		return q
	}
	slim := *q
	slim.HasSelect, slim.Select = false, nil
	return &slim
}

// QuerySize returns the approximate size of a query without its selected fields in bytes.
func QuerySize(q *query.Query) int {
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
	for _, cursor := range []*query.Cursor{q.Start, q.End} {
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
func filterSize(f query.Filter) int {
	size := 0
	switch x := f.(type) {
	case *query.And:
		for _, part := range x.Filters {
			size += filterSize(part)
		}
	case *query.Or:
		for _, part := range x.Filters {
			size += filterSize(part)
		}
	case query.Field:
		size = pathSize(x.Path) + value.Size(x.Value)
	case query.Unary:
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
