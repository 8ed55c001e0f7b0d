package pipeline

import (
	"errors"
	"maps"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// stageNames are the names of the stages that are implemented.
var stageNames = []string{
	"collection", "collection_group", "subcollection", "database", "documents", "literals", "where", "select", "add_fields", "remove_fields",
	"sort", "limit", "offset", "distinct", "aggregate", "unnest", "replace_with", "union", "sample", "find_nearest", "let",
}

// stage compiles a stage that is not the first. after are the stages behind it.
func (c *compiler) stage(s *request.Stage, after []request.Stage) (stage, error) { // long: one case a stage
	switch s.Name {
	case "where":
		return c.where(s)
	case "select":
		return c.selection(s)
	case "add_fields":
		return c.addition(s)
	case "let":
		return c.definition(s)
	case "remove_fields":
		return c.removal(s)
	case "replace_with":
		return c.replacement(s)
	case "limit", "offset":
		n, ok := count(s)
		if !ok {
			return nil, fault.E(fault.InvalidArgument, "The stage %s requires a number that is not negative.", s.Name)
		}
		if s.Name == "offset" {
			return func(_ *frame, next sink) sink { return &skip{sink: next, left: n} }, nil
		}
		return func(_ *frame, next sink) sink { return &limit{sink: next, left: n} }, nil
	case "sort":
		return c.sorting(s, after)
	case "aggregate":
		return c.aggregation(s)
	case "distinct":
		return c.distinct(s)
	case "unnest":
		return c.unnest(s)
	case "union":
		return c.union(s)
	case "sample":
		return c.sample(s)
	case "find_nearest":
		return c.nearest(s)
	}
	switch {
	case slices.Contains(unbuiltStages, s.Name):
		return nil, fault.E(fault.Unimplemented, "The stage %s is not implemented.", s.Name)
	case slices.Contains(stageNames, s.Name):
		return nil, fault.E(fault.InvalidArgument, "The stage '%s' must be the first of its pipeline.", s.Name)
	}
	return nil, fault.E(fault.InvalidArgument, "Unknown stage: '%s'.", s.Name)
}

// each is a sink that does something with each row.
type each struct {
	sink
	do func(r *row, next sink) error
}

// row implements sink.
func (s *each) row(r *row) error { return s.do(r, s.sink) }

// eachRow returns a stage that does something with each row in its frame. What it computes is in use until the row has
// passed the stages after it.
func eachRow(do func(f *frame, next sink) error) stage {
	return func(outer *frame, next sink) sink {
		run := outer.run
		return &each{sink: next, do: func(r *row, next sink) error {
			if err := run.step(1); err != nil {
				return err
			}
			before := run.held
			err := do(&frame{run: run, row: r, vars: r.vars}, next)
			run.held = before
			return err
		}}
	}
}

// limit passes a number of rows on.
type limit struct {
	sink
	left int
}

// row implements sink.
func (s *limit) row(r *row) error {
	if s.left <= 0 {
		return errEnough
	}
	s.left--
	if err := s.sink.row(r); err != nil || s.left > 0 {
		return err
	}
	return errEnough
}

// skip leaves a number of rows out.
type skip struct {
	sink
	left int
}

// row implements sink.
func (s *skip) row(r *row) error {
	if s.left > 0 {
		s.left--
		return nil
	}
	return s.sink.row(r)
}

// where compiles where: rows pass whose condition is true.
func (c *compiler) where(s *request.Stage) (stage, error) {
	if len(s.Args) != 1 {
		return nil, wrongCount(s, 1)
	}
	condition, err := c.expression(s.Args[0], 1)
	if err != nil {
		return nil, err
	}
	return eachRow(func(f *frame, next sink) error {
		r := condition(f)
		if err := r.err(); err != nil {
			return err
		}
		if !r.isTrue() {
			return nil
		}
		return next.row(f.row)
	}), nil
}

// computed is a field that a stage computes.
type computed struct {
	path value.FieldPath
	eval evaluator
}

// computedFields compiles a map from fields to expressions, in the order of the fields.
func (c *compiler) computedFields(s *request.Stage, i int) ([]computed, error) {
	if i >= len(s.Args) {
		return nil, wrongCount(s, i+1)
	}
	var out []computed
	for _, name := range names(s.Args[i]) {
		path, err := value.ParseFieldPath(name)
		if err != nil {
			return nil, err
		}
		eval, err := c.expression(memberOf(s.Args[i], name), 1)
		if err != nil {
			return nil, err
		}
		out = append(out, computed{path, eval})
	}
	switch x := s.Args[i].(type) {
	case request.MapOf:
		return out, nil
	case request.Constant:
		if _, ok := x.Value.(value.Map); ok {
			return out, nil
		}
		if x.Value == nil || value.IsNull(x.Value) {
			return out, nil
		}
	}
	return nil, fault.E(fault.InvalidArgument, "The stage %s requires a map.", s.Name)
}

// names returns the names of a map's members in order.
func names(e request.Expression) []string {
	switch x := e.(type) {
	case request.MapOf:
		return slices.Sorted(maps.Keys(x))
	case request.Constant:
		if m, ok := x.Value.(value.Map); ok {
			return value.SortedKeys(m)
		}
	}
	return nil
}

// memberOf returns a member of a map.
func memberOf(e request.Expression, name string) request.Expression {
	switch x := e.(type) {
	case request.MapOf:
		return x[name]
	case request.Constant:
		if m, ok := x.Value.(value.Map); ok {
			return request.Constant{Value: m[name]}
		}
	}
	return nil
}

// compute evaluates a field's value: null for a failure of an absent input, and nil if it is unset.
// size is the size of the values of the stage, to which it adds.
func (x computed) compute(f *frame, size *int) (value.Value, error) {
	r := x.eval(f)
	if err := r.err(); err != nil {
		return nil, err
	}
	if r.fail != nil {
		return value.Null{}, nil
	}
	if r.v == nil {
		return nil, nil //nolint:nilnil // unset
	}
	if *size += footprint(r.v); *size > maxValue {
		return nil, tooLarge().err()
	}
	return r.v, f.run.keep(r.v)
}

// selection compiles select: rows of the computed fields. They remain documents only if __name__ is selected.
func (c *compiler) selection(s *request.Stage) (stage, error) {
	fields, err := c.computedFields(s, 0)
	if err != nil {
		return nil, err
	}
	return eachRow(func(f *frame, next sink) error {
		out := &row{vars: f.row.vars}
		if err := f.run.step(len(fields) / fieldsOfStep); err != nil {
			return err
		}
		edit, size := value.Map{}.EditSorted(), 0
		for _, x := range fields {
			v, err := x.compute(f, &size)
			if err != nil {
				return err
			}
			if v == nil {
				continue
			}
			if ref, ok := v.(value.Reference); ok && x.path.IsName() {
				if string(ref) == f.row.name() {
					out.identity, out.named = f.row.identity, f.row.named
				} else {
					out.identity, out.named = identity{}, string(ref)
				}
				continue
			}
			edit.Set(x.path, v, nil)
		}
		out.fields = edit.Map()
		return next.row(out)
	}), nil
}

// addition compiles add_fields.
func (c *compiler) addition(s *request.Stage) (stage, error) {
	fields, err := c.computedFields(s, 0)
	if err != nil {
		return nil, err
	}
	return eachRow(func(f *frame, next sink) error {
		out := *f.row
		if err := f.run.step(len(fields)/fieldsOfStep + len(out.fields)/membersOfStep); err != nil {
			return err
		}
		edit, size := out.fields.EditSorted(), 0
		for _, x := range fields {
			if err := f.run.copies(out.fields, x.path); err != nil {
				return err
			}
			v, err := x.compute(f, &size)
			if err != nil {
				return err
			}
			if v != nil && !x.path.IsName() {
				edit.Set(x.path, v, nil)
			}
		}
		out.fields = edit.Map()
		if err := out.fits(size); err != nil {
			return err
		}
		return next.row(&out)
	}), nil
}

// definition compiles let, which defines variables.
func (c *compiler) definition(s *request.Stage) (stage, error) {
	if len(s.Args) != 1 {
		return nil, wrongCount(s, 1)
	}
	type variable struct {
		name string
		eval evaluator
	}
	var variables []variable
	for _, name := range names(s.Args[0]) {
		eval, err := c.expression(memberOf(s.Args[0], name), 1)
		if err != nil {
			return nil, err
		}
		variables = append(variables, variable{name, eval})
	}
	return eachRow(func(f *frame, next sink) error {
		out := *f.row
		if err := f.run.step(len(variables) / fieldsOfStep); err != nil {
			return err
		}
		for _, x := range variables {
			v := x.eval(f)
			if err := v.err(); err != nil {
				return err
			}
			inner := &scope{name: x.name, v: v, outer: out.vars}
			if v.v != nil {
				if inner.size = footprint(v.v); inner.size <= maxValue {
					if err := f.run.keep(v.v); err != nil {
						return err
					}
				}
			}
			if out.vars != nil {
				inner.size += out.vars.size
			}
			if inner.size > maxValue {
				return tooLarge().err()
			}
			out.vars = inner
		}
		return next.row(&out)
	}), nil
}

// removal compiles remove_fields.
func (c *compiler) removal(s *request.Stage) (stage, error) {
	var paths []value.FieldPath
	for _, arg := range s.Args {
		path, err := c.field(arg, s.Name+" stage")
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return eachRow(func(f *frame, next sink) error {
		out := *f.row
		if err := f.run.step(len(paths) * (1 + len(out.fields)/membersOfStep)); err != nil {
			return err
		}
		for _, path := range paths {
			if err := f.run.copies(out.fields, path); err != nil {
				return err
			}
			if path.IsName() {
				out.identity, out.named = identity{}, ""
				continue
			}
			out.fields = out.fields.Delete(path)
		}
		return next.row(&out)
	}), nil
}

// replacement compiles replace_with.
func (c *compiler) replacement(s *request.Stage) (stage, error) {
	if len(s.Args) == 0 || len(s.Args) > 2 {
		return nil, wrongCount(s, 2)
	}
	mode := value.String("full_replace")
	if len(s.Args) == 2 {
		mode, _ = constantOf[value.String](s.Args[1])
	}
	if mode != "full_replace" && mode != "merge_overwrite_existing" && mode != "merge_keep_existing" {
		return nil, fault.E(fault.InvalidArgument, "The stage replace_with does not know the mode.")
	}
	eval, err := c.expression(s.Args[0], 1)
	if err != nil {
		return nil, err
	}
	return eachRow(func(f *frame, next sink) error {
		r := eval(f)
		if err := r.err(); err != nil {
			return err
		}
		m, ok := r.v.(value.Map)
		if !ok {
			return fault.E(fault.InvalidArgument, "The stage replace_with requires `Map` but got `%s`.", upperType(r.v))
		}
		if err := f.run.keep(m); err != nil {
			return err
		}
		if err := f.run.step((len(m) + len(f.row.fields)) / membersOfStep); err != nil {
			return err
		}
		out := *f.row
		switch mode {
		case "full_replace":
			out = row{fields: m, vars: f.row.vars}
		case "merge_overwrite_existing":
			out.fields = maps.Clone(out.fields)
			maps.Copy(out.fields, m)
		default:
			merged := maps.Clone(m)
			maps.Copy(merged, out.fields)
			out.fields = merged
		}
		if err := out.fits(footprint(m)); err != nil {
			return err
		}
		return next.row(&out)
	}), nil
}

// unnest compiles unnest: a row for each element of an array. Other values give one row.
func (c *compiler) unnest(s *request.Stage) (stage, error) {
	if len(s.Args) != 2 {
		return nil, wrongCount(s, 2)
	}
	eval, err := c.expression(s.Args[0], 1)
	if err != nil {
		return nil, err
	}
	alias, err := c.field(s.Args[1], "unnest stage")
	if err != nil {
		return nil, err
	}
	var index value.FieldPath
	if e := s.Options["index_field"]; e != nil {
		if index, err = c.field(e, "unnest stage"); err != nil {
			return nil, err
		}
	}
	return eachRow(func(f *frame, next sink) error {
		give := func(v, i value.Value) error {
			out := *f.row
			if err := f.run.step(1 + len(out.fields)/membersOfStep); err != nil {
				return err
			}
			if v != nil {
				if err := f.run.copies(out.fields, alias); err != nil {
					return err
				}
				out.fields = out.fields.Set(alias, v)
				if err := out.fits(footprint(v)); err != nil {
					return err
				}
			}
			if index != nil {
				if err := f.run.copies(out.fields, index); err != nil {
					return err
				}
				out.fields = out.fields.Set(index, i)
			}
			return next.row(&out)
		}
		r := eval(f)
		if err := r.err(); err != nil {
			return err
		}
		if err := f.run.keep(r.v); err != nil {
			return err
		}
		items, ok := r.v.(value.Array)
		if !ok {
			return give(r.v, value.Null{})
		}
		for i, item := range items {
			if err := give(item, value.Int(i)); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// united is the sink of union: after its rows it runs another pipeline.
type united struct {
	sink
	f     *frame
	other *Pipeline
	full  bool
}

// row implements sink.
func (s *united) row(r *row) error {
	err := s.sink.row(r)
	s.full = s.full || errors.Is(err, errEnough)
	return err
}

// end implements sink.
func (s *united) end() error {
	if s.full {
		return s.sink.end()
	}
	return s.other.into(s.f, s.sink)
}

// union compiles union.
func (c *compiler) union(s *request.Stage) (stage, error) {
	if len(s.Args) != 1 {
		return nil, wrongCount(s, 1)
	}
	stages, ok := s.Args[0].(request.Subpipeline)
	if !ok {
		return nil, fault.E(fault.InvalidArgument, "The stage union requires a pipeline.")
	}
	other, err := c.pipeline(stages, c.inner > 1)
	if err != nil {
		return nil, err
	}
	return func(f *frame, next sink) sink { return &united{sink: next, f: f, other: other} }, nil
}

// giveAll passes rows on, returns the memory that they held, and ends.
func (r *run) giveAll(rows []*row, held int64, to sink) error {
	for _, row := range rows {
		if err := to.row(row); errors.Is(err, errEnough) {
			break
		} else if err != nil {
			return err
		}
	}
	clear(rows)
	if err := r.hold(-held); err != nil {
		return err
	}
	return to.end()
}

// measures are the measures of find_nearest.
var measures = map[value.String]query.Measure{"euclidean": query.Euclidean, "cosine": query.Cosine, "dot_product": query.DotProduct}
