package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"clave/server/test/kit/program"
)

// command returns a command that runs the program in a folder.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	return cmd
}

// freePorts returns TCP ports that were free at the time of the call.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	return program.FreePorts(t, n)
}

// projectFolder creates a folder with a firebase.json on free ports, and returns it with the Firestore port.
func projectFolder(t *testing.T, files map[string]string) (dir string, firestorePort int) {
	t.Helper()
	dir = t.TempDir()
	p := freePorts(t, 4)
	section := ""
	if _, ok := files["firestore.rules"]; ok {
		section = `"firestore": {"rules": "firestore.rules"},`
	}
	writeFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(
		`{%s "emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}}}`, section, p[0], p[1], p[2], p[3]))
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir, p[0]
}

// addSection adds a member to a folder's firebase.json.
func addSection(t *testing.T, dir, member string) {
	t.Helper()
	path := filepath.Join(dir, "firebase.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, strings.Replace(string(text), "{", "{"+member+",", 1))
}

// startProgram runs `clave start` and waits for the line that reports readiness.
func startProgram(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, ready string) {
	t.Helper()
	cmd = command(t, dir, append([]string{"start"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, awaitReady(t, cmd)
}

// startPiped starts a program, which ends with the test, and returns its output.
func startPiped(t *testing.T, cmd *exec.Cmd) io.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return out
}

// awaitReady starts the program and waits for the line that reports readiness.
func awaitReady(t *testing.T, cmd *exec.Cmd) (ready string) {
	t.Helper()
	out := startPiped(t, cmd)
	stop := limited(cmd)
	defer stop()
	ready, ok := program.ReadyLine(out)
	if !ok {
		t.Fatalf("%v ended before it was ready: %v", cmd.Args, waitForExit(t, cmd))
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return ready
}

// restIn sends a request about documents of a project to Firestore as the owner.
func restIn(t *testing.T, port int, project, method, path, body string) (int, string) {
	t.Helper()
	return plain(t, method, fmt.Sprintf("http://127.0.0.1:%d/v1/projects/%s/databases/(default)/documents%s", port, project, path), body)
}

// plain sends a request as the owner and returns the answer.
func plain(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	r.Header.Set("Content-Type", "application/json")
	res, text := do(t, http.DefaultClient, r)
	return res.StatusCode, text
}

// do sends a request and returns the answer with its body.
func do(t *testing.T, client *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// awaitLine starts a program, which ends with the test, and returns a function that waits until it prints a line that
// begins with a text.
func awaitLine(t *testing.T, cmd *exec.Cmd) func(prefix string) {
	t.Helper()
	lines := bufio.NewScanner(startPiped(t, cmd))
	return func(prefix string) {
		t.Helper()
		stop := limited(cmd)
		defer stop()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), prefix) {
				return
			}
		}
		t.Fatalf("the program did not print %q", prefix)
	}
}

// rest sends a request to the Firestore port as an administrator and returns status and body.
func rest(t *testing.T, port int, method, path, body string) (int, map[string]any) {
	t.Helper()
	code, text := restIn(t, port, "demo-e2e", method, path, body)
	answer := make(map[string]any)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s %s: %d %q", method, path, code, text)
	}
	return code, answer
}

func TestKilledServerKeepsAcknowledgedWrites(t *testing.T) {
	dir, port := projectFolder(t, nil)
	first, _ := startProgram(t, dir)
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if code, answer := rest(t, port, http.MethodPost, fmt.Sprintf("/kept?documentId=d%d-%d", w, i), `{"fields":{"n":{"integerValue":"1"}}}`); code != 200 {
					t.Errorf("create: %d %v", code, answer)
				}
			}
		})
	}
	wg.Wait()
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = waitForExit(t, first)
	startProgram(t, dir)
	for w := range writers {
		for i := range each {
			if code, _ := rest(t, port, http.MethodGet, fmt.Sprintf("/kept/d%d-%d", w, i), ""); code != 200 {
				t.Fatalf("document d%d-%d, acknowledged before the kill, answers %d", w, i, code)
			}
		}
	}
}

func TestStopsCleanlyAtTheFirstSignal(t *testing.T) {
	dir, _ := projectFolder(t, nil)
	cmd, _ := startProgram(t, dir, "--memory")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := waitForExit(t, cmd); err != nil {
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
	free := freePorts(t, 3)
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
		dir, _ := projectFolder(t, tt.files)
		// The time limit ends the test if a server starts despite the mistake.
		ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
		defer cancel()
		cmd := command(t, dir, "start")
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
	dir, port := projectFolder(t, map[string]string{"firestore.rules": rules("false")})
	cmd := command(t, dir, "start", "--memory")
	await := awaitLine(t, cmd)
	status := func() int {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
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
	writeFile(t, filepath.Join(dir, "firestore.rules"), rules("true"))
	await("Rules reloaded")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("under open rules: %d, want 404", got)
	}
	writeFile(t, filepath.Join(dir, "firestore.rules"), rules("oops("))
	await("Rules not changed")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("after a broken edit: %d, want the open rules' 404", got)
	}
}
