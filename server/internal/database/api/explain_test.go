package api

import (
	"context"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

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
		q, err := wire.ParseQuery(streamDocuments, all(1, tt.collection).GetQuery().GetStructuredQuery())
		if err != nil {
			t.Fatal(err)
		}
		err = h.server.RunQuery(t.Context(), token.Caller{Privileged: true, Project: "p"}, streamDB, request.Query{
			Query: q, Explain: &request.Explain{Analyze: tt.analyze},
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
		if m := got[len(got)-1].Metrics; m.Analyzed != tt.analyze || tt.analyze && m.Stats.Results != int64(tt.documents) {
			t.Errorf("%s: figures are %v, want %d results", tt.name, m, tt.documents)
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
	parsed := func() *query.Query {
		parsed, err := wire.ParseQuery(streamDocuments, q)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	find := func(ctx context.Context, c token.Caller, e *request.Explain) error {
		return h.server.RunQuery(ctx, c, streamDB, request.Query{Query: parsed(), Explain: e}, func(*wire.Result) error { return nil })
	}
	count := func(ctx context.Context, c token.Caller, e *request.Explain) error {
		a := &query.Aggregation{Query: parsed(), Fields: []query.Aggregate{{Alias: "n", Op: query.Count}}}
		return h.server.RunAggregationQuery(ctx, c, streamDB, request.Aggregate{Aggregation: a, Explain: e}, func(*wire.Aggregated) error { return nil })
	}
	for what, run := range map[string]func(context.Context, token.Caller, *request.Explain) error{"a query": find, "an aggregation": count} {
		for _, tt := range []struct {
			name    string
			caller  token.Caller
			explain *request.Explain
			want    fault.Code
		}{
			{"a user", token.Caller{UID: "ana", Project: "p"}, nil, fault.OK},
			{"a user asks for the plan", token.Caller{UID: "ana", Project: "p"}, &request.Explain{}, fault.PermissionDenied},
			{"a user asks for figures", token.Caller{UID: "ana", Project: "p"}, &request.Explain{Analyze: true}, fault.PermissionDenied},
			{"a server asks for figures", token.Caller{Privileged: true, Project: "p"}, &request.Explain{Analyze: true}, fault.OK},
		} {
			if err := run(t.Context(), tt.caller, tt.explain); fault.CodeOf(err) != tt.want {
				t.Errorf("%s of %s: %v, want %v", what, tt.name, err, tt.want)
			}
		}
	}
}
