package bench_test

import (
	"context"
	"os"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	own "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"
)

// TestReadsOnNodes logs the processor time of reads at a follower and at a server with the embedded store, measured in
// turns, with the cost of the follower's reads for the leader. It also logs the time from the acknowledgement of a
// commit until a listener at another node receives it. The goals are a ratio of 1.15, and 50 ms for 99 % on an idle
// machine.
func TestReadsOnNodes(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_NODES") == "" {
		t.Skip("CLAVE_BENCH_NODES is not set")
	}
	url := pgtest.New(t, "fsync = on").Database()
	bin := buildClave(t)
	t.Setenv("CLAVE_BENCH_BIN", bin)
	alone, leader := startClave(t), startNode(t, bin, url, "Clave ready")
	follower := startNode(t, bin, url, "Follower: ")
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		t.Logf("load before: %s", text)
	}
	for _, s := range []*server{alone, leader} {
		s.client = connect(t, s.address)
		load(t, s.client, "events", 10_000)
		if err := cheapest(t.Context(), s.client); err != nil { // builds the index
			t.Fatal(err)
		}
	}
	follower.client = connect(t, follower.address)
	for _, w := range []struct {
		name    string
		clients int
		call    func(context.Context, pb.FirestoreClient) error
	}{{"get", 1, getCall}, {"get", 16, getCall}, {"get", 64, getCall}, {"query", 1, nil}, {"query", 16, nil}} {
		var loads [2]costLoad
		for i, s := range []*server{alone, follower} {
			loads[i] = costLoad{s, func() func() error { return func() error { return cheapest(t.Context(), s.client) } }}
			if w.call != nil {
				loads[i] = s.grpc(t, nil, w.call)
			}
		}
		compareReads(t, w.name, w.clients, loads, leader)
	}
	listenElsewhere(t, leader, follower)
}

// compareReads measures reads at two servers in turns, and the processor time of a third server during the reads at the
// second.
func compareReads(t *testing.T, name string, clients int, loads [2]costLoad, leader *server) {
	t.Helper()
	var calls, ticks [2]int
	atLeader := 0
	for range costRounds {
		for i, l := range loads {
			before := leader.ticks(t)
			n, used := l.run(t, clients, duration()/costRounds)
			calls[i], ticks[i] = calls[i]+n, ticks[i]+used
			if i == 1 {
				atLeader += leader.ticks(t) - before
			}
		}
	}
	cost := [2]float64{float64(ticks[0]) * tick / float64(calls[0]), float64(ticks[1]) * tick / float64(calls[1])}
	t.Logf("%-5s %2d clients: embedded %6.0f /s %4.0f µs CPU, follower %6.0f /s %4.0f µs CPU and %3.0f at the leader, ratio %.2f, goal 1.15", name, clients,
		float64(calls[0])/duration().Seconds(), cost[0], float64(calls[1])/duration().Seconds(), cost[1], float64(atLeader)*tick/float64(calls[1]), cost[1]/cost[0])
}

// elsewhereRounds is the number of commits that listenElsewhere makes.
const elsewhereRounds = 500

// listenElsewhere logs the time from a commit's acknowledgement at one node to its snapshot at a listener of another
// node.
func listenElsewhere(t *testing.T, at, other *server) {
	t.Helper()
	c := gather(t, other.address, 1, 1, func(int) *own.Target_QueryTarget { return numbered(0, 1) })
	defer c.close()
	w := &writer{conn: dial(t, at.address), t: t}
	var delays []time.Duration
	for i := range elsewhereRounds {
		var took time.Duration
		delays = c.round(t, func() error {
			began := time.Now()
			err := w.set("listened", "one", 0, int64(i))
			took = time.Since(began)
			return err
		}, 1, delays)
		delays[i] = max(0, delays[i]-took)
	}
	p50, p99 := quantiles(delays)
	t.Logf("from a commit's acknowledgement to a listener at another node, %d commits: p50 %v, p99 %v, most %v, goal of p99 50ms", len(delays), p50, p99, delays[len(delays)-1])
}
