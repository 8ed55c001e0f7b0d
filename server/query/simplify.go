package query

import (
	"slices"

	"clave/server/value"
)

// never is the filter that no document passes, in normal form: an Or of nothing.
func never() Filter { return &Or{} }

// isNever reports whether a filter is never.
func isNever(f Filter) bool {
	or, ok := f.(*Or)
	return ok && len(or.Filters) == 0
}

// prune replaces comparisons that hold for no value, such as those with null, by never. What is left decides which
// fields the query orders by, also where the whole filter then holds for nothing.
func prune(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		return &And{Filters: pruneAll(x.Filters)}
	case *Or:
		return &Or{Filters: pruneAll(x.Filters)}
	case Field:
		return pruneField(x)
	default:
		return f
	}
}

// pruneAll prunes several filters.
func pruneAll(filters []Filter) []Filter {
	out := make([]Filter, len(filters))
	for i, f := range filters {
		out[i] = prune(f)
	}
	return out
}

// pruneField prunes a comparison: lists lose what is in them twice or matches nothing.
func pruneField(f Field) Filter {
	switch f.Op {
	case In, ArrayContainsAny:
		items, _ := f.Value.(value.Array)
		kept := distinct(items)
		if len(kept) == 0 {
			return never()
		}
		f.Value = kept
		return f
	case NotIn:
		return f
	case NotEqual:
		if value.IsNull(f.Value) {
			return never()
		}
		return f
	default:
		if !ordered(f.Value) {
			return never()
		}
		return f
	}
}

// fold draws the consequences of parts that hold for nothing.
func fold(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		out := &And{}
		for _, inner := range x.Filters {
			inner = fold(inner)
			if isNever(inner) {
				return never()
			}
			out.Filters = append(out.Filters, inner)
		}
		return out
	case *Or:
		out := &Or{}
		for _, inner := range x.Filters {
			if inner = fold(inner); !isNever(inner) {
				out.Filters = append(out.Filters, inner)
			}
		}
		return out
	case Field:
		if items, ok := x.Value.(value.Array); ok && x.Op == NotIn && hasNull(items) {
			return never()
		}
	}
	return f
}

// distinct returns each of the values once, without null and NaN.
func distinct(items value.Array) value.Array {
	var out value.Array
	for _, item := range items {
		if ordered(item) && !slices.ContainsFunc(out, func(v value.Value) bool { return value.Equal(v, item) }) {
			out = append(out, item)
		}
	}
	return out
}

// flatten joins nested filters of one kind and unwraps those of a single one; an empty And is no filter.
func flatten(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		filters := gather(x.Filters, func(f Filter) ([]Filter, bool) {
			and, ok := f.(*And)
			if !ok {
				return nil, false
			}
			return and.Filters, true
		})
		switch len(filters) {
		case 0:
			return nil
		case 1:
			return filters[0]
		}
		return &And{Filters: filters}
	case *Or:
		filters := gather(x.Filters, func(f Filter) ([]Filter, bool) {
			or, ok := f.(*Or)
			if !ok {
				return nil, false
			}
			return or.Filters, true
		})
		if len(filters) == 1 {
			return filters[0]
		}
		return &Or{Filters: filters}
	default:
		return f
	}
}

// gather flattens filters and takes those out that are of the same kind as what holds them.
func gather(filters []Filter, same func(Filter) ([]Filter, bool)) []Filter {
	var out []Filter
	for _, f := range filters {
		f = flatten(f)
		if f == nil {
			continue
		}
		if inner, ok := same(f); ok {
			out = append(out, inner...)
		} else {
			out = append(out, f)
		}
	}
	return out
}
