package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"clave/server/storage/pgstore/pgtest"
	pb "clave/server/wire/firestorepb"
)

// TestMemoryOfFollowers writes large documents at a leader. The resident set of a follower, whose replica gets them all, must stay bounded
// meanwhile, and shrink afterwards.
func TestMemoryOfFollowers(t *testing.T) {
	if testing.Short() {
		t.Skip("60 MiB are written")
	}
	const (
		commits, each, size = 15, 256, 16 << 10
		most                = 250 // MiB
		mostBack            = 110 // 30 s after the load
	)
	url := pgtest.New(t).Database()
	leader := newNode(t, url, "")
	leader.await("Clave ready")
	follower := newNode(t, url, "")
	follower.await("Follower: ")
	conn, err := grpc.NewClient(leader.addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer owner")
	text := &pb.Value{ValueType: &pb.Value_StringValue{StringValue: strings.Repeat("x", size)}}
	last := ""
	for i := range commits {
		in := &pb.CommitRequest{Database: "projects/" + project + "/databases/(default)"}
		for j := range each {
			last = fmt.Sprintf("large/d%d-%d", i, j)
			in.Writes = append(in.Writes, &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{
				Name: in.Database + "/documents/" + last, Fields: map[string]*pb.Value{"text": text},
			}}})
		}
		if err := conn.Invoke(ctx, "/google.firestore.v1.Firestore/Commit", in, &pb.CommitResponse{}); err != nil {
			t.Fatal(err)
		}
	}
	if code, answer := follower.request(t, http.MethodGet, documents+"/"+last, ""); code != http.StatusOK { // the follower has all of them now
		t.Fatalf("the last document at the follower: %d %s", code, answer)
	}
	peak := memoryOf(t, follower.cmd, "VmHWM")
	back := shrink(t, follower.cmd, mostBack)
	t.Logf("at most %d MiB, and %d within 30 s; the leader at most %d", peak, back, memoryOf(t, leader.cmd, "VmHWM"))
	if peak > most {
		t.Errorf("the resident set reached %d MiB, want at most %d", peak, most)
	}
	if back > mostBack {
		t.Errorf("within 30 s the resident set shrinks to %d MiB, want at most %d", back, mostBack)
	}
}
