package planner

import (
	"bytes"
	"strings"

	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Scope is the part of the keys that a query reads. The tail of a key names the document: by its id's segment in the
// scope of one collection, and by its whole path and an end mark in that of a collection group.
type Scope struct {
	in     *Input
	parent string
	id     string // the collection's; empty for all collections
	group  bool
	// collection is the encoded path of the one collection and its end mark, without group.
	collection []byte
}

// newScope returns the scope of a query.
func newScope(in *Input, q *query.Query) Scope {
	from := q.From[0]
	s := Scope{in: in, parent: q.Parent, id: from.Collection, group: from.AllDescendants || from.Collection == ""}
	if !s.group {
		path := resource.Collection{Parent: q.Parent, ID: s.id}.Path()
		s.collection = append(index.AppendPath(nil, path), keys.PathEnd)
	}
	return s
}

// composites returns the composite indexes of the scope that have all entries of the view.
func (s *Scope) composites() []*index.Composite {
	var out []*index.Composite
	for _, c := range s.in.Indexes.Of(s.id) {
		if c.Group == s.group && s.in.Serves(c) {
			out = append(out, c)
		}
	}
	return out
}

// cut returns the bound among tails just before a document's name, or just after it.
func (s *Scope) cut(v value.Value, behind bool) []byte {
	ref, _ := v.(value.Reference)
	db, path, err := resource.SplitPath(string(ref))
	switch {
	case err != nil:
		return index.Below
	case db != s.in.DB:
		if strings.Compare(db.Project, s.in.DB.Project) < 0 ||
			db.Project == s.in.DB.Project && db.ID < s.in.DB.ID {
			return index.Below
		}
		return index.Above
	}
	name := index.AppendPath(nil, path)
	if s.group {
		if name = append(name, keys.PathEnd); behind {
			return index.After(name)
		}
		return name
	}
	return s.cutInCollection(name, behind)
}

// cutInCollection returns the bound of an encoded path among the ids of the scope's collection.
func (s *Scope) cutInCollection(name []byte, behind bool) []byte {
	collection := s.collection[:len(s.collection)-1]
	rest, ok := bytes.CutPrefix(name, collection)
	switch {
	case !ok && bytes.Compare(name, collection) < 0:
		return index.Below
	case !ok:
		return index.Above
	}
	n := index.SkipSegment(rest)
	if n == 0 {
		return index.Below // The collection itself, or a name above it.
	}
	if behind || n < len(rest) {
		return index.After(rest[:n]) // Documents below another document are ordered after it.
	}
	return rest
}

// restrictNames returns the tails in the scope that match the filters on the name.
func (s *Scope) restrictNames(filters query.Conjunction) []index.Span {
	names := s.below()
	for _, f := range filters {
		if x, ok := f.(query.Field); ok && x.Path.IsName() {
			names = index.Intersect(names, s.names(x))
		}
	}
	return names
}

// names returns the tails that match a comparison with the document's name.
func (s *Scope) names(f query.Field) []index.Span {
	before, behind := s.cut(f.Value, false), s.cut(f.Value, true)
	all := index.Span{From: index.Below, To: index.Above}
	switch f.Op {
	case query.Equal:
		return trim(index.Span{From: before, To: behind})
	case query.NotEqual:
		return index.Without([]index.Span{all}, index.Span{From: before, To: behind})
	case query.NotIn:
		spans := []index.Span{all}
		items, _ := f.Value.(value.Array)
		for _, item := range items {
			spans = index.Without(spans, index.Span{From: s.cut(item, false), To: s.cut(item, true)})
		}
		return spans
	case query.LessThan:
		return trim(index.Span{From: index.Below, To: before})
	case query.LessThanOrEqual:
		return trim(index.Span{From: index.Below, To: behind})
	case query.GreaterThan:
		return trim(index.Span{From: behind, To: index.Above})
	default:
		return trim(index.Span{From: before, To: index.Above})
	}
}

// trim returns a list with the span, or an empty list if the span is empty.
func trim(s index.Span) []index.Span {
	if s.Empty() {
		return nil
	}
	return []index.Span{s}
}

// below returns the tails of a group's documents below the scope's parent.
func (s *Scope) below() []index.Span {
	if !s.group || s.parent == "" {
		return []index.Span{{From: index.Below, To: index.Above}}
	}
	parent := index.AppendPath(nil, s.parent)
	return []index.Span{{From: append(bytes.Clone(parent), keys.PathEnd+1), To: index.After(parent)}}
}

// Path returns the relative path of the document that a tail names.
func (s *Scope) Path(tail []byte) (string, error) {
	if s.group {
		path, _, err := index.DecodePath(tail)
		return path, err
	}
	id, _, err := index.CutSegment(tail)
	if err != nil {
		return "", err
	}
	return resource.Collection{Parent: s.parent, ID: s.id}.Path() + "/" + id, nil
}

// DocumentKey returns the key of the document that a tail names.
func (s *Scope) DocumentKey(tail []byte) []byte {
	key := keys.Append(make([]byte, 0, len(s.collection)+len(tail)+16), keys.KindDocument, s.in.Number)
	if !s.group {
		return append(append(key, s.collection...), tail...)
	}
	last := 0
	for n := 0; n < len(tail) && tail[n] != keys.PathEnd; {
		last = n
		n += index.SkipSegment(tail[n:])
	}
	key = append(append(key, tail[:last]...), keys.PathEnd)
	return append(key, tail[last:len(tail)-1]...)
}
