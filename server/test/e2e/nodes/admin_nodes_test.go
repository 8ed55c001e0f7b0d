package nodes

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// TestAdminAPIOfNodes deploys rules and indexes to three nodes by their administration APIs: with clave deploy at the
// leader and at a follower, and with the unmodified Firebase CLI at a follower. All nodes have the files when the
// commands return. Databases are not created there.
func TestAdminAPIOfNodes(t *testing.T) {
	modules := harness.FirebaseModules(t)
	store, ports := pgtest.New(t).Database(), harness.FreePorts(t, 6)
	var nodes []*servingNode
	origin := func(i int) string { return fmt.Sprintf("http://127.0.0.1:%d", ports[3+i]) }
	for i := range 3 { // the key's tokens come from the first
		n := newServingNodeWith(t, store, rulesFor("own"), "--admin-api", fmt.Sprintf("127.0.0.1:%d", ports[i]), "--port", fmt.Sprint(ports[3+i]), "--public-url", origin(0))
		n.URL = origin(i)
		n.await([]string{"Clave ready", "Follower: ", "Follower: "}[i])
		nodes = append(nodes, n)
	}
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}}`)
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLAVE_STORE", store)
	harness.CreateKeyFor(t, dir, "deployer", origin(0))
	run := func(prints string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
		defer cancel()
		cmd := harness.Command(t, dir, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "CI=1", "FIREBASE_CLI_DISABLE_UPDATE_CHECK=1"}
		defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), prints) {
			t.Errorf("clave %q: %v\n%s", args, err, out)
		}
	}
	write := func(collection string) {
		harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), rulesFor(collection))
		harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), `{"indexes": [{"collectionGroup": "`+collection+`", "queryScope": "COLLECTION", "fields": [
			{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`)
	}
	last := "own"
	for i, collection := range []string{"leader", "follower"} {
		write(collection)
		run("is in force", "deploy", "--admin-api", fmt.Sprintf("http://127.0.0.1:%d", ports[i]), "--key", "deployer.json")
		wantReadable(t, nodes, collection, last)
		wantQuery(t, nodes, collection, http.StatusOK)
		last = collection
	}
	write("cli")
	run("Deploy complete!", "firebase", "--admin-api", fmt.Sprintf("http://127.0.0.1:%d", ports[2]), "--key", "deployer.json", "--", "deploy", "--only", "firestore", "--force")
	wantReadable(t, nodes, "cli", last)
	wantQuery(t, nodes, "cli", http.StatusOK)

	token, err := harness.Command(t, dir, "credentials", "token", "deployer.json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range nodes {
		at := *n.Production
		at.URL = fmt.Sprintf("http://127.0.0.1:%d", ports[i])
		code, answer := at.Request(t, http.MethodPost, "/v1/projects/"+harness.RealProject+"/databases?databaseId=made-here", "Bearer "+strings.TrimSpace(string(token)), map[string]any{"locationId": "a", "type": "FIRESTORE_NATIVE"})
		if code != http.StatusNotImplemented || !strings.Contains(fmt.Sprint(answer), "Nodes that share a store") {
			t.Errorf("a database created at node %d: %d %v", i, code, answer)
		}
	}
}
