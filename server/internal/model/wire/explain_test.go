package wire

import (
	"testing"
	"time"

	"clave/server/internal/model/request"
)

func TestExplainedFigures(t *testing.T) {
	tests := []struct {
		name      string
		stats     request.Stats
		documents int64
		entries   int64
		reads     int64
		debug     map[string]string
		bill      map[string]string
	}{
		{
			"documents", request.Stats{DocumentsRead: 3, EntriesRead: 3, Results: 3}, 3, 0, 3,
			map[string]string{"documents_scanned": "3", "index_entries_scanned": "3"},
			map[string]string{"documents_billable": "3", "index_entries_billable": "0", "min_query_cost": "0"},
		},
		{
			"nothing found", request.Stats{}, 0, 0, 1,
			map[string]string{"documents_scanned": "0", "index_entries_scanned": "0"},
			map[string]string{"documents_billable": "0", "min_query_cost": "1"},
		},
		{
			"figures of 1,001 entries", request.Stats{EntriesRead: 1001, Results: 1}, 0, 1001, 2,
			map[string]string{"documents_scanned": "0", "index_entries_scanned": "1001"},
			map[string]string{"index_entries_billable": "1001", "min_query_cost": "0"},
		},
	}
	for _, tt := range tests {
		got := (&Metrics{Stats: tt.stats, Documents: tt.documents, Entries: tt.entries, EntryReads: (tt.entries + 999) / 1000, Took: time.Millisecond, Analyzed: true}).message().GetExecutionStats()
		if got.GetReadOperations() != tt.reads || got.GetResultsReturned() != tt.stats.Results {
			t.Errorf("%s: %v, want %d reads", tt.name, got, tt.reads)
		}
		debug := got.GetDebugStats().GetFields()
		for name, want := range tt.debug {
			if debug[name].GetStringValue() != want {
				t.Errorf("%s: %s is %v, want %q", tt.name, name, debug[name], want)
			}
		}
		for name, want := range tt.bill {
			if text := debug["billing_details"].GetStructValue().GetFields()[name]; text.GetStringValue() != want {
				t.Errorf("%s: billed %s is %v, want %q", tt.name, name, text, want)
			}
		}
	}
	if got := (&Metrics{}).message(); got.GetExecutionStats() != nil || got.GetPlanSummary() == nil {
		t.Errorf("a plan alone: %v", got)
	}
}
