package query

import (
	"clave/server/fault"
	"clave/server/value"
)

// checker checks a filter as the client sent it.
type checker struct {
	// negative counts NOT_EQUAL, NOT_IN, IS_NOT_NAN and IS_NOT_NULL.
	negative int
	// leaves counts the filters of one field.
	leaves int
	// notIn, in and or say whether such filters are there; in is IN and ARRAY_CONTAINS_ANY.
	notIn, in, or bool
}

// checkFilter validates a filter; nil is no filter.
func checkFilter(f Filter) error {
	if f == nil {
		return nil
	}
	var c checker
	if err := c.filter(f); err != nil {
		return err
	}
	switch {
	case c.leaves > maxFilters:
		return fault.E(fault.InvalidArgument, "A query cannot have more than %d filters.", maxFilters)
	case c.negative > 1:
		return fault.E(fault.InvalidArgument,
			"Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
	case c.notIn && (c.in || c.or):
		return fault.E(fault.InvalidArgument,
			"'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
	}
	_, err := disjunctions(f)
	return err
}

// filter looks at a filter and those inside it.
func (c *checker) filter(f Filter) error {
	switch x := f.(type) {
	case *And:
		return c.all(x.Filters)
	case *Or:
		if len(x.Filters) == 0 {
			return fault.E(fault.InvalidArgument, "Composite filter must have at least one sub-filter.")
		}
		c.or = true
		return c.all(x.Filters)
	case Field:
		return c.field(x)
	case Unary:
		return c.unary(x)
	default:
		return fault.E(fault.InvalidArgument, "Unknown Filter type.")
	}
}

// all looks at several filters.
func (c *checker) all(filters []Filter) error {
	for _, f := range filters {
		if err := c.filter(f); err != nil {
			return err
		}
	}
	return nil
}

// field looks at a comparison.
func (c *checker) field(f Field) error {
	c.leaves++
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
	}
	c.in = c.in || f.Op == In || f.Op == ArrayContainsAny
	c.notIn = c.notIn || f.Op == NotIn
	if f.Op == NotEqual || f.Op == NotIn {
		c.negative++
	}
	return nil
}

// unary looks at a question about a field.
func (c *checker) unary(f Unary) error {
	c.leaves++
	if unaryNames[f.Op] == "" {
		return fault.E(fault.InvalidArgument, "Unknown UnaryFilter operator.")
	}
	if f.Path.IsName() {
		return fault.E(fault.InvalidArgument, "__key__ filter value must be a Key")
	}
	if f.Op.Inequality() {
		c.negative++
	}
	return nil
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
