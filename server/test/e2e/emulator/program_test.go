package emulator

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"clave/server/test/e2e/harness"
)

func TestKilledServerKeepsAcknowledgedWrites(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	first, _ := harness.StartProgram(t, dir)
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if code, answer := harness.Rest(t, port, http.MethodPost, fmt.Sprintf("/kept?documentId=d%d-%d", w, i), `{"fields":{"n":{"integerValue":"1"}}}`); code != 200 {
					t.Errorf("create: %d %v", code, answer)
				}
			}
		})
	}
	wg.Wait()
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = harness.WaitForExit(t, first)
	harness.StartProgram(t, dir)
	for w := range writers {
		for i := range each {
			if code, _ := harness.Rest(t, port, http.MethodGet, fmt.Sprintf("/kept/d%d-%d", w, i), ""); code != 200 {
				t.Fatalf("document d%d-%d, acknowledged before the kill, answers %d", w, i, code)
			}
		}
	}
}

func TestStopsCleanlyAtTheFirstSignal(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, nil)
	cmd, _ := harness.StartProgram(t, dir, "--memory")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, cmd); err != nil {
		t.Errorf("after an interrupt the program ended with %v, want exit code 0", err)
	}
}

func TestMistakesAreReportedAndNothingStarts(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	busyPort := busy.Addr().(*net.TCPAddr).Port
	free := harness.FreePorts(t, 3)
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"busy port", map[string]string{"firebase.json": fmt.Sprintf(`{"emulators":{"firestore":{"port":%d}}}`, busyPort)}, []string{fmt.Sprint(busyPort), "firestore", "firebase.json"}},
		{"broken firebase.json", map[string]string{"firebase.json": "{\n  \"firestore\" oops\n}"}, []string{"firebase.json:2:15"}},
		{"broken rules", map[string]string{"firestore.rules": "rules_version = '2';\nservice cloud.firestore {\n  match /a/{b} { allow read: if ; }\n}\n"}, []string{"firestore.rules:3:"}},
		{"missing rules", map[string]string{"firebase.json": fmt.Sprintf(
			`{"firestore":{"rules":"nowhere.rules"},"emulators":{"firestore":{"port":%d,"websocketPort":%d},"auth":{"port":%d}}}`, free[0], free[1], free[2])},
			[]string{"nowhere.rules", "firebase.json"}},
	}
	for _, tt := range tests {
		dir, _ := harness.ProjectFolder(t, tt.files)
		// The time limit ends the test if a server starts despite the mistake.
		ctx, cancel := context.WithTimeout(t.Context(), harness.WaitLimit)
		defer cancel()
		cmd := harness.Command(t, dir, "start")
		cmd = exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
		cmd.Dir = dir
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: ended with %v, want exit code 1", tt.name, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: printed %q, want %q in it", tt.name, text.String(), want)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".clave")); err == nil {
			t.Errorf("%s: a data folder was created", tt.name)
		}
	}
}

func TestRulesAreReloadedAndABrokenEditKeepsTheOld(t *testing.T) {
	rules := func(condition string) string {
		return "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { match /a/{b} { allow read: if " + condition + "; } } }\n"
	}
	dir, port := harness.ProjectFolder(t, map[string]string{"firestore.rules": rules("false")})
	cmd := harness.Command(t, dir, "start", "--memory")
	await := harness.AwaitLine(t, cmd)
	status := func() int {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), harness.WaitLimit)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/v1/projects/demo-e2e/databases/(default)/documents/a/b", port), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	await("Clave ready")
	if got := status(); got != http.StatusForbidden {
		t.Errorf("under closed rules: %d, want 403", got)
	}
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), rules("true"))
	await("Rules reloaded")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("under open rules: %d, want 404", got)
	}
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"), rules("oops("))
	await("Rules not changed")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("after a broken edit: %d, want the open rules' 404", got)
	}
}
