package backoffice_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/test/kit/program"
)

// startServers sets up the servers for a test. If the environment names servers (`clave exec`, Firebase's emulators),
// it uses them. Otherwise it starts the program named by CLAVE_BIN, in memory and with the project's rules.
func startServers(t *testing.T) {
	t.Helper()
	if os.Getenv("FIREBASE_AUTH_EMULATOR_HOST") != "" && os.Getenv("FIRESTORE_EMULATOR_HOST") != "" {
		return
	}
	binary := os.Getenv("CLAVE_BIN")
	if binary == "" {
		t.Skip("needs a server: make bin/clave and set CLAVE_BIN")
	}
	rules, err := filepath.Abs("../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	settings, ports := filepath.Join(dir, "firebase.json"), program.FreePorts(t, 4)
	text := fmt.Sprintf(`{"firestore": {"rules": %q}, "emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}}}`,
		relative(t, dir, rules), ports[0], ports[1], ports[2], ports[3])
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, exec.Command(binary, "start", "--memory", "--project", "demo-back-office", "--only", "firestore,auth", "--config", settings))
	t.Setenv("FIRESTORE_EMULATOR_HOST", fmt.Sprintf("127.0.0.1:%d", ports[0]))
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", fmt.Sprintf("127.0.0.1:%d", ports[2]))
}

// relative returns a path relative to a folder.
func relative(t *testing.T, dir, path string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// run starts a server, waits until it reports readiness, and stops it when the test ends.
func run(t *testing.T, server *exec.Cmd) {
	t.Helper()
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = t.Output()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM) // it may have ended already; Wait returns how
		<-drained
		if err := server.Wait(); err != nil {
			t.Errorf("clave: %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	ready := false
	for !ready && lines.Scan() {
		ready = strings.HasPrefix(lines.Text(), "Clave ready in ")
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	if !ready {
		t.Fatal("clave ended before it was ready")
	}
}
