package production

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestServeReloadsItsRules expects new rules to take effect after SIGHUP, not before, and invalid rules never.
func TestServeReloadsItsRules(t *testing.T) {
	dir, port := harness.ProductionFolder(t), harness.FreePorts(t, 1)[0]
	p := &harness.Production{Dir: dir, URL: fmt.Sprintf("http://127.0.0.1:%d", port), Client: http.DefaultClient}
	p.Cmd = harness.ServeCommand(t, dir, nil, "--project", harness.RealProject, "--port", fmt.Sprint(port), "--public-url", p.URL, "--memory")
	await := harness.AwaitLine(t, p.Cmd)
	status := func() int {
		t.Helper()
		code, _ := p.Request(t, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/(default)/documents/late/x", "", nil)
		return code
	}
	file := filepath.Join(dir, "firestore.rules")
	await("Clave ready")
	harness.WriteFile(t, file, strings.Replace(harness.ProductionRules, "/open/", "/late/", 1))
	if got := status(); got != http.StatusForbidden {
		t.Errorf("new rules before the signal: %d, want 403", got)
	}
	hangup := func(prefix string) {
		t.Helper()
		if err := p.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		await(prefix)
	}
	hangup("Rules reloaded")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("new rules after the signal: %d, want 404", got)
	}
	harness.WriteFile(t, file, "rules_version = '2'; service cloud.firestore {")
	hangup("Rules not changed:")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("after broken rules: %d, want 404 still", got)
	}
	p.Stop(t)
}
