package index

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"clave/server/internal/model/value"
)

// Set holds the indexes of one database: the automatic ones, the exemptions and the composites. It is immutable.
type Set struct {
	// Composites are the composite indexes with their numbers.
	Composites []*Composite
	overrides  []Override
	groups     map[string]*group
}

// Composite is a composite index with the number under which its entries are kept.
type Composite struct {
	Definition
	// ID is the number.
	ID    uint32
	paths []value.FieldPath
}

// group holds the definitions of one collection id.
type group struct {
	composites []*Composite
	singles    map[string]Override
	rest       *Override
	// expiry is the field at whose time documents expire; nil if they don't.
	expiry value.FieldPath
}

// NewSet returns the set of the definitions. Composite index i is stored under ids[i].
func NewSet(defs Definitions, ids []uint32) *Set {
	s := &Set{overrides: defs.Overrides, groups: map[string]*group{}}
	for i, d := range defs.Indexes {
		c := &Composite{Definition: d, ID: ids[i]}
		for _, f := range d.Fields {
			c.paths = append(c.paths, canonical(f.Path))
		}
		s.Composites = append(s.Composites, c)
		g := s.group(d.CollectionGroup)
		g.composites = append(g.composites, c)
	}
	for i, o := range defs.Overrides {
		g := s.group(o.CollectionGroup)
		if o.Path == "*" {
			g.rest = &defs.Overrides[i]
		} else {
			g.singles[o.Path] = o
			if o.TTL {
				g.expiry = canonical(o.Path)
			}
		}
	}
	return s
}

// canonical returns the path that a canonical text stands for.
func canonical(text string) value.FieldPath {
	path, err := value.ParseFieldPath(text)
	if err != nil {
		return value.FieldPath{text}
	}
	return path
}

// group returns the definitions of a collection id, creating them if necessary.
func (s *Set) group(id string) *group {
	g := s.groups[id]
	if g == nil {
		g = &group{singles: map[string]Override{}}
		s.groups[id] = g
	}
	return g
}

// Of returns the composite indexes of a collection id.
func (s *Set) Of(collectionID string) []*Composite {
	if g := s.groups[collectionID]; g != nil {
		return g.composites
	}
	return nil
}

// Single returns the single-field indexes of a field in both scopes.
func (s *Set) Single(collectionID, path string) (collection, group Single) {
	return s.groups[collectionID].single(path)
}

// single returns the single-field indexes of a field: those of its own override, otherwise of the override of a map
// around it, otherwise of the override of all fields, and otherwise the automatic ones.
func (g *group) single(path string) (collection, wide Single) {
	automatic := Single{Ascending: true, Descending: true, Contains: true}
	if g == nil {
		return automatic, Single{}
	}
	for at := path; ; {
		if o, ok := g.singles[at]; ok {
			return o.Collection, o.Group
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			break
		}
		at = at[:i]
	}
	if g.rest != nil {
		return g.rest.Collection, g.rest.Group
	}
	return automatic, Single{}
}

// NameDescending reports whether entries with equal fields are kept in descending order of names: as the last field is.
func (d Definition) NameDescending() bool {
	return len(d.Fields) > 0 && d.Fields[len(d.Fields)-1].Mode == Descending
}

// Path returns the path of field i.
func (c *Composite) Path(i int) value.FieldPath { return c.paths[i] }

// LastID returns the greatest number of a composite index, or 0 if there is none.
func (s *Set) LastID() (last uint32) {
	for _, c := range s.Composites {
		last = max(last, c.ID)
	}
	return last
}

// CompositePrefix appends the prefix of all keys of the composite index with a number.
func CompositePrefix(dst []byte, id uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, keyComposite), id)
}

// appendPrefix appends the prefix of the keys of the index. collection is the encoded path of the collection.
func (c *Composite) appendPrefix(dst, collection []byte) []byte {
	dst = CompositePrefix(dst, c.ID)
	if c.Group {
		return dst
	}
	return append(dst, collection...)
}

// Changed returns the collection ids whose documents have other entries under the other set.
func (s *Set) Changed(o *Set) []string {
	var out []string
	for id := range s.groups {
		if !s.groups[id].equal(o.groups[id]) {
			out = append(out, id)
		}
	}
	for id := range o.groups {
		if s.groups[id] == nil && !o.groups[id].equal(nil) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// equal reports whether two groups lead to the same entries.
func (g *group) equal(o *group) bool {
	if g == nil {
		g = &group{}
	}
	if o == nil {
		o = &group{}
	}
	if len(g.singles) != len(o.singles) || (g.rest == nil) != (o.rest == nil) || g.rest != nil && *g.rest != *o.rest {
		return false
	}
	for path, x := range g.singles {
		if y, ok := o.singles[path]; !ok || x != y {
			return false
		}
	}
	return slices.EqualFunc(g.composites, o.composites, func(x, y *Composite) bool {
		return x.ID == y.ID && x.Equal(y.Definition)
	})
}

// Definitions returns the set's definitions, and the numbers of its composite indexes.
func (s *Set) Definitions() (Definitions, []uint32) {
	defs := Definitions{Overrides: s.overrides}
	ids := make([]uint32, len(s.Composites))
	for i, c := range s.Composites {
		defs.Indexes = append(defs.Indexes, c.Definition)
		ids[i] = c.ID
	}
	return defs, ids
}

// scopeName returns the name of the definition's scope.
func (d Definition) scopeName() string {
	if d.Group {
		return "COLLECTION_GROUP"
	}
	return "COLLECTION"
}

// order returns the name of a mode that is an order, and otherwise "".
func (m Mode) order() string {
	switch m {
	case Ascending:
		return "ASCENDING"
	case Descending:
		return "DESCENDING"
	default:
		return ""
	}
}

// JSON returns the definition in the form of firestore.indexes.json, on one line.
func (d Definition) JSON() string {
	type field struct {
		FieldPath    string `json:"fieldPath"`
		Order        string `json:"order,omitempty"`
		ArrayConfig  string `json:"arrayConfig,omitempty"`
		VectorConfig any    `json:"vectorConfig,omitempty"`
	}
	out := struct {
		CollectionGroup string  `json:"collectionGroup"`
		QueryScope      string  `json:"queryScope"`
		Fields          []field `json:"fields"`
	}{CollectionGroup: d.CollectionGroup, QueryScope: d.scopeName()}
	for _, f := range d.Fields {
		j := field{FieldPath: f.Path, Order: f.Mode.order()}
		switch f.Mode {
		case Contains:
			j.ArrayConfig = "CONTAINS"
		case Vector:
			j.VectorConfig = map[string]any{"dimension": f.Dimension, "flat": struct{}{}}
		}
		out.Fields = append(out.Fields, j)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return "" // Marshalling strings and numbers cannot fail.
	}
	return string(text)
}
