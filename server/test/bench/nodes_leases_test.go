package bench_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"clave/server/internal/store/postgres/pgtest"
)

// leasedRounds is the number of commits that TestCommitsBesideLeases makes in each turn.
const leasedRounds = 100

// TestCommitsBesideLeases logs how long commits at the leader take while two followers serve no reads, and while they
// serve reads, by leases that each of these commits ends.
func TestCommitsBesideLeases(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_NODES") == "" {
		t.Skip("CLAVE_BENCH_NODES is not set")
	}
	url := pgtest.New(t, "fsync = on").Database()
	bin := buildClave(t)
	t.Setenv("CLAVE_BENCH_BIN", bin)
	leader := startNode(t, bin, url, "Clave ready")
	leader.client = connect(t, leader.address)
	leader.dialCost(t, nil)
	load(t, leader.client, "events", 10_000)
	var followers []*server
	for range 2 {
		f := startNode(t, bin, url, "Follower: ")
		followers = append(followers, f)
	}
	w := &writer{conn: dial(t, leader.address), t: t}
	var conns []pb.FirestoreClient
	for _, f := range followers {
		conns = append(conns, f.dialCost(t, nil))
	}
	var took [2][]time.Duration
	for turn := range 6 {
		ctx, stop := context.WithCancel(t.Context())
		var reading sync.WaitGroup
		for _, conn := range conns {
			if turn%2 == 0 {
				break
			}
			reading.Go(func() {
				for ctx.Err() == nil {
					if err := getCall(ctx, conn); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					<-time.After(2 * time.Millisecond)
				}
			})
		}
		for i := range leasedRounds {
			<-time.After(50 * time.Millisecond)
			began := time.Now()
			if err := w.set("leased", "one", int64(turn), int64(i)); err != nil {
				t.Fatal(err)
			}
			took[turn%2] = append(took[turn%2], time.Since(began))
		}
		stop()
		reading.Wait()
	}
	for i, name := range []string{"without reads", "with reads"} {
		p50, p99 := quantiles(took[i])
		t.Logf("commits 50 ms apart, followers %s: p50 %v, p99 %v, most %v", name, p50, p99, took[i][len(took[i])-1])
	}
}
