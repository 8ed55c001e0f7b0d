package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// RunAggregationQuery sends the aggregates over a query's documents in one response. If it begins a transaction, it
// sends the transaction's id in a separate response before.
func (s *Server) RunAggregationQuery(ctx context.Context, c token.Caller, db resource.Database, r request.Aggregate, send func(*wire.Aggregated) error) error {
	if err := s.mayExplain(c, db, r.Explain); err != nil {
		return err
	}
	began := s.o.Clock.Now()
	// A limit of 0 plans the query without reading documents.
	if r.Explain.PlanOnly() {
		r.Aggregation.Query.Limit = 0
	}
	figures, snapshot, stats, err := s.o.Authorizer.Aggregate(ctx, c, r.Aggregation, r.At)
	if err != nil {
		return err
	}
	if len(snapshot.Transaction) > 0 {
		if err := send(&wire.Aggregated{Transaction: snapshot.Transaction}); err != nil {
			return err
		}
	}
	out := &wire.Aggregated{}
	if !r.Explain.PlanOnly() {
		out.ReadTime = snapshot.Version
		out.Figures = figures
	}
	if r.Explain != nil {
		entries, reads := stats.AggregatedEntries()
		out.Metrics = &wire.Metrics{Stats: stats, Entries: entries, EntryReads: reads, Took: s.o.Clock.Now().Sub(began), Analyzed: r.Explain.Analyze}
	}
	return send(out)
}
