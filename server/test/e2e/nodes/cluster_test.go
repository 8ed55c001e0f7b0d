package nodes

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// node is a `clave start` process that shares its data with other nodes.
type node struct {
	cmd *exec.Cmd
	// folder contains firebase.json, and dir the data.
	folder, dir string
	port        int
	flags       []string
	// await waits for a line of its output.
	await func(prefix string)
}

// newNode starts `clave start` on a database, in a new folder or a given one. It does not wait until the node leads.
func newNode(t *testing.T, url, dir string, flags ...string) *node {
	t.Helper()
	folder, port := harness.ProjectFolder(t, nil)
	if dir == "" {
		dir = filepath.Join(folder, ".clave")
	}
	return (&node{folder: folder, dir: dir, port: port, flags: flags}).again(t, url)
}

// again starts a node that has ended, on the same ports.
func (n *node) again(t *testing.T, url string) *node {
	t.Helper()
	n = &node{cmd: harness.Command(t, n.folder, append([]string{"start", "--project", harness.Project, "--data", n.dir}, n.flags...)...), folder: n.folder, dir: n.dir, port: n.port, flags: n.flags}
	n.cmd.Env = append(os.Environ(), "CLAVE_STORE="+url)
	n.cmd.Stderr = os.Stderr
	n.await = harness.AwaitLine(t, n.cmd)
	t.Cleanup(func() {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
	})
	return n
}

// kill kills a node.
func (n *node) kill(t *testing.T) {
	t.Helper()
	if err := n.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = n.cmd.Wait() // ended by the signal
}

// request sends a request to a node and returns the status, or 0 if no answer comes in time.
func (n *node) request(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	return n.requestAs(t, "owner", method, path, body)
}

// requestAs is request with another token than that of an administrator, or with none.
func (n *node) requestAs(t *testing.T, token, method, path, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", n.port, path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	var text bytes.Buffer
	_, _ = text.ReadFrom(res.Body) // a part is enough
	return res.StatusCode, text.String()
}

// documents is the path of the documents of the nodes' project.
const documents = "/v1/projects/demo-e2e/databases/(default)/documents"

// put creates a document and returns the answer.
func (n *node) put(t *testing.T, id string) (int, string) {
	t.Helper()
	return n.request(t, http.MethodPost, documents+"/kept?documentId="+id, `{"fields":{"n":{"integerValue":"1"}}}`)
}

// wantPut creates a document and fails the test unless the server acknowledges it.
func (n *node) wantPut(t *testing.T, id string) {
	t.Helper()
	if code, text := n.put(t, id); code != http.StatusOK {
		t.Fatalf("create %s: %d %s", id, code, text)
	}
}

// wantAll reads documents by name and counts them by a query, which needs their index entries.
func (n *node) wantAll(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if code, text := n.request(t, http.MethodGet, documents+"/kept/"+id, ""); code != http.StatusOK {
			t.Errorf("%s, which was acknowledged: %d %s", id, code, text)
		}
	}
	code, text := n.request(t, http.MethodPost, documents+":runAggregationQuery", `{"structuredAggregationQuery":{"aggregations":[{"alias":"n","count":{}}],
		"structuredQuery":{"from":[{"collectionId":"kept"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":"EQUAL","value":{"integerValue":"1"}}}}}}`)
	if want := fmt.Sprintf(`"integerValue":"%d"`, len(ids)); code != http.StatusOK || !strings.Contains(strings.ReplaceAll(text, " ", ""), want) {
		t.Errorf("count: %d %s, want %s", code, text, want)
	}
}

// TestNodes runs the tests of several nodes on one PostgreSQL.
func TestNodes(t *testing.T) {
	pg := pgtest.New(t)
	t.Run("a killed node loses nothing", func(t *testing.T) { testKilledNode(t, pg.Database()) })
	t.Run("a follower takes over", func(t *testing.T) { testTakeOver(t, pg.Database()) })
	t.Run("every node accepts all calls", func(t *testing.T) { testAnyNode(t, pg.Database()) })
	t.Run("transactions continue at other nodes", func(t *testing.T) { testTransactionsAcrossNodes(t, pg.Database()) })
	t.Run("followers read", func(t *testing.T) { testFollowersRead(t, pg.Database()) })
	t.Run("listeners at followers outlive leaders", func(t *testing.T) { testListenersContinueAcrossLeaders(t, pg.Database()) })
	t.Run("a follower that is cut off is unavailable", func(t *testing.T) { testCutOffFollower(t, pg.Database()) })
	t.Run("a follower that was stopped reads nothing old", func(t *testing.T) { testWakingFollower(t, pg.Database()) })
	t.Run("a follower with slow readers takes over", func(t *testing.T) { testSlowReadersOfFollower(t, pg.Database()) })
	t.Run("a node that builds its replica is not ready", func(t *testing.T) { testBuildingNode(t, pg.Database()) })
	t.Run("a follower sends nothing that rules forbid", func(t *testing.T) { testLeavingAtFollower(t, pg.Database()) })
	t.Run("a leader hands over", func(t *testing.T) { testHandOver(t, pg.Database()) })
	t.Run("a stopped leader is fenced", func(t *testing.T) { testStoppedLeader(t, pg.Database()) })
	t.Run("a leader outlives an outage of PostgreSQL", func(t *testing.T) { testOutage(t, pg) })
	t.Run("mistakes are named without secrets", func(t *testing.T) { testWrongPassword(t, pg) })
}

// testKilledNode kills a node under load, then starts it on its folder and on an empty one.
func testKilledNode(t *testing.T, url string) {
	first := newNode(t, url, "")
	first.await("Clave ready")
	var mu sync.Mutex
	var ids []string
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				id := fmt.Sprintf("d%d-%d", w, i)
				if code, _ := first.put(t, id); code != http.StatusOK {
					return
				}
				mu.Lock()
				ids = append(ids, id)
				n := len(ids)
				mu.Unlock()
				if n == 200 {
					_ = first.cmd.Process.Kill()
				}
			}
		})
	}
	wg.Wait()
	_ = first.cmd.Wait() // ended by the signal
	for _, dir := range []string{first.dir, ""} {
		again := newNode(t, url, dir)
		again.await("Clave ready")
		for _, id := range ids {
			if code, text := again.request(t, http.MethodGet, documents+"/kept/"+id, ""); code != http.StatusOK {
				t.Fatalf("%s, which was acknowledged: %d %s", id, code, text)
			}
		}
		again.kill(t)
	}
}

// testTakeOver sends all requests to a follower, which takes over from a leader that is killed and from one that stops.
func testTakeOver(t *testing.T, url string) {
	first := newNode(t, url, "")
	first.await("Clave ready")
	first.wantPut(t, "one")
	second := newNode(t, url, "")
	second.await("Follower: ")
	for n, want := range map[*node]string{first: "ok leader\n", second: "ok follower\n"} {
		if code, text := n.request(t, http.MethodGet, "/__/health", ""); code != http.StatusOK || text != want {
			t.Errorf("health: %d %q, want 200 %q", code, text, want)
		}
	}
	second.wantPut(t, "forwarded")
	first.wantAll(t, "one", "forwarded")
	wantStatus(t, url, "leader", "follower", "Epoch      1")
	began := clock.System().Now()
	first.kill(t)
	second.await("Clave ready")
	second.wantPut(t, "two")
	t.Logf("fail-over after a kill took %v", clock.System().Now().Sub(began))
	second.wantAll(t, "one", "forwarded", "two")
	third := newNode(t, url, first.dir)
	third.await("Follower: ")
	began = clock.System().Now()
	if err := second.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	third.await("Clave ready")
	t.Logf("hand-over at SIGTERM took %v", clock.System().Now().Sub(began))
	if err := harness.WaitForExit(t, second.cmd); err != nil {
		t.Errorf("a leader that was stopped ended with %v", err)
	}
	third.wantPut(t, "three")
	third.wantAll(t, "one", "forwarded", "two", "three")
	last := newNode(t, url, "")
	last.await("Follower: ")
	if err := last.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, last.cmd); err != nil {
		t.Errorf("a follower that was stopped ended with %v", err)
	}
}

// wantStatus checks the output of `clave cluster status`.
func wantStatus(t *testing.T, url string, want ...string) {
	t.Helper()
	out, err := harness.Command(t, t.TempDir(), "cluster", "status", "--store", url).CombinedOutput()
	for _, part := range want {
		if err != nil || !strings.Contains(string(out), part) {
			t.Errorf("clave cluster status: %v, want %q in\n%s", err, part, out)
		}
	}
}

// testStoppedLeader suspends the leader for longer than its lease. When the leader resumes, it neither writes nor
// reads, and becomes a follower.
func testStoppedLeader(t *testing.T, url string) {
	first := newNode(t, url, "")
	first.await("Clave ready")
	first.wantPut(t, "one")
	second := newNode(t, url, "")
	second.await("Follower: ")
	if err := first.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second.await("Clave ready")
	second.wantPut(t, "two")
	answers := make(chan string, 20)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { // requests that wait in the suspended process's port
			if i%2 == 0 {
				code, text := first.put(t, fmt.Sprintf("stale-%d", i))
				answers <- fmt.Sprintf("write %d %s", code, text)
				return
			}
			code, text := first.request(t, http.MethodGet, documents+"/kept/two", "")
			answers <- fmt.Sprintf("read %d %s", code, text)
		})
	}
	if err := first.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	close(answers)
	for answer := range answers {
		if strings.HasPrefix(answer, "write 200") || strings.HasPrefix(answer, "read 404") {
			t.Errorf("a leader that was stopped answers %s", answer)
		}
	}
	first.await("Follower: ")
	second.wantAll(t, "one", "two")
	second.kill(t)
	first.await("Clave ready")
	first.wantAll(t, "one", "two")
}

// testOutage stops PostgreSQL for so long that a leader with a write in progress stops leading, and starts it again
// once the node has failed to begin as a follower. The program must not end.
func testOutage(t *testing.T, pg *pgtest.Server) {
	n := newNode(t, pg.Database(), "")
	n.await("Clave ready")
	n.wantPut(t, "one")
	pg.Stop(syscall.SIGINT)
	started := false
	t.Cleanup(func() {
		if !started {
			pg.Start() // for the tests that follow
		}
	})
	var writing sync.WaitGroup
	writing.Go(func() { n.put(t, "during") })
	n.await("This node no longer leads")
	n.await("This node can't follow")
	started = true
	pg.Start()
	n.await("Clave ready")
	writing.Wait()
	n.wantPut(t, "two")
	if code, text := n.request(t, http.MethodGet, documents+"/kept/one", ""); code != http.StatusOK {
		t.Errorf("a document from before the outage: %d %s", code, text)
	}
}

// testWrongPassword starts a node with a wrong password of the database.
func testWrongPassword(t *testing.T, pg *pgtest.Server) {
	dir, _ := harness.ProjectFolder(t, nil)
	cmd := harness.Command(t, dir, "start", "--store", strings.Replace(pg.Database(), pg.Password(), "hunter2", 1))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "refuses the user or the password") || strings.Contains(string(out), "hunter2") {
		t.Errorf("clave start with a wrong password: %v %s", err, out)
	}
}
