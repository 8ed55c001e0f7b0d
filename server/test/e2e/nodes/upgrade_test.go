package nodes

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"

	"clave/server/test/e2e/harness"
)

// upgradeVariable names the revision from which TestRollingUpgrade upgrades. The default is the previous commit.
const upgradeVariable = "CLAVE_UPGRADE_FROM"

// previousProgram builds the program of an earlier revision. Without git or the revision the test is skipped.
func previousProgram(t *testing.T) string {
	t.Helper()
	revision := cmp.Or(os.Getenv(upgradeVariable), "HEAD~1")
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("this is no checkout of git: ", err)
	}
	dir := t.TempDir()
	archive := exec.Command("git", "-C", strings.TrimSpace(string(root)), "archive", revision, "go.mod", "go.sum", "server")
	unpack := exec.Command("tar", "-x", "-C", dir)
	text, err := archive.Output()
	if err != nil {
		t.Skipf("git does not have %s: %v", revision, err)
	}
	unpack.Stdin = bytes.NewReader(text)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	program := filepath.Join(dir, "clave")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-X main.version=previous", "-o", program, "./server/cmd/clave")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build of %s: %v\n%s", revision, err, out)
	}
	return program
}

// startWith starts a node with a program other than the one under test.
func (n *node) startWith(t *testing.T, url, program string) {
	t.Helper()
	n.cmd = harness.Command(t, n.folder, "start", "--project", harness.Project, "--data", n.dir)
	n.cmd.Path, n.cmd.Args[0] = program, program
	n.cmd.Env = append(os.Environ(), "CLAVE_STORE="+url)
	n.cmd.Stderr = os.Stderr
	n.await = harness.AwaitLine(t, n.cmd)
	t.Cleanup(func() {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
	})
}

// threeOld starts nodes of a program, of which the first leads.
func threeOld(t *testing.T, url, program string) (nodes []*node, targets []string) {
	t.Helper()
	for i, first := range []string{"Clave ready", "Follower: ", "Follower: "} {
		folder, port := harness.ProjectFolder(t, nil)
		nodes = append(nodes, &node{folder: folder, dir: filepath.Join(folder, ".clave"), port: port})
		nodes[i].startWith(t, url, program)
		nodes[i].await(first)
		targets = append(targets, nodes[i].addr())
	}
	return nodes, targets
}

// stopped stops a node as a service manager does.
func (n *node) stopped(t *testing.T) {
	t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, n.cmd); err != nil {
		t.Errorf("a node that was stopped ended with %v", err)
	}
}

// TestRollingUpgrade replaces the program of the previous commit at three nodes under load, as doc/cluster.md describes
// it: the followers one by one, and then the leader. Clients receive only errors that their SDK retries, and no
// acknowledged write is lost.
func TestRollingUpgrade(t *testing.T) {
	url := pgtest.New(t).Database()
	nodes, targets := threeOld(t, url, previousProgram(t))
	b := link.NewBalancer(t, 0, targets...)
	l := newLoad(t, b.Addr(), 4)
	l.more(t, 20)
	var listening sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	it := harness.ClientAt(t, b.Addr()).Collection("counters").Snapshots(ctx)
	listening.Go(func() { countUp(t, it, l) })
	for _, i := range []int{1, 2, 0} { // the leader last
		nodes[i].stopped(t)
		l.more(t, 20)
		nodes[i] = nodes[i].again(t, url)
		nodes[i].await("Follower: ")
		l.more(t, 20)
		channelAcross(t, nodes, targets[i], targets)
	}
	for i, n := range nodes {
		if code, text := n.request(t, http.MethodGet, "/__/health", ""); code != http.StatusOK {
			t.Errorf("health of node %d after the upgrade: %d %s", i, code, text)
		}
	}
	l.check(t, b.Addr())
	if _, err := harness.ClientAt(t, b.Addr()).Doc("counters/last").Set(ctx, map[string]any{"n": 0}); err != nil {
		t.Error(err)
		cancel()
	}
	listening.Wait()
}

// channelAcross begins a session of WebChannel at one node and sends its other requests to all nodes in turns, while a
// document is written. The session must not end.
func channelAcross(t *testing.T, nodes []*node, at string, targets []string) {
	t.Helper()
	end := harness.WebChannel(spread(at, targets...), "Listen", true)(t, at, "Bearer owner")
	addDocument(end, "across/one")
	for i := range int64(6) {
		set(t, nodes[i%3], "across/one", i)
		awaitNumber(t, end, i)
	}
}

// countUp listens to the sum of the load's counters, which must never fall, until the document "last" exists. The sum
// must then include all acknowledged increments.
func countUp(t *testing.T, it *firestore.QuerySnapshotIterator, l *load) {
	defer it.Stop()
	for last, ended := int64(0), false; !ended; {
		snapshot, err := it.Next()
		if err != nil {
			t.Errorf("the listener: %v", err)
			return
		}
		docs, err := snapshot.Documents.GetAll()
		sum := int64(0)
		for _, doc := range docs {
			sum += doc.Data()["n"].(int64)
			ended = ended || doc.Ref.ID == "last"
		}
		if err != nil || sum < last || ended && sum < l.count.Load() {
			t.Errorf("the listener: counters of %d after %d (%v), acknowledged were %d", sum, last, err, l.count.Load())
			return
		}
		last = sum
	}
}
