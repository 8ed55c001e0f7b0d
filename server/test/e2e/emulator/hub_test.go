package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/app"

	"clave/server/test/e2e/harness"
)

// TestHub finds the running emulators as tools of the Emulator Suite do, and requests an export.
func TestHub(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	cmd, _ := harness.StartProgram(t, dir, "--memory", "--project", "demo-hub")
	locator := filepath.Join(temp, "hub-demo-hub.json")
	text, err := os.ReadFile(locator)
	if err != nil {
		t.Fatal(err)
	}
	var at struct {
		Origins []string
		PID     int
	}
	if err := json.Unmarshal(text, &at); err != nil || len(at.Origins) != 1 || at.PID != cmd.Process.Pid {
		t.Fatalf("the locator is %s (%v)", text, err)
	}
	var running map[string]struct {
		Host string
		Port int
	}
	if _, text := harness.Plain(t, http.MethodGet, at.Origins[0]+"/emulators", ""); json.Unmarshal([]byte(text), &running) != nil || running["firestore"].Port != port ||
		running["auth"].Host != "127.0.0.1" || running["hub"].Port == 0 || running["hosting"].Port != 0 {
		t.Errorf("the hub answers %s", text)
	}
	if code, text := harness.RestIn(t, port, "demo-hub", http.MethodPost, "/c?documentId=a", `{"fields":{}}`); code != 200 {
		t.Fatalf("create: %d %s", code, text)
	}
	for i, targets := range []string{"", `,"targets":["firestore","hosting"]`} {
		out := filepath.Join(t.TempDir(), "out", strconv.Itoa(i)) // a folder of its own: an export keeps parts of others
		if code, text := harness.Plain(t, http.MethodPost, at.Origins[0]+"/_admin/export", fmt.Sprintf(`{"path":%q,"initiatedBy":"a test"%s}`, out, targets)); code != 200 || !strings.Contains(text, "OK") {
			t.Errorf("export: %d %s", code, text)
		}
		if _, err := os.Stat(filepath.Join(out, "firestore_export", "firestore_export.overall_export_metadata")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(out, "auth_export")); (err == nil) != (targets == "") {
			t.Errorf("accounts in an export with %q: %v", targets, err)
		}
	}
	if code, text := harness.Plain(t, http.MethodPost, at.Origins[0]+"/_admin/export", fmt.Sprintf(`{"path":%q}`, dir)); code != 500 || !strings.Contains(text, "name another folder") {
		t.Errorf("export over a project: %d %s", code, text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = harness.WaitForExit(t, cmd)
	if _, err := os.Stat(locator); err == nil {
		t.Error("the locator remains after the program has ended")
	}
}

// TestTheHubIsNotInProduction expects a server for production to have no hub.
func TestTheHubIsNotInProduction(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	p := harness.Serve(t, harness.ProductionFolder(t), true)
	for _, path := range []string{"/emulators", "/_admin/export"} {
		if code, answer := p.Request(t, http.MethodPost, path, "", map[string]any{"path": temp}); code < 400 {
			t.Errorf("%s: %d %v", path, code, answer)
		}
	}
	if _, err := os.Stat(filepath.Join(temp, "hub-"+harness.RealProject+".json")); err == nil {
		t.Error("a server for production wrote a locator")
	}
	p.Stop(t)
}

// TestPagesMayReadTheHub sends requests to the hub as a page of another origin does.
func TestPagesMayReadTheHub(t *testing.T) {
	a := harness.StartWith(t, app.Options{}, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, "http://"+a.Hub+"/emulators", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "http://localhost:3000")
	r.Header.Set("Access-Control-Request-Method", "GET")
	r.Header.Set("Access-Control-Request-Private-Network", "true")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for name, want := range map[string]string{"Access-Control-Allow-Origin": "http://localhost:3000", "Access-Control-Allow-Private-Network": "true"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestRulesUnitTestingFindsFirestore runs @firebase/rules-unit-testing, which gets the hub's address only.
func TestRulesUnitTestingFindsFirestore(t *testing.T) {
	frontend := harness.Frontend(t, harness.RulesUnitTesting)
	script, err := filepath.Abs(filepath.Join("web", "hub.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := harness.ProjectFolder(t, map[string]string{
		"firestore.rules": "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /open/{x} { allow read; } } }\n",
	})
	cmd := harness.Command(t, dir, "exec", "--project", "demo-rut", "--", "env", "-u", "FIRESTORE_EMULATOR_HOST", "node", script, frontend)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("web/hub.mjs: %v\n%s", err, out)
	}
}
