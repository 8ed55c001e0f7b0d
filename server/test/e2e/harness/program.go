package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/kit/program"
)

// Command returns a command that runs the program in a folder.
func Command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	return cmd
}

// FreePorts returns TCP ports that were free at the time of the call.
func FreePorts(t *testing.T, n int) []int {
	t.Helper()
	return program.FreePorts(t, n)
}

// ProjectFolder creates a folder with a firebase.json on free ports, and returns it with the Firestore port.
func ProjectFolder(t *testing.T, files map[string]string) (dir string, firestorePort int) {
	t.Helper()
	dir = t.TempDir()
	p := FreePorts(t, 4)
	section := ""
	if _, ok := files["firestore.rules"]; ok {
		section = `"firestore": {"rules": "firestore.rules"},`
	}
	WriteFile(t, filepath.Join(dir, "firebase.json"), fmt.Sprintf(
		`{%s "emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}}}`, section, p[0], p[1], p[2], p[3]))
	for name, text := range files {
		WriteFile(t, filepath.Join(dir, name), text)
	}
	return dir, p[0]
}

// AddSection adds a member to a folder's firebase.json.
func AddSection(t *testing.T, dir, member string) {
	t.Helper()
	path := filepath.Join(dir, "firebase.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	WriteFile(t, path, strings.Replace(string(text), "{", "{"+member+",", 1))
}

// StartProgram runs `clave start` and waits for the line that reports readiness.
func StartProgram(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, ready string) {
	t.Helper()
	cmd = Command(t, dir, append([]string{"start"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, AwaitReady(t, cmd)
}

// StartPiped starts a program, which ends with the test, and returns its output.
func StartPiped(t *testing.T, cmd *exec.Cmd) io.Reader {
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

// AwaitReady starts the program and waits for the line that reports readiness.
func AwaitReady(t *testing.T, cmd *exec.Cmd) (ready string) {
	t.Helper()
	out := StartPiped(t, cmd)
	stop := Limited(cmd)
	defer stop()
	ready, ok := program.ReadyLine(out)
	if !ok {
		t.Fatalf("%v ended before it was ready: %v", cmd.Args, WaitForExit(t, cmd))
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return ready
}

// RestIn sends a request about documents of a project to Firestore as the owner. It returns the status and the body of
// the response.
func RestIn(t *testing.T, port int, project, method, path, body string) (int, string) {
	t.Helper()
	return Plain(t, method, fmt.Sprintf("http://127.0.0.1:%d/v1/projects/%s/databases/(default)/documents%s", port, project, path), body)
}

// Plain sends a request as the owner and returns the answer.
func Plain(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	r.Header.Set("Content-Type", "application/json")
	res, text := Do(t, http.DefaultClient, r) //nolint:bodyclose // Do closes it
	return res.StatusCode, text
}

// Do sends a request and returns the answer with its body.
func Do(t *testing.T, client *http.Client, r *http.Request) (*http.Response, string) {
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

// AwaitLine starts a program, which ends with the test, and returns a function that waits until it prints a line that
// begins with a text.
func AwaitLine(t *testing.T, cmd *exec.Cmd) func(prefix string) {
	t.Helper()
	lines := bufio.NewScanner(StartPiped(t, cmd))
	return func(prefix string) {
		t.Helper()
		stop := Limited(cmd)
		defer stop()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), prefix) {
				return
			}
		}
		t.Fatalf("the program did not print %q", prefix)
	}
}

// Rest sends a request to the Firestore port as an administrator and returns status and body.
func Rest(t *testing.T, port int, method, path, body string) (int, map[string]any) {
	t.Helper()
	code, text := RestIn(t, port, "demo-e2e", method, path, body)
	answer := make(map[string]any)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s %s: %d %q", method, path, code, text)
	}
	return code, answer
}
