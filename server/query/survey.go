package query

import (
	"slices"
	"strings"

	"clave/server/fault"
	"clave/server/value"
)

// findings are what a filter is made of.
type findings struct {
	// inequalities are the fields of inequalities, each once, in the order they appear.
	inequalities []value.FieldPath
	// negative counts NOT_EQUAL, NOT_IN, IS_NOT_NAN and IS_NOT_NULL.
	negative int
	// notIn, in and or say whether such filters are there; in is IN and ARRAY_CONTAINS_ANY.
	notIn, in, or bool
	// nameEqual says whether the document's name must equal something, name whether it is compared at all.
	nameEqual, name bool
}

// survey validates a flattened filter and says what it is made of; or says that it had an Or before it was flattened.
func survey(f Filter, or bool) (findings, error) {
	s := findings{or: or}
	if f == nil {
		return s, nil
	}
	if err := s.visit(f); err != nil {
		return s, err
	}
	switch {
	case s.negative > 1:
		return s, fault.E(fault.InvalidArgument,
			"Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
	case s.notIn && (s.in || s.or):
		return s, fault.E(fault.InvalidArgument,
			"'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
	case len(s.inequalities) > maxInequalityFields:
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
	_, err := disjunctions(f)
	return s, err
}

// visit looks at a filter and those inside it.
func (s *findings) visit(f Filter) error {
	switch x := f.(type) {
	case *And:
		return s.visitAll(x.Filters)
	case *Or:
		if len(x.Filters) == 0 {
			return fault.E(fault.InvalidArgument, "Composite filter must have at least one sub-filter.")
		}
		return s.visitAll(x.Filters)
	case Field:
		return s.visitField(x)
	case Unary:
		return s.visitUnary(x)
	default:
		return fault.E(fault.InvalidArgument, "Unknown Filter type.")
	}
}

// visitAll looks at several filters.
func (s *findings) visitAll(filters []Filter) error {
	for _, f := range filters {
		if err := s.visit(f); err != nil {
			return err
		}
	}
	return nil
}

// visitField looks at a comparison.
func (s *findings) visitField(f Field) error {
	if opNames[f.Op] == "" {
		return fault.E(fault.InvalidArgument, "Unknown FieldFilter operator.")
	}
	if err := checkList(f); err != nil {
		return err
	}
	if f.Path.IsName() {
		if err := checkNameFilter(f); err != nil {
			return err
		}
		s.name = true
		s.nameEqual = s.nameEqual || f.Op == Equal || f.Op == In
	}
	s.in = s.in || f.Op == In || f.Op == ArrayContainsAny
	s.notIn = s.notIn || f.Op == NotIn
	if f.Op == NotEqual || f.Op == NotIn {
		s.negative++
	}
	if f.Op.Inequality() {
		s.inequality(f.Path)
	}
	return nil
}

// visitUnary looks at a question about a field.
func (s *findings) visitUnary(f Unary) error {
	if unaryNames[f.Op] == "" {
		return fault.E(fault.InvalidArgument, "Unknown UnaryFilter operator.")
	}
	if f.Path.IsName() {
		return fault.E(fault.InvalidArgument, "__key__ filter value must be a Key")
	}
	if f.Op.Inequality() {
		s.negative++
		s.inequality(f.Path)
	}
	return nil
}

// inequality notes the field of an inequality.
func (s *findings) inequality(path value.FieldPath) {
	if !slices.ContainsFunc(s.inequalities, path.Equal) {
		s.inequalities = append(s.inequalities, path)
	}
}

// checkList checks the list of an operator that takes one.
func checkList(f Field) error {
	limit := maxIn
	switch f.Op {
	case In, ArrayContainsAny:
	case NotIn:
		limit = maxNotIn
	default:
		return nil
	}
	items, ok := f.Value.(value.Array)
	switch {
	case !ok:
		return fault.E(fault.InvalidArgument, "'%s' requires an ArrayValue.", f.Op)
	case len(items) == 0:
		return fault.E(fault.InvalidArgument, "'%s' requires an non-empty ArrayValue.", f.Op)
	case len(items) > limit:
		return fault.E(fault.InvalidArgument, "'%s' supports up to %d comparison values.", f.Op, limit)
	}
	return nil
}

// checkNameFilter checks a comparison of the document's name.
func checkNameFilter(f Field) error {
	const refusal = "__key__ filter value must be a Key"
	switch f.Op {
	case ArrayContains, ArrayContainsAny:
		return fault.E(fault.InvalidArgument, "the name __key__ is reserved")
	case In, NotIn:
		items, _ := f.Value.(value.Array)
		for _, item := range items {
			if err := checkName(item, refusal); err != nil {
				return err
			}
		}
		return nil
	default:
		return checkName(f.Value, refusal)
	}
}
