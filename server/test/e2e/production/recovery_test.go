package production

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// TestVersionsAndClones lists and restores versions of a document and clones the database, by commands beside a running
// server. Clients can't read the clone, and it is there after a restart.
func TestVersionsAndClones(t *testing.T) {
	harness.Alone(t, "commands use a data folder")
	dir := harness.ProductionFolder(t)
	key := harness.CreateKey(t, dir, "backend")
	p := harness.Serve(t, dir, true, "--history", "7d")
	_, documents := p.Admin(t, key)
	for i := range 2 {
		if _, err := documents.Doc("open/kept").Set(t.Context(), map[string]any{"n": i}); err != nil {
			t.Fatal(err)
		}
	}
	written, err := documents.Doc("open/kept").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := documents.Doc("open/kept").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := written.UpdateTime.Format(time.RFC3339Nano)
	data := filepath.Join(dir, ".clave")
	run := func(want string, words ...string) {
		t.Helper()
		out, err := harness.Command(t, dir, append(words, "--data", data)...).CombinedOutput()
		if !strings.Contains(string(out), want) || (err != nil) != strings.Contains(want, "exists") {
			t.Errorf("clave %s: %v\n%s, want %q", strings.Join(words, " "), err, out, want)
		}
	}
	run("Versions are kept for 168h0m0s", "history")
	run("3 changes of open/kept", "history", "open/kept")
	run(`+ "n": {"integerValue":"1"}`, "history", "open/kept")
	run("The database before has the 1 documents of (default).", "clone", "--at", at, "--to", "before")
	run("The database restored-", "restore", "--at", at)
	run("The database before exists. Name a new one.", "clone", "--to", "before")
	run("open/kept is as it was at that time.", "history", "open/kept", "--restore", at)
	if d, err := documents.Doc("open/kept").Get(t.Context()); err != nil || d.Data()["n"] != int64(1) {
		t.Errorf("the restored document: %v", err)
	}
	const path = "/v1/projects/" + harness.RealProject + "/databases/before/documents/open/kept"
	if code, answer := p.Request(t, http.MethodGet, path, "", nil); code != http.StatusForbidden {
		t.Errorf("a client reads the clone: %d %v", code, answer)
	}
	p.Stop(t)
	p = harness.Serve(t, dir, true, "--history", "7d")
	run("4 changes of open/kept", "history", "open/kept")
	run("has the 1 documents of before.", "clone", "--database", "before", "--to", "again")
	if code, answer := p.Request(t, http.MethodGet, path, "", nil); code != http.StatusForbidden {
		t.Errorf("a client reads the clone after a restart: %d %v", code, answer)
	}
	if _, err := os.Stat(filepath.Join(data, "history.sock")); err != nil {
		t.Error(err)
	}
}
