package attack

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// TestAttacksByCommits lets thousands of commits of one client wait for one document. Another client must be able to
// write another document meanwhile, and all commits must be answered in time.
func TestAttacksByCommits(t *testing.T) {
	harness.Alone(t, "commits of followers take another way")
	if testing.Short() {
		t.Skip("thousands of commits are made")
	}
	const commits, onConnection = 5000, 250
	// The writes took 0.36 s when most was chosen, and more than 30 s when each commit looked at all pairs of those before
	// it.
	const most = 15 * time.Second
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, dir+"/firestore.rules", harness.SlowRules)
	p := harness.Serve(t, dir, false, "--no-sign-up", "--memory-limit", "4GiB", "--anonymous-writes", "10000000", "--trust-proxy")
	ctx, cancel := context.WithTimeout(t.Context(), 3*harness.WaitLimit)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "google-cloud-resource-prefix", harness.AttackedDatabase, "x-forwarded-for", "203.0.113.1")
	write := &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: harness.AttackedDatabase + "/documents/hot/a"}}}
	var attackers, begun sync.WaitGroup
	defer attackers.Wait()
	for range commits / onConnection {
		conn, err := grpc.NewClient(p.Host(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		for range onConnection {
			begun.Add(1)
			attackers.Go(func() {
				begun.Done()
				// The server refuses too many calls of one network.
				if err := conn.Invoke(ctx, "/google.firestore.v1.Firestore/Commit", &pb.CommitRequest{Database: harness.AttackedDatabase, Writes: []*pb.Write{write}}, &pb.CommitResponse{}); err != nil && status.Code(err) != codes.Unavailable {
					t.Errorf("a commit: %v", err)
				}
			})
		}
	}
	begun.Wait()
	from := time.Now()
	code, answer := p.Request(t, http.MethodPatch, "/v1/"+harness.AttackedDatabase+"/documents/other/b", "", harness.Object{"fields": harness.Object{}})
	if took := time.Since(from); code != http.StatusOK || took > most {
		t.Errorf("a write of another document: %d %v after %v, want it within %v", code, answer, took, most)
	}
	attackers.Wait()
	if peak := harness.MemoryOf(t, p.Cmd, "VmHWM"); peak > mostAttacked {
		t.Errorf("%d MiB at most, want at most %d", peak, mostAttacked)
	}
}
