package pipeline

import (
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// accumulator computes an aggregate of the rows of a group.
type accumulator interface {
	// add adds the value of a row: nil if it is unset. It returns the memory that the accumulator holds in addition.
	add(v value.Value) int
	// result returns the aggregate.
	result() result
}

// aggregates are the aggregates with the functions that make their accumulators.
var aggregates = map[string]func() accumulator{
	"count":              func() accumulator { return &counter{} },
	"count_if":           func() accumulator { return &counter{onlyTrue: true} },
	"count_distinct":     func() accumulator { return &collector{distinct: map[any]bool{}, counts: true} },
	"sum":                func() accumulator { return &sum{} },
	"average":            func() accumulator { return &average{} },
	"maximum":            func() accumulator { return &best{sign: 1} },
	"minimum":            func() accumulator { return &best{sign: -1} },
	"first":              func() accumulator { return &first{} },
	"last":               func() accumulator { return &last{} },
	"array_agg":          func() accumulator { return &collector{} },
	"array_agg_distinct": func() accumulator { return &collector{distinct: map[any]bool{}} },
}

// counter counts rows whose value is neither null nor unset.
type counter struct {
	n        int64
	onlyTrue bool
}

// add implements accumulator.
func (c *counter) add(v value.Value) int {
	if v != nil && !value.IsNull(v) && (!c.onlyTrue || v == value.Bool(true)) {
		c.n++
	}
	return 0
}

// result implements accumulator.
func (c *counter) result() result { return of(value.Int(c.n)) }

// sum adds numbers.
type sum struct{ query.Total }

// add implements accumulator.
func (s *sum) add(v value.Value) int {
	s.Add(v)
	return 0
}

// result implements accumulator.
func (s *sum) result() result { return of(s.Sum()) }

// average averages numbers. Without any it is null.
type average struct{ sum }

// result implements accumulator.
func (a *average) result() result {
	out := a.Average()
	if out == value.Double(0) { // -0 becomes 0
		out = value.Double(0)
	}
	return of(out)
}

// best keeps the greatest or the least value.
type best struct {
	sign int
	v    value.Value
}

// add implements accumulator.
func (b *best) add(v value.Value) int {
	if v != nil && !value.IsNull(v) && (b.v == nil || value.Compare(v, b.v)*b.sign > 0) {
		before := sizeOrNone(b.v)
		b.v = v
		return sizeOrNone(v) - before
	}
	return 0
}

// result implements accumulator.
func (b *best) result() result { return orNull(b.v) }

// sizeOrNone returns the memory of a value, 0 for nil.
func sizeOrNone(v value.Value) int {
	if v == nil {
		return 0
	}
	return footprint(v)
}

// orNull returns the result of a value, null for nil.
func orNull(v value.Value) result {
	if v == nil {
		return null
	}
	return of(v)
}

// first keeps the first value.
type first struct {
	v    value.Value
	seen bool
}

// last keeps the last value.
type last struct{ v value.Value }

// add implements accumulator.
func (f *first) add(v value.Value) int {
	if !f.seen {
		f.v, f.seen = v, true
		return sizeOrNone(v)
	}
	return 0
}

// result implements accumulator.
func (f *first) result() result { return orNull(f.v) }

// add implements accumulator.
func (l *last) add(v value.Value) int {
	before := sizeOrNone(l.v)
	l.v = v
	return sizeOrNone(v) - before
}

// result implements accumulator.
func (l *last) result() result { return orNull(l.v) }

// collector keeps all values, or all different ones, or counts these.
type collector struct {
	values   value.Array
	distinct map[any]bool
	counts   bool
}

// add implements accumulator.
func (c *collector) add(v value.Value) int {
	if v == nil {
		if c.counts || c.distinct != nil {
			return 0
		}
		v = value.Null{}
	}
	if c.counts && value.IsNull(v) {
		return 0
	}
	size := 50 + footprint(v)
	if c.distinct != nil {
		key := value.Key(v)
		if c.distinct[key] {
			return 0
		}
		c.distinct[key] = true
		size *= 2
		if c.counts {
			return size
		}
	}
	c.values = append(c.values, v)
	return size
}

// result implements accumulator.
func (c *collector) result() result {
	if c.counts {
		return of(value.Int(len(c.distinct)))
	}
	if c.values == nil {
		return of(value.Array{})
	}
	return of(c.values)
}

// aggregate is an aggregate of a stage.
type aggregate struct {
	path value.FieldPath
	make func() accumulator
	// eval is the aggregated expression; nil counts all rows.
	eval evaluator
}

// group is the rows with the same keys.
type group struct {
	keys []value.Value
	sums []accumulator
}

// grouping is the sink of aggregate and distinct.
type grouping struct {
	sink
	run        *run
	by         []computed
	aggregates []aggregate
	groups     map[any]*group
	order      []*group
	vars       *scope
	held       int64
	// frame and keys are those of the present row. No evaluator keeps a frame.
	frame frame
	keys  []value.Value
}

// hold holds memory until the end.
func (s *grouping) hold(n int64) error {
	s.held += n
	return s.run.hold(n)
}

// row implements sink.
func (s *grouping) row(r *row) error {
	if err := s.run.step(1 + len(s.aggregates) + len(s.by)); err != nil {
		return err
	}
	before := s.run.held
	defer func() { s.run.held = before }()
	f, size := &s.frame, 0
	*f = frame{run: s.run, row: r, vars: r.vars}
	for i, x := range s.by {
		v, err := x.compute(f, &size)
		if err != nil {
			return err
		}
		if v == nil {
			v = value.Null{}
		}
		s.keys[i] = v
	}
	g, err := s.group()
	if err != nil {
		return err
	}
	held := 0
	for i, a := range s.aggregates {
		var v value.Value = value.Bool(true)
		if a.eval != nil {
			r := a.eval(f)
			if err := r.err(); err != nil {
				return err
			}
			if v = r.v; v != nil {
				if err := s.run.step(stepsOf(v)); err != nil {
					return err
				}
			}
		}
		if held += g.sums[i].add(v); held > smallValues {
			if err := s.hold(int64(held)); err != nil {
				return err
			}
			held = 0
		}
	}
	return s.hold(int64(held))
}

// group returns the group of the present keys.
func (s *grouping) group() (*group, error) {
	var key any
	switch len(s.keys) {
	case 0:
	case 1:
		key = value.Key(s.keys[0])
	default:
		key = value.Key(value.Array(s.keys))
	}
	if g := s.groups[key]; g != nil {
		return g, nil
	}
	size := 200 + 100*len(s.aggregates)
	for _, k := range s.keys {
		size += 2 * footprint(k)
	}
	if err := s.hold(int64(size)); err != nil {
		return nil, err
	}
	g := &group{keys: slices.Clone(s.keys)}
	for _, a := range s.aggregates {
		g.sums = append(g.sums, a.make())
	}
	s.groups[key] = g
	s.order = append(s.order, g)
	return g, nil
}

// end implements sink.
func (s *grouping) end() error {
	if len(s.by) == 0 && len(s.order) == 0 {
		if _, err := s.group(); err != nil {
			return err
		}
	}
	rows := make([]*row, len(s.order))
	for i, g := range s.order {
		edit := value.Map{}.EditSorted()
		for j, x := range s.by {
			edit.Set(x.path, g.keys[j], nil)
		}
		for j, a := range s.aggregates {
			edit.Set(a.path, g.sums[j].result().v, nil)
		}
		rows[i] = &row{fields: edit.Map(), vars: s.vars}
	}
	s.groups, s.order = nil, nil
	return s.run.giveAll(rows, s.held, s.sink)
}

// grouped returns the stage of a grouping.
func grouped(by []computed, aggregates []aggregate) stage {
	return func(f *frame, next sink) sink {
		return &grouping{sink: next, run: f.run, by: by, aggregates: aggregates, groups: map[any]*group{}, vars: f.vars, keys: make([]value.Value, len(by))}
	}
}

// distinct compiles distinct: one row for each combination of values.
func (c *compiler) distinct(s *request.Stage) (stage, error) {
	by, err := c.computedFields(s, 0)
	if err != nil {
		return nil, err
	}
	if len(by) == 0 {
		return nil, fault.E(fault.InvalidArgument, "The stage distinct requires at least one field.")
	}
	return grouped(by, nil), nil
}

// aggregation compiles aggregate.
func (c *compiler) aggregation(s *request.Stage) (stage, error) {
	if len(s.Args) == 0 || len(s.Args) > 2 {
		return nil, wrongCount(s, 2)
	}
	var sums []aggregate
	for _, name := range names(s.Args[0]) {
		path, err := value.ParseFieldPath(name)
		if err != nil {
			return nil, err
		}
		call, ok := memberOf(s.Args[0], name).(*request.Call)
		if !ok {
			return nil, fault.E(fault.InvalidArgument, "The stage aggregate requires aggregate functions.")
		}
		a := aggregate{path: path, make: aggregates[call.Name]}
		switch {
		case a.make == nil:
			return nil, fault.E(fault.InvalidArgument, "Unknown aggregate function: '%s'.", call.Name)
		case len(call.Args) == 1:
			if a.eval, err = c.expression(call.Args[0], 1); err != nil {
				return nil, err
			}
		case len(call.Args) != 0 || call.Name != "count":
			return nil, fault.E(fault.InvalidArgument, "The function %s(...) takes [1..1] argument(s), but %d were provided.", call.Name, len(call.Args))
		}
		sums = append(sums, a)
	}
	var by []computed
	if len(s.Args) == 2 {
		var err error
		if by, err = c.computedFields(s, 1); err != nil {
			return nil, err
		}
	}
	if len(sums) == 0 && len(by) == 0 {
		return nil, fault.E(fault.InvalidArgument, "The stage aggregate requires at least one aggregate function.")
	}
	return grouped(by, sums), nil
}
