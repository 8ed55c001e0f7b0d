package api

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

func TestExplainedFigures(t *testing.T) {
	tests := []struct {
		name      string
		stats     request.Stats
		documents int64
		reads     int64
		debug     map[string]string
		bill      map[string]string
	}{
		{
			"documents", request.Stats{DocumentsRead: 3, EntriesRead: 3, Results: 3}, 3, 3,
			map[string]string{"documents_scanned": "3", "index_entries_scanned": "3"},
			map[string]string{"documents_billable": "3", "index_entries_billable": "0", "min_query_cost": "0"},
		},
		{
			"nothing found", request.Stats{}, 0, 1,
			map[string]string{"documents_scanned": "0", "index_entries_scanned": "0"},
			map[string]string{"documents_billable": "0", "min_query_cost": "1"},
		},
		{
			"figures of 1,001 entries", request.Stats{EntriesRead: 1001, Results: 1}, 0, 2,
			map[string]string{"documents_scanned": "0", "index_entries_scanned": "1001"},
			map[string]string{"index_entries_billable": "1001", "min_query_cost": "0"},
		},
	}
	for _, tt := range tests {
		got := explained(&pb.ExplainOptions{Analyze: true}, tt.stats, tt.documents, time.Millisecond).GetExecutionStats()
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
	if got := explained(&pb.ExplainOptions{}, request.Stats{}, 0, 0); got.GetExecutionStats() != nil || got.GetPlanSummary() == nil {
		t.Errorf("a plan alone: %v", got)
	}
}

// TestFiguresComeWithTheLastDocument checks that an explained query returns its metrics once, in the last response.
func TestFiguresComeWithTheLastDocument(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.commit(set("open/a", 1), set("open/b", 2), set("open/c", 3))
	for _, tt := range []struct {
		name       string
		collection string
		analyze    bool
		responses  int
		documents  int
	}{
		{"three documents", "open", true, 3, 3},
		{"no documents", "empty", true, 1, 0},
		{"a plan alone", "open", false, 1, 0},
	} {
		var got []*wire.Result
		err := h.server.RunQuery(t.Context(), token.Caller{Privileged: true, Project: "p"}, &pb.RunQueryRequest{
			Parent: streamDocuments, ExplainOptions: &pb.ExplainOptions{Analyze: tt.analyze},
			QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: all(1, tt.collection).GetQuery().GetStructuredQuery()},
		}, func(r *wire.Result) error {
			got = append(got, r)
			return nil
		})
		if err != nil || len(got) != tt.responses {
			t.Fatalf("%s: %d responses, %v; want %d", tt.name, len(got), err, tt.responses)
		}
		documents := 0
		for i, r := range got {
			if r.Document != nil {
				documents++
			}
			if last := i == len(got)-1; (r.Metrics != nil) != last {
				t.Errorf("%s: response %d of %d is %v, want figures in the last alone", tt.name, i+1, len(got), r)
			}
		}
		if documents != tt.documents {
			t.Errorf("%s: %d documents, want %d", tt.name, documents, tt.documents)
		}
		if stats := got[len(got)-1].Metrics.GetExecutionStats(); tt.analyze && stats.GetResultsReturned() != int64(tt.documents) {
			t.Errorf("%s: figures are %v, want %d results", tt.name, stats, tt.documents)
		}
	}
}

// TestFiguresAreForPrivilegedCallers lets a user explain queries for the documents that the rules show. The figures
// would depend on the hidden ones: the number of index entries that were read shows whether any has a value.
func TestFiguresAreForPrivilegedCallers(t *testing.T) {
	h := newStreamFixture(t, listen.Options{})
	h.rules("rules_version = '2'; service cloud.firestore { match /databases/{d}/documents/c/{x} { allow list: if resource.data.public == true; } }")
	h.commit(&pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: streamDocuments + "/c/z", Fields: map[string]*pb.Value{
		"public": {ValueType: &pb.Value_BooleanValue{}}, "secret": {ValueType: &pb.Value_StringValue{StringValue: "x"}},
	}}}}, &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: streamDocuments + "/c/shown", Fields: map[string]*pb.Value{
		"public": {ValueType: &pb.Value_BooleanValue{BooleanValue: true}}, "secret": {ValueType: &pb.Value_StringValue{StringValue: "w"}},
	}}}})
	equal := func(path string, v *pb.Value) *pb.StructuredQuery_Filter {
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: path}, Op: pb.StructuredQuery_FieldFilter_EQUAL, Value: v,
		}}}
	}
	q := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}}, Where: &pb.StructuredQuery_Filter{
		FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: &pb.StructuredQuery_CompositeFilter{Op: pb.StructuredQuery_CompositeFilter_AND, Filters: []*pb.StructuredQuery_Filter{
			equal("public", &pb.Value{ValueType: &pb.Value_BooleanValue{BooleanValue: true}}), equal("secret", &pb.Value{ValueType: &pb.Value_StringValue{StringValue: "x"}}),
		}}},
	}}
	query := func(ctx context.Context, c token.Caller, o *pb.ExplainOptions) error {
		return h.server.RunQuery(ctx, c, &pb.RunQueryRequest{Parent: streamDocuments, ExplainOptions: o, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}},
			func(*wire.Result) error { return nil })
	}
	count := func(ctx context.Context, c token.Caller, o *pb.ExplainOptions) error {
		return h.server.RunAggregationQuery(ctx, c, &pb.RunAggregationQueryRequest{
			Parent: streamDocuments, ExplainOptions: o, QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
				QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: q}, Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{
					Alias: "n", Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}},
				}},
			}},
		}, func(*pb.RunAggregationQueryResponse) error { return nil })
	}
	for what, run := range map[string]func(context.Context, token.Caller, *pb.ExplainOptions) error{"a query": query, "an aggregation": count} {
		for _, tt := range []struct {
			name    string
			caller  token.Caller
			explain *pb.ExplainOptions
			want    fault.Code
		}{
			{"a user", token.Caller{UID: "ana", Project: "p"}, nil, fault.OK},
			{"a user asks for the plan", token.Caller{UID: "ana", Project: "p"}, &pb.ExplainOptions{}, fault.PermissionDenied},
			{"a user asks for figures", token.Caller{UID: "ana", Project: "p"}, &pb.ExplainOptions{Analyze: true}, fault.PermissionDenied},
			{"a server asks for figures", token.Caller{Privileged: true, Project: "p"}, &pb.ExplainOptions{Analyze: true}, fault.OK},
		} {
			if err := run(t.Context(), tt.caller, tt.explain); fault.CodeOf(err) != tt.want {
				t.Errorf("%s of %s: %v, want %v", what, tt.name, err, tt.want)
			}
		}
	}
}
