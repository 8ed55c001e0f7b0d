package nodes

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// halves are the names of the two releases between which TestKilledDeploys alternates. Each has rules under which
// anyone may read its collection, and an index of its other collection.
var halves = [2]string{"even", "odd"}

// halfRules returns the rules of a release.
func halfRules(name string) string {
	return "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /" + name + "/{b} { allow read; } " +
		"match /evenquery/{b} { allow read, write; } match /oddquery/{b} { allow read, write; } } }"
}

// halfIndexes returns the indexes of a release.
func halfIndexes(name string) string {
	return `{"indexes": [{"collectionGroup": "` + name + `query", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`
}

// deployHalf begins to deploy a release.
func deployHalf(t *testing.T, store, name string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "half.rules"), halfRules(name))
	harness.WriteFile(t, filepath.Join(dir, "half.json"), halfIndexes(name))
	cmd := harness.Command(t, dir, "deploy", "half.rules", "half.json")
	cmd.Env = append(os.Environ(), "CLAVE_STORE="+store+"&connect_timeout=30")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// inForce returns the release whose rules a node has in force, and the releases whose indexes it has.
func (n *servingNode) inForce(t *testing.T) (rules, indexes string) {
	t.Helper()
	for _, name := range halves {
		documents := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents"
		if code, _ := n.Request(t, http.MethodGet, documents+"/"+name+"/x", "", nil); code == http.StatusNotFound {
			rules += name
		}
		if n.answersQuery(t, name) {
			indexes += name
		}
	}
	return rules, indexes
}

// answersQuery reports whether a node has the index of a release.
func (n *servingNode) answersQuery(t *testing.T, name string) bool {
	t.Helper()
	return n.query(t, name+"query", "") == http.StatusOK
}

// fillQueries writes the documents of which the indexes are built.
func (n *servingNode) fillQueries(t *testing.T) {
	t.Helper()
	for _, name := range halves {
		var writes []any
		for i := range 200 {
			number := map[string]any{"integerValue": fmt.Sprint(i)}
			writes = append(writes, map[string]any{"update": map[string]any{
				"name":   fmt.Sprintf("projects/%s/databases/(default)/documents/%squery/d%d", harness.RealProject, name, i),
				"fields": map[string]any{"a": number, "b": number},
			}})
		}
		path := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents:commit"
		if code, answer := n.Request(t, http.MethodPost, path, "", map[string]any{"writes": writes}); code != http.StatusOK {
			t.Fatalf("documents of %s: %d %v", name, code, answer)
		}
	}
}

// TestKilledDeploys kills `clave deploy`, the leader that carries it out, or both, at random times and when the indexes
// are built, which is before the release is written. Afterwards the rules and the indexes of one release are in force,
// and those of the new one if the command has succeeded.
func TestKilledDeploys(t *testing.T) {
	store := pgtest.New(t).Database()
	n := newServingNodeWith(t, store, halfRules(halves[1]))
	n.await("Clave ready")
	n.fillQueries(t)
	began := time.Now()
	if err := deployHalf(t, store, halves[1]).Wait(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	for round := range 9 {
		name := halves[round%2]
		deploy := deployHalf(t, store, name)
		if round < 3 {
			<-time.After(rand.N(whole))
		} else {
			wait.Until(t, "an index of the release is there", func() bool { return n.answersQuery(t, name) })
		}
		killsCommand, killsLeader := round%3 != 2, round%3 != 0
		if killsLeader {
			_ = n.Cmd.Process.Kill()
			_ = n.Cmd.Wait() // by the signal
		}
		if killsCommand {
			_ = deploy.Process.Kill()
		}
		if killsLeader {
			n.run(t, store)
			n.await("Clave ready")
		}
		err := deploy.Wait()
		var rules, indexes string
		wait.Until(t, "one release is in force", func() bool {
			rules, indexes = n.inForce(t)
			return rules == indexes && (rules == halves[0] || rules == halves[1])
		})
		if err == nil && rules != name {
			t.Errorf("round %d: %s is in force after the deployment of %s", round, rules, name)
		}
	}
}
