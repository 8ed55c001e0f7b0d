package query

import (
	"slices"

	"clave/server/internal/model/value"
)

// never is the filter that no document passes, in normal form: an Or of nothing.
func never() Filter { return &Or{} }

// isNever reports whether a filter is never.
func isNever(f Filter) bool {
	or, ok := f.(*Or)
	return ok && len(or.Filters) == 0
}

// prune replaces comparisons that hold for no value, such as those with null, by never. The rest determines the fields
// by which the query orders, even if the whole filter then holds for nothing.
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

// pruneField prunes a comparison: it removes duplicate values and values that match nothing from lists.
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

// foldEmpty simplifies a filter whose parts hold for nothing.
func foldEmpty(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		out := &And{}
		for _, inner := range x.Filters {
			inner = foldEmpty(inner)
			if isNever(inner) {
				return never()
			}
			out.Filters = append(out.Filters, inner)
		}
		return out
	case *Or:
		out := &Or{}
		for _, inner := range x.Filters {
			if inner = foldEmpty(inner); !isNever(inner) {
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

// merge removes repeated filters: the same comparison twice becomes one. It does not change filters with too many
// parts, which are refused later.
func merge(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		return &And{Filters: mergeAll(x.Filters)}
	case *Or:
		return &Or{Filters: mergeAll(x.Filters)}
	default:
		return f
	}
}

// mergeAll merges several filters that stand side by side.
func mergeAll(filters []Filter) []Filter {
	var out []Filter
	for _, f := range filters {
		f = merge(f)
		if len(out) > maxParts || !slices.ContainsFunc(out, func(g Filter) bool { return alike(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

// alike reports whether two merged filters have the same comparisons in the same form. The order of siblings does not
// matter.
func alike(f, g Filter) bool {
	switch x := f.(type) {
	case *And:
		y, ok := g.(*And)
		return ok && allAlike(x.Filters, y.Filters)
	case *Or:
		y, ok := g.(*Or)
		return ok && allAlike(x.Filters, y.Filters)
	case Field:
		y, ok := g.(Field)
		return ok && x.Op == y.Op && x.Path.Equal(y.Path) && value.Identical(x.Value, y.Value)
	case Unary:
		y, ok := g.(Unary)
		return ok && x.Op == y.Op && x.Path.Equal(y.Path)
	default:
		return false
	}
}

// allAlike reports whether two lists have the same filters in any order.
func allAlike(a, b []Filter) bool {
	return len(a) == len(b) && len(a) <= maxParts && !slices.ContainsFunc(a, func(f Filter) bool {
		return !slices.ContainsFunc(b, func(g Filter) bool { return alike(f, g) })
	})
}

// flatten joins nested filters of one kind and unwraps those with a single part. An empty And, and an Or that contains
// one, always holds and becomes no filter.
func flatten(f Filter) Filter {
	switch x := f.(type) {
	case *And:
		// A part that always holds changes nothing in an And, and makes an Or hold always.
		filters, _ := gather(x.Filters, func(f Filter) ([]Filter, bool) {
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
		filters, always := gather(x.Filters, func(f Filter) ([]Filter, bool) {
			or, ok := f.(*Or)
			if !ok {
				return nil, false
			}
			return or.Filters, true
		})
		switch {
		case always:
			return nil
		case len(filters) == 1:
			return filters[0]
		}
		return &Or{Filters: filters}
	default:
		return f
	}
}

// gather flattens filters and inlines those of the same kind as their parent. always reports whether one of them always
// holds; gather omits it.
func gather(filters []Filter, same func(Filter) ([]Filter, bool)) (out []Filter, always bool) {
	for _, f := range filters {
		f = flatten(f)
		if f == nil {
			always = true
			continue
		}
		if inner, ok := same(f); ok {
			out = append(out, inner...)
		} else {
			out = append(out, f)
		}
	}
	return out, always
}
