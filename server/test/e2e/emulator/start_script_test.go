package emulator

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"clave/server/test/kit/program"

	"clave/server/test/e2e/harness"
)

// scriptFolder returns a folder with what .ci/start needs, and a firebase.json with other ports than the repository's.
func scriptFolder(t *testing.T, ports []int) string {
	t.Helper()
	site := harness.Frontend(t, "dist/index.html")
	clave, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	office, err := program.BackOffice()
	if err != nil {
		t.Fatal(err)
	}
	root, dir := filepath.Dir(site), t.TempDir()
	for _, folder := range []string{".ci", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"bin/clave": clave, "bin/backoffice": office, "frontend": site} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"emulator-config", "firestore.rules", "firestore.indexes.json"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(root, ".ci", "start"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci", "start"), script, 0o700); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"},
		"hosting": {"public": "frontend/dist", "rewrites": [{"source": "/api/admin/**", "run": {"serviceId": "backoffice"}}]},
		"emulators": {"firestore": {"port": %d, "websocketPort": %d}, "auth": {"port": %d}, "hosting": {"port": %d}, "ui": {"port": %d}, "hub": {"port": %d}}}`,
		ports[0], ports[1], ports[2], ports[3], ports[4], ports[5])
	if err := os.WriteFile(filepath.Join(dir, "firebase.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// script returns .ci/start of a folder, with the back office at an address.
func script(t *testing.T, dir string, office int) *harness.Printed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, ".ci", "start"), "--memory")
	cmd.Env = append(os.Environ(), fmt.Sprintf("BACKOFFICE_ADDRESS=127.0.0.1:%d", office), "GCLOUD_PROJECT=demo-script")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // which ends the programs too
	return harness.PrintedBy(t, cmd)
}

// subscribe stores a subscription to the newsletter, as an administrator.
func subscribe(t *testing.T, firestore int) {
	t.Helper()
	document := fmt.Sprintf(`{"fields": {"email": {"stringValue": "new@example.org"}, "source": {"stringValue": "homepage"}, "createdAt": {"timestampValue": %q}}}`,
		time.Now().UTC().Format(time.RFC3339Nano))
	if code, answer := harness.RestIn(t, firestore, "demo-script", http.MethodPost, "/Massive%20Boletin", document); code != http.StatusOK {
		t.Fatalf("the subscription: %d %s", code, answer)
	}
}

// TestTheStartScriptUsesThePortsOfClave runs both programs on the ports of a firebase.json, and stops them. Links in
// e-mails lead to the site's port.
func TestTheStartScriptUsesThePortsOfClave(t *testing.T) {
	harness.Parallel(t)
	ports := harness.FreePorts(t, 7)
	p := script(t, scriptFolder(t, ports), ports[6])
	text := p.Until("Demo account:")
	if !strings.Contains(text, fmt.Sprintf("Site        http://localhost:%d/", ports[3])) || !strings.Contains(text, "documents: 120") {
		t.Errorf("the script printed\n%s", text)
	}
	res, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/api/admin/codigo", ports[3]), "application/json", strings.NewReader(`{"code": "wrong"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("the back office answers %s through the site, want 403", res.Status)
	}
	subscribe(t, ports[0])
	if email := p.Until("/boletin/confirmar?"); !strings.Contains(email, fmt.Sprintf("http://localhost:%d/boletin/confirmar?", ports[3])) {
		t.Errorf("the e-mail with a link to the site is\n%s", email)
	}
	if err := p.Cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := harness.WaitForExit(t, p.Cmd); err != nil {
		t.Errorf("the script ends with %v after an interrupt, want 0", err)
	}
	for _, port := range ports {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = c.Close()
			t.Errorf("port %d is still taken", port)
		}
	}
}

// TestTheStartScriptWithATakenPort starts on a port that another program has. The demo data must not go there.
func TestTheStartScriptWithATakenPort(t *testing.T) {
	ports := harness.FreePorts(t, 7)
	other, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", ports[0]))
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan struct{}, 1)
	go func() {
		defer close(received)
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			select {
			case received <- struct{}{}:
			default:
			}
		}
	}()
	p := script(t, scriptFolder(t, ports), ports[6])
	text := p.Until(fmt.Sprintf("port 127.0.0.1:%d for firestore is taken", ports[0]))
	stop := harness.Limited(p.Cmd)
	for p.Lines.Scan() {
		text += p.Lines.Text() + "\n"
	}
	stop()
	if err := harness.WaitForExit(t, p.Cmd); err == nil || strings.Contains(text, "Back office ready") {
		t.Errorf("the script ends with %v after\n%s\nwant an error without a back office", err, text)
	}
	_ = other.Close()
	if _, any := <-received; any {
		t.Error("the other program received a connection")
	}
}
