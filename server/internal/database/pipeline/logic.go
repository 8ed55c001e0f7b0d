package pipeline

import (
	"maps"
	"slices"

	"clave/server/internal/model/value"
)

// equalValues compares two values as the SDKs' evaluator does: NaN equals nothing, and null equals only null.
func equalValues(a, b value.Value) bool {
	if a.Kind() != b.Kind() || value.IsNaN(a) || value.IsNaN(b) {
		return false
	}
	switch x := a.(type) {
	case value.Array:
		return slices.EqualFunc(x, b.(value.Array), equalValues)
	case value.Map:
		return maps.EqualFunc(x, b.(value.Map), equalValues)
	}
	return value.Equal(a, b)
}

// operands evaluates two operands of a comparison. ok is false if one of them has no value.
func operands(f *frame, args []evaluator) (a, b value.Value, no result, ok bool) {
	var got [2]value.Value
	for i := range got {
		r := args[i](f)
		switch {
		case r.fail != nil:
			return nil, nil, r, false
		case r.v == nil:
			return nil, nil, absent, false
		}
		got[i] = r.v
	}
	if err := f.run.step(stepsOf(got[0]) + stepsOf(got[1])); err != nil {
		return nil, nil, aborted(err), false
	}
	return got[0], got[1], unset, true
}

// stepsOf returns the steps of reading a whole value, as comparing it with another one may.
func stepsOf(v value.Value) int {
	switch v.(type) {
	case value.Array, value.Map:
		return footprint(v) / bytesOfStep
	}
	return textSize(v) / bytesOfStep
}

// comparison returns a function that compares two values of the same kind; others do not match.
func comparison(name string, holds func(order int) bool) *Function {
	return &Function{Name: name, Args: "any, any", Result: "boolean", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		a, b, no, ok := operands(f, args)
		switch {
		case !ok:
			return no
		case a.Kind() != b.Kind() || value.IsNaN(a) || value.IsNaN(b):
			return boolean(false)
		}
		return boolean(holds(value.Compare(a, b)))
	}}
}

// contains reports whether an array has a value.
func contains(a value.Array, v value.Value) bool {
	return slices.ContainsFunc(a, func(item value.Value) bool { return equalValues(v, item) })
}

// membership evaluates whether a value, the first of two results, is in an array.
func membership(f *frame, v, array result) result {
	for _, r := range []result{v, array} {
		if r.fail != nil {
			return r
		}
		if r.v == nil {
			return absent
		}
	}
	if array.isNull() {
		return null
	}
	items, ok := array.v.(value.Array)
	switch {
	case !ok:
		return absent
	case v.isNull():
		return null
	}
	if err := f.run.step(stepsOf(items)); err != nil {
		return aborted(err)
	}
	return boolean(contains(items, v.v))
}

// arrayPair evaluates two arrays of array_contains_all and array_contains_any.
func arrayPair(f *frame, args []evaluator) (a, b value.Array, no result, ok bool) {
	v, w, no, ok := operands(f, args)
	if !ok {
		return nil, nil, no, false
	}
	if value.IsNull(v) || value.IsNull(w) {
		return nil, nil, null, false
	}
	a, isArray := v.(value.Array)
	b, areArrays := w.(value.Array)
	return a, b, absent, isArray && areArrays
}

// not negates a result.
func not(r result) result {
	switch b, ok := r.v.(value.Bool); {
	case r.fail != nil || r.isNull():
		return r
	case r.v == nil:
		return absent
	case !ok:
		return wrongType("not", "Boolean", r.v)
	default:
		return boolean(!bool(b))
	}
}

// connective evaluates and (dominant false) and or (dominant true): a dominant argument decides, then a failure, then
// null.
func connective(name string, dominant bool) func(f *frame, args []evaluator) result {
	return func(f *frame, args []evaluator) result {
		out := boolean(!dominant)
		for _, arg := range args {
			r := arg(f)
			b, ok := r.v.(value.Bool)
			switch {
			case ok && bool(b) == dominant:
				return boolean(dominant)
			case ok:
			case r.fail != nil:
				if out.fail == nil || out.fail.absent {
					out = r
				}
			case r.v == nil:
				if out.fail == nil {
					out = absent
				}
			case !r.isNull():
				if out.fail == nil || out.fail.absent {
					out = wrongType(name, "Boolean", r.v)
				}
			case out.fail == nil:
				out = null
			}
		}
		return out
	}
}

// xor evaluates xor.
func xor(f *frame, args []evaluator) result {
	odd, hasNull := false, false
	for _, arg := range args {
		r := arg(f)
		b, ok := r.v.(value.Bool)
		switch {
		case ok:
			odd = odd != bool(b)
		case r.fail != nil:
			return r
		case r.v == nil:
			return absent
		case r.isNull():
			hasNull = true
		default:
			return wrongType("xor", "Boolean", r.v)
		}
	}
	if hasNull {
		return null
	}
	return boolean(odd)
}

// extreme evaluates the greatest (sign 1) or the least (sign -1) of its arguments that are values, or of the elements
// of its only argument if that is an array.
func extreme(sign int) func(f *frame, args []evaluator) result {
	return func(f *frame, args []evaluator) result {
		var out value.Value
		take := func(v value.Value) {
			if !value.IsNull(v) && (out == nil || value.Compare(v, out)*sign > 0) {
				out = v
			}
		}
		for _, arg := range args {
			r := arg(f)
			switch {
			case r.err() != nil:
				return r
			case r.v == nil:
				continue
			}
			if err := f.run.step(stepsOf(r.v)); err != nil {
				return aborted(err)
			}
			if items, ok := r.v.(value.Array); ok && len(args) == 1 {
				for _, item := range items {
					take(item)
				}
				continue
			}
			take(r.v)
		}
		if out == nil {
			return null
		}
		return of(out)
	}
}

// conditional evaluates its second argument if the first is true, and otherwise the third.
func conditional(f *frame, args []evaluator) result {
	r := args[0](f)
	b, ok := r.v.(value.Bool)
	switch {
	case r.err() != nil:
		return r
	case ok && bool(b):
		return args[1](f)
	case ok || r.isNull():
		return args[2](f)
	case r.v == nil:
		return absent
	}
	return wrongType("conditional", "Boolean", r.v)
}

// switchOn evaluates the value of the first condition that is true, or the last argument if their number is odd.
func switchOn(f *frame, args []evaluator) result {
	for pair := range slices.Chunk(args, 2) {
		if len(pair) == 1 {
			return pair[0](f)
		}
		r := pair[0](f)
		if r.err() != nil {
			return r
		}
		if r.isTrue() {
			return pair[1](f)
		}
	}
	return failed("No condition of the function switch_on(...) holds.")
}

// firstThat returns the first argument that keep accepts, or the last one.
func firstThat(keep func(r result) bool) func(f *frame, args []evaluator) result {
	return func(f *frame, args []evaluator) result {
		var r result
		for _, arg := range args {
			if r = arg(f); keep(r) {
				return r
			}
		}
		return r
	}
}

// about returns a function of one result, failures included.
func about(name, source string, eval func(r result) result) *Function {
	return &Function{Name: name, Args: "any", Result: "boolean", Source: source, Min: 1, Max: 1, lazy: func(f *frame, args []evaluator) result {
		return eval(args[0](f))
	}}
}

// isNull evaluates is_null.
func isNull(r result) result {
	switch {
	case r.fail != nil:
		return r
	case r.v == nil:
		return absent
	}
	return boolean(r.isNull())
}

// isNaN evaluates is_nan.
func isNaN(r result) result {
	switch {
	case r.fail != nil || r.isNull():
		return r
	case r.v == nil || r.v.Kind() != value.KindNumber:
		return absent
	}
	return boolean(value.IsNaN(r.v))
}

// present reports whether a result is neither unset nor a failure of an absent input.
func present(r result) bool { return r.err() != nil || r.fail == nil && r.v != nil }
