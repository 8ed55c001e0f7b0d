package pipeline

import (
	"math/bits"
	"slices"

	"clave/server/internal/model/value"
)

// ofArray returns a function whose first argument is an array.
func ofArray(name, more, result_ string, least, most int, eval func(f *frame, a value.Array, args []value.Value) result) *Function {
	return &Function{Name: name, Args: "array" + more, Result: result_, Source: "go", Min: least, Max: most, eval: func(f *frame, args []value.Value) result {
		a, ok := args[0].(value.Array)
		if !ok {
			return wrongType(name, "Array", args[0])
		}
		if err := f.run.step(len(a)); err != nil {
			return aborted(err)
		}
		return eval(f, a, args[1:])
	}}
}

// element returns the element of an array at a position, which counts from the end if it is negative.
func element(a value.Array, at value.Value, name string) result {
	n, ok := at.(value.Int)
	if !ok {
		return wrongType(name, "Long", at)
	}
	if n < 0 {
		n += value.Int(len(a))
	}
	if n < 0 || int64(n) >= int64(len(a)) {
		return unset
	}
	return of(a[n])
}

// counted returns a function of an array and a number of elements.
func counted(name string, eval func(f *frame, a value.Array, n int) result) *Function {
	return ofArray(name, ", int64", "array", 2, 2, func(f *frame, a value.Array, args []value.Value) result {
		n, ok := args[0].(value.Int)
		switch {
		case !ok:
			return wrongType(name, "Long", args[0])
		case n < 0:
			return failed("The function %s(...) is invalid: the number of elements must be non-negative.", name)
		}
		return eval(f, a, int(min(int64(n), int64(len(a)))))
	})
}

// ranked returns the first n elements of an array that are not null in the order of sign.
func ranked(sign int) func(f *frame, a value.Array, n int) result {
	return func(f *frame, a value.Array, n int) result {
		if err := f.run.step(stepsOf(a) * bits.Len(uint(len(a)))); err != nil {
			return aborted(err)
		}
		sorted := slices.DeleteFunc(slices.Clone(a), value.IsNull)
		slices.SortStableFunc(sorted, func(v, w value.Value) int { return sign * value.Compare(v, w) })
		return of(sorted[:min(n, len(sorted))])
	}
}

// joinArrays evaluates array_concat.
func joinArrays(f *frame, args []value.Value) result {
	out, size := value.Array{}, 0
	for _, arg := range args {
		a, ok := arg.(value.Array)
		if !ok {
			return wrongType("array_concat", "Array", arg)
		}
		if size += footprint(a); size > maxValue {
			return tooLarge()
		}
		if err := f.run.step(len(a) / itemsOfStep); err != nil {
			return aborted(err)
		}
		out = append(out, a...)
	}
	return of(out)
}

// indexes returns the positions of a value in an array.
func indexes(r *run, a value.Array, v value.Value) (value.Array, error) {
	out := value.Array{}
	if err := r.step(stepsOf(a)); err != nil {
		return nil, err
	}
	for i, item := range a {
		if equalValues(item, v) || value.IsNull(item) && value.IsNull(v) {
			out = append(out, value.Int(i))
		}
	}
	return out, nil
}

// indexOf evaluates array_index_of.
func indexOf(f *frame, a value.Array, args []value.Value) result {
	which, ok := value.String("first"), true
	if len(args) == 2 {
		which, ok = args[1].(value.String)
	}
	if !ok || which != "first" && which != "last" {
		return failed("The function array_index_of(...) requires `first` or `last`.")
	}
	found, err := indexes(f.run, a, args[0])
	switch {
	case err != nil:
		return aborted(err)
	case len(found) == 0:
		return of(value.Int(-1))
	case which == "last":
		return of(found[len(found)-1])
	}
	return of(found[0])
}

// total evaluates the sum of the numbers of an array.
func total(_ *frame, a value.Array, _ []value.Value) result {
	var s sum
	for _, v := range a {
		s.add(v)
	}
	return s.result()
}

// reverseAny evaluates reverse.
func reverseAny(f *frame, args []value.Value) result {
	switch x := args[0].(type) {
	case value.String:
		return reversed(string(x))
	case value.Bytes:
		b := []byte(x)
		slices.Reverse(b)
		return of(value.Bytes(b))
	case value.Array:
		if err := f.run.step(len(x) / itemsOfStep); err != nil {
			return aborted(err)
		}
		a := slices.Clone(x)
		slices.Reverse(a)
		return of(a)
	}
	return wrongType("reverse", "String, Bytes or Array", args[0])
}

// concatAny evaluates concat, whose arguments are all strings, all bytes or all arrays.
func concatAny(f *frame, args []value.Value) result {
	switch args[0].(type) {
	case value.String:
		return concatenated("concat", args)
	case value.Array:
		return joinArrays(f, args)
	case value.Bytes:
		var out []byte
		for _, arg := range args {
			b, ok := arg.(value.Bytes)
			if !ok {
				return wrongType("concat", "Bytes", arg)
			}
			if len(out)+len(b) > maxValue {
				return tooLarge()
			}
			out = append(out, b...)
		}
		return of(value.Bytes(out))
	}
	return wrongType("concat", "String, Bytes or Array", args[0])
}

// arrayFunctions are the functions of arrays.
var arrayFunctions = []*Function{
	{Name: "array", Args: "any…", Result: "array", Source: "js", Min: 0, Max: -1, lazy: evalArray},
	ofArray("array_length", "", "int64", 1, 1, func(_ *frame, a value.Array, _ []value.Value) result { return of(value.Int(len(a))) }),
	ofArray("array_get", ", int64", "any", 2, 2, func(_ *frame, a value.Array, args []value.Value) result { return element(a, args[0], "array_get") }),
	{Name: "offset", Args: "array, int64", Result: "any", Source: "go", Min: 2, Max: 2, eval: func(_ *frame, args []value.Value) result {
		a, ok := args[0].(value.Array)
		if !ok {
			return unset
		}
		return element(a, args[1], "offset")
	}},
	ofArray("array_reverse", "", "array", 1, 1, func(f *frame, a value.Array, _ []value.Value) result { return reverseAny(f, []value.Value{a}) }),
	{Name: "array_concat", Args: "array…", Result: "array", Source: "js", Min: 1, Max: -1, eval: joinArrays},
	ofArray("sum", "", "number", 1, 1, total),
	counted("maximum_n", ranked(-1)),
	counted("minimum_n", ranked(1)),
	ofArray("array_first", "", "any", 1, 1, func(_ *frame, a value.Array, _ []value.Value) result { return element(a, value.Int(0), "array_first") }),
	ofArray("array_last", "", "any", 1, 1, func(_ *frame, a value.Array, _ []value.Value) result { return element(a, value.Int(-1), "array_last") }),
	counted("array_first_n", func(_ *frame, a value.Array, n int) result { return of(a[:n]) }),
	counted("array_last_n", func(_ *frame, a value.Array, n int) result { return of(a[len(a)-n:]) }),
	ofArray("array_slice", ", int64, int64?", "array", 2, 3, func(_ *frame, a value.Array, args []value.Value) result {
		from, length, no := span("array_slice", args)
		if no.fail != nil {
			return no
		}
		return of(value.Array(cut(a, from, length)))
	}),
	ofArray("array_index_of", ", any, string?", "int64", 2, 3, indexOf),
	ofArray("array_index_of_all", ", any", "array", 2, 2, func(f *frame, a value.Array, args []value.Value) result {
		found, err := indexes(f.run, a, args[0])
		if err != nil {
			return aborted(err)
		}
		return of(found)
	}),
	{Name: "reverse", Args: "string, bytes or array", Result: "same", Source: "js", Min: 1, Max: 1, eval: reverseAny},
	{Name: "concat", Args: "string…, bytes… or array…", Result: "same", Source: "go", Min: 1, Max: -1, eval: concatAny},
}
