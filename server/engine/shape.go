package engine

import (
	"bytes"

	"clave/server/index"
	"clave/server/query"
	"clave/server/value"
)

// shape is one alternative of a query's filter, sorted out for indexes: fields that equal one value, the rest of the
// order, and what restricts the fields of that rest and the name.
type shape struct {
	filters query.Conjunction
	equals  []equal
	order   []query.Order // without the fields that equal one value and without the name
	desc    bool          // the name's direction
	spans   map[string][]index.Span
	names   []index.Span
	// parts are the query's whole order with what each field of it is here.
	parts []part
	// none says that nothing can match.
	none bool
}

// equal is a field that equals one value, or an array that contains it.
type equal struct {
	path    string
	element bool
	value   value.Value
	encoded []byte
}

// part is one field of a query's order: constant, or number at of shape.order, or, at len(shape.order), the name.
type part struct {
	constant *equal
	at       int
	desc     bool
}

// newShape sorts out one alternative of a query's filter.
func newShape(s *scope, q *query.Query, c query.Conjunction) *shape {
	h := &shape{filters: c, spans: make(map[string][]index.Span), names: s.restrictNames(c)}
	for _, f := range c {
		h.add(f)
	}
	for _, o := range q.OrderBy {
		p := part{desc: o.Desc, at: len(h.order)}
		switch {
		case o.Path.IsName():
			h.desc = o.Desc
		default:
			if e := h.equalOf(o.Path.String(), false); e != nil {
				p.constant = e
			} else {
				h.order = append(h.order, o)
			}
		}
		h.parts = append(h.parts, p)
	}
	for i := range h.equals {
		e := &h.equals[i]
		if spans, restricted := h.spans[e.path]; restricted && !e.element && !holds(spans, e.encoded) {
			h.none = true
		}
	}
	if len(h.names) == 0 {
		h.none = true
	}
	return h
}

// holds reports whether one of the spans has an encoding.
func holds(spans []index.Span, b []byte) bool {
	for _, s := range spans {
		if s.Has(b) {
			return true
		}
	}
	return false
}

// add takes one filter in.
func (h *shape) add(f query.Filter) {
	switch x := f.(type) {
	case query.Unary:
		switch x.Op {
		case query.IsNull:
			h.equal(x.Path, value.Null{}, false)
		case query.IsNaN:
			h.equal(x.Path, nan, false)
		default:
			h.restrict(x.Path, index.OfUnary(x))
		}
	case query.Field:
		switch {
		case x.Path.IsName(): // restrictNames has seen to it.
		case x.Op == query.Equal:
			h.equal(x.Path, x.Value, false)
		case x.Op == query.ArrayContains:
			h.equal(x.Path, x.Value, true)
		default:
			spans, _ := index.OfField(x)
			h.restrict(x.Path, spans)
		}
	}
}

// equal takes an equality in; two different ones for one field can't both hold.
func (h *shape) equal(path value.FieldPath, v value.Value, element bool) {
	e := equal{path: path.String(), element: element, value: v}
	e.encoded, _ = index.AppendValue(nil, v)
	if other := h.equalOf(e.path, element); other != nil && !element {
		h.none = h.none || !bytes.Equal(other.encoded, e.encoded)
		return
	}
	h.equals = append(h.equals, e)
}

// equalOf returns the equality of a field, or nil.
func (h *shape) equalOf(path string, element bool) *equal {
	for i := range h.equals {
		if h.equals[i].path == path && h.equals[i].element == element {
			return &h.equals[i]
		}
	}
	return nil
}

// restrict takes an inequality in.
func (h *shape) restrict(path value.FieldPath, spans []index.Span) {
	key := path.String()
	had, ok := h.spans[key]
	if !ok {
		had = index.Everything
	}
	h.spans[key] = index.Intersect(had, spans)
	h.none = h.none || len(h.spans[key]) == 0
}

// span returns what restricts field i of the order; at len(order) it is the name.
func (h *shape) span(i int) []index.Span {
	if i == len(h.order) {
		return h.names
	}
	if spans, ok := h.spans[h.order[i].Path.String()]; ok {
		return spans
	}
	return index.Everything
}

// restricted reports whether field i of the order, or the name, is restricted.
func (h *shape) restricted(i int) bool {
	if i < len(h.order) {
		_, ok := h.spans[h.order[i].Path.String()]
		return ok
	}
	return len(h.names) != 1 || !bytes.Equal(h.names[0].From, index.Below) || !bytes.Equal(h.names[0].To, index.Above)
}
