package nodes

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// rulesFor returns rules under which anyone may read and list one collection.
func rulesFor(collection string) string {
	return "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /" + collection + "/{b} { allow read; } } }"
}

// servingNode is a node of `clave serve` with its own rules and indexes.
type servingNode struct {
	*harness.Production
	await func(prefix string)
	flags []string
}

// newServingNode starts a node. Under its rules anyone may read one collection.
func newServingNode(t *testing.T, store, collection string) *servingNode {
	t.Helper()
	return newServingNodeWith(t, store, rulesFor(collection))
}

// newServingNodeWith starts a node with rules.
func newServingNodeWith(t *testing.T, store, rules string, flags ...string) *servingNode {
	t.Helper()
	n := prepareServingNode(t, rules, flags...)
	n.run(t, store)
	return n
}

// prepareServingNode writes the files of a node, which is not started.
func prepareServingNode(t *testing.T, rules string, flags ...string) *servingNode {
	t.Helper()
	dir, port := t.TempDir(), harness.FreePorts(t, 1)[0]
	n := &servingNode{Production: &harness.Production{Dir: dir, URL: fmt.Sprintf("http://127.0.0.1:%d", port), Client: http.DefaultClient}}
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}}`)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), rules)
	harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), `{}`)
	n.flags = append([]string{"--project", harness.RealProject, "--port", fmt.Sprint(port), "--public-url", "http://nodes.example"}, flags...)
	return n
}

// run starts or restarts the node.
func (n *servingNode) run(t *testing.T, store string) {
	t.Helper()
	n.Cmd = harness.ServeCommand(t, n.Dir, []string{"CLAVE_STORE=" + store}, n.flags...)
	n.Cmd.Stderr = os.Stderr
	n.await = harness.AwaitLine(t, n.Cmd)
	cmd := n.Cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// hangup sends SIGHUP and waits for the log line that reports the release of the node's files.
func (n *servingNode) hangup(t *testing.T, prefix string) {
	t.Helper()
	if err := n.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	n.await(prefix)
}

// wantReadable checks that anyone may read documents of one collection at the nodes, and of no other.
func wantReadable(t *testing.T, nodes []*servingNode, collection, other string) {
	t.Helper()
	for i, n := range nodes {
		for path, want := range map[string]int{collection: http.StatusNotFound, other: http.StatusForbidden} {
			code, answer := n.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/"+path+"/x", "", nil)
			if code != want {
				t.Errorf("a read of %s at node %d: %d %v, want %d", path, i, code, answer, want)
			}
		}
	}
}

// wantQuery checks the nodes' answers to a query that needs a composite index.
func wantQuery(t *testing.T, nodes []*servingNode, collection string, want int) {
	t.Helper()
	for i, n := range nodes {
		if code := n.query(t, collection, ""); code != want {
			t.Errorf("a query at node %d is answered with %d, want %d", i, code, want)
		}
	}
}

// query returns the status of a node's answer to a query that needs a composite index.
func (n *servingNode) query(t *testing.T, collection, authorization string) int {
	t.Helper()
	code, _ := n.Request(t, http.MethodPost, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents:runQuery", authorization, map[string]any{"structuredQuery": map[string]any{
		"from":    []any{map[string]any{"collectionId": collection}},
		"where":   map[string]any{"fieldFilter": map[string]any{"field": map[string]any{"fieldPath": "a"}, "op": "EQUAL", "value": map[string]any{"integerValue": "1"}}},
		"orderBy": []any{map[string]any{"field": map[string]any{"fieldPath": "b"}}},
	}})
	return code
}

// deployFiles runs `clave deploy` and checks its exit status and output. PostgreSQL, which other tests load, may take
// long to accept the command's connection.
func deployFiles(t *testing.T, dir, store string, succeeds bool, prints string, files ...string) {
	t.Helper()
	cmd := harness.Command(t, dir, append([]string{"deploy"}, files...)...)
	cmd.Env = append(os.Environ(), "CLAVE_STORE="+store+"&connect_timeout=30")
	out, err := cmd.CombinedOutput()
	if (err == nil) != succeeds || !strings.Contains(string(out), prints) {
		t.Fatalf("clave deploy %v: %v, %q; want success %t and %q", files, err, out, succeeds, prints)
	}
}

// TestDeploy releases rules and indexes to three nodes whose own files differ: by the command, by SIGHUP at a follower,
// across a kill of the leader, and while no node runs.
func TestDeploy(t *testing.T) {
	store := pgtest.New(t).Database()
	var nodes []*servingNode
	for i := range 3 {
		n := newServingNode(t, store, fmt.Sprintf("own%d", i))
		if i == 0 {
			n.await("Clave ready")
		} else {
			n.await("Follower: ")
		}
		nodes = append(nodes, n)
	}
	wantReadable(t, nodes, "own0", "own1")

	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "broken.rules"), "rules_version = '2';\nservice cloud.firestore {")
	deployFiles(t, dir, store, false, "broken.rules:2:", "broken.rules")
	harness.WriteFile(t, filepath.Join(dir, "broken.json"), `{"indexes": [{"collectionGroup": 7}]}`)
	deployFiles(t, dir, store, false, "broken.json", "broken.json")
	wantReadable(t, nodes, "own0", "own1")

	harness.WriteFile(t, filepath.Join(dir, "late.rules"), rulesFor("late"))
	deployFiles(t, dir, store, true, "Release 2 (", "late.rules")
	wantReadable(t, nodes, "late", "own0")
	deployFiles(t, dir, store, true, "Nothing to do: release 2 (", "late.rules")
	wantStatus(t, store, "Release    2 (", "(default) late.rules")

	wantQuery(t, nodes, "late", http.StatusBadRequest)
	harness.WriteFile(t, filepath.Join(dir, "late.json"), `{"indexes": [{"collectionGroup": "late", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`)
	deployFiles(t, dir, store, true, "Release 3 (", "late.json")
	wantQuery(t, nodes, "late", http.StatusOK)

	if err := nodes[0].Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = nodes[0].Cmd.Wait() // by the signal
	left := nodes[1:]
	wantReadable(t, left, "late", "own1")
	wantReadable(t, left, "late", "own2")
	wantQuery(t, left, "late", http.StatusOK)

	follower := left[0]
	if _, text := harness.Plain(t, http.MethodGet, follower.URL+"/__/health", ""); text != "ok follower\n" {
		follower = left[1]
	}
	harness.WriteFile(t, filepath.Join(follower.Dir, "firestore.rules"), "rules_version = '2'; service cloud.firestore {")
	follower.hangup(t, "Rules and indexes not changed:")
	wantReadable(t, left, "late", "hung")
	harness.WriteFile(t, filepath.Join(follower.Dir, "firestore.rules"), rulesFor("hung"))
	follower.hangup(t, "Released 4 (")
	nodes[0].run(t, store)
	nodes[0].await("Follower: ")
	wantReadable(t, nodes, "hung", "late")

	for _, n := range nodes {
		_ = n.Cmd.Process.Kill()
		_ = n.Cmd.Wait() // by the signal
	}
	deployFiles(t, dir, store, true, "No node leads", "late.rules")
	nodes[1].run(t, store)
	nodes[1].await("Clave ready")
	wantReadable(t, nodes[1:2], "late", "hung")
}

// TestReleaseOfADatabaseThatIsNotNamed releases rules of a database while no node runs, and starts a node whose
// firebase.json does not name that database.
func TestReleaseOfADatabaseThatIsNotNamed(t *testing.T) {
	store := pgtest.New(t).Database()
	n := newServingNode(t, store, "own")
	n.await("Clave ready")
	_ = n.Cmd.Process.Kill()
	_ = n.Cmd.Wait() // by the signal
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "ghost.rules"), rulesFor("ghost"))
	harness.WriteFile(t, filepath.Join(dir, "ghost.json"), `{"indexes": [{"collectionGroup": "a", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`)
	deployFiles(t, dir, store, true, "No node leads", "--database", "ghost", "ghost.rules", "ghost.json")
	n.run(t, store)
	n.await("Release 2 has indexes of the database ghost, which this node does not serve")
	n.await("Clave ready")
	wantReadable(t, []*servingNode{n}, "own", "ghost")
	n.hangup(t, "Release 2 (")
}

// TestHangupBeforeAServerIsReady sends SIGHUP to a node that waits for PostgreSQL. The signal must not end it.
func TestHangupBeforeAServerIsReady(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	dir := harness.ProductionFolder(t)
	cmd := harness.ServeCommand(t, dir, []string{"CLAVE_STORE=postgres://nobody@" + silent.Addr().String() + "/none?sslmode=disable"},
		"--project", harness.RealProject, "--port", fmt.Sprint(harness.FreePorts(t, 1)[0]), "--public-url", "http://nodes.example")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // fails if it has ended
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	if ended := cmd.ProcessState.Sys().(syscall.WaitStatus); ended.Signaled() {
		t.Errorf("the server ended by the signal %v (%v), want its own end", ended.Signal(), err)
	}
}

// TestDeployWithoutNodes checks the error of `clave deploy` if the data are in a folder.
func TestDeployWithoutNodes(t *testing.T) {
	dir := harness.ProductionFolder(t)
	cmd := harness.Command(t, dir, "deploy")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "SIGHUP") {
		t.Errorf("clave deploy without a store: %v %q, want a word about SIGHUP", err, out)
	}
}

// TestNodesOfDifferentProjects starts a node for another project than the one of the node that leads. It must not join.
func TestNodesOfDifferentProjects(t *testing.T) {
	store := pgtest.New(t).Database()
	leader := newServingNode(t, store, "own")
	leader.await("Clave ready")
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}}`)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), rulesFor("own"))
	other := harness.ServeCommand(t, dir, []string{"CLAVE_STORE=" + store}, "--project", "another-project", "--port", fmt.Sprint(harness.FreePorts(t, 1)[0]), "--public-url", "http://nodes.example")
	defer harness.Limited(other)()
	out, err := other.CombinedOutput()
	if want := "--project another-project: the node "; err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "serves the project "+harness.RealProject) {
		t.Errorf("a node of another project: %v\n%s\nwant %q", err, out, want)
	}
	wantReadable(t, []*servingNode{leader}, "own", "none")
}
