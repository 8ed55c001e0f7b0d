package query

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// checker checks a filter as the client sent it.
type checker struct {
	// db is the database of the query.
	db resource.Database
	// negative counts NOT_EQUAL, NOT_IN, IS_NOT_NAN and IS_NOT_NULL.
	negative int
	// notIn, in and or are set if there are such filters. in covers IN and ARRAY_CONTAINS_ANY.
	notIn, in, or bool
}

// checkFilter validates the query's filter and returns it without repeated parts; nil means no filter.
func (q *Query) checkFilter() (Filter, error) {
	f := q.Where
	if f == nil {
		return nil, q.checkParts(0)
	}
	c := checker{db: q.DB}
	if err := c.filter(f); err != nil {
		return nil, err
	}
	switch {
	case c.negative > 1:
		return nil, fault.E(fault.InvalidArgument,
			"Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
	case c.notIn && (c.in || c.or):
		return nil, fault.E(fault.InvalidArgument,
			"'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
	}
	f = merge(f)
	if err := q.checkParts(leaves(f)); err != nil {
		return nil, err
	}
	_, err := disjunctions(f)
	return f, err
}

// checkParts bounds the sum of a query's filters, its orders, and its parent document.
func (q *Query) checkParts(filters int) error {
	ancestor, under := 0, "no"
	if q.Parent != "" {
		ancestor, under = 1, "one"
	}
	if filters+len(q.OrderBy)+ancestor <= maxParts {
		return nil
	}
	return fault.E(fault.InvalidArgument, "The query may not have more than %d filters + sort orders + ancestor total. "+
		"Currently there are %d filters, %d sort orders, and %s ancestor filter.", maxParts, filters, len(q.OrderBy), under)
}

// leaves counts the filters of one field; those of a list count once for each of its values.
func leaves(f Filter) int {
	n := 0
	switch x := f.(type) {
	case *And:
		for _, inner := range x.Filters {
			n += leaves(inner)
		}
	case *Or:
		for _, inner := range x.Filters {
			n += leaves(inner)
		}
	case Field:
		n = 1
		if items, ok := x.Value.(value.Array); ok && (x.Op == In || x.Op == NotIn || x.Op == ArrayContainsAny) {
			n = alternatives(items)
		}
	default:
		n = 1
	}
	return n
}

// filter checks a filter and those inside it.
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

// all checks several filters.
func (c *checker) all(filters []Filter) error {
	for _, f := range filters {
		if err := c.filter(f); err != nil {
			return err
		}
	}
	return nil
}

// field checks a comparison.
func (c *checker) field(f Field) error {
	if opNames[f.Op] == "" {
		return fault.E(fault.InvalidArgument, "Unknown FieldFilter operator.")
	}
	if err := checkList(f); err != nil {
		return err
	}
	check := checkSizes
	if f.Path.IsName() {
		check = c.nameFilter
	}
	if err := check(f); err != nil {
		return err
	}
	c.in = c.in || f.Op == In || f.Op == ArrayContainsAny
	c.notIn = c.notIn || f.Op == NotIn
	if f.Op == NotEqual || f.Op == NotIn {
		c.negative++
	}
	return nil
}

// unary checks a unary filter.
func (c *checker) unary(f Unary) error {
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

// maxCompared is the size of the greatest value that a field is compared with, in bytes. Indexes hold no more of a
// value. The limit is production's (github.com/GoogleCloudPlatform/datacatalog-tag-engine/issues/14) and was measured
// with the official emulator.
const maxCompared = 1500

// checkSizes checks the values that a field is compared with.
func checkSizes(f Field) error {
	compared := value.Array{f.Value}
	if f.Op == In || f.Op == NotIn || f.Op == ArrayContainsAny {
		compared, _ = f.Value.(value.Array)
	}
	for _, v := range compared {
		size := value.Size(v)
		if m, ok := v.(value.Map); ok {
			if numbers, ok := value.AsVector(m); ok {
				size = value.Size(value.Int(0)) * len(numbers)
			}
		}
		if size <= maxCompared {
			continue
		}
		elements := ""
		if f.Op == ArrayContains || f.Op == ArrayContainsAny {
			elements = "[*]"
		}
		return fault.E(fault.InvalidArgument, "value for %s%s is too large to be used in a query", f.Path, elements)
	}
	return nil
}

// nameFilter checks a comparison of the document's name.
func (c *checker) nameFilter(f Field) error {
	switch f.Op {
	case ArrayContains, ArrayContainsAny:
		return fault.E(fault.InvalidArgument, "the name __key__ is reserved")
	case In, NotIn:
		items, _ := f.Value.(value.Array)
		for _, item := range items {
			if err := c.name(item); err != nil {
				return err
			}
		}
		return nil
	default:
		return c.name(f.Value)
	}
}

// name checks a value with which the document's name is compared.
func (c *checker) name(v value.Value) error {
	name, err := nameOf(v, "__key__ filter value must be a Key")
	if err == nil && name.DB != c.db {
		err = fault.E(fault.InvalidArgument, "The request was for database '%s' but was attempting to access database '%s'", c.db, name.DB)
	}
	return err
}
