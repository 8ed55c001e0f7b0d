package nodes

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// freshDocuments is the number of documents that fresh clients read.
const freshDocuments = 20

// TestFreshClientsDuringChanges opens one client of the web SDK after another at three nodes, while rules and indexes
// are deployed and the indexes that queries lack are built (web/fresh.mjs). The first stream of none may fail, because
// the SDK would answer from its empty cache. In the long form, with CLAVE_NODES, there are at least 200 clients and 20
// changes of each kind.
func TestFreshClientsDuringChanges(t *testing.T) {
	pg := pgtest.New(t)
	t.Run("over gRPC", func(t *testing.T) {
		harness.Frontend(t, "node_modules/firebase")
		testFreshClients(t, pg.Database(), "node")
	})
	t.Run("over WebChannel", func(t *testing.T) {
		harness.Browser(t)
		testFreshClients(t, pg.Database(), "browser")
	})
}

// testFreshClients runs the clients in Node or in a browser.
func testFreshClients(t *testing.T, store, where string) {
	changes, clients := 4, int64(30)
	if os.Getenv("CLAVE_NODES") != "" {
		changes, clients = 20, 200
	}
	nodes, _ := measuredNodes(t, store)
	for i := range freshDocuments {
		path := fmt.Sprintf("%s/fresh/%d", documents, i)
		if code, text := nodes[0].request(t, http.MethodPatch, path, `{"fields":{"a":{"integerValue":"1"},"b":{"integerValue":"2"}}}`); code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, code, text)
		}
	}
	opened, finish := openFresh(t, nodes, where)
	wait.Until(t, "the first clients", func() bool { return opened() >= 3 })
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}}`)
	for i := range changes {
		before := opened()
		harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), fmt.Sprintf(
			"rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{all=**} { allow read, write; } } } // %d", i))
		harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), fmt.Sprintf(
			`{"indexes": [{"collectionGroup": "fresh", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "d%d", "order": "ASCENDING"}]}],
			"fieldOverrides": [{"collectionGroup": "fresh", "fieldPath": "o%d", "indexes": []}]}`, i, i))
		deployFiles(t, dir, store, true, "Release ")
		// A follower's query lacks an index, which the leader builds.
		query := fmt.Sprintf(`{"structuredQuery":{"from":[{"collectionId":"fresh"}],"orderBy":[{"field":{"fieldPath":"b"}},{"field":{"fieldPath":"q%d"}}]}}`, i)
		if code, text := nodes[1+i%2].request(t, http.MethodPost, documents+":runQuery", query); code != http.StatusOK {
			t.Fatalf("query %d: %d %s", i, code, text)
		}
		wait.Until(t, "clients after a change", func() bool { return opened() >= before+6 })
	}
	wait.Until(t, "all clients", func() bool { return opened() >= clients })
	finish()
	t.Logf("%d clients during %d deployments and as many queries that lacked an index", opened(), changes)
}

// openFresh opens clients at the nodes in turn, until finish is called. It returns the number of clients so far.
func openFresh(t *testing.T, nodes []measured, where string) (opened func() int64, finish func()) {
	t.Helper()
	dir := harness.Frontend(t)
	ports := fmt.Sprintf("[%d,%d,%d]", nodes[0].port, nodes[1].port, nodes[2].port)
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", filepath.Join("web", "fresh.mjs"), dir, ports, harness.Project, strconv.Itoa(freshDocuments), where)
	cmd.Stderr = os.Stderr
	if where == "browser" {
		_, chromium := harness.Browser(t)
		cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(harness.StartPiped(t, cmd))
	var count atomic.Int64
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil {
				count.Store(n)
			}
		}
	}()
	return count.Load, func() {
		t.Helper()
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("web/fresh.mjs: %v", err)
		}
	}
}
