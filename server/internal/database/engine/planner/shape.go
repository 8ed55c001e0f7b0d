package planner

import (
	"bytes"

	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// Shape is one alternative of a query's filter in a form for choosing indexes: fields that equal one value, the rest of
// the order, and the restrictions of that rest's fields and of the name.
type Shape struct {
	filters query.Conjunction
	equals  []Equality
	// Order is the query's order without the fields that equal one value and without the name.
	Order []query.Order
	// Desc is the name's direction.
	Desc  bool
	spans map[string][]index.Span
	names []index.Span
	// Parts maps each field of the query's whole order to its role in the shape.
	Parts []Part
	// None is set if nothing can match.
	None bool
}

// Equality is a field that equals one value, or an array that contains it.
type Equality struct {
	path    string
	element bool
	value   value.Value
	// Encoded is the value in the encoding of index keys.
	Encoded []byte
}

// Part is one field of a query's order: a constant, or field At of Shape.Order. At equals len(Shape.Order) for the
// name.
type Part struct {
	Constant *Equality
	At       int
	Desc     bool
}

// newShape returns the shape of one alternative of a query's filter.
func newShape(s *Scope, q *query.Query, c query.Conjunction) *Shape {
	h := &Shape{filters: c, spans: make(map[string][]index.Span), names: s.restrictNames(c)}
	for _, f := range c {
		h.add(f)
	}
	// All equalities have been added. Parts point into h.equals, which must not grow after this.
	for _, o := range q.OrderBy {
		p := Part{Desc: o.Desc, At: len(h.Order)}
		switch {
		case o.Path.IsName():
			h.Desc = o.Desc
		default:
			if e := h.Equality(o.Path.String(), false); e != nil {
				p.Constant = e
			} else {
				h.Order = append(h.Order, o)
			}
		}
		h.Parts = append(h.Parts, p)
	}
	// An equality can't hold if other filters exclude its value.
	for i := range h.equals {
		e := &h.equals[i]
		if spans, restricted := h.spans[e.path]; restricted && !e.element && !index.AnyHas(spans, e.Encoded) {
			h.None = true
		}
	}
	if len(h.names) == 0 {
		h.None = true
	}
	return h
}

// add adds one filter to the shape.
func (h *Shape) add(f query.Filter) {
	switch x := f.(type) {
	case query.Unary:
		switch x.Op {
		case query.IsNull:
			h.addEquality(x.Path, value.Null{}, false)
		case query.IsNaN:
			h.addEquality(x.Path, nan, false)
		default:
			h.restrict(x.Path, index.OfUnary(x))
		}
	case query.Field:
		switch {
		case x.Path.IsName(): // restrictNames handles filters on the name.
		case x.Op == query.Equal:
			h.addEquality(x.Path, x.Value, false)
		case x.Op == query.ArrayContains:
			h.addEquality(x.Path, x.Value, true)
		default:
			spans, _ := index.OfField(x)
			h.restrict(x.Path, spans)
		}
	}
}

// addEquality adds an equality. Two different values for one field can't both hold.
func (h *Shape) addEquality(path value.FieldPath, v value.Value, element bool) {
	e := Equality{path: path.String(), element: element, value: v}
	e.Encoded, _ = index.AppendValue(nil, v)
	if other := h.Equality(e.path, element); other != nil && !element {
		h.None = h.None || !bytes.Equal(other.Encoded, e.Encoded)
		return
	}
	h.equals = append(h.equals, e)
}

// Equality returns the equality of a field, or nil.
func (h *Shape) Equality(path string, element bool) *Equality {
	for i := range h.equals {
		if h.equals[i].path == path && h.equals[i].element == element {
			return &h.equals[i]
		}
	}
	return nil
}

// restrict adds an inequality.
func (h *Shape) restrict(path value.FieldPath, spans []index.Span) {
	key := path.String()
	had, ok := h.spans[key]
	if !ok {
		had = index.Everything
	}
	h.spans[key] = index.Intersect(had, spans)
	h.None = h.None || len(h.spans[key]) == 0
}

// Span returns the restriction of field i of the order, or of the name for i = len(order).
func (h *Shape) Span(i int) []index.Span {
	if i == len(h.Order) {
		return h.names
	}
	if spans, ok := h.spans[h.Order[i].Path.String()]; ok {
		return spans
	}
	return index.Everything
}

// Restricted reports whether field i of the order, or the name, is restricted.
func (h *Shape) Restricted(i int) bool {
	if i < len(h.Order) {
		_, ok := h.spans[h.Order[i].Path.String()]
		return ok
	}
	return len(h.names) != 1 || !bytes.Equal(h.names[0].From, index.Below) || !bytes.Equal(h.names[0].To, index.Above)
}
