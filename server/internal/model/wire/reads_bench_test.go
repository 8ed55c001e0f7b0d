package wire_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// eventsQuery is a query with two equalities, an order and a limit, as an SDK sends it.
func eventsQuery() *pb.StructuredQuery {
	field := func(path string) *pb.StructuredQuery_FieldReference {
		return &pb.StructuredQuery_FieldReference{FieldPath: path}
	}
	equal := func(path, s string) *pb.StructuredQuery_Filter {
		return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: field(path), Op: pb.StructuredQuery_FieldFilter_EQUAL, Value: &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}}}}}
	}
	return &pb.StructuredQuery{
		From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "events"}},
		Where: &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: &pb.StructuredQuery_CompositeFilter{
			Op: pb.StructuredQuery_CompositeFilter_AND, Filters: []*pb.StructuredQuery_Filter{equal("city", "city8"), equal("kind", "concert")}}}},
		OrderBy: []*pb.StructuredQuery_Order{{Field: field("price"), Direction: pb.StructuredQuery_ASCENDING}},
		Limit:   wrapperspb.Int32(20),
	}
}

// BenchmarkReads is the cost of the decoding of requests without writes, and that of the checks after it, which any
// decoder would need.
func BenchmarkReads(b *testing.B) {
	const documents = "projects/p/databases/(default)/documents"
	run := &pb.RunQueryRequest{Parent: documents, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: eventsQuery()}}
	listen := &pb.ListenRequest{Database: "projects/p/databases/(default)", TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: 2, TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{Parent: documents, QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: eventsQuery()}}}}}}
	decode := func(m, into proto.Message) {
		in, err := proto.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		text, err := protojson.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		name := string(m.ProtoReflect().Descriptor().Name())
		measure(b, name+"/binary", func() error {
			proto.Reset(into)
			return wire.Unmarshal(in, into)
		})
		measure(b, name+"/JSON", func() error {
			proto.Reset(into)
			return wire.ParseJSON(text, into)
		})
	}
	decode(run, &pb.RunQueryRequest{})
	decode(listen, &pb.ListenRequest{})
	measure(b, "RunQueryRequest/checks", func() error {
		_, _, err := wire.ParseRunQuery(run)
		return err
	})
	measure(b, "ListenRequest/checks", func() error {
		_, err := wire.ParseWatch(testDatabase, listen)
		return err
	})
}

// measure runs a benchmark of a function that succeeds.
func measure(b *testing.B, name string, do func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := do(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
