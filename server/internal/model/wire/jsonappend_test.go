package wire

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "clave/server/internal/model/wire/firestorepb"
)

// targetChange returns a random change of targets.
func (g generator) targetChange() *pb.TargetChange {
	ids := make([]int32, g.IntN(3))
	for i := range ids {
		ids[i] = int32(g.Uint32())
	}
	c := &pb.TargetChange{TargetChangeType: pb.TargetChange_TargetChangeType(g.IntN(5)), TargetIds: ids, ResumeToken: g.bytes()}
	if g.IntN(4) > 0 {
		at := g.moment()
		c.ReadTime = &timestamppb.Timestamp{Seconds: at.Seconds, Nanos: at.Nanos}
	}
	return c
}

// TestKnownJSONIsThatOfProtojson compares random changes of targets.
func TestKnownJSONIsThatOfProtojson(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range 2_000 {
		m := &pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: g.targetChange()}}
		want, err := reflected(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := appendKnownJSON([]byte("before"), m); !ok || string(got) != "before"+want {
			t.Fatalf("appendKnownJSON = %s, %v, want %s", got, ok, want)
		}
	}
}

// TestUnusualJSONIsLeftToProtojson checks that messages which the appender does not support are written by protojson,
// or refused.
func TestUnusualJSONIsLeftToProtojson(t *testing.T) {
	change := func(c *pb.TargetChange) *pb.ListenResponse {
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: c}}
	}
	for i, m := range []proto.Message{
		&pb.ListenResponse{},
		&pb.ListenResponse{ResponseType: &pb.ListenResponse_Filter{Filter: &pb.ExistenceFilter{TargetId: 2, Count: 3}}},
		change(&pb.TargetChange{Cause: &status.Status{Code: 7, Message: "no"}}),
		change(&pb.TargetChange{TargetChangeType: 77}),
		change(&pb.TargetChange{ReadTime: &timestamppb.Timestamp{Nanos: -1}}),
		&pb.Document{Name: "d"},
	} {
		if text, ok := appendKnownJSON(nil, m); ok {
			t.Errorf("%d: appendKnownJSON = %s, want it left to protojson", i, text)
		}
		want, wantErr := reflected(m)
		got, err := AppendJSON([]byte("["), m)
		if (err != nil) != (wantErr != nil) || err == nil && string(got) != "["+want {
			t.Errorf("%d: AppendJSON = %s, %v, want %s, %v", i, got, err, want, wantErr)
		}
	}
}
