package wire

import (
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// FormatQuery formats a normalized query. Parsing the result returns an equal query. The result contains neither the
// parent nor the orders that Normalize added.
func FormatQuery(q *query.Query) *pb.StructuredQuery {
	out := &pb.StructuredQuery{Where: formatFilter(q.Where), Offset: int32(q.Offset), FindNearest: formatNearest(q.Nearest)}
	for _, f := range q.From {
		out.From = append(out.From, &pb.StructuredQuery_CollectionSelector{CollectionId: f.Collection, AllDescendants: f.AllDescendants})
	}
	for _, o := range q.OrderBy[:max(0, len(q.OrderBy)-q.Implied)] {
		direction := pb.StructuredQuery_ASCENDING
		if o.Desc {
			direction = pb.StructuredQuery_DESCENDING
		}
		out.OrderBy = append(out.OrderBy, &pb.StructuredQuery_Order{Field: formatField(o.Path), Direction: direction})
	}
	if q.Start != nil {
		out.StartAt = FormatCursor(*q.Start)
	}
	if q.End != nil {
		out.EndAt = FormatCursor(*q.End)
	}
	if q.Limit != query.NoLimit {
		out.Limit = wrapperspb.Int32(int32(q.Limit))
	}
	if q.HasSelect {
		out.Select = &pb.StructuredQuery_Projection{}
		for _, path := range q.Select {
			out.Select.Fields = append(out.Select.Fields, formatField(path))
		}
	}
	return out
}

// formatField formats a reference to a field.
func formatField(path value.FieldPath) *pb.StructuredQuery_FieldReference {
	return &pb.StructuredQuery_FieldReference{FieldPath: path.String()}
}

// formatFilter formats a filter. It returns nil for nil.
func formatFilter(f query.Filter) *pb.StructuredQuery_Filter {
	composite := func(op pb.StructuredQuery_CompositeFilter_Operator, filters []query.Filter) *pb.StructuredQuery_Filter {
		out := &pb.StructuredQuery_CompositeFilter{Op: op}
		for _, one := range filters {
			out.Filters = append(out.Filters, formatFilter(one))
		}
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: out}}
	}
	switch f := f.(type) {
	case *query.And:
		return composite(pb.StructuredQuery_CompositeFilter_AND, f.Filters)
	case *query.Or:
		return composite(pb.StructuredQuery_CompositeFilter_OR, f.Filters)
	case query.Field:
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: formatField(f.Path), Op: pb.StructuredQuery_FieldFilter_Operator(f.Op), Value: FormatValue(f.Value),
		}}}
	case query.Unary:
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_UnaryFilter{UnaryFilter: &pb.StructuredQuery_UnaryFilter{
			Op: pb.StructuredQuery_UnaryFilter_Operator(f.Op), OperandType: &pb.StructuredQuery_UnaryFilter_Field{Field: formatField(f.Path)},
		}}}
	}
	return nil
}

// formatNearest formats a vector search. It returns nil for nil.
func formatNearest(n *query.Nearest) *pb.StructuredQuery_FindNearest {
	if n == nil {
		return nil
	}
	out := &pb.StructuredQuery_FindNearest{
		VectorField: formatField(n.Path), QueryVector: FormatValue(value.Vector(n.Vector...)),
		DistanceMeasure: pb.StructuredQuery_FindNearest_DistanceMeasure(n.Measure), Limit: wrapperspb.Int32(int32(n.Limit)),
	}
	if len(n.ResultField) > 0 {
		out.DistanceResultField = n.ResultField[0]
	}
	if n.Threshold != nil {
		out.DistanceThreshold = wrapperspb.Double(*n.Threshold)
	}
	return out
}
