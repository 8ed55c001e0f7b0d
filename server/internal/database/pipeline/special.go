package pipeline

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// specialFunctions are the functions that are not in the table because an argument is no expression: the name of a
// variable, or a pipeline.
var specialFunctions = []*Function{
	{Name: "array_filter", Args: "array, name, boolean", Result: "array", Source: "go", Min: 3, Max: 3},
	{Name: "array_transform", Args: "array, name, name of the index?, any", Result: "array", Source: "go", Min: 3, Max: 4},
	{Name: "scalar", Args: "pipeline", Result: "any", Source: "go", Min: 1, Max: 1},
}

// special compiles a function whose arguments are not all expressions. ok is false for other functions.
func (c *compiler) special(x *request.Call, depth int) (eval evaluator, ok bool, err error) {
	switch x.Name {
	case "array_filter", "array_transform":
		eval, err = c.arrayLoop(x, depth)
		return eval, true, err
	case "scalar", "array", "exists":
		if len(x.Args) == 1 {
			if stages, isPipeline := x.Args[0].(request.Subpipeline); isPipeline {
				eval, err = c.subpipeline(x.Name, stages)
				return eval, true, err
			}
		}
		if x.Name == "scalar" {
			return nil, true, fault.E(fault.InvalidArgument, "The function scalar(...) requires a pipeline.")
		}
	}
	return nil, false, nil
}

// arrayLoop compiles array_filter and array_transform.
func (c *compiler) arrayLoop(x *request.Call, depth int) (evaluator, error) {
	fn := specialFunctions[0]
	if x.Name == fn.Name {
		if err := fn.checkCount(len(x.Args)); err != nil {
			return nil, err
		}
	} else if err := specialFunctions[1].checkCount(len(x.Args)); err != nil {
		return nil, err
	}
	var variables []string
	for _, arg := range x.Args[1 : len(x.Args)-1] {
		name, ok := constantOf[value.String](arg)
		if !ok {
			return nil, fault.E(fault.InvalidArgument, "The function %s(...) requires the name of a variable.", x.Name)
		}
		variables = append(variables, string(name))
	}
	array, err := c.argument(x.Args[0], depth+1)
	if err != nil {
		return nil, err
	}
	body, err := c.expression(x.Args[len(x.Args)-1], depth+1)
	if err != nil {
		return nil, err
	}
	filters := x.Name == fn.Name
	return releasing(func(f *frame) result {
		r := array(f)
		switch {
		case r.fail != nil:
			return r
		case r.v == nil || r.isNull():
			return null
		}
		items, ok := r.v.(value.Array)
		if !ok {
			return wrongType(x.Name, "Array", r.v)
		}
		return loop(f, items, variables, body, filters)
	}), nil
}

// loop evaluates an expression for each element of an array: its values, or the elements for which it is true.
func loop(f *frame, items value.Array, variables []string, body evaluator, filters bool) result {
	out, size := value.Array{}, 0
	for i, item := range items {
		if err := f.run.step(1); err != nil {
			return aborted(err)
		}
		inner := f.with(variables[0], of(item))
		if len(variables) > 1 {
			inner = inner.with(variables[1], of(value.Int(i)))
		}
		r := body(inner)
		if r.err() != nil {
			return r
		}
		if !filters {
			if r.fail != nil || r.v == nil {
				r = null
			}
			item = r.v
		} else if !r.isTrue() {
			continue
		}
		if size += bytesOfElement + footprint(item); size > maxValue {
			return tooLarge()
		}
		if err := f.run.keep(item); err != nil {
			return aborted(err)
		}
		out = append(out, item)
	}
	return of(out)
}

// collected is the sink of a pipeline that is an argument.
type collected struct {
	run  *run
	most int
	size int
	rows []value.Value
}

// row implements sink.
func (s *collected) row(r *row) error {
	var v value.Value = r.fields
	if len(r.fields) == 1 {
		for _, only := range r.fields {
			v = only
		}
	}
	if s.size += bytesOfElement + footprint(v); s.size > maxValue {
		return tooLarge().err()
	}
	if err := s.run.hold(int64(bytesOfElement + footprint(v))); err != nil {
		return err
	}
	s.rows = append(s.rows, v)
	if s.most > 0 && len(s.rows) >= s.most {
		return errEnough
	}
	return nil
}

// end implements sink.
func (s *collected) end() error { return nil }

// subpipeline compiles a pipeline as an argument: its only row, an array of its rows, or whether it has any. A row
// with one field is the value of that field.
func (c *compiler) subpipeline(name string, stages []request.Stage) (evaluator, error) {
	c.nested = true
	p, err := c.pipeline(stages, true)
	if err != nil {
		return nil, err
	}
	most := map[string]int{"scalar": 2, "exists": 1}[name]
	return releasing(func(f *frame) result {
		to := &collected{run: f.run, most: most}
		before := f.run.rows
		err := p.into(f, to)
		if free := f.run.hold(before - f.run.rows); err == nil {
			err = free
		}
		if err != nil {
			return aborted(err)
		}
		switch {
		case name == "array":
			return of(append(value.Array{}, to.rows...))
		case name == "exists":
			return boolean(len(to.rows) > 0)
		case len(to.rows) > 1:
			return failed("The pipeline of the function scalar(...) has more than one result.")
		case len(to.rows) == 1:
			return of(to.rows[0])
		}
		return null
	}), nil
}
