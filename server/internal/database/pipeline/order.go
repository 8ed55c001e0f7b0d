package pipeline

import (
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// ranking is one expression of an order.
type ranking struct {
	eval evaluator
	desc bool
}

// ranked row is a row with the values by which it is ordered; nil ones are unset and come first.
type keyed struct {
	r    *row
	keys []value.Value
	// of is the size of the keys.
	of int
}

// size returns the approximate memory of the row and its keys.
func (k *keyed) size() int { return k.r.size() + k.of }

// sorter is the sink of sort and find_nearest. most, if it is not 0, is the number of rows that are needed.
type sorter struct {
	sink
	run  *run
	by   []ranking
	most int
	rows []keyed
	held int64
}

// row implements sink.
func (s *sorter) row(r *row) error {
	if err := s.run.step(1 + len(s.by)/fieldsOfStep); err != nil {
		return err
	}
	before := s.run.held
	defer func() { s.run.held = before }()
	f := &frame{run: s.run, row: r, vars: r.vars}
	keys, size := make([]value.Value, len(s.by)), 0
	for i, by := range s.by {
		out := by.eval(f)
		if err := out.err(); err != nil {
			return err
		}
		if out.v == nil {
			continue
		}
		if size += footprint(out.v); size > maxValue {
			return tooLarge().err()
		}
		if err := s.run.keep(out.v); err != nil {
			return err
		}
		keys[i] = out.v
	}
	return s.add(keyed{r, keys, size})
}

// add holds a row, and drops those that are not needed.
func (s *sorter) add(k keyed) error {
	size := int64(k.size())
	if err := s.run.step(int(size) / measured); err != nil {
		return err
	}
	if err := s.run.hold(size); err != nil {
		return err
	}
	s.held += size
	s.rows = append(s.rows, k)
	if s.most > 0 && len(s.rows) >= 2*s.most+100 {
		s.sort()
		released := int64(0)
		for _, k := range s.rows[s.most:] {
			released += int64(k.size())
		}
		clear(s.rows[s.most:])
		s.rows = s.rows[:s.most]
		s.held -= released
		return s.run.hold(-released)
	}
	return nil
}

// sort orders the rows that are held. Rows that are equal keep their order.
func (s *sorter) sort() {
	slices.SortStableFunc(s.rows, func(a, b keyed) int {
		for i, by := range s.by {
			c := compareKeys(a.keys[i], b.keys[i])
			if by.desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// compareKeys orders values, of which nil is the least.
func compareKeys(a, b value.Value) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return value.Compare(a, b)
}

// end implements sink.
func (s *sorter) end() error {
	s.sort()
	rows := make([]*row, len(s.rows))
	for i, k := range s.rows {
		rows[i] = k.r
	}
	s.rows = nil
	return s.run.giveAll(rows, s.held, s.sink)
}

// sorting compiles sort. A limit after it bounds the rows that are held.
func (c *compiler) sorting(s *request.Stage, after []request.Stage) (stage, error) {
	var by []ranking
	for _, arg := range s.Args {
		e, desc, err := ordering(arg)
		if err != nil {
			return nil, err
		}
		eval, err := c.expression(e, 1)
		if err != nil {
			return nil, err
		}
		by = append(by, ranking{eval, desc})
	}
	if len(by) == 0 {
		return nil, fault.E(fault.InvalidArgument, "The stage sort requires at least one ordering.")
	}
	most := 0
	for i := range after {
		n, ok := count(&after[i])
		if !ok || after[i].Name != "offset" && after[i].Name != "limit" {
			break
		}
		most += n
		if after[i].Name == "limit" {
			return func(f *frame, next sink) sink { return &sorter{sink: next, run: f.run, by: by, most: max(most, 1)} }, nil
		}
	}
	return func(f *frame, next sink) sink { return &sorter{sink: next, run: f.run, by: by} }, nil
}

// search is the sink of find_nearest, which orders by the distance.
type search struct {
	*sorter
	field    evaluator
	vector   []float64
	measure  query.Measure
	distance value.FieldPath
}

// row implements sink.
func (s *search) row(r *row) error {
	out := s.field(&frame{run: s.run, row: r, vars: r.vars})
	if err := out.err(); err != nil {
		return err
	}
	if err := s.run.step(1); err != nil {
		return err
	}
	v, ok, err := s.run.vector(out.v)
	if err != nil || !ok || len(v) != len(s.vector) {
		return err
	}
	var d float64
	switch s.measure {
	case query.Cosine:
		d = cosine(v, s.vector)
	case query.DotProduct:
		d = dot(v, s.vector)
	default:
		d = euclidean(v, s.vector)
	}
	if s.distance != nil {
		changed := *r
		changed.fields = changed.fields.Set(s.distance, value.Double(d))
		r = &changed
	}
	return s.add(keyed{r, []value.Value{value.Double(d)}, 8})
}

// nearest compiles find_nearest.
func (c *compiler) nearest(s *request.Stage) (stage, error) {
	if len(s.Args) != 3 {
		return nil, wrongCount(s, 3)
	}
	field, err := c.expression(s.Args[0], 1)
	if err != nil {
		return nil, err
	}
	m, _ := constantOf[value.Map](s.Args[1])
	vector, ok := value.AsVector(m)
	if !ok || len(vector) == 0 {
		return nil, fault.E(fault.InvalidArgument, "The stage find_nearest requires a vector.")
	}
	name, _ := constantOf[value.String](s.Args[2])
	measure, ok := measures[name]
	if !ok {
		return nil, fault.E(fault.InvalidArgument, "The stage find_nearest does not know the distance measure `%s`.", name)
	}
	most := 0
	if e := s.Options["limit"]; e != nil {
		n, ok := constantOf[value.Int](e)
		if !ok || n < 1 || n > 1000 {
			return nil, fault.E(fault.InvalidArgument, "The limit of the stage find_nearest must be from 1 to 1000.")
		}
		most = int(n)
	}
	var distance value.FieldPath
	if e := s.Options["distance_field"]; e != nil {
		if distance, err = c.field(e, "find_nearest stage"); err != nil {
			return nil, err
		}
	}
	by := []ranking{{desc: measure == query.DotProduct}}
	return func(f *frame, next sink) sink {
		if most > 0 {
			next = &limit{sink: next, left: most}
		}
		return &search{
			sorter: &sorter{sink: next, run: f.run, by: by, most: most}, field: field, vector: vector, measure: measure, distance: distance,
		}
	}, nil
}
