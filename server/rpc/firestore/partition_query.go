package firestore

import (
	"context"

	"clave/server/fault"
	"clave/server/guard"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// PartitionQuery answers cursors that split a collection group query into parts of about the same size. All are given
// in one page.
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
	case r.GetPageToken() != "":
		return nil, errPageToken()
	}
	readTime, err := parseReadTime(r.GetReadTime())
	if err != nil {
		return nil, err
	}
	const most = 10_000
	parts := int(min(r.GetPartitionCount(), most))
	cursors, err := s.o.Guard.Partition(ctx, c, q, parts, guard.At{ReadTime: readTime})
	if err != nil {
		return nil, err
	}
	out := &pb.PartitionQueryResponse{}
	for _, cursor := range cursors {
		out.Partitions = append(out.Partitions, wire.FormatCursor(cursor))
	}
	return out, nil
}
