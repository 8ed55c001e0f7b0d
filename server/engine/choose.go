package engine

import (
	"math"
	"math/bits"
	"strings"

	"clave/server/index"
	"clave/server/operation"
	"clave/server/query"
	"clave/server/value"
)

// How an index is chosen. An alternative of a query is a shape: equalities, and an order whose first fields have the ranges. A family of keys
// reads it exactly when its keys begin with equalities of the shape and go on with the whole order and the name, all in the shape's
// directions or all in the opposite ones. There are three kinds of families: the documents themselves for a shape of names alone (walkNames),
// the automatic single-field indexes (singles) and the composite ones (composites).
//
// One family seldom has all equalities. Families with the same order can be merged: a document is in the result when it is in each. So
// cover takes, greedily, the family that has most of the equalities that are left, until none is; first among those read forwards, then
// among those read backwards, since only families of one direction can be merged. When that fails there is no index, and closest (plan.go)
// finds a family that gives more than is wanted.

// nan is the value that IS_NAN matches.
var nan = value.Double(math.NaN())

// access is one family of keys in the order of a shape: all begin with prefix, then come the fields of the shape's order
// and the tail.
type access struct {
	label  operation.PlanIndex
	prefix []byte
	// stored and nameStored say which fields of the order, and whether the tail, are kept in descending order.
	stored     []bool
	nameStored bool
	// covers is the set of the shape's equalities that hold for every key.
	covers uint64
	// flagAt is the number of the order's first field among the components of the entry.
	flagAt int
	// documents says that the keys are documents and no entries; bare that there is nothing but the tail.
	documents, bare bool
}

// alternative is how one alternative of a query's filter is read: the keys that all of its accesses have, in order.
type alternative struct {
	scope    scope
	shape    *shape
	accesses []access
	reverse  bool
	// exact says that what is read is what the query wants, in its order.
	exact bool
	// lift, if not nil, goes before a tail, and an end mark behind it, to make the tail of a group.
	lift []byte
}

// candidate is an access and whether it has to be read backwards.
type candidate struct {
	access
	reverse bool
}

// maxEquals is the number of equalities that accesses can say they cover.
const maxEquals = 63

// choose returns how to read a shape exactly, or nil when there is no index for it.
func choose(s scope, h *shape) *alternative {
	if len(h.equals) == 0 && len(h.order) == 0 {
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
			if c.reverse == reverse { // Those keep order and tail alike, and can be merged.
				usable = append(usable, c)
			}
		}
		if accesses := cover(usable, all); accesses != nil {
			return &alternative{scope: s, shape: h, accesses: accesses, reverse: reverse, exact: true}
		}
	}
	return nil
}

// cover returns few accesses that together cover all equalities, or nil: again and again the one that covers most of
// what is left.
func cover(candidates []candidate, all uint64) []access {
	var out []access
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
		out = append(out, candidates[best].access)
		left &^= candidates[best].covers
		if left == 0 {
			return out
		}
	}
}

// singles returns the accesses by single-field indexes: of one equality each when the order is by name alone, else of the
// order's only field.
func singles(s *scope, h *shape) []candidate {
	var out []candidate
	switch len(h.order) {
	case 0:
		for i, e := range h.equals {
			if !s.indexed(e.path, e.element, h.desc) {
				continue
			}
			prefix := s.automatic(e.path, e.element)
			out = append(out, candidate{reverse: h.desc, access: access{
				label: s.label(h.desc, labelField{e.path, e.element, h.desc}), covers: 1 << i, flagAt: 1,
				prefix: append(prefix, e.encoded...)}})
		}
	case 1:
		o := h.order[0]
		path := o.Path.String()
		if o.Desc == h.desc && s.indexed(path, false, o.Desc) {
			out = append(out, candidate{reverse: o.Desc, access: access{
				label: s.label(h.desc, labelField{path, false, o.Desc}), prefix: s.automatic(path, false), stored: []bool{false}}})
		}
	}
	return out
}

// indexed reports whether a field has a single-field index in a direction, or of its elements.
func (s *scope) indexed(path string, element, desc bool) bool {
	collection, group := s.indexes.set.Single(s.id, path)
	single := collection
	if s.group {
		single = group
	}
	switch {
	case element:
		return single.Contains
	case desc:
		return single.Descending
	}
	return single.Ascending
}

// automatic returns the beginning of the keys of a single-field index.
func (s *scope) automatic(path string, element bool) []byte {
	return s.indexes.set.Automatic(keyOf(keyIndex, s.db.number), s.group, s.collection, s.id, path, element)
}

// composites returns the accesses by composite indexes: those that begin with equalities and go on with the whole order.
func composites(s *scope, h *shape) []candidate {
	var out []candidate
	for _, c := range s.composites() {
		if found, ok := matchComposite(s, h, c); ok {
			out = append(out, found)
		}
	}
	return out
}

// matchComposite returns the access of a shape by a composite index.
func matchComposite(s *scope, h *shape, c *index.Composite) (candidate, bool) {
	fields := c.Fields
	if n := len(fields); fields[n-1].Path == nameField {
		fields = fields[:n-1]
	}
	leading := len(fields) - len(h.order)
	if leading < 0 {
		return candidate{}, false
	}
	out := candidate{access: access{nameStored: c.NameDescending(), flagAt: leading}}
	out.reverse = out.nameStored != h.desc
	out.prefix = c.Prefix(keyOf(keyIndex, s.db.number), s.collection)
	for _, f := range fields[:leading] {
		i := h.indexOf(f)
		if i < 0 || out.covers&(1<<i) != 0 {
			return candidate{}, false
		}
		out.covers |= 1 << i
		from := len(out.prefix)
		out.prefix = append(out.prefix, h.equals[i].encoded...)
		if f.Mode == index.Descending {
			index.Invert(out.prefix[from:])
		}
	}
	for i, f := range fields[leading:] {
		desc := f.Mode == index.Descending
		if f.Mode > index.Descending || f.Path != h.order[i].Path.String() || (desc != h.order[i].Desc) != out.reverse {
			return candidate{}, false
		}
		out.stored = append(out.stored, desc)
	}
	out.label = s.compositeLabel(c)
	return out, true
}

// indexOf returns the number of the equality that a field of an index can begin with, or -1.
func (h *shape) indexOf(f index.Field) int {
	for i, e := range h.equals {
		if e.path == f.Path && e.element == (f.Mode == index.Contains) && f.Mode != index.Vector {
			return i
		}
	}
	return -1
}

// nameField is the path of a document's name.
const nameField = "__name__"

// walkNames returns how to read all documents of a scope in the order of names.
func walkNames(s scope, h *shape) *alternative {
	a := &alternative{scope: s, shape: h, reverse: h.desc, exact: true}
	if s.group {
		prefix := index.AppendSegment(keyOf(keyGroup, s.db.number), s.id)
		a.accesses = []access{{label: s.label(h.desc), prefix: prefix, bare: true}}
		return a
	}
	prefix := append(keyOf(keyDocument, s.db.number), s.collection...)
	a.accesses = []access{{label: s.label(h.desc), prefix: prefix, documents: true}}
	return a
}

// labelField is a field as a plan names it.
type labelField struct {
	path          string
	element, desc bool
}

// label names an index as a plan does.
func (s *scope) label(nameDesc bool, fields ...labelField) operation.PlanIndex {
	var b strings.Builder
	b.WriteByte('(')
	for _, f := range fields {
		b.WriteString(f.path)
		switch {
		case f.element:
			b.WriteString(" CONTAINS, ")
		case f.desc:
			b.WriteString(" DESC, ")
		default:
			b.WriteString(" ASC, ")
		}
	}
	b.WriteString(nameField)
	if nameDesc {
		b.WriteString(" DESC)")
	} else {
		b.WriteString(" ASC)")
	}
	return operation.PlanIndex{Scope: s.scopeName(), Properties: b.String()}
}

// The scopes as plans name them.
const (
	scopeCollection = "COLLECTION"
	scopeGroup      = "COLLECTION_GROUP"
	scopeDocuments  = "DOCUMENTS"
)

// scopeName is the scope as a plan names it.
func (s *scope) scopeName() string {
	if s.group {
		return scopeGroup
	}
	return scopeCollection
}

// compositeLabel names a composite index as a plan does.
func (s *scope) compositeLabel(c *index.Composite) operation.PlanIndex {
	var fields []labelField
	for _, f := range c.Fields {
		if f.Path != nameField {
			fields = append(fields, labelField{f.Path, f.Mode == index.Contains, f.Mode == index.Descending})
		}
	}
	return s.label(c.NameDescending(), fields...)
}

// missing returns the definition of the composite index that serves a shape.
func missing(s *scope, h *shape, nearest *query.Nearest) index.Definition {
	d := index.Definition{CollectionGroup: s.id, Group: s.group}
	for _, e := range h.equals {
		mode := index.Ascending
		if e.element {
			mode = index.Contains
		}
		d.Fields = append(d.Fields, index.Field{Path: e.path, Mode: mode})
	}
	for _, o := range h.order {
		mode := index.Ascending
		if o.Desc {
			mode = index.Descending
		}
		d.Fields = append(d.Fields, index.Field{Path: o.Path.String(), Mode: mode})
	}
	switch {
	case nearest != nil:
		d.Fields = append(d.Fields, index.Field{Path: nearest.Path.String(), Mode: index.Vector, Dimension: len(nearest.Vector)})
	case len(d.Fields) == 0 || d.NameDescending() != h.desc:
		mode := index.Ascending
		if h.desc {
			mode = index.Descending
		}
		d.Fields = append(d.Fields, index.Field{Path: nameField, Mode: mode})
	}
	return d
}
