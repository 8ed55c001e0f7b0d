package wire

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"clave/server/internal/model/request"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Metrics are the metrics of an explained query.
type Metrics struct {
	// Stats describe the plan and, if the query was run, its reads.
	Stats request.Stats
	// Documents is the number of billed documents.
	Documents int64
	// Took is the time that the query took.
	Took time.Duration
	// Analyzed is set if the query was run.
	Analyzed bool
}

// message formats the plan and, if the query was run, its reads. It returns nil for nil.
func (m *Metrics) message() *pb.ExplainMetrics {
	if m == nil {
		return nil
	}
	out := &pb.ExplainMetrics{PlanSummary: &pb.PlanSummary{}}
	for _, plan := range m.Stats.Plans {
		for _, ix := range plan.Indexes {
			out.PlanSummary.IndexesUsed = append(out.PlanSummary.IndexesUsed, &structpb.Struct{Fields: map[string]*structpb.Value{
				"query_scope": structpb.NewStringValue(scopeNames[ix.Scope]),
				"properties":  structpb.NewStringValue(ix.Properties),
			}})
		}
	}
	if m.Analyzed {
		out.ExecutionStats = executed(m.Stats, m.Documents, m.Took)
	}
	return out
}

// executed formats the reads of a query. A query is billed as at least one read.
func executed(stats request.Stats, documents int64, took time.Duration) *pb.ExecutionStats {
	var entries, least int64
	if documents == 0 {
		entries = stats.EntriesRead
	}
	reads := documents + request.ReadsOf(entries, request.EntriesPerRead)
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
