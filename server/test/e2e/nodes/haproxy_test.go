package nodes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/model/wire/official"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// startHAProxy starts the distribution's HAProxy with deploy/haproxy.cfg in front of three nodes, and returns its
// address. Only the addresses in the file are replaced, and the interval of its checks, which would be too short for a
// machine under load. Without HAProxy the test is skipped.
func startHAProxy(t *testing.T, nodes []*node) string {
	t.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("HAProxy is not installed (.ci/haproxy installs it)")
	}
	text, err := os.ReadFile("../../dist/deploy/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0])
	config := string(text)
	replace := func(from, to string) {
		t.Helper()
		if strings.Count(config, from) != 1 {
			t.Fatalf("deploy/haproxy.cfg has %q %d times, want once", from, strings.Count(config, from))
		}
		config = strings.Replace(config, from, to, 1)
	}
	replace("bind :8080", "bind "+address)
	replace("inter 500ms", "inter 1500ms")
	replace(" resolvers docker init-addr last,libc,none", "")
	replace("resolvers docker\n    parse-resolv-conf\n", "")
	for i, n := range nodes {
		replace(fmt.Sprintf("server node%d node%d:8080", i+1, i+1), fmt.Sprintf("server node%d %s", i+1, n.addr()))
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	harness.WriteFile(t, file, config)
	var log strings.Builder
	cmd := exec.CommandContext(t.Context(), program, "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("HAProxy:\n%s", log.String())
		}
	})
	wait.Until(t, "HAProxy listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return address
}

// balancedClient commits again and again over one connection, until its context ends.
type balancedClient struct {
	api pb.FirestoreClient
	// last is the time at which the last successful commit began, in nanoseconds.
	last atomic.Int64
}

// run commits to a document of its own. Like those of an SDK, its calls have time limits, after which the connection
// stays.
func (c *balancedClient) run(ctx context.Context, number int) {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer owner")
	write := &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: fmt.Sprintf("%s/documents/balanced/%d", harness.ChannelDatabase, number)}}}
	for ctx.Err() == nil {
		began := clock.System().Now()
		call, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := c.api.Commit(call, &pb.CommitRequest{Database: harness.ChannelDatabase, Writes: []*pb.Write{write}})
		cancel()
		if err == nil {
			c.last.Store(began.UnixNano())
		}
		_ = clock.Sleep(ctx, clock.System(), 10*time.Millisecond) // or ctx is done
	}
}

// idleAt opens connections to an address until one goes to a node with a role, and returns that one, which is idle.
func idleAt(t *testing.T, address, role string) net.Conn {
	t.Helper()
	for {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		answer, err := healthOver(conn)
		if err != nil {
			t.Fatal(err)
		}
		if answer == "ok "+role+"\n" {
			return conn
		}
	}
}

// healthOver requests the health of the node at the end of a connection.
func healthOver(conn net.Conn) (string, error) {
	if _, err := fmt.Fprintf(conn, "GET /__/health HTTP/1.1\r\nHost: nodes\r\n\r\n"); err != nil {
		return "", err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	return string(answer), err
}

// TestHAProxyEndsConnectionsToAFrozenNode suspends the leader behind HAProxy. The kernel keeps its connections open, so
// clients whose connections go there succeed again only if the balancer ends these when it marks the node down. Those
// to the other nodes must stay: these nodes are well, although they can't reach the leader for a moment.
func TestHAProxyEndsConnectionsToAFrozenNode(t *testing.T) {
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Skip("HAProxy is not installed (.ci/haproxy installs it)")
	}
	nodes, _ := threeNodes(t, pgtest.New(t).Database())
	address := startHAProxy(t, nodes)
	clients := make([]*balancedClient, 6)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for i := range clients {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		clients[i] = &balancedClient{api: pb.NewFirestoreClient(official.Names{Conn: conn})}
		running.Go(func() { clients[i].run(ctx, i) })
	}
	// succeed waits until each client has a success that began after a time.
	succeed := func(what string, after time.Time) {
		t.Helper()
		for i, c := range clients {
			wait.Until(t, fmt.Sprintf("client %d succeeds %s", i, what), func() bool { return c.last.Load() > after.UnixNano() })
		}
	}
	succeed("before the stop", time.Time{})
	idle, healthy := idleAt(t, address, "leader"), idleAt(t, address, "follower")
	if err := nodes[0].cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := clock.System().Now()
	if err := idle.SetReadDeadline(began.Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := idle.Read(make([]byte, 1)); n != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("a connection to the frozen leader: %d bytes, %v; want that the balancer ends it", n, err)
	}
	succeed("while the leader is frozen", began)
	if answer, err := healthOver(healthy); err != nil || !strings.HasPrefix(answer, "ok ") {
		t.Errorf("over a connection to a node that is well: %q, %v", answer, err)
	}
	t.Logf("all clients succeeded again %v after the leader was frozen", clock.System().Now().Sub(began).Round(10*time.Millisecond))
	if err := nodes[0].cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	succeed("after the stop", clock.System().Now())
}
