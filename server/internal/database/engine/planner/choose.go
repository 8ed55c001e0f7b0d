package planner

import (
	"math"
	"math/bits"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// How an index is chosen. An alternative of a query is a Shape: equalities, and an order whose first fields have the
// ranges. A family of keys serves it exactly if its keys consist of equalities of the shape, followed by the whole
// order and the name, all in the shape's directions or all in the opposite ones. There are three kinds of families: the
// documents themselves for a shape of names only (walkNames), the automatic single-field indexes (singles) and the
// composite indexes (composites).
//
// One family seldom has all equalities. Families with the same order can be merged: a document is in the result if it
// is in each of them. So cover greedily chooses the family with the most of the remaining equalities, until none
// remain. It tries families that are read forwards first, then those that are read backwards, since only families of
// one direction can be merged. If both fail there is no index, and closest (planner.go) finds a family whose keys are a
// superset of the result.

// nan is the value that IS_NAN matches.
var nan = value.Double(math.NaN())

// Access is one family of keys in the order of a shape. Each key consists of Prefix, the fields of the shape's order
// and the tail.
type Access struct {
	Label  request.PlanIndex
	Prefix []byte
	// Descending and NameDescending report which fields of the order, and whether the tail, are stored in descending
	// order.
	Descending     []bool
	NameDescending bool
	// covers is the set of the shape's equalities that hold for every key.
	covers uint64
	// FirstField is the number of the order's first field among the components of the entry.
	FirstField int
	// Documents is set if the keys are those of documents, not entries. NamesOnly is set if there is only the tail.
	Documents, NamesOnly bool
}

// Alternative describes how to read one alternative of a query's filter: the intersection of its accesses, in order.
type Alternative struct {
	scope    Scope
	Shape    *Shape
	Accesses []Access
	Reverse  bool
	// exact is set if the accesses yield exactly the results of the alternative, in the query's order.
	exact bool
	// GroupPrefix, if not nil, is the prefix of a tail that forms, with an end mark, the tail of a group.
	GroupPrefix []byte
}

// candidate is an access and whether it has to be read backwards.
type candidate struct {
	Access
	reverse bool
}

// maxEquals is the maximum number of equalities in Access.covers.
const maxEquals = 63

// choose returns an alternative that reads a shape exactly, or nil if there is no index for it.
func choose(s Scope, h *Shape) *Alternative {
	if len(h.equals) == 0 && len(h.Order) == 0 {
		return walkNames(s, h)
	}
	if len(h.equals) > maxEquals {
		return nil
	}
	candidates := append(composites(&s, h), singles(&s, h)...)
	all := uint64(1)<<len(h.equals) - 1
	for _, reverse := range []bool{false, true} {
		var usable []candidate
		for _, c := range candidates {
			if c.reverse == reverse { // These store order and tail in the same directions, so they can be merged.
				usable = append(usable, c)
			}
		}
		if accesses := cover(usable, all); accesses != nil {
			return &Alternative{scope: s, Shape: h, Accesses: accesses, Reverse: reverse, exact: true}
		}
	}
	return nil
}

// cover returns a small set of accesses that together cover all equalities, or nil. It repeatedly chooses the one that
// covers most of the rest.
func cover(candidates []candidate, all uint64) []Access {
	var out []Access
	left := all
	for {
		best, gain := -1, 0
		for i, c := range candidates {
			if n := bits.OnesCount64(c.covers & left); n > gain || best < 0 && left == 0 && len(out) == 0 {
				best, gain = i, n
			}
		}
		if best < 0 {
			return nil
		}
		out = append(out, candidates[best].Access)
		left &^= candidates[best].covers
		if left == 0 {
			return out
		}
	}
}

// singles returns the accesses by single-field indexes: one for each equality if the order is only by name, and
// otherwise that of the order's only field.
func singles(s *Scope, h *Shape) []candidate {
	var out []candidate
	switch len(h.Order) {
	case 0:
		for i, e := range h.equals {
			if !s.indexed(e.path, e.element, h.Desc) {
				continue
			}
			prefix := s.automatic(e.path, e.element)
			out = append(out, candidate{reverse: h.Desc, Access: Access{
				Label: s.label(h.Desc, labelField{e.path, e.element, h.Desc}), covers: 1 << i, FirstField: 1,
				Prefix: append(prefix, e.Encoded...)}})
		}
	case 1:
		o := h.Order[0]
		path := o.Path.String()
		if o.Desc == h.Desc && s.indexed(path, false, o.Desc) {
			out = append(out, candidate{reverse: o.Desc, Access: Access{
				Label: s.label(h.Desc, labelField{path, false, o.Desc}), Prefix: s.automatic(path, false), Descending: []bool{false}}})
		}
	}
	return out
}

// indexed reports whether a field has a single-field index in a direction, or of its elements.
func (s *Scope) indexed(path string, element, desc bool) bool {
	in := func(set *index.Set) bool {
		collection, group := set.Single(s.id, path)
		if s.group {
			return has(group, element, desc)
		}
		return has(collection, element, desc)
	}
	return in(s.in.Indexes) && (s.in.Former == nil || in(s.in.Former))
}

// has reports whether a field has an index.
func has(single index.Single, element, desc bool) bool {
	switch {
	case element:
		return single.Contains
	case desc:
		return single.Descending
	}
	return single.Ascending
}

// automatic returns the prefix of the keys of a single-field index.
func (s *Scope) automatic(path string, element bool) []byte {
	return s.in.Indexes.Automatic(keys.Prefix(keys.KindIndex, s.in.Number), s.group, s.collection, s.id, path, element)
}

// composites returns the accesses by composite indexes that begin with equalities and continue with the whole order.
func composites(s *Scope, h *Shape) []candidate {
	var out []candidate
	for _, c := range s.composites() {
		if found, ok := matchComposite(s, h, c); ok {
			out = append(out, found)
		}
	}
	return out
}

// matchComposite returns the access of a shape by a composite index, or false if the index does not fit.
func matchComposite(s *Scope, h *Shape, c *index.Composite) (candidate, bool) {
	fields := c.Fields
	// If the last field is the name, it adds only a direction, which NameDescending has.
	if n := len(fields); fields[n-1].Path == nameField {
		fields = fields[:n-1]
	}
	leading := len(fields) - len(h.Order)
	if leading < 0 {
		return candidate{}, false
	}
	out := candidate{Access: Access{NameDescending: c.NameDescending(), FirstField: leading}}
	// The name determines whether the index is read backwards. Every field of the order must agree with that.
	out.reverse = out.NameDescending != h.Desc
	out.Prefix = c.Prefix(keys.Prefix(keys.KindIndex, s.in.Number), s.collection)
	// The fields before those of the order must be equalities of the shape, each used once. Their values complete the
	// prefix.
	for _, f := range fields[:leading] {
		i := h.indexOf(f)
		if i < 0 || out.covers&(1<<i) != 0 {
			return candidate{}, false
		}
		out.covers |= 1 << i
		from := len(out.Prefix)
		out.Prefix = append(out.Prefix, h.equals[i].Encoded...)
		if f.Mode == index.Descending {
			index.Invert(out.Prefix[from:])
		}
	}
	for i, f := range fields[leading:] {
		desc := f.Mode == index.Descending
		if f.Mode > index.Descending || f.Path != h.Order[i].Path.String() || (desc != h.Order[i].Desc) != out.reverse {
			return candidate{}, false
		}
		out.Descending = append(out.Descending, desc)
	}
	out.Label = s.compositeLabel(c)
	return out, true
}

// indexOf returns the number of the equality that matches a field of an index, or -1.
func (h *Shape) indexOf(f index.Field) int {
	for i, e := range h.equals {
		if e.path == f.Path && e.element == (f.Mode == index.Contains) && f.Mode != index.Vector {
			return i
		}
	}
	return -1
}

// nameField is the path of a document's name.
const nameField = "__name__"

// walkNames returns the alternative that reads all documents of a scope in the order of names.
func walkNames(s Scope, h *Shape) *Alternative {
	a := &Alternative{scope: s, Shape: h, Reverse: h.Desc, exact: true}
	if s.group {
		prefix := index.AppendSegment(keys.Prefix(keys.KindGroup, s.in.Number), s.id)
		a.Accesses = []Access{{Label: s.label(h.Desc), Prefix: prefix, NamesOnly: true}}
		return a
	}
	prefix := append(keys.Prefix(keys.KindDocument, s.in.Number), s.collection...)
	a.Accesses = []Access{{Label: s.label(h.Desc), Prefix: prefix, Documents: true}}
	return a
}
