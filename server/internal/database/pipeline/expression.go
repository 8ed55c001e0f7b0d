package pipeline

import (
	"maps"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// field parses the path of a field.
func (c *compiler) field(e request.Expression, of string) (value.FieldPath, error) {
	ref, ok := e.(request.FieldReference)
	if !ok {
		return nil, fault.E(fault.InvalidArgument, "The %s requires a field reference.", of)
	}
	return value.ParseFieldPath(string(ref))
}

// expression compiles an expression at a depth.
func (c *compiler) expression(e request.Expression, depth int) (evaluator, error) { // long: one case a kind
	if depth > maxDepth {
		return nil, fault.E(fault.InvalidArgument, "The expression is nested too deeply.")
	}
	switch x := e.(type) {
	case request.Constant:
		v, err := c.constant(x.Value)
		if err != nil {
			return nil, err
		}
		out := of(v)
		return func(*frame) result { return out }, nil
	case request.FieldReference:
		path, err := value.ParseFieldPath(string(x))
		if err != nil {
			return nil, err
		}
		return func(f *frame) result { return f.row.get(path) }, nil
	case request.Variable:
		name := string(x)
		return func(f *frame) result {
			v, passed, ok := f.vars.find(name)
			if err := f.run.step(passed / fieldsOfStep); err != nil {
				return aborted(err)
			}
			if !ok {
				return failed("The variable `%s` is not defined.", name)
			}
			return v
		}, nil
	case *request.Call:
		return c.call(x, depth)
	case request.ListOf:
		items, err := c.arguments(x, depth+1)
		if err != nil {
			return nil, err
		}
		return releasing(func(f *frame) result { return evalArray(f, items) }), nil
	case request.MapOf:
		names := slices.Sorted(maps.Keys(x))
		members := make([]request.Expression, len(names))
		for i, name := range names {
			if err := document.CheckBuilt(name, len(names)); err != nil {
				return nil, err
			}
			members[i] = x[name]
		}
		values, err := c.arguments(members, depth+1)
		if err != nil {
			return nil, err
		}
		return releasing(func(f *frame) result { return evalMap(f, names, values) }), nil
	default:
		return nil, fault.E(fault.InvalidArgument, "A pipeline is not a valid argument here.")
	}
}

// expressions compiles expressions.
func (c *compiler) expressions(in []request.Expression, depth int) (out []evaluator, err error) {
	out = make([]evaluator, len(in))
	for i, e := range in {
		if out[i], err = c.expression(e, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// computes reports whether an expression may make a new value, rather than give one of the request or of a row.
func computes(e request.Expression) bool {
	switch e.(type) {
	case request.Constant, request.FieldReference, request.Variable:
		return false
	}
	return true
}

// argument compiles an expression whose value is in use while others are evaluated. It counts new values, until
// releasing ends that.
func (c *compiler) argument(e request.Expression, depth int) (evaluator, error) {
	eval, err := c.expression(e, depth)
	if err != nil || !computes(e) {
		return eval, err
	}
	return kept(eval), nil
}

// arguments compiles expressions as argument does.
func (c *compiler) arguments(in []request.Expression, depth int) (out []evaluator, err error) {
	out = make([]evaluator, len(in))
	for i, e := range in {
		if out[i], err = c.argument(e, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// releasing returns an evaluator after which the values that it has counted are not in use any more. Its own value is
// counted by who receives it.
func releasing(eval evaluator) evaluator {
	return func(f *frame) result {
		before := f.run.held
		r := eval(f)
		f.run.held = before
		return r
	}
}

// constant completes references that are relative to the database.
func (c *compiler) constant(v value.Value) (value.Value, error) {
	switch x := v.(type) {
	case value.Reference:
		if strings.HasPrefix(string(x), "/") {
			return value.Reference(c.root + string(x)), nil
		}
	case value.Array:
		out := make(value.Array, len(x))
		for i, item := range x {
			var err error
			if out[i], err = c.constant(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	case value.Map:
		out := make(value.Map, len(x))
		for name, item := range x {
			if err := document.CheckBuilt(name, len(x)); err != nil {
				return nil, err
			}
			var err error
			if out[name], err = c.constant(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// evalArray evaluates the elements of an array. Unset ones are null.
func evalArray(f *frame, items []evaluator) result {
	out := make(value.Array, len(items))
	size := 0
	for i, item := range items {
		r := item(f)
		switch {
		case r.fail != nil:
			return r
		case r.v == nil:
			r = null
		}
		if size += footprint(r.v); size > maxValue {
			return tooLarge()
		}
		out[i] = r.v
	}
	return of(out)
}

// evalMap evaluates the values of a map. Unset ones are left out.
func evalMap(f *frame, names []string, members []evaluator) result {
	out := make(value.Map, len(members))
	size := 0
	for i, member := range members {
		r := member(f)
		if r.fail != nil {
			return r
		}
		if r.v == nil {
			continue
		}
		if size += footprint(r.v); size > maxValue {
			return tooLarge()
		}
		out[names[i]] = r.v
	}
	return of(out)
}

// tooLarge is the result of a function whose value would be too large.
func tooLarge() result {
	return aborted(fault.E(fault.ResourceExhausted, "A value that the pipeline computes is larger than %d bytes.", maxValue))
}

// call compiles a function.
func (c *compiler) call(x *request.Call, depth int) (evaluator, error) {
	if eval, ok, err := c.special(x, depth); ok {
		return eval, err
	}
	fn, ok := functionsByName[x.Name]
	if !ok {
		if unbuilt[x.Name] {
			return nil, fault.E(fault.Unimplemented, "The function %s(...) is not implemented.", x.Name)
		}
		return nil, fault.E(fault.InvalidArgument, "Unknown function: '%s'.", x.Name)
	}
	if err := fn.checkCount(len(x.Args)); err != nil {
		return nil, err
	}
	args, err := c.arguments(x.Args, depth+1)
	if err != nil {
		return nil, err
	}
	eval := fn.lazy
	if eval == nil {
		eval = fn.strict
	}
	cost := 1 + len(args)/fieldsOfStep
	return func(f *frame) result {
		if err := f.run.step(cost); err != nil {
			return aborted(err)
		}
		before := f.run.held
		r := eval(f, args)
		f.run.held = before
		return r
	}, nil
}

// checkCount returns an error for a wrong number of arguments.
func (fn *Function) checkCount(n int) error {
	if n >= fn.Min && (fn.Max < 0 || n <= fn.Max) {
		return nil
	}
	most := "∞"
	if fn.Max >= 0 {
		most = itoa(fn.Max)
	}
	return fault.E(fault.InvalidArgument, "The function %s(...) takes [%d..%s] argument(s), but %d were provided.", fn.Name, fn.Min, most, n)
}

// strict evaluates the arguments and calls the function with their values. A failure of an argument is that of the
// function, and null or unset makes it null.
func (fn *Function) strict(f *frame, args []evaluator) result {
	var few [4]value.Value
	values := few[:0]
	missing := false
	for _, arg := range args {
		r := arg(f)
		if r.fail != nil {
			return r
		}
		if err := f.run.step(textSize(r.v) / bytesOfStep); err != nil {
			return aborted(err)
		}
		if r.v == nil || value.IsNull(r.v) {
			missing = true
		}
		values = append(values, r.v)
	}
	if missing {
		return null
	}
	out := fn.eval(f, values)
	if err := f.run.step(textSize(out.v) / bytesOfStep); err != nil {
		return aborted(err)
	}
	if out.fail != nil && out.fail.err == nil && !out.fail.absent {
		return failed("The function %s(...) has invalid arguments.", fn.Name)
	}
	return out
}
