package pipeline

import (
	"slices"

	"clave/server/internal/model/value"
)

// The comparisons of between.
var (
	atLeast = comparison("greater_than_or_equal", func(o int) bool { return o >= 0 })
	atMost  = comparison("less_than_or_equal", func(o int) bool { return o <= 0 })
)

// logicFunctions are the functions of conditions.
var logicFunctions = []*Function{
	{Name: "and", Args: "boolean…", Result: "boolean", Source: "js", Min: 1, Max: -1, lazy: connective("and", false)},
	{Name: "or", Args: "boolean…", Result: "boolean", Source: "js", Min: 1, Max: -1, lazy: connective("or", true)},
	{Name: "nor", Args: "boolean…", Result: "boolean", Source: "go", Min: 1, Max: -1, lazy: func(f *frame, args []evaluator) result {
		return not(connective("nor", true)(f, args))
	}},
	{Name: "xor", Args: "boolean…", Result: "boolean", Source: "js", Min: 1, Max: -1, lazy: xor},
	about("not", "js", not),
	{Name: "equal", Args: "any, any", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := operands(f, args)
		if !ok {
			return no
		}
		return boolean(equalValues(a, b))
	}},
	{Name: "not_equal", Args: "any, any", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := operands(f, args)
		if !ok {
			return no
		}
		return boolean(!equalValues(a, b))
	}},
	comparison("less_than", func(o int) bool { return o < 0 }),
	atMost,
	comparison("greater_than", func(o int) bool { return o > 0 }),
	atLeast,
	{Name: "between", Args: "any, any, any", Result: "boolean", Source: "docs", Min: 3, Max: 3, lazy: func(f *frame, args []evaluator) result {
		return connective("between", false)(f, []evaluator{
			func(f *frame) result { return atLeast.lazy(f, args[:2]) },
			func(f *frame) result { return atMost.lazy(f, []evaluator{args[0], args[2]}) },
		})
	}},
	{Name: "cmp", Args: "any, any", Result: "int64", Source: "go", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := operands(f, args)
		if !ok {
			return no
		}
		return of(value.Int(value.Compare(a, b)))
	}},
	{Name: "equal_any", Args: "any, array", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		return membership(f, args[0](f), args[1](f))
	}},
	{Name: "not_equal_any", Args: "any, array", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		return not(membership(f, args[0](f), args[1](f)))
	}},
	{Name: "array_contains", Args: "array, any", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		return membership(f, args[1](f), args[0](f))
	}},
	{Name: "array_contains_all", Args: "array, array", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := arrayPair(f, args)
		if !ok {
			return no
		}
		if err := f.run.step(1 + len(b)*(1+stepsOf(a))); err != nil {
			return aborted(err)
		}
		for _, v := range b {
			if !contains(a, v) {
				return boolean(false)
			}
		}
		return boolean(true)
	}},
	{Name: "array_contains_any", Args: "array, array", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := arrayPair(f, args)
		if !ok {
			return no
		}
		if err := f.run.step(1 + len(b)*(1+stepsOf(a))); err != nil {
			return aborted(err)
		}
		return boolean(slices.ContainsFunc(b, func(v value.Value) bool { return contains(a, v) }))
	}},
	{Name: "conditional", Args: "boolean, any, any", Result: "any", Source: "js", Min: 3, Max: 3, lazy: conditional},
	{Name: "switch_on", Args: "(boolean, any)…, any", Result: "any", Source: "go", Min: 2, Max: -1, lazy: switchOn},
	{Name: "maximum", Args: "any…, or array", Result: "any", Source: "js", Min: 1, Max: -1, lazy: extreme(1)},
	{Name: "minimum", Args: "any…, or array", Result: "any", Source: "js", Min: 1, Max: -1, lazy: extreme(-1)},
	about("exists", "js", func(r result) result {
		if r.fail != nil {
			return r
		}
		return boolean(r.v != nil)
	}),
	about("is_absent", "go", func(r result) result {
		if r.fail != nil {
			return r
		}
		return boolean(r.v == nil)
	}),
	about("is_null", "js", isNull),
	about("is_not_null", "js", func(r result) result { return not(isNull(r)) }),
	about("is_nan", "js", isNaN),
	about("is_not_nan", "js", func(r result) result { return not(isNaN(r)) }),
	about("is_error", "js", func(r result) result {
		if r.fatal() {
			return r
		}
		return boolean(r.fail != nil)
	}),
	{Name: "if_error", Args: "any, any", Result: "any", Source: "go", Min: 2, Max: 2, lazy: firstThat(func(r result) bool { return r.fatal() || r.fail == nil })},
	{Name: "if_absent", Args: "any, any", Result: "any", Source: "go", Min: 2, Max: 2, lazy: firstThat(func(r result) bool { return present(r) })},
	{Name: "if_null", Args: "any, any", Result: "any", Source: "go", Min: 2, Max: 2, lazy: firstThat(func(r result) bool { return present(r) && !r.isNull() })},
	{Name: "coalesce", Args: "any…", Result: "any", Source: "go", Min: 1, Max: -1, lazy: firstThat(func(r result) bool { return present(r) && !r.isNull() })},
}
