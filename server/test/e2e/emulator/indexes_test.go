package emulator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// cheapTalks is a query that needs a composite index.
const cheapTalks = `{"structuredQuery": {"from": [{"collectionId": "events"}], "orderBy": [{"field": {"fieldPath": "price"}}],
	"where": {"fieldFilter": {"field": {"fieldPath": "kind"}, "op": "EQUAL", "value": {"stringValue": "talk"}}}}, "explainOptions": {"analyze": true}}`

// TestStartBuildsTheIndexesThatQueriesMiss runs the program with default flags. It answers a query without an index,
// adds the index to the project's file, builds and uses it, and keeps it across a restart.
func TestStartBuildsTheIndexesThatQueriesMiss(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	harness.AddSection(t, dir, `"firestore": {"indexes": "firestore.indexes.json"}`)
	harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), `{"indexes": []}`)
	cmd, _ := harness.StartProgram(t, dir, "--only", "firestore", "--project", "demo-e2e")
	for i := range 30 {
		body := fmt.Sprintf(`{"fields": {"kind": {"stringValue": "%s"}, "price": {"integerValue": "%d"}}}`, []string{"talk", "class", "party"}[i%3], i)
		if code, answer := harness.RestIn(t, port, "demo-e2e", "PATCH", fmt.Sprintf("/events/e%02d", i), body); code != 200 {
			t.Fatalf("write: %d %s", code, answer)
		}
	}
	limit := time.After(time.Minute)
	for tries := 1; ; tries++ {
		code, answer := harness.RestIn(t, port, "demo-e2e", "POST", ":runQuery", cheapTalks)
		if code != 200 || strings.Count(answer, `"createTime"`) != 10 {
			t.Fatalf("try %d: %d %s", tries, code, answer)
		}
		if strings.Contains(answer, "(kind ASC, price ASC, __name__ ASC)") {
			break
		}
		select {
		case <-limit:
			t.Fatalf("the index is not used after %d tries: %s", tries, answer)
		default:
		}
	}
	noted, err := os.ReadFile(filepath.Join(dir, "firestore.indexes.json"))
	if err != nil || !strings.Contains(string(noted), `"fieldPath": "price"`) {
		t.Errorf("firestore.indexes.json: %s, %v", noted, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	harness.StartProgram(t, dir, "--only", "firestore", "--project", "demo-e2e", "--indexes", "enforce")
	if code, answer := harness.RestIn(t, port, "demo-e2e", "POST", ":runQuery", cheapTalks); code != 200 || strings.Count(answer, `"createTime"`) != 10 {
		t.Errorf("after a restart under enforce: %d %s", code, answer)
	}
}
