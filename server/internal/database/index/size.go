package index

import (
	"strings"

	"clave/server/internal/model/value"
)

// The fixed parts of the sizes of index entries as production bills them
// (firebase.google.com/docs/firestore/storage-size), and the bytes of a value that an entry has.
const (
	entryOverhead = 32
	groupOverhead = 48 - entryOverhead // what single-field entries of collection groups have more
	maxEntryValue = 1500
)

// BilledSize returns the size of the entries of a document, given by its relative path, as production bills them: an
// entry has the name of the document, that of the document above it unless the index is of a collection group, the
// values, the name of the field of a single-field index, and 32 bytes, or 48 in a single-field index of a collection
// group. Fields other than arrays and maps have an entry
// in each order, and arrays one for each distinct element.
func (s *Set) BilledSize(path string, fields value.Map) int64 {
	collection := path[:strings.LastIndexByte(path, '/')]
	z := sizer{name: int64(value.NameSize(path) + entryOverhead)}
	z.below = z.name
	if at := strings.LastIndexByte(collection, '/'); at >= 0 {
		z.below += int64(value.NameSize(collection[:at]))
	}
	g := s.groups[collection[strings.LastIndexByte(collection, '/')+1:]]
	z.fields(g, make(value.FieldPath, 0, usualDepth), fields)
	if g != nil {
		for _, c := range g.composites {
			z.composite(c, fields)
		}
	}
	return z.sum
}

// sizer adds up the sizes of the entries of a document.
type sizer struct {
	// name is what each entry of a collection group has, and below what each entry of a collection has.
	name, below int64
	sum         int64
}

// entries adds n entries with a size besides that of names.
func (z *sizer) entries(n int, group bool, size int) {
	each := z.below
	if group {
		each = z.name
	}
	z.sum += int64(n) * (each + int64(size))
}

// fields adds the single-field entries of the members of a map. It uses the memory behind parent.
func (z *sizer) fields(g *group, parent value.FieldPath, m value.Map) {
	for member, v := range m {
		path := append(parent, member)
		if inner, ok := v.(value.Map); ok && inner.Kind() == value.KindMap {
			z.fields(g, path, inner)
			continue
		}
		text := path.String()
		collection, wide := g.single(text)
		z.field(false, collection, len(text)+1, v)
		z.field(true, wide, groupOverhead+len(text)+1, v)
	}
}

// field adds the single-field entries of a value in one scope. name is the size of the field's name and of what each
// entry of this scope has more.
func (z *sizer) field(group bool, s Single, name int, v value.Value) {
	if array, ok := v.(value.Array); ok {
		if s.Contains {
			for _, element := range distinct(array) {
				z.entries(1, group, name+entrySize(element))
			}
		}
		return
	}
	orders := 0
	for _, has := range []bool{s.Ascending, s.Descending} {
		if has {
			orders++
		}
	}
	z.entries(orders, group, name+entrySize(v))
}

// composite adds the entries in a composite index: none without all of its fields, and one for each distinct element of
// an array of which the index has the elements.
func (z *sizer) composite(c *Composite, fields value.Map) {
	size := 0
	var elements value.Array
	contains := false
	for i, f := range c.Fields {
		if c.paths[i].IsName() {
			continue
		}
		v, ok := fields.Get(c.paths[i])
		if !ok {
			return
		}
		if f.Mode != Contains {
			size += entrySize(v)
			continue
		}
		if elements, contains = v.(value.Array); !contains {
			return
		}
	}
	if !contains {
		z.entries(1, c.Group, size)
		return
	}
	for _, element := range distinct(elements) {
		z.entries(1, c.Group, size+entrySize(element))
	}
}

// entrySize returns the size of a value in an entry.
func entrySize(v value.Value) int { return min(value.Size(v), maxEntryValue) }
