package bench_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	own "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"
)

// TestChannelsOnNodes logs the time from the acknowledgement of a commit at the leader until listeners over WebChannel
// at the leader and at a follower receive it, also if all requests after the first one arrive at another follower; and
// the nodes' processor time. The goal is 50 ms for 99 % with one listener on an idle machine.
func TestChannelsOnNodes(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_NODES") == "" {
		t.Skip("CLAVE_BENCH_NODES is not set")
	}
	url := pgtest.New(t, "fsync = on").Database()
	bin := buildClave(t)
	nodes := []*server{startNode(t, bin, url, "Clave ready"), startNode(t, bin, url, "Follower: "), startNode(t, bin, url, "Follower: ")}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		t.Logf("load before: %s", text)
	}
	w := &writer{conn: dial(t, nodes[0].address), t: t}
	for _, f := range nodes[1:] { // they serve reads from a moment after their start
		gather(t, f.address, 1, 1, func(int) *own.Target_QueryTarget { return numbered(0, 1) }).close()
	}
	for _, n := range []int{1, 200} {
		for _, way := range []struct {
			name          string
			first, others *server
		}{{"at the leader", nodes[0], nodes[0]}, {"at a follower", nodes[1], nodes[1]}, {"at a follower, through the other", nodes[1], nodes[2]}} {
			t.Run(way.name, func(t *testing.T) { channelsOfNodes(t, nodes, w, n, way.first, way.others) })
		}
	}
}

// channelRounds is the number of commits for each of the figures.
const channelRounds = 200

// channelsOfNodes measures n listeners whose first requests are sent to one node, and the others to another one.
func channelsOfNodes(t *testing.T, nodes []*server, w *writer, n int, first, others *server) {
	t.Helper()
	c := gatherSomeChannels(t, first, n, (*channel).listen, func() *http.Transport {
		var dialed atomic.Bool
		return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if dialed.Swap(true) {
				address = others.address
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}}
	})
	var before [3]int
	for i, node := range nodes {
		before[i] = node.ticks(t)
	}
	var delays []time.Duration
	for i := range channelRounds {
		<-time.After(20 * time.Millisecond)
		var took time.Duration
		from := len(delays)
		delays = c.round(t, func() error {
			began := time.Now()
			err := w.set("listened", "one", 0, int64(i))
			took = time.Since(began)
			return err
		}, n, delays)
		for k := range delays[from:] {
			delays[from+k] = max(0, delays[from+k]-took)
		}
	}
	var used [3]float64
	for i, node := range nodes {
		used[i] = float64(node.ticks(t)-before[i]) * tick / channelRounds
	}
	p50, p99 := quantiles(delays)
	t.Logf("%3d listeners, %d commits: p50 %.1f ms, p99 %.1f ms after the acknowledgement; CPU a commit: leader %.0f µs, followers %.0f and %.0f µs", n, channelRounds, ms(p50), ms(p99), used[0], used[1], used[2])
}
