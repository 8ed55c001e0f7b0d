package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FirebaseCLI runs the unmodified Firebase CLI by `clave firebase` against the administration APIs of a server with
// TLS.
type FirebaseCLI struct {
	// Dir has firebase.json, the key deployer.json and the server's certificate, cert.pem.
	Dir string
}

// NewFirebaseCLI returns the CLI in a folder. If it is not installed, the test is skipped.
func NewFirebaseCLI(t *testing.T, dir string) FirebaseCLI {
	t.Helper()
	if err := os.Symlink(FirebaseModules(t), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return FirebaseCLI{dir}
}

// Run runs the CLI against the administration APIs at a port, which must succeed if ok is set, and returns what it
// printed. It must leave nothing in the folder for temporary files, and get no token of the server.
func (c FirebaseCLI) Run(t *testing.T, port int, ok bool, args ...string) string {
	t.Helper()
	home, temporary := t.TempDir(), t.TempDir()
	built := Command(t, c.Dir, append([]string{"firebase", "--admin-api", fmt.Sprintf("https://127.0.0.1:%d", port), "--key", "deployer.json", "--"}, args...)...)
	out, err := c.output(t, built, "HOME="+home, "TMPDIR="+temporary, "CI=1", "FIREBASE_CLI_DISABLE_UPDATE_CHECK=1")
	if (err == nil) != ok {
		t.Fatalf("firebase %q: %v\n%s", args, err, out)
	}
	if strings.Contains(out, "ya29.") {
		t.Errorf("firebase %q printed a token:\n%s", args, out)
	}
	for _, folder := range []string{home, temporary} {
		left, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || slices.ContainsFunc(left, func(name string) bool { return !strings.Contains(name, "node-compile-cache") }) {
			t.Errorf("firebase %q left %q, %v", args, left, err)
		}
	}
	return out
}

// Deploy runs `clave deploy` against the administration APIs at a port, and returns what it printed.
func (c FirebaseCLI) Deploy(t *testing.T, port int) (string, error) {
	t.Helper()
	return c.output(t, Command(t, c.Dir, "deploy", "--admin-api", fmt.Sprintf("https://127.0.0.1:%d", port), "--key", "deployer.json"))
}

// Token returns an access token of a key in the folder by `clave credentials token`.
func (c FirebaseCLI) Token(t *testing.T, key string) string {
	t.Helper()
	out, err := c.output(t, Command(t, c.Dir, "credentials", "token", key))
	if err != nil {
		t.Fatalf("clave credentials token: %v\n%s", err, out)
	}
	return strings.TrimSpace(out)
}

// output runs a command, which trusts the certificate in the folder, and returns what it printed.
func (c FirebaseCLI) output(t *testing.T, built *exec.Cmd, env ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, built.Path, built.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Dir, "SSL_CERT_FILE=" + filepath.Join(c.Dir, "cert.pem")}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
