package nodes

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// TestSDKsDuringHandOvers stops one leader after the other by SIGTERM while clients of the SDKs for servers and for the
// web write, read and listen behind a balancer (web/handover.mjs). No error may reach a client whose SDK retries, and
// no listener may have a gap.
func TestSDKsDuringHandOvers(t *testing.T) {
	dir := harness.Frontend(t, "node_modules/@google-cloud/firestore")
	store := pgtest.New(t).Database()
	nodes, b := threeNodes(t, store)
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("web", "handover.mjs"), dir, b.Addr()[len("127.0.0.1:"):], harness.Project)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(harness.StartPiped(t, cmd))
	lines.Scan()
	t.Log(lines.Text())
	for range 3 {
		i := stopLeader(t, nodes)
		_ = leaderOf(t, nodes) // otherwise the node that starts may lead again
		nodes[i] = nodes[i].again(t, store)
		nodes[i].await("Follower: ")
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Log(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("web/handover.mjs: %v", err)
	}
}

// stopLeader stops the node that leads by SIGTERM, and returns its number.
func stopLeader(t *testing.T, nodes []*node) (leader int) {
	t.Helper()
	leader = leaderOf(t, nodes)
	began := clock.System().Now()
	if err := nodes[leader].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, nodes[leader].cmd); err != nil {
		t.Errorf("a leader that was stopped ended with %v", err)
	}
	t.Logf("the leader ended after %v", clock.System().Now().Sub(began))
	return leader
}

// leaderOf waits until a node leads and returns its number.
func leaderOf(t *testing.T, nodes []*node) (leader int) {
	t.Helper()
	wait.Until(t, "a node leads", func() bool {
		leader = slices.IndexFunc(nodes, func(n *node) bool {
			_, text := n.request(t, http.MethodGet, "/__/health", "")
			return text == "ok leader\n"
		})
		return leader >= 0
	})
	return leader
}
