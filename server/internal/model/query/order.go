package query

import (
	"slices"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Requested returns the orders of the request, without those that Normalize has added.
func (q *Query) Requested() []Order { return q.OrderBy[:max(0, len(q.OrderBy)-q.Implied)] }

// Compare orders two documents that match the query.
func (q *Query) Compare(a, b *document.Document) int {
	for _, o := range q.OrderBy {
		var c int
		if o.Path.IsName() {
			c = resource.CompareDocuments(a.Name, b.Name)
		} else {
			x, _ := a.Fields.Get(o.Path)
			y, _ := b.Fields.Get(o.Path)
			c = value.Compare(x, y)
		}
		if c != 0 {
			return o.directed(c)
		}
	}
	return 0
}

// directed reverses a comparison for a descending order.
func (o Order) directed(c int) int {
	if o.Desc {
		return -c
	}
	return c
}

// OrderedAlso returns a normalized query that also orders by paths, in alphabetical order before the name, so that all
// its results have these fields. Production computes aggregations so.
func (q *Query) OrderedAlso(paths []value.FieldPath) *Query {
	out := *q
	name := q.OrderBy[len(q.OrderBy)-1]
	paths = slices.Clone(paths)
	slices.SortFunc(paths, compareRendered)
	out.OrderBy = slices.Clone(q.OrderBy[:len(q.OrderBy)-1])
	for _, path := range paths {
		if !slices.ContainsFunc(out.OrderBy, func(o Order) bool { return o.Path.Equal(path) }) {
			out.OrderBy = append(out.OrderBy, Order{Path: path, Desc: name.Desc})
		}
	}
	out.OrderBy = append(out.OrderBy, name)
	return &out
}

// InCursors reports whether a document that matches the query lies between its cursors.
func (q *Query) InCursors(d *document.Document) bool { return q.InCursorsBy(nil, d) }

// InCursorsBy is InCursors with a Judge, which may be nil.
func (q *Query) InCursorsBy(j *Judge, d *document.Document) bool {
	if q.Start != nil {
		c := q.position(j, d, q.Start)
		if c < 0 || (c == 0 && !q.Start.Before) {
			return false
		}
	}
	if q.End != nil {
		c := q.position(j, d, q.End)
		if c > 0 || (c == 0 && q.End.Before) {
			return false
		}
	}
	return true
}

// position compares a document with the values of a cursor.
func (q *Query) position(j *Judge, d *document.Document, c *Cursor) int {
	for i, v := range c.Values {
		x, _ := d.Get(q.OrderBy[i].Path)
		if n := j.compare(x, v); n != 0 {
			return q.OrderBy[i].directed(n)
		}
	}
	return 0
}

// CursorAt returns the position just before or just after a document that matches the query.
func (q *Query) CursorAt(d *document.Document, before bool) *Cursor {
	c := &Cursor{Before: before}
	for _, o := range q.OrderBy {
		v, _ := d.Get(o.Path)
		c.Values = append(c.Values, v)
	}
	return c
}

// Project returns the document with the fields that the query selects.
func (q *Query) Project(d *document.Document) *document.Document {
	if !q.HasSelect {
		return d
	}
	return Project(d, q.Select)
}

// RangeFields returns the number of range fields of a normalized query, as prices count them: those with ranges or
// other inequalities, and the name with any filter; if there is one, those of the requested order too, but not the
// name, by which SDKs order each query with an order.
func (q *Query) RangeFields() int {
	fields := make(map[string]bool)
	rangeFields(q.Where, fields)
	if len(fields) == 0 {
		return 0
	}
	for _, o := range q.Requested() {
		if !o.Path.IsName() {
			fields[o.Path.String()] = true
		}
	}
	return len(fields)
}

// rangeFields adds the range fields of a filter.
func rangeFields(f Filter, fields map[string]bool) {
	switch f := f.(type) {
	case *And:
		for _, inner := range f.Filters {
			rangeFields(inner, fields)
		}
	case *Or:
		for _, inner := range f.Filters {
			rangeFields(inner, fields)
		}
	case Field:
		if f.Op.Inequality() || f.Path.IsName() {
			fields[f.Path.String()] = true
		}
	case Unary:
		if f.Op.Inequality() {
			fields[f.Path.String()] = true
		}
	}
}
