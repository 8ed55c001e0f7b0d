package planner

import (
	"bytes"
	"slices"

	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// Ranges returns the ranges of an alternative's keys, after their prefixes, in the order of reading. They restrict the
// first field of the order, or the name, and lie between the query's cursors. It returns nil if no key does.
func (a *Alternative) Ranges(q *query.Query) []index.Span {
	acc := &a.Accesses[0]
	spans := a.AsStored(a.Shape.Span(0), 0)
	between := index.Span{}
	if a.exact && !a.between(q, acc, &between) {
		return nil
	}
	spans = index.Intersect(spans, []index.Span{between})
	if a.Reverse {
		slices.Reverse(spans)
	}
	return spans
}

// AsStored returns spans of field i of the order, or of the tail, in the form and order in which the accesses store
// them.
func (a *Alternative) AsStored(spans []index.Span, i int) []index.Span {
	acc := &a.Accesses[0]
	inverted := acc.NameDescending
	if i < len(acc.Descending) {
		inverted = acc.Descending[i]
	}
	if !inverted {
		return spans
	}
	out := make([]index.Span, len(spans))
	for i, s := range spans {
		out[len(spans)-1-i] = s.Inverted()
	}
	return out
}

// between intersects a span with the range between the cursors. It returns false if the intersection is empty.
func (a *Alternative) between(q *query.Query, acc *Access, s *index.Span) bool {
	if q.Start != nil {
		low, high, side, cut := a.cursor(q.Start, acc)
		before := q.Start.Before || cut // Truncated values that look equal are compared by their documents.
		switch {
		case side > 0:
			return false
		case side < 0:
		case a.Reverse:
			s.To = pick(before, high, low)
		default:
			s.From = pick(before, low, high)
		}
	}
	if q.End != nil {
		low, high, side, cut := a.cursor(q.End, acc)
		before := q.End.Before && !cut
		switch {
		case side < 0:
			return false
		case side > 0:
		case a.Reverse:
			s.From = pick(before, high, low)
		default:
			s.To = pick(before, low, high)
		}
	}
	return !s.Empty()
}

// pick returns x if c, and otherwise y.
func pick(c bool, x, y []byte) []byte {
	if c {
		return x
	}
	return y
}

// cursor returns the bounds, after the prefixes, just below and just above the keys that have a cursor's values. side
// is not 0 if the alternative's constants decide: it is negative if the cursor is before all rows and positive if it is
// after them. cut reports that a value was truncated, so that other values may look equal to it.
func (a *Alternative) cursor(c *query.Cursor, acc *Access) (low, high []byte, side int, cut bool) {
	// b is built as keys are, component by component, as far as the cursor has values.
	var b []byte
	for i, v := range c.Values {
		p := a.Shape.Parts[i]
		switch {
		case p.Constant != nil:
			// All rows have this value. If the cursor has another one, its further values are irrelevant.
			if n := compareConstant(p.Constant, v); n != 0 {
				if p.Desc {
					n = -n
				}
				return nil, nil, -n, false
			}
		case p.At == len(a.Shape.Order):
			s := index.Span{From: a.scope.cut(v, false), To: a.scope.cut(v, true)}
			if acc.NameDescending {
				s = s.Inverted()
			}
			return append(bytes.Clone(b), s.From...), append(b, s.To...), 0, false
		default:
			from := len(b)
			var truncated bool
			b, truncated = index.AppendValue(b, v)
			if acc.Descending[p.At] {
				index.Invert(b[from:])
			}
			// Keys that begin with b may be before or after the cursor. The range includes them, and run.wants compares
			// their documents.
			if truncated {
				return b, index.After(b), 0, true
			}
		}
	}
	if len(b) == 0 {
		if len(c.Values) == 0 {
			return nil, nil, sideOfNothing(c), false
		}
		// All values equal the constants, so the cursor is at all of the rows.
		return index.Below, index.Above, 0, false
	}
	return b, index.After(b), 0, false
}

// sideOfNothing returns the side of a cursor without values: before all rows, or after them.
func sideOfNothing(c *query.Cursor) int {
	if c.Before {
		return -1
	}
	return 1
}

// compareConstant compares a constant with a cursor's value.
func compareConstant(e *Equality, v value.Value) int { return value.Compare(e.value, v) }
