package api

import (
	"context"
	"slices"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// PartitionQuery returns cursors that split a collection group query into parts of similar size. A page token is the
// position of the last cursor of the previous page, as in listings.
func (s *Server) PartitionQuery(ctx context.Context, c token.Caller, r *pb.PartitionQueryRequest) (*pb.PartitionQueryResponse, error) {
	if r.GetStructuredQuery() == nil {
		return nil, fault.E(fault.InvalidArgument, "only structured queries are supported")
	}
	q, err := wire.ParseQuery(r.GetParent(), r.GetStructuredQuery())
	if err != nil {
		return nil, err
	}
	switch {
	case r.GetPartitionCount() < 1:
		return nil, fault.E(fault.InvalidArgument, "Partition count must be positive.")
	case !q.From[0].AllDescendants || q.Where != nil || len(q.OrderBy) > 1 || q.OrderBy[0].Desc ||
		q.Limit >= 0 || q.Offset > 0 || q.Start != nil || q.End != nil:
		return nil, fault.E(fault.InvalidArgument, "Only queries with all descendants and an ascending order of __name__ "+
			"and nothing else can be partitioned.")
	}
	after, err := parseCursorToken(r.GetPageToken(), len(q.OrderBy))
	if err != nil {
		return nil, err
	}
	size, err := pageSize(r.GetPageSize(), maxPartitions)
	if err != nil {
		return nil, err
	}
	readTime, err := parseReadTime(r.GetReadTime())
	if err != nil {
		return nil, err
	}
	parts := int(min(r.GetPartitionCount(), maxPartitions))
	cursors, err := s.o.Authorizer.Partition(ctx, c, q, parts, request.At{ReadTime: readTime})
	if err != nil {
		return nil, err
	}
	out := &pb.PartitionQueryResponse{}
	// Each page recomputes all cursors and omits those up to its token.
	if after != nil {
		cursors = slices.DeleteFunc(cursors, func(c query.Cursor) bool { return value.Compare(c.Values[0], after.Values[0]) <= 0 })
	}
	for i, cursor := range cursors {
		if i == size {
			out.NextPageToken = cursorToken(&cursors[i-1])
			break
		}
		out.Partitions = append(out.Partitions, wire.FormatCursor(cursor))
	}
	return out, nil
}

// maxPartitions is the maximum number of points.
const maxPartitions = 10_000
