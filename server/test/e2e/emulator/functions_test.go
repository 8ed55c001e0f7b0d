package emulator

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"clave/server/test/kit/program"

	"clave/server/test/e2e/harness"
)

// TestFirebaseCLIWithClaveInside runs the unmodified Firebase CLI, without Java, with Clave instead of the Firestore
// emulator. The project has functions of both generations, which trigger each other.
func TestFirebaseCLIWithClaveInside(t *testing.T) {
	modules := harness.FirebaseModules(t)
	for only, documents := range map[string]int{"firestore,functions": 40, "firestore,auth,functions": 40} {
		t.Run(only, func(t *testing.T) {
			got := runFirebase(t, modules, only, documents)
			want := firebaseResult{Sum: documents, Log: documents, Gone: 1, Noted: []string{"unknown"}, Refused: "permission-denied"}
			if strings.Contains(only, "auth") {
				want.Greeted = &greeted{Anonymous: true}
			}
			if got, want := jsonText(t, got), jsonText(t, want); got != want {
				t.Errorf("functions made %s, want %s", got, want)
			}
		})
	}
}

// firebaseResult is the output of functions/project/drive.mjs.
type firebaseResult struct {
	Sum, Log, Gone int
	Noted          []string
	Refused        string
	Greeted        *greeted
}

// greeted is the document that a function creates for a new account.
type greeted struct{ Anonymous bool }

// jsonText returns a value as JSON.
func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runFirebase runs emulators:exec in a copy of the project and returns what its script printed.
func runFirebase(t *testing.T, modules, only string, documents int) firebaseResult {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("functions/project")); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"functions/node_modules", "node_modules"} {
		if err := os.Symlink(modules, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), firebaseJSON(t))
	web, err := filepath.Abs("../../../frontend/package.json")
	if err != nil {
		t.Fatal(err)
	}
	program, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "firebase", "--", "emulators:exec", "--project", "demo-functions", "--only", only, "node drive.mjs")
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FIRE") }),
		"WEB_SDK="+web, "DOCUMENTS="+strconv.Itoa(documents), "TMPDIR="+t.TempDir(), "HOME="+t.TempDir(), "FUNCTIONS_DISCOVERY_TIMEOUT=120", "CI=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("firebase emulators:exec: %v\n%s\n%s", err, out, debugLog(dir))
	}
	var result firebaseResult
	_, line, ok := strings.Cut(string(out), "RESULT ")
	if line, _, _ = strings.Cut(line, "\n"); !ok || json.Unmarshal([]byte(line), &result) != nil {
		t.Fatalf("the script printed no result:\n%s", out)
	}
	return result
}

// debugLog returns the end of Clave's output.
func debugLog(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "firestore-debug.log"))
	if err != nil {
		return err.Error()
	}
	const enough = 4 << 10
	return string(text[max(0, len(text)-enough):])
}

// firebaseJSON returns a firebase.json with free ports for every emulator.
func firebaseJSON(t *testing.T) string {
	t.Helper()
	names := []string{"firestore", "functions", "hub", "logging", "auth", "eventarc", "tasks"}
	ports := harness.FreePorts(t, len(names)+1)
	emulators := map[string]any{"ui": map[string]any{"enabled": false}}
	for i, name := range names {
		emulators[name] = map[string]any{"port": ports[i]}
	}
	emulators["firestore"] = map[string]any{"port": ports[0], "websocketPort": ports[len(names)]}
	return jsonText(t, map[string]any{
		"firestore": map[string]any{"rules": "firestore.rules"}, "functions": map[string]any{"source": "functions", "runtime": "nodejs20"}, "emulators": emulators,
	})
}
