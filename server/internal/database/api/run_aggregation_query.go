package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// RunAggregationQuery sends the aggregates over a query's documents in one response. If it begins a transaction, it
// sends the transaction's id in a separate response before.
func (s *Server) RunAggregationQuery(ctx context.Context, c token.Caller, r *pb.RunAggregationQueryRequest,
	send func(*pb.RunAggregationQueryResponse) error,
) error {
	if r.GetStructuredAggregationQuery() == nil {
		return fault.E(fault.InvalidArgument, "Only structured aggregation queries are supported.")
	}
	a, err := wire.ParseAggregation(r.GetParent(), r.GetStructuredAggregationQuery())
	if err != nil {
		return err
	}
	if err := s.mayExplain(c, a.Query, r.GetExplainOptions()); err != nil {
		return err
	}
	at, err := parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction())
	if err != nil {
		return err
	}
	began := s.o.Clock.Now()
	explain := r.GetExplainOptions()
	planOnly := explain != nil && !explain.GetAnalyze()
	// A limit of 0 plans the query without reading documents.
	if planOnly {
		a.Query.Limit = 0
	}
	figures, snapshot, stats, err := s.o.Authorizer.Aggregate(ctx, c, a, at)
	if err != nil {
		return err
	}
	if len(snapshot.Transaction) > 0 {
		if err := send(&pb.RunAggregationQueryResponse{Transaction: snapshot.Transaction}); err != nil {
			return err
		}
	}
	out := &pb.RunAggregationQueryResponse{}
	if !planOnly {
		out.ReadTime = wire.FormatVersion(snapshot.Version)
		out.Result = &pb.AggregationResult{AggregateFields: wire.FormatFields(figures)}
	}
	if explain != nil {
		out.ExplainMetrics = explained(explain, stats, 0, s.o.Clock.Now().Sub(began))
	}
	return send(out)
}
