package pipeline

import (
	"slices"
	"strconv"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// push adds the leading stages to the query of a source as far as a query has the same results, and returns their
// number and the query as it was before it was normalized.
//
// A filter is pushed if its comparisons have constants other than null and NaN: there the comparisons of queries and
// of pipelines agree. A query lacks documents without a field of an inequality even if another alternative of its
// filter has them, so all results must have these fields. An order is pushed if all its fields are __name__ or fields
// of pushed comparisons, because a query lacks the documents without them. Offset and limit are pushed after that.
func (c *compiler) push(s *source, stages []request.Stage) (n int, plain *query.Query, err error) {
	base := *s.query
	listed := base
	var filters []query.Filter
	for n < len(stages) && stages[n].Name == "where" && len(stages[n].Args) == 1 {
		f, ok := c.filter(stages[n].Args[0])
		if !ok || !complete(append(slices.Clone(filters), f)) {
			break
		}
		filters = append(filters, f)
		n++
	}
	if len(filters) > 0 {
		listed.Where = &query.And{Filters: filters}
	}
	full := listed
	wheres := n
	if n < len(stages) && stages[n].Name == "sort" {
		if orders, ok := c.orders(&stages[n], listed.Where); ok {
			full.OrderBy = orders
			n++
		}
	}
	if n < len(stages) && stages[n].Name == "offset" && n+1 < len(stages) && stages[n+1].Name == "limit" {
		if offset, ok := count(&stages[n]); ok {
			full.Offset = offset
			n++
		}
	}
	if n < len(stages) && stages[n].Name == "limit" {
		if limit, ok := count(&stages[n]); ok && limit > 0 {
			full.Limit = limit
			n++
		} else if full.Offset > 0 {
			full.Offset = 0
			n--
		}
	}
	for _, try := range []struct {
		q query.Query
		n int
	}{{full, n}, {listed, wheres}, {base, 0}} {
		l := listed
		if try.n == 0 {
			l = base
		}
		s.query, err = normalized(&try.q)
		if s.listed = s.query; err == nil && (len(try.q.OrderBy) > 0 || try.q.Limit != l.Limit || try.q.Offset != 0) {
			s.listed, err = l.Normalize()
		}
		if err == nil {
			return try.n, &try.q, nil
		}
		if try.n == 0 {
			return 0, nil, err
		}
	}
	return 0, nil, fault.E(fault.Internal, "A pipeline without stages has no query.")
}

// pushSums adds an aggregate stage without groups to the query of a source, which is plain before it is normalized, if
// an aggregation has the same results, and reports whether it did. An aggregation leaves out documents without one of
// its fields, so all sums and averages must be of one field, and counts of rows must be alone; and with an order or a
// limit it would use other documents.
func (c *compiler) pushSums(s *source, plain *query.Query, st *request.Stage) bool {
	if st.Name != "aggregate" || s.kind == "database" || plain.Limit != query.NoLimit || plain.Offset != 0 || len(plain.OrderBy) > 0 ||
		len(st.Args) == 0 || len(st.Args) > 2 || len(st.Args) == 2 && len(names(st.Args[1])) > 0 {
		return false
	}
	out, field := &query.Aggregation{Query: plain}, ""
	var paths []value.FieldPath
	for i, name := range names(st.Args[0]) {
		path, err := value.ParseFieldPath(name)
		call, ok := memberOf(st.Args[0], name).(*request.Call)
		if err != nil || !ok {
			return false
		}
		a := query.Aggregate{Alias: "a" + strconv.Itoa(i), Op: summed[call.Name]}
		of := ""
		switch {
		case a.Op == query.Count && len(call.Args) == 0:
		case a.Op != 0 && a.Op != query.Count && len(call.Args) == 1:
			a.Path, err = c.field(call.Args[0], call.Name)
			if err != nil || a.Path.IsName() || ofDocument(a.Path) {
				return false
			}
			of = a.Path.String()
		default:
			return false
		}
		if i > 0 && of != field {
			return false
		}
		field = of
		out.Fields, paths = append(out.Fields, a), append(paths, path)
	}
	sums, err := out.Normalize()
	if err != nil {
		return false
	}
	s.sums, s.sumPaths = sums, paths
	return true
}

// summed are the aggregates that are those of aggregations.
var summed = map[string]query.AggregateOp{"count": query.Count, "sum": query.Sum, "average": query.Avg}

// normalized returns the normal form of a query that can be planned.
func normalized(q *query.Query) (*query.Query, error) {
	out, err := q.Normalize()
	if err != nil {
		return nil, err
	}
	_, err = out.DNF()
	return out, err
}

// count returns the argument of limit and offset. It returns false if the engine cannot apply it.
func count(s *request.Stage) (int, bool) {
	if len(s.Args) != 1 {
		return 0, false
	}
	n, ok := constantOf[value.Int](s.Args[0])
	return int(n), ok && n >= 0 && n < 1<<31
}

// comparisons are the functions that are comparisons of queries.
var comparisons = map[string]query.Op{
	"equal": query.Equal, "less_than": query.LessThan, "less_than_or_equal": query.LessThanOrEqual, "greater_than": query.GreaterThan,
	"greater_than_or_equal": query.GreaterThanOrEqual, "array_contains": query.ArrayContains, "array_contains_any": query.ArrayContainsAny,
	"equal_any": query.In,
}

// filter returns an expression as a query's filter. It returns false if no filter means the same.
func (c *compiler) filter(e request.Expression) (query.Filter, bool) {
	call, ok := e.(*request.Call)
	if !ok {
		return nil, false
	}
	switch call.Name {
	case "and":
		return c.and(call.Args)
	case "or":
		var out []query.Filter
		for _, arg := range call.Args {
			f, ok := c.filter(arg)
			if !ok {
				return nil, false
			}
			out = append(out, f)
		}
		return &query.Or{Filters: out}, len(out) > 0
	}
	op, ok := comparisons[call.Name]
	if !ok || len(call.Args) != 2 {
		return nil, false
	}
	path, err := c.field(call.Args[0], call.Name)
	if err != nil || ofDocument(path) || c.below && path.IsName() {
		return nil, false
	}
	v, ok := c.comparable(call.Args[1])
	if !ok {
		return nil, false
	}
	if op == query.In || op == query.ArrayContainsAny {
		if items, isArray := v.(value.Array); !isArray || len(items) == 0 {
			return nil, false
		}
	}
	return query.Field{Path: path, Op: op, Value: v}, true
}

// ofDocument reports whether a path is of a time of the document, which queries do not have.
func ofDocument(path value.FieldPath) bool {
	return len(path) == 1 && (path[0] == createdField || path[0] == updatedField)
}

// and returns the arguments of and as a filter. exists is left out for fields that a comparison has, which only
// holds if they exist.
func (c *compiler) and(args []request.Expression) (query.Filter, bool) {
	var out []query.Filter
	var exist, compared []string
	for _, arg := range args {
		if call, ok := arg.(*request.Call); ok && call.Name == "exists" && len(call.Args) == 1 {
			path, err := c.field(call.Args[0], call.Name)
			if err != nil {
				return nil, false
			}
			exist = append(exist, path.String())
			continue
		}
		f, ok := c.filter(arg)
		if !ok {
			return nil, false
		}
		if x, ok := f.(query.Field); ok {
			compared = append(compared, x.Path.String())
		}
		out = append(out, f)
	}
	for _, path := range exist {
		if !slices.Contains(compared, path) {
			return nil, false
		}
	}
	return &query.And{Filters: out}, len(out) > 0
}

// comparable returns a constant with which queries and pipelines compare alike. It returns false for other expressions.
func (c *compiler) comparable(e request.Expression) (value.Value, bool) {
	var v value.Value
	switch x := e.(type) {
	case request.Constant:
		v = x.Value
	case *request.Call:
		if x.Name != "array" {
			return nil, false
		}
		items := make(value.Array, len(x.Args))
		for i, arg := range x.Args {
			item, ok := arg.(request.Constant)
			if !ok {
				return nil, false
			}
			items[i] = item.Value
		}
		v = items
	default:
		return nil, false
	}
	v, err := c.constant(v)
	return v, err == nil && alike(v)
}

// alike reports whether a value has neither null nor NaN.
func alike(v value.Value) bool {
	switch x := v.(type) {
	case value.Array:
		return !slices.ContainsFunc(x, func(item value.Value) bool { return !alike(item) })
	case value.Map:
		for _, item := range x {
			if !alike(item) {
				return false
			}
		}
		return true
	}
	return !value.IsNull(v) && !value.IsNaN(v)
}

// orders returns the order of a sort stage if a query has the same one.
func (c *compiler) orders(s *request.Stage, where query.Filter) (out []query.Order, ok bool) {
	compared := required(where)
	for _, arg := range s.Args {
		expression, desc, err := ordering(arg)
		if err != nil {
			return nil, false
		}
		path, err := c.field(expression, s.Name)
		if err != nil || ofDocument(path) || !path.IsName() && !slices.Contains(compared, path.String()) {
			return nil, false
		}
		out = append(out, query.Order{Path: path, Desc: desc})
	}
	return out, len(out) > 0
}

// required returns the fields that every result of a filter has.
func required(f query.Filter) (paths []string) {
	switch x := f.(type) {
	case *query.And:
		for _, inner := range x.Filters {
			paths = append(paths, required(inner)...)
		}
	case *query.Or:
		for i, inner := range x.Filters {
			some := required(inner)
			if i == 0 {
				paths = some
				continue
			}
			paths = slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(some, path) })
		}
	case query.Field:
		return []string{x.Path.String()}
	case query.Unary:
		return []string{x.Path.String()}
	}
	return paths
}

// complete reports whether every result of filters has all fields of their inequalities.
func complete(filters []query.Filter) bool {
	all := &query.And{Filters: filters}
	has := required(all)
	return !slices.ContainsFunc(inequalities(all), func(path string) bool { return !slices.Contains(has, path) })
}

// inequalities returns the fields of a filter by which a query orders.
func inequalities(f query.Filter) (paths []string) {
	var inner []query.Filter
	switch x := f.(type) {
	case *query.And:
		inner = x.Filters
	case *query.Or:
		inner = x.Filters
	case query.Field:
		if x.Op.Inequality() && !x.Path.IsName() {
			return []string{x.Path.String()}
		}
	}
	for _, f := range inner {
		paths = append(paths, inequalities(f)...)
	}
	return paths
}

// ordering reads an argument of sort. desc is set if it descends.
func ordering(e request.Expression) (expression request.Expression, desc bool, err error) {
	m, ok := e.(request.MapOf)
	if !ok {
		return nil, false, fault.E(fault.InvalidArgument, "The sort stage requires orderings.")
	}
	direction, ok := constantOf[value.String](m["direction"])
	if !ok || direction != "ascending" && direction != "descending" || m["expression"] == nil {
		return nil, false, fault.E(fault.InvalidArgument, "An ordering requires an expression and the direction `ascending` or `descending`.")
	}
	return m["expression"], direction == "descending", nil
}
