package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
)

// TestOnNodes compares creates at the leader of three nodes with those at a server with the embedded store, in turns.
// It also logs how long a new node with an empty folder takes to build its replica. PostgreSQL and the embedded store
// both sync each commit. The goal is 60 % of the embedded store's rate with 16 and 64 clients. If CLAVE_BENCH_LARGE is
// set, the new node loads a million documents.
func TestOnNodes(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_NODES") == "" {
		t.Skip("CLAVE_BENCH_NODES is not set")
	}
	url := pgtest.New(t, "fsync = on").Database()
	bin := buildClave(t)
	t.Setenv("CLAVE_BENCH_BIN", bin)
	alone, leader := startClave(t), startNode(t, bin, url, "Clave ready")
	for range 2 {
		startNode(t, bin, url, "Follower: ")
	}
	for _, clients := range []int{1, 16, 64} {
		var calls, ticks [2]int
		for range costRounds {
			for i, s := range []*server{alone, leader} {
				n, used := s.grpc(t, nil, createCall).run(t, clients, duration()/costRounds)
				calls[i], ticks[i] = calls[i]+n, ticks[i]+used
			}
		}
		t.Logf("create, %2d clients: embedded %6.0f /s %4.0f µs CPU, leader of three nodes %6.0f /s %4.0f µs CPU, ratio of rates %.2f", clients,
			float64(calls[0])/duration().Seconds(), float64(ticks[0])*tick/float64(calls[0]),
			float64(calls[1])/duration().Seconds(), float64(ticks[1])*tick/float64(calls[1]), float64(calls[1])/float64(calls[0]))
	}
	n := 100_000
	if os.Getenv("CLAVE_BENCH_LARGE") != "" {
		n = 1_000_000
	}
	load(t, connect(t, leader.address), "events", n)
	began := time.Now()
	added := startNode(t, bin, url, "Follower: ")
	t.Logf("a new node with %d documents: %v, %.1f s CPU, %d MiB resident, %d MiB at most", n, time.Since(began).Round(10*time.Millisecond),
		float64(added.ticks(t))*tick/1e6, added.memory(t)>>10, added.peak(t)>>10)
}

// startNode starts a node on a PostgreSQL database with an empty folder, and waits for a line of its output with a
// prefix. flags are further ones.
func startNode(t *testing.T, bin, url, prefix string, flags ...string) *server {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	_, sockets, _ := net.SplitHostPort(freeAddress(t))
	config := filepath.Join(dir, "firebase.json")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"emulators": {"firestore": {"port": %s, "websocketPort": %s}}}`, port, sockets), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"start", "--config", config, "--only", "firestore", "--data", filepath.Join(dir, "data")}, flags...)...)
	cmd.Env = append(os.Environ(), "CLAVE_STORE="+url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, cmd, address)
	late := time.AfterFunc(10*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), prefix) {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s
		}
	}
	t.Fatalf("the node has not printed %q", prefix)
	return nil
}
