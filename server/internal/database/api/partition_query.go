package api

import (
	"context"
	"slices"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// PartitionQuery returns cursors that split a collection group query into parts of similar size. A page token is the
// position of the last cursor of the previous page, as in listings.
func (s *Server) PartitionQuery(ctx context.Context, c token.Caller, _ resource.Database, r request.Partition) (*wire.Partitions, error) {
	q := r.Query
	switch {
	case r.Count < 1:
		return nil, fault.E(fault.InvalidArgument, "Partition count must be positive.")
	case !q.From[0].AllDescendants || q.Where != nil || len(q.OrderBy) > 1 || q.OrderBy[0].Desc ||
		q.Limit >= 0 || q.Offset > 0 || q.Start != nil || q.End != nil:
		return nil, fault.E(fault.InvalidArgument, "Only queries with all descendants and an ascending order of __name__ "+
			"and nothing else can be partitioned.")
	}
	after, err := parseCursorToken(r.Page.Token, len(q.OrderBy))
	if err != nil {
		return nil, err
	}
	size, err := pageSize(r.Page.Size, maxPartitions)
	if err != nil {
		return nil, err
	}
	parts := int(min(r.Count, maxPartitions))
	cursors, err := s.o.Authorizer.Partition(ctx, c, q, parts, request.At{ReadTime: r.ReadTime})
	if err != nil {
		return nil, err
	}
	out := &wire.Partitions{}
	// Each page recomputes all cursors and omits those up to its token.
	if after != nil {
		cursors = slices.DeleteFunc(cursors, func(c query.Cursor) bool { return value.Compare(c.Values[0], after.Values[0]) <= 0 })
	}
	if out.Cursors = cursors; len(cursors) > size {
		out.Cursors, out.Next = cursors[:size], cursorToken(&cursors[size-1])
	}
	return out, nil
}

// maxPartitions is the maximum number of points.
const maxPartitions = 10_000
