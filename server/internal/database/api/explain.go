package api

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	pb "clave/server/internal/model/wire/firestorepb"
)

// entriesPerRead is the number of index entries of an aggregation that are billed as one read.
const entriesPerRead = 1000

// mayExplain returns an error if a caller may not have a query explained that has such options.
func (s *Server) mayExplain(c token.Caller, q *query.Query, o *pb.ExplainOptions) error {
	if o == nil {
		return nil
	}
	return s.o.Authorizer.MayExplain(c, q.DB)
}

// explained formats a plan and, if the query was run, its reads. documents is the number of billed documents.
func explained(o *pb.ExplainOptions, stats request.Stats, documents int64, took time.Duration) *pb.ExplainMetrics {
	out := &pb.ExplainMetrics{PlanSummary: &pb.PlanSummary{}}
	for _, plan := range stats.Plans {
		for _, ix := range plan.Indexes {
			out.PlanSummary.IndexesUsed = append(out.PlanSummary.IndexesUsed, &structpb.Struct{Fields: map[string]*structpb.Value{
				"query_scope": structpb.NewStringValue(scopeNames[ix.Scope]),
				"properties":  structpb.NewStringValue(ix.Properties),
			}})
		}
	}
	if o.GetAnalyze() {
		out.ExecutionStats = executed(stats, documents, took)
	}
	return out
}

// executed formats the reads of a query. A query is billed as at least one read.
func executed(stats request.Stats, documents int64, took time.Duration) *pb.ExecutionStats {
	var entries, least int64
	if documents == 0 {
		entries = stats.EntriesRead
	}
	reads := documents + (entries+entriesPerRead-1)/entriesPerRead
	if reads == 0 {
		reads, least = 1, 1
	}
	count := func(n int64) *structpb.Value { return structpb.NewStringValue(strconv.FormatInt(n, 10)) }
	return &pb.ExecutionStats{
		ResultsReturned:   stats.Results,
		ExecutionDuration: durationpb.New(took),
		ReadOperations:    reads,
		DebugStats: &structpb.Struct{Fields: map[string]*structpb.Value{
			"documents_scanned":     count(stats.DocumentsRead),
			"index_entries_scanned": count(stats.EntriesRead),
			"billing_details": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"documents_billable":     count(documents),
				"index_entries_billable": count(entries),
				"min_query_cost":         count(least),
				"small_ops":              count(0),
			}}),
		}},
	}
}

// scopeNames are the scopes of indexes as plans print them.
var scopeNames = map[string]string{
	"COLLECTION": "Collection", "COLLECTION_GROUP": "Collection group", "DOCUMENTS": "Documents",
}
