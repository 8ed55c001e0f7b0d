package planner

import (
	"strings"

	"clave/server/internal/database/index"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
)

// labelField is a field of an index as plans show it.
type labelField struct {
	path          string
	element, desc bool
}

// label returns an index as plans show it.
func (s *Scope) label(nameDesc bool, fields ...labelField) request.PlanIndex {
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
	return request.PlanIndex{Scope: s.scopeName(), Properties: b.String()}
}

// The scopes as plans show them.
const (
	scopeCollection = "COLLECTION"
	scopeGroup      = "COLLECTION_GROUP"
	scopeDocuments  = "DOCUMENTS"
)

// scopeName returns the scope as plans show it.
func (s *Scope) scopeName() string {
	if s.group {
		return scopeGroup
	}
	return scopeCollection
}

// Label returns a composite index as plans show it.
func Label(c *index.Composite) request.PlanIndex {
	s := Scope{group: c.Group}
	return s.compositeLabel(c)
}

// compositeLabel returns a composite index as plans show it.
func (s *Scope) compositeLabel(c *index.Composite) request.PlanIndex {
	var fields []labelField
	for _, f := range c.Fields {
		if f.Path != nameField {
			fields = append(fields, labelField{f.Path, f.Mode == index.Contains, f.Mode == index.Descending})
		}
	}
	return s.label(c.NameDescending(), fields...)
}

// missing returns the definition of the composite index that serves a shape.
func missing(s *Scope, h *Shape, nearest *query.Nearest) index.Definition {
	d := index.Definition{CollectionGroup: s.id, Group: s.group}
	for _, e := range h.equals {
		mode := index.Ascending
		if e.element {
			mode = index.Contains
		}
		d.Fields = append(d.Fields, index.Field{Path: e.path, Mode: mode})
	}
	for _, o := range h.Order {
		mode := index.Ascending
		if o.Desc {
			mode = index.Descending
		}
		d.Fields = append(d.Fields, index.Field{Path: o.Path.String(), Mode: mode})
	}
	switch {
	case nearest != nil:
		d.Fields = append(d.Fields, index.Field{Path: nearest.Path.String(), Mode: index.Vector, Dimension: len(nearest.Vector)})
	case len(d.Fields) == 0 || d.NameDescending() != h.Desc:
		mode := index.Ascending
		if h.Desc {
			mode = index.Descending
		}
		d.Fields = append(d.Fields, index.Field{Path: nameField, Mode: mode})
	}
	return d
}
