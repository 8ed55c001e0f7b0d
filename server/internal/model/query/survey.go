package query

import (
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// findings describes the parts of a pruned filter.
type findings struct {
	// inequalities are the fields of inequalities, each once, in the order they appear.
	inequalities []value.FieldPath
	// nameEqual is set if the document's name must equal a value.
	nameEqual bool
}

// survey returns the findings of a pruned filter and refuses invalid combinations.
func survey(f Filter) (findings, error) {
	var s findings
	s.visit(f)
	if len(s.inequalities) > maxInequalityFields {
		names := make([]string, len(s.inequalities))
		for i, path := range s.inequalities {
			names[i] = path.String()
		}
		return s, fault.E(fault.InvalidArgument, "The query contains %d distinct inequality fields: [%s]. "+
			"A query may not have more than %d distinct inequality fields.",
			len(names), strings.Join(names, ", "), maxInequalityFields)
	}
	if s.nameEqual && len(s.inequalities) > 0 && !slices.ContainsFunc(s.inequalities, value.FieldPath.IsName) {
		return s, fault.E(fault.InvalidArgument, "Equality on key is not allowed if there are other inequality fields "+
			"and key does not appear in inequalities.")
	}
	return s, nil
}

// visit visits a filter and those inside it.
func (s *findings) visit(f Filter) {
	switch x := f.(type) {
	case *And:
		for _, inner := range x.Filters {
			s.visit(inner)
		}
	case *Or:
		for _, inner := range x.Filters {
			s.visit(inner)
		}
	case Field:
		s.nameEqual = s.nameEqual || (x.Path.IsName() && (x.Op == Equal || x.Op == In))
		if x.Op.Inequality() {
			s.inequality(x.Path)
		}
	case Unary:
		if x.Op.Inequality() {
			s.inequality(x.Path)
		}
	}
}

// inequality records the field of an inequality.
func (s *findings) inequality(path value.FieldPath) {
	if !slices.ContainsFunc(s.inequalities, path.Equal) {
		s.inequalities = append(s.inequalities, path)
	}
}
