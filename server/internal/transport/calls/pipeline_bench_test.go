package calls_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/pebble"
	"clave/server/internal/transport/calls"
)

// benchDB is the database of the benchmark, and server a caller to whom no rules apply.
var (
	benchDB = resource.Database{Project: "p", ID: "d"}
	server  = token.Caller{Privileged: true, Project: "p"}
)

// work is a request of the benchmark.
type work struct {
	name, call string
	in         proto.Message
}

// BenchmarkPipelines measures the processor time of pipelines beside the classic calls with the same work, where there
// are any, from the bytes of a request to those of its responses, without a connection: 20 documents by their names; a
// filter, an order and a limit of 20 in an index; all of 10,000 documents; the sum of 100,000; their sums in 100
// groups; and 100 documents with a pipeline inside for each.
func BenchmarkPipelines(b *testing.B) {
	s := newServer(b)
	works := append(classicWorks(), pipelineWorks()...)
	for _, w := range works {
		in, err := proto.Marshal(w.in)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			var out []byte
			before := processorTime(b)
			for b.Loop() {
				r := calls.ByName[w.call].Request()
				err := r.Decode(in)
				if err == nil {
					err = r.Serve(b.Context(), s, server, func(m calls.Response) error {
						var err error
						out, err = m.Append(out[:0])
						return err
					})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// newServer returns a server with 10,000 documents c and 100,000 documents big.
func newServer(b *testing.B) *api.Server {
	store, err := pebble.OpenMemory()
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.Open(b.Context(), engine.Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(e.Close(), store.Close()); err != nil {
			b.Error(err)
		}
	})
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		b.Fatal(err)
	}
	az, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: authz.NewRulesets(authz.RulesetsOptions{})})
	if err != nil {
		b.Fatal(err)
	}
	s, err := api.New(api.Options{Authorizer: az, Enterprise: func(resource.Database) bool { return true }})
	if err != nil {
		b.Fatal(err)
	}
	defs := index.Definitions{Indexes: []index.Definition{{CollectionGroup: "c", Fields: []index.Field{{Path: "group"}, {Path: "n"}}}}}
	if err := e.SetIndexes(b.Context(), benchDB, defs); err != nil {
		b.Fatal(err)
	}
	for collection, n := range map[string]int{"c": 10_000, "big": 100_000} {
		var writes []document.Write
		for i := range n {
			writes = append(writes, document.Write{
				Name:   resource.Document{DB: benchDB, Path: fmt.Sprintf("%s/%05d", collection, i)},
				Fields: value.Map{"group": value.Int(i % 100), "n": value.Int(i), "text": value.String("some text of a document")},
			})
		}
		for len(writes) > 0 {
			n := min(len(writes), 500)
			if _, err := az.Commit(b.Context(), server, benchDB, request.Commit{Writes: writes[:n]}); err != nil {
				b.Fatal(err)
			}
			writes = writes[n:]
		}
	}
	return s
}

// names returns the names of 20 documents.
func names() (out []string) {
	for i := range 20 {
		out = append(out, fmt.Sprintf("%s/documents/c/%05d", benchDB, i*7))
	}
	return out
}

// integer returns the value of a number.
func integer(n int64) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}}
}

// text returns a string's value.
func text(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }

// classicWorks are the classic calls.
func classicWorks() []work {
	path := func(s string) *pb.StructuredQuery_FieldReference {
		return &pb.StructuredQuery_FieldReference{FieldPath: s}
	}
	compare := func(field string, op pb.StructuredQuery_FieldFilter_Operator, v *pb.Value) *pb.StructuredQuery_Filter {
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{Field: path(field), Op: op, Value: v}}}
	}
	from := func(id string) []*pb.StructuredQuery_CollectionSelector {
		return []*pb.StructuredQuery_CollectionSelector{{CollectionId: id}}
	}
	query := func(q *pb.StructuredQuery) proto.Message {
		return &pb.RunQueryRequest{Parent: benchDB.String() + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}}
	}
	filters := []*pb.StructuredQuery_Filter{
		compare("group", pb.StructuredQuery_FieldFilter_EQUAL, integer(7)), compare("n", pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL, integer(0)),
	}
	return []work{
		{"get/classic", "BatchGetDocuments", &pb.BatchGetDocumentsRequest{Database: benchDB.String(), Documents: names()}},
		{"filter/classic", "RunQuery", query(&pb.StructuredQuery{
			From: from("c"), Limit: wrapperspb.Int32(20), OrderBy: []*pb.StructuredQuery_Order{{Field: path("n"), Direction: pb.StructuredQuery_ASCENDING}},
			Where: &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: &pb.StructuredQuery_CompositeFilter{
				Op: pb.StructuredQuery_CompositeFilter_AND, Filters: filters}}},
		})},
		{"scan/classic", "RunQuery", query(&pb.StructuredQuery{From: from("c")})},
		{"sum/classic", "RunAggregationQuery", &pb.RunAggregationQueryRequest{
			Parent: benchDB.String() + "/documents", QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
				QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: &pb.StructuredQuery{From: from("big")}},
				Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{Alias: "sum", Operator: &pb.StructuredAggregationQuery_Aggregation_Sum_{
					Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{Field: path("n")}}}},
			}},
		}},
	}
}

// pipelineWorks are the pipelines.
func pipelineWorks() []work {
	ref := func(s string) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: s}}
	}
	field := func(s string) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_FieldReferenceValue{FieldReferenceValue: s}}
	}
	call := func(name string, args ...*pb.Value) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_FunctionValue{FunctionValue: &pb.Function{Name: name, Args: args}}}
	}
	of := func(name string, v *pb.Value, more ...any) *pb.Value {
		out := map[string]*pb.Value{name: v}
		for i := 0; i < len(more); i += 2 {
			out[more[i].(string)] = more[i+1].(*pb.Value)
		}
		return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: out}}}
	}
	empty := &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{}}}
	stage := func(name string, args ...*pb.Value) *pb.Pipeline_Stage {
		return &pb.Pipeline_Stage{Name: name, Args: args}
	}
	run := func(name string, stages ...*pb.Pipeline_Stage) work {
		return work{name + "/pipeline", "ExecutePipeline", &pb.ExecutePipelineRequest{
			Database:     benchDB.String(),
			PipelineType: &pb.ExecutePipelineRequest_StructuredPipeline{StructuredPipeline: &pb.StructuredPipeline{Pipeline: &pb.Pipeline{Stages: stages}}},
		}}
	}
	byName := stage("documents")
	for _, name := range names() {
		byName.Args = append(byName.Args, ref(name))
	}
	c, big := stage("collection", ref("/c")), stage("collection", ref("/big"))
	found := []*pb.Pipeline_Stage{
		c, stage("where", call("and", call("equal", field("group"), integer(7)), call("greater_than_or_equal", field("n"), integer(0)))),
		stage("sort", of("expression", field("n"), "direction", text("ascending"))), stage("limit", integer(20)),
	}
	inner := &pb.Value{ValueType: &pb.Value_PipelineValue{PipelineValue: &pb.Pipeline{Stages: found}}}
	sum := of("sum", call("sum", field("n")))
	return []work{
		run("get", byName), run("filter", found...), run("scan", c), run("sum", big, stage("aggregate", sum, empty)),
		run("groups", big, stage("aggregate", sum, of("group", field("group")))),
		run("inner", c, stage("limit", integer(100)), stage("add_fields", of("inner", call("array", inner)))),
	}
}

// processorTime returns the processor time of the process in nanoseconds.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
