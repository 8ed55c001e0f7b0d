package wire

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// ParseQuery parses a query under a parent and normalizes it.
func ParseQuery(parent string, q *pb.StructuredQuery) (*query.Query, error) {
	out, err := parseQuery(parent, q)
	if err != nil {
		return nil, err
	}
	return out.Normalize()
}

// ParseAggregation parses an aggregation under a parent and normalizes it.
func ParseAggregation(parent string, a *pb.StructuredAggregationQuery) (*query.Aggregation, error) {
	q, err := parseQuery(parent, a.GetStructuredQuery())
	if err != nil {
		return nil, err
	}
	out := &query.Aggregation{Query: q}
	for _, f := range a.GetAggregations() {
		parsed, err := parseAggregate(f)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, parsed)
	}
	return out.Normalize()
}

// parseAggregate parses one aggregate.
func parseAggregate(a *pb.StructuredAggregationQuery_Aggregation) (out query.Aggregate, err error) {
	out.Alias = a.GetAlias()
	switch op := a.GetOperator().(type) {
	case *pb.StructuredAggregationQuery_Aggregation_Count_:
		out.Op = query.Count
		if upTo := op.Count.GetUpTo(); upTo != nil {
			out.Capped, out.UpTo = true, upTo.GetValue()
		}
	case *pb.StructuredAggregationQuery_Aggregation_Sum_:
		out.Op = query.Sum
		out.Path, err = ParsePath(op.Sum.GetField().GetFieldPath())
	case *pb.StructuredAggregationQuery_Aggregation_Avg_:
		out.Op = query.Avg
		out.Path, err = ParsePath(op.Avg.GetField().GetFieldPath())
	}
	return out, err
}

// parseQuery parses a query as the client wrote it, without normalizing it. It checks only what the message alone
// determines, such as a negative limit; query.Query.Normalize checks the rest.
func parseQuery(parent string, q *pb.StructuredQuery) (*query.Query, error) {
	db, path, err := resource.ParseParent(parent)
	if err != nil {
		return nil, err
	}
	out := &query.Query{DB: db, Parent: path, Offset: int(q.GetOffset()), Limit: query.NoLimit}
	if q.GetLimit() != nil {
		if out.Limit = int(q.GetLimit().GetValue()); out.Limit < 0 {
			return nil, fault.E(fault.InvalidArgument, "limit is negative")
		}
	}
	for _, f := range q.GetFrom() {
		out.From = append(out.From, query.From{Collection: f.GetCollectionId(), AllDescendants: f.GetAllDescendants()})
	}
	if q.GetWhere() != nil {
		if out.Where, err = parseFilter(q.GetWhere(), maxNesting); err != nil {
			return nil, err
		}
	}
	for _, o := range q.GetOrderBy() {
		path, err := ParsePath(o.GetField().GetFieldPath())
		if err != nil {
			return nil, err
		}
		if o.GetDirection() < 0 || o.GetDirection() > pb.StructuredQuery_DESCENDING {
			return nil, fault.E(fault.InvalidArgument, "Unrecognized ordering.")
		}
		out.OrderBy = append(out.OrderBy, query.Order{Path: path, Desc: o.GetDirection() == pb.StructuredQuery_DESCENDING})
	}
	if out.Start, err = parseCursor(q.GetStartAt()); err != nil {
		return nil, err
	}
	if out.End, err = parseCursor(q.GetEndAt()); err != nil {
		return nil, err
	}
	if err := parseSelect(out, q.GetSelect()); err != nil {
		return nil, err
	}
	out.Nearest, err = parseNearest(q.GetFindNearest())
	return out, err
}

// parseSelect parses the fields to return.
func parseSelect(out *query.Query, p *pb.StructuredQuery_Projection) error {
	if p == nil {
		return nil
	}
	out.HasSelect = true
	for _, f := range p.GetFields() {
		path, err := ParsePath(f.GetFieldPath())
		if err != nil {
			return err
		}
		out.Select = append(out.Select, path)
	}
	return nil
}

// parseFilter parses a filter with at most depth levels.
func parseFilter(f *pb.StructuredQuery_Filter, depth int) (query.Filter, error) {
	if depth == 0 {
		return nil, fault.E(fault.InvalidArgument, "Filter is nested too deeply.")
	}
	switch x := f.GetFilterType().(type) {
	case *pb.StructuredQuery_Filter_CompositeFilter:
		return parseComposite(x.CompositeFilter, depth)
	case *pb.StructuredQuery_Filter_FieldFilter:
		path, err := ParsePath(x.FieldFilter.GetField().GetFieldPath())
		if err != nil {
			return nil, err
		}
		v, err := ParseValue(x.FieldFilter.GetValue())
		return query.Field{Path: path, Op: query.Op(x.FieldFilter.GetOp()), Value: v}, err
	case *pb.StructuredQuery_Filter_UnaryFilter:
		path, err := ParsePath(x.UnaryFilter.GetField().GetFieldPath())
		return query.Unary{Path: path, Op: query.UnaryOp(x.UnaryFilter.GetOp())}, err
	default:
		return nil, fault.E(fault.InvalidArgument, "Unknown Filter type.")
	}
}

// parseComposite parses AND and OR.
func parseComposite(f *pb.StructuredQuery_CompositeFilter, depth int) (query.Filter, error) {
	filters := make([]query.Filter, len(f.GetFilters()))
	for i, inner := range f.GetFilters() {
		var err error
		if filters[i], err = parseFilter(inner, depth-1); err != nil {
			return nil, err
		}
	}
	switch f.GetOp() {
	case pb.StructuredQuery_CompositeFilter_AND:
		return &query.And{Filters: filters}, nil
	case pb.StructuredQuery_CompositeFilter_OR:
		return &query.Or{Filters: filters}, nil
	default:
		return nil, fault.E(fault.InvalidArgument, "Unsupported CompositeFilter operator.")
	}
}

// parseCursor parses a cursor. It returns nil for nil.
func parseCursor(c *pb.Cursor) (*query.Cursor, error) {
	if c == nil {
		return nil, nil
	}
	values, _, err := (orders)(nil).parseArray(c.GetValues(), maxNesting)
	return &query.Cursor{Values: values, Before: c.GetBefore()}, err
}

// FormatCursor formats a cursor.
func FormatCursor(c query.Cursor) *pb.Cursor {
	out := &pb.Cursor{Before: c.Before}
	for _, v := range c.Values {
		out.Values = append(out.Values, FormatValue(v))
	}
	return out
}

// parseNearest parses a vector search. It returns nil for nil.
func parseNearest(n *pb.StructuredQuery_FindNearest) (*query.Nearest, error) {
	if n == nil {
		return nil, nil
	}
	path, err := ParsePath(n.GetVectorField().GetFieldPath())
	if err != nil {
		return nil, err
	}
	v, err := ParseValue(n.GetQueryVector())
	if err != nil {
		return nil, err
	}
	m, _ := v.(value.Map)
	numbers, ok := value.AsVector(m)
	if !ok {
		return nil, fault.E(fault.InvalidArgument, "Query Value must be of type vector.")
	}
	out := &query.Nearest{
		Path: path, Vector: numbers, Measure: query.Measure(n.GetDistanceMeasure()), Limit: int(n.GetLimit().GetValue()),
	}
	if name := n.GetDistanceResultField(); name != "" {
		out.ResultField = value.FieldPath{name}
	}
	if t := n.GetDistanceThreshold(); t != nil {
		threshold := t.GetValue()
		out.Threshold = &threshold
	}
	return out, nil
}
