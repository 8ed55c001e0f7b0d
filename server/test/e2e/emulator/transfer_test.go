package emulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/test/e2e/harness"
)

// suiteFolder is an export that the Emulator Suite wrote.
const suiteFolder = "../../internal/suite/transfer/testdata/suite"

// suiteAt returns the folder's absolute path.
func suiteAt(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(suiteFolder)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestImportAndExportOnExit starts with an export of the Emulator Suite, writes data, stops, and starts again with its
// own export.
func TestImportAndExportOnExit(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	out := filepath.Join(t.TempDir(), "seed")
	for i, args := range [][]string{{"--import", suiteAt(t), "--export-on-exit", out}, {"--import", out, "--export-on-exit"}} {
		cmd, _ := harness.StartProgram(t, dir, append(args, "--project", "demo-x")...)
		if code, answer := harness.RestIn(t, port, "demo-x", http.MethodGet, "/all/types?mask.fieldPaths=s", ""); code != 200 || !strings.Contains(answer, "hé") {
			t.Errorf("start %d: %d %s", i, code, answer)
		}
		want := map[int]int{0: 404, 1: 200}[i]
		if code, answer := harness.RestIn(t, port, "demo-x", http.MethodGet, "/kept/a", ""); code != want {
			t.Errorf("start %d: the document made in the first is %d %s, want %d", i, code, answer, want)
		}
		if code, answer := harness.RestIn(t, port, "demo-x", http.MethodPost, fmt.Sprintf("/kept?documentId=%c", 'a'+i), `{"fields":{}}`); code != 200 {
			t.Fatalf("create: %d %s", code, answer)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := harness.WaitForExit(t, cmd); err != nil {
			t.Fatalf("start %d ended: %v", i, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".clave")); err == nil {
		t.Error("a server that begins with an export also stored its data in a folder")
	}
}

// TestExportOnHangup closes the terminal of a server that started in an empty folder.
func TestExportOnHangup(t *testing.T) {
	// A program inherits an ignored signal, as under nohup, unless its parent handles the signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	dir, port := harness.ProjectFolder(t, nil)
	out := t.TempDir()
	harness.WriteFile(t, filepath.Join(out, ".gitkeep"), "")
	var output strings.Builder
	cmd := harness.Command(t, dir, "start", "--import", out, "--export-on-exit", "--project", "demo-x")
	cmd.Stderr = &output
	harness.AwaitReady(t, cmd)
	for _, project := range []string{"demo-x", "demo-y", "demo-z"} {
		if code, answer := harness.RestIn(t, port, project, http.MethodPost, "/kept?documentId=a", `{"fields":{}}`); code != 200 {
			t.Fatalf("create: %d %s", code, answer)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, cmd); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "firestore_export", "firestore_export.overall_export_metadata")); err != nil {
		t.Error(err)
	}
	if !strings.Contains(output.String(), "client=demo-y server=demo-x") || strings.Contains(output.String(), "demo-z") {
		t.Errorf("of clients with other projects it wrote %q, want a word about the first", output.String())
	}
}

// TestExportOnExitChecksItsFolderAtTheStart starts a server with a folder whose files an export would overwrite.
func TestExportOnExitChecksItsFolderAtTheStart(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, nil)
	out, err := harness.Command(t, dir, "exec", "--export-on-exit", ".", "--", "true").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--export-on-exit: . is neither empty nor an earlier export") {
		t.Errorf("export to the project's folder: %v %s", err, out)
	}
}

// TestLeavingFirebase imports Firebase's exports into the data folder of a production server, exports from it while it
// runs, and imports that export.
func TestLeavingFirebase(t *testing.T) {
	harness.Alone(t, "imports and exports on PostgreSQL need that no node runs")
	dir := harness.ProductionFolder(t)
	if out, err := harness.Command(t, dir, "import", suiteAt(t), "--project", harness.RealProject).CombinedOutput(); err != nil || !strings.Contains(string(out), "4 documents, 3 accounts") {
		t.Fatalf("import: %v %s", err, out)
	}
	p := harness.Serve(t, dir, true)
	signIn := func(want int) {
		t.Helper()
		if code, answer := p.Request(t, http.MethodPost, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", "",
			map[string]any{"email": "ana@example.org", "password": "secret1", "returnSecureToken": true}); code != want {
			t.Errorf("sign-in: %d %v, want %d", code, answer, want)
		}
	}
	signIn(200)
	if out, err := harness.Command(t, dir, "import", suiteAt(t), "--project", harness.RealProject).CombinedOutput(); err == nil || !strings.Contains(string(out), "another clave uses this data folder") {
		t.Errorf("import beside a running server: %v %s", err, out)
	}
	left := filepath.Join(t.TempDir(), "left")
	if out, err := harness.Command(t, dir, "export", left, "--project", harness.RealProject).CombinedOutput(); err != nil || !strings.Contains(string(out), "4 documents, 3 accounts") {
		t.Fatalf("export beside a running server: %v %s", err, out)
	}
	if entries, err := os.ReadDir(filepath.Dir(left)); err != nil || len(entries) != 1 {
		t.Errorf("beside the export lie %v, %v", entries, err)
	}
	p.Stop(t)
	if err := os.RemoveAll(filepath.Join(dir, ".clave")); err != nil {
		t.Fatal(err)
	}
	if out, err := harness.Command(t, dir, "import", left, "--project", harness.RealProject).CombinedOutput(); err != nil {
		t.Fatalf("import of the export: %v %s", err, out)
	}
	p = harness.Serve(t, dir, true)
	signIn(200)
	p.Stop(t)
}

// TestExportsOfBothEmulators moves documents from the official emulator to Clave and back. They must not change.
func TestExportsOfBothEmulators(t *testing.T) {
	theirs := "http://" + harness.StartOfficialEmulator(t)
	dir, port := harness.ProjectFolder(t, nil)
	harness.StartProgram(t, dir, "--memory", "--project", "demo-x")
	ours := fmt.Sprintf("http://127.0.0.1:%d", port)
	exchange := func(from, to, project, folder string) {
		t.Helper()
		database := "projects/" + project + "/databases/(default)"
		for _, c := range []struct{ url, rest string }{
			{from + "/emulator/v1/projects/" + project + ":export", fmt.Sprintf(`%q,"export_name":"x"`, folder)},
			{to + "/emulator/v1/projects/" + project + ":import", fmt.Sprintf("%q", filepath.Join(folder, "x", "x.overall_export_metadata"))},
		} {
			body := fmt.Sprintf(`{"database":%q,"export_directory":%s}`, database, c.rest)
			if code, text := harness.Plain(t, http.MethodPost, c.url, body); code != 200 {
				t.Fatalf("%s: %d %s", c.url, code, text)
			}
		}
	}
	seed := filepath.Join(suiteAt(t), "firestore_export", "firestore_export.overall_export_metadata")
	for _, project := range []string{"demo-theirs", "demo-ours"} {
		origin := map[string]string{"demo-theirs": theirs, "demo-ours": ours}[project]
		body := fmt.Sprintf(`{"database":"projects/%s/databases/(default)","export_directory":%q}`, project, seed)
		if code, text := harness.Plain(t, http.MethodPost, origin+"/emulator/v1/projects/"+project+":import", body); code != 200 {
			t.Fatalf("%s: %d %s", project, code, text)
		}
	}
	exchange(theirs, ours, "demo-theirs", t.TempDir())
	exchange(ours, theirs, "demo-ours", t.TempDir())
	for _, project := range []string{"demo-theirs", "demo-ours"} {
		a, b := allOf(t, theirs, project), allOf(t, ours, project)
		if !maps.Equal(a, b) || len(a) != 4 {
			t.Errorf("%s: the official emulator has\n%v\nClave\n%v", project, a, b)
		}
	}
}

// allOf returns the fields of all documents of a project by name.
func allOf(t *testing.T, origin, project string) map[string]string {
	t.Helper()
	_, text := harness.Plain(t, http.MethodPost, origin+"/v1/projects/"+project+"/databases/(default)/documents:runQuery",
		`{"structuredQuery":{"from":[{"allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]}}`)
	return fieldsByName(t, text)
}

// fieldsByName returns the documents in the answer of a query by name.
func fieldsByName(t *testing.T, text string) map[string]string {
	t.Helper()
	var answers []struct {
		Document struct {
			Name   string         `json:"name"`
			Fields map[string]any `json:"fields"`
		} `json:"document"`
	}
	if err := json.Unmarshal([]byte(text), &answers); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	found := make(map[string]string)
	for _, a := range answers {
		if a.Document.Name != "" {
			found[a.Document.Name] = fmt.Sprint(a.Document.Fields)
		}
	}
	return found
}
