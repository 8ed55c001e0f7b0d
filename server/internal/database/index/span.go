package index

import (
	"bytes"

	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

// Span is the encodings from From (included) to To (excluded) in order of bytes. A nil To has no end.
type Span struct{ From, To []byte }

// Everything is the span of all encodings.
var Everything = []Span{{}}

// Has reports whether the span contains an encoding.
func (s Span) Has(b []byte) bool {
	return bytes.Compare(b, s.From) >= 0 && (s.To == nil || bytes.Compare(b, s.To) < 0)
}

// AnyHas reports whether one of the spans contains an encoding.
func AnyHas(spans []Span, b []byte) bool {
	for _, s := range spans {
		if s.Has(b) {
			return true
		}
	}
	return false
}

// Empty reports whether the span is empty.
func (s Span) Empty() bool { return s.To != nil && bytes.Compare(s.From, s.To) >= 0 }

// Inverted returns the span of the same encodings with every bit flipped, as descending order keeps them.
func (s Span) Inverted() Span {
	var out Span
	if s.To != nil {
		out.From = end(invert(bytes.Clone(s.To)))
	}
	if len(s.From) > 0 {
		out.To = end(invert(bytes.Clone(s.From)))
	}
	return out
}

// end returns the first bytes after all that begin with b, or nil if there are none.
func end(b []byte) []byte {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0xff {
			out := bytes.Clone(b[:i+1])
			out[i]++
			return out
		}
	}
	return nil
}

// Intersect returns the spans that are in both lists; each list is in order and without overlaps.
func Intersect(a, b []Span) []Span {
	var out []Span
	for _, x := range a {
		for _, y := range b {
			s := x
			if bytes.Compare(y.From, s.From) > 0 {
				s.From = y.From
			}
			if s.To == nil || y.To != nil && bytes.Compare(y.To, s.To) < 0 {
				s.To = y.To
			}
			if !s.Empty() {
				out = append(out, s)
			}
		}
	}
	return out
}

// Without returns the spans of a list without the encodings of one span.
func Without(a []Span, s Span) []Span {
	rest := []Span{{To: s.From}}
	if s.To != nil {
		rest = append(rest, Span{From: s.To})
	}
	return Intersect(a, rest)
}

// kindTags holds, by kind, the first byte of its encodings and the first byte after them. Numbers in ranges exclude
// NaN.
var kindTags = [...][2]byte{
	value.KindNull: {tagNull, tagFalse}, value.KindBool: {tagFalse, tagNaN}, value.KindNumber: {tagNumber, tagTimestamp},
	value.KindTimestamp: {tagTimestamp, tagString}, value.KindString: {tagString, tagBytes},
	value.KindBytes: {tagBytes, tagReference}, value.KindReference: {tagReference, tagGeoPoint},
	value.KindGeoPoint: {tagGeoPoint, tagArray}, value.KindArray: {tagArray, tagVector},
	value.KindVector: {tagVector, tagMap}, value.KindMap: {tagMap, tagBeyond},
}

// notNull is the span of all values but null.
var notNull = []Span{{From: []byte{tagFalse}}}

// OfField returns the spans of the values for which an inequality holds. exact is false if the spans contain other
// values too, because an operand was truncated.
func OfField(f query.Field) (spans []Span, exact bool) {
	switch f.Op {
	case query.NotEqual:
		if value.IsNull(f.Value) {
			return nil, true
		}
		return without(notNull, f.Value)
	case query.NotIn:
		spans, exact = notNull, true
		items, _ := f.Value.(value.Array)
		for _, item := range items {
			if value.IsNull(item) {
				return nil, true
			}
			var ok bool
			spans, ok = without(spans, item)
			exact = exact && ok
		}
		return spans, exact
	}
	if value.IsNull(f.Value) || value.IsNaN(f.Value) {
		return nil, true
	}
	return ofRange(f)
}

// without removes one value from spans. It keeps NaN, which equals nothing. It returns false, and all spans, if the
// value is truncated, because others have the same encoding.
func without(spans []Span, v value.Value) ([]Span, bool) {
	if value.IsNaN(v) {
		return spans, true
	}
	b, truncated := AppendValue(nil, v)
	if truncated {
		return spans, false
	}
	return Without(spans, Span{From: b, To: end(b)}), true
}

// ofRange returns the span of a range, which holds values of its operand's kind only, and whether it is exact, as
// OfField does.
func ofRange(f query.Field) ([]Span, bool) {
	tags := kindTags[f.Value.Kind()]
	s := Span{From: []byte{tags[0]}, To: []byte{tags[1]}}
	b, truncated := AppendValue(nil, f.Value)
	behind := end(b)
	switch f.Op {
	case query.LessThan:
		s.To = b
		if truncated {
			s.To = behind
		}
	case query.LessThanOrEqual:
		s.To = behind
	case query.GreaterThan:
		s.From = behind
		if truncated {
			s.From = b
		}
	case query.GreaterThanOrEqual:
		s.From = b
	}
	if s.Empty() {
		return nil, !truncated
	}
	return []Span{s}, !truncated
}

// OfUnary returns the spans of the values for which IS_NOT_NULL or IS_NOT_NAN holds.
func OfUnary(f query.Unary) []Span {
	if f.Op == query.IsNotNaN {
		return Without(notNull, Span{From: []byte{tagNaN}, To: []byte{tagNumber}})
	}
	return notNull
}

// Below and Above are positions before and after all encodings, in either order.
var (
	Below = []byte{0x02}
	Above = []byte{0xfe}
)

// After returns the position just after all encodings that begin with b.
func After(b []byte) []byte {
	if e := end(b); e != nil {
		return e
	}
	return Above
}
