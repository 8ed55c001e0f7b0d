package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServeReloadsItsRules expects new rules to take effect after SIGHUP, not before, and invalid rules never.
func TestServeReloadsItsRules(t *testing.T) {
	dir, port := productionFolder(t), freePorts(t, 1)[0]
	p := &production{dir: dir, url: fmt.Sprintf("http://127.0.0.1:%d", port), client: http.DefaultClient}
	p.cmd = serveCommand(t, dir, nil, "--project", realProject, "--port", fmt.Sprint(port), "--public-url", p.url, "--memory")
	await := awaitLine(t, p.cmd)
	status := func() int {
		t.Helper()
		code, _ := p.request(t, http.MethodGet, "/v1/projects/"+realProject+"/databases/(default)/documents/late/x", "", nil)
		return code
	}
	file := filepath.Join(dir, "firestore.rules")
	await("Clave ready")
	writeFile(t, file, strings.Replace(productionRules, "/open/", "/late/", 1))
	if got := status(); got != http.StatusForbidden {
		t.Errorf("new rules before the signal: %d, want 403", got)
	}
	hangup := func(prefix string) {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		await(prefix)
	}
	hangup("Rules reloaded")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("new rules after the signal: %d, want 404", got)
	}
	writeFile(t, file, "rules_version = '2'; service cloud.firestore {")
	hangup("Rules not changed:")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("after broken rules: %d, want 404 still", got)
	}
	p.stop(t)
}
