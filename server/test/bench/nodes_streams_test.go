package bench_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"
)

// forwardedStreams is the number of streams that TestForwardedStreams opens.
const forwardedStreams = 1000

// TestForwardedStreams logs the goroutines and the resident memory that 1,000 idle Write streams over gRPC cost the
// leader, and the follower that forwards them, compared with streams at the leader's own port.
func TestForwardedStreams(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_NODES") == "" {
		t.Skip("CLAVE_BENCH_NODES is not set")
	}
	bin := buildClave(t)
	for _, at := range []int{0, 1} {
		t.Run([]string{"at the leader", "at a follower"}[at], func(t *testing.T) {
			url := pgtest.New(t).Database()
			var nodes []*server
			var metrics []string
			for _, prefix := range []string{"Clave ready", "Follower: "} {
				metrics = append(metrics, freeAddress(t))
				nodes = append(nodes, startNode(t, bin, url, prefix, "--metrics", metrics[len(metrics)-1]))
			}
			streams(t, nodes[at].address, 10) // the connections
			var goroutines, memory [2]int
			for i, node := range nodes {
				goroutines[i], memory[i] = goroutinesOf(t, metrics[i]), node.memory(t)
			}
			streams(t, nodes[at].address, forwardedStreams)
			for i, node := range nodes {
				t.Logf("%s: %.1f goroutines and %.1f KiB a stream", []string{"leader", "follower"}[i],
					float64(goroutinesOf(t, metrics[i])-goroutines[i])/forwardedStreams, float64(node.memory(t)-memory[i])/forwardedStreams)
			}
		})
	}
}

// streams opens Write streams, 100 on each connection, and waits for the first response of each.
func streams(t *testing.T, address string, n int) {
	t.Helper()
	const perConn = 100
	var conn *grpc.ClientConn
	for i := range n {
		if i%perConn == 0 {
			conn = dial(t, address)
		}
		ss, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Write")
		if err != nil {
			t.Fatal(err)
		}
		if err := ss.SendMsg(&pb.WriteRequest{Database: benchDatabase}); err != nil {
			t.Fatal(err)
		}
		var raw []byte
		if err := ss.RecvMsg(&raw); err != nil {
			t.Fatal(err)
		}
	}
}

// goroutinesPattern matches the number of goroutines in the metrics.
var goroutinesPattern = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutinesOf returns the number of goroutines of a node.
func goroutinesOf(t *testing.T, metrics string) int {
	t.Helper()
	<-time.After(time.Second) // the streams are idle
	res, err := http.Get(fmt.Sprintf("http://%s/metrics", metrics))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	m := goroutinesPattern.FindSubmatch(text)
	if m == nil {
		t.Fatalf("no number of goroutines in %d bytes", len(text))
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}
