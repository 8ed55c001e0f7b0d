package nodes

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"clave/server/test/kit/program"

	"clave/server/test/e2e/harness"
)

// TestSite runs the site's browser tests, or those that CLAVE_SITE_SPECS names, on several nodes. make test-site runs
// them on one node.
func TestSite(t *testing.T) {
	if os.Getenv(harness.NodesVariable) == "" {
		t.Skipf("on nodes only (%s): make test-site runs these tests with one", harness.NodesVariable)
	}
	_, chromium := harness.Browser(t)
	dir := harness.Frontend(t, "dist/index.html", "node_modules/.bin/playwright")
	office, err := program.BackOffice()
	if err != nil {
		t.Fatal(err)
	}
	const limit = 50 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	program := harness.Clave(t) // also sets the environment
	cmd := exec.CommandContext(ctx, "npx", append([]string{"playwright", "test"}, strings.Fields(os.Getenv("CLAVE_SITE_SPECS"))...)...)
	cmd.Env = append(os.Environ(), "CLAVE_BIN="+program, "BACKOFFICE_BIN="+office, "CHROMIUM="+chromium)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}
