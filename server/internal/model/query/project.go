package query

import (
	"cmp"
	"slices"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// Project returns a document with the given fields only. The paths are in the order of FieldPath.Compare.
func Project(d *document.Document, paths []value.FieldPath) *document.Document {
	out := *d
	e := value.Map{}.EditSorted()
	project(e, d.Fields, paths, 0)
	out.Fields, out.Layout = e.Map(), e.Layout()
	return &out
}

// project sets the members of a map that paths name. The paths have the same first depth names, which lead to the map.
// A request may have many more paths than its documents have fields, or the other way round, so the smaller number
// decides how the paths are matched with the members.
func project(e *value.Editor, m value.Map, paths []value.FieldPath, depth int) {
	if len(paths) > len(m) {
		for name := range m {
			from, found := slices.BinarySearchFunc(paths, name, func(p value.FieldPath, name string) int { return cmp.Compare(p[depth], name) })
			if found {
				projectMember(e, m, paths[from:][:among(paths[from:], name, depth)], depth)
			}
		}
		return
	}
	for len(paths) > 0 {
		n := among(paths, paths[0][depth], depth)
		projectMember(e, m, paths[:n], depth)
		paths = paths[n:]
	}
}

// among returns the number of paths at the beginning of sorted ones that have a name at a depth.
func among(paths []value.FieldPath, name string, depth int) int {
	n, _ := slices.BinarySearchFunc(paths, name, func(p value.FieldPath, name string) int {
		if p[depth] == name {
			return -1
		}
		return 1
	})
	return n
}

// projectMember sets a member of a map, or parts of it. The paths lead to the member and, behind a path to the whole of
// it, to its parts.
func projectMember(e *value.Editor, m value.Map, paths []value.FieldPath, depth int) {
	v, ok := m[paths[0][depth]]
	if !ok {
		return
	}
	if len(paths[0]) == depth+1 {
		e.Set(paths[0], v, nil)
		return
	}
	if inner, ok := v.(value.Map); ok && inner.Kind() != value.KindVector {
		project(e, inner, paths, depth+1)
	}
}

// Mask selects the fields of a response's documents. The zero Mask selects all.
type Mask struct {
	// Set is set if only the fields of Paths are returned.
	Set bool
	// Paths are in the order of FieldPath.Compare.
	Paths []value.FieldPath
}

// Apply returns a document with the selected fields only.
func (m Mask) Apply(d *document.Document) *document.Document {
	if m.Set {
		return Project(d, m.Paths)
	}
	return d
}
