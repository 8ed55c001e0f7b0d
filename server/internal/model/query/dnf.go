package query

import (
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// Conjunction is a list of filters that must all hold: Field and Unary only, without IN and ARRAY_CONTAINS_ANY.
type Conjunction []Filter

// DNF returns a normalized query's filter as alternatives, of which one must hold. A query without filter has one empty
// alternative; a query that can match nothing may have none. IN becomes alternatives of EQUAL, and ARRAY_CONTAINS_ANY
// becomes alternatives of ARRAY_CONTAINS. DNF returns InvalidArgument for more than 30 alternatives.
func (q *Query) DNF() ([]Conjunction, error) {
	if q.Where == nil {
		return []Conjunction{{}}, nil
	}
	return disjunctions(q.Where)
}

// disjunctions expands a filter and checks the limits of alternatives.
func disjunctions(f Filter) ([]Conjunction, error) {
	if n := countDisjunctions(f); n > maxDisjunctions {
		return nil, fault.E(fault.InvalidArgument, "Too many disjunctions after normalization. Result had %d "+
			"disjunctions which is more than the maximum of %d", n, maxDisjunctions)
	}
	all := expand(f)
	for _, c := range all {
		if severalContains(c) {
			return nil, fault.E(fault.InvalidArgument, "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")
		}
	}
	return all, nil
}

// severalContains reports whether a conjunction has more than one ARRAY_CONTAINS.
func severalContains(c Conjunction) bool {
	n := 0
	for _, leaf := range c {
		if x, ok := leaf.(Field); ok && x.Op == ArrayContains {
			n++
		}
	}
	return n > 1
}

// countDisjunctions counts alternatives without creating them. The result is capped far above the limit.
func countDisjunctions(f Filter) int {
	const enough = 1 << 30
	switch x := f.(type) {
	case *And:
		n := 1
		for _, inner := range x.Filters {
			n = min(n*countDisjunctions(inner), enough)
		}
		return n
	case *Or:
		n := 0
		for _, inner := range x.Filters {
			n = min(n+countDisjunctions(inner), enough)
		}
		return n
	case Field:
		if items, ok := x.Value.(value.Array); ok && (x.Op == In || x.Op == ArrayContainsAny) {
			return alternatives(items)
		}
	}
	return 1
}

// alternatives counts those of a list: each distinct value counts once, 1 and 1.0 count separately, and null and NaN,
// which equal nothing, count as one together.
func alternatives(items value.Array) int {
	var kept value.Array
	nothing := 0
	for _, item := range items {
		switch {
		case !ordered(item):
			nothing = 1
		case !slices.ContainsFunc(kept, func(v value.Value) bool { return value.Identical(v, item) }):
			kept = append(kept, item)
		}
	}
	return max(len(kept)+nothing, 1)
}

// expand makes the alternatives of a filter.
func expand(f Filter) []Conjunction {
	switch x := f.(type) {
	case *And:
		out := []Conjunction{{}}
		for _, inner := range x.Filters {
			out = cross(out, expand(inner))
		}
		return out
	case *Or:
		var out []Conjunction
		for _, inner := range x.Filters {
			out = append(out, expand(inner)...)
		}
		return out
	case Field:
		return expandField(x)
	default:
		return []Conjunction{{f}}
	}
}

// expandField makes the alternatives of a comparison.
func expandField(f Field) []Conjunction {
	op := Equal
	switch f.Op {
	case In:
	case ArrayContainsAny:
		op = ArrayContains
	default:
		return []Conjunction{{f}}
	}
	items, _ := f.Value.(value.Array)
	if kept := distinct(items); len(kept) > 0 {
		items = kept
	} else {
		items = items[:1]
	}
	out := make([]Conjunction, len(items))
	for i, item := range items {
		out[i] = Conjunction{Field{Path: f.Path, Op: op, Value: item}}
	}
	return out
}

// cross combines each alternative of a with each of b.
func cross(a, b []Conjunction) []Conjunction {
	out := make([]Conjunction, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, append(x[:len(x):len(x)], y...))
		}
	}
	return out
}

// hasNull reports whether null is among the values.
func hasNull(items value.Array) bool {
	for _, item := range items {
		if value.IsNull(item) {
			return true
		}
	}
	return false
}
