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
	// Documents and Entries are the numbers of billed documents and index entries, and EntryReads the reads that the
	// entries cost.
	Documents, Entries, EntryReads int64
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
		out.ExecutionStats = m.executed()
	}
	return out
}

// executed formats the reads of a query. A query is billed as at least one read.
func (m *Metrics) executed() *pb.ExecutionStats {
	stats, least := &m.Stats, int64(0)
	reads := m.Documents + m.EntryReads
	if reads == 0 {
		reads, least = 1, 1
	}
	count := func(n int64) *structpb.Value { return structpb.NewStringValue(strconv.FormatInt(n, 10)) }
	return &pb.ExecutionStats{
		ResultsReturned:   stats.Results,
		ExecutionDuration: durationpb.New(m.Took),
		ReadOperations:    reads,
		DebugStats: &structpb.Struct{Fields: map[string]*structpb.Value{
			"documents_scanned":     count(stats.DocumentsRead),
			"index_entries_scanned": count(stats.EntriesRead),
			"billing_details": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"documents_billable":     count(m.Documents),
				"index_entries_billable": count(m.Entries),
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
