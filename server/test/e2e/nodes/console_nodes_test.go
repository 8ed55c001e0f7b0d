package nodes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/program"

	"clave/server/test/e2e/harness"
)

// TestConsoleOfNodes runs the console's browser tests of three nodes on a PostgreSQL of the test.
func TestConsoleOfNodes(t *testing.T) {
	_, chromium := harness.Browser(t)
	dir, err := filepath.Abs("../../internal/console/web")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/.bin/playwright")); err != nil {
		t.Skip("the console's packages are missing: make test-console installs them")
	}
	program, err := program.Clave()
	if err != nil {
		t.Fatal(err)
	}
	const limit = 10 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npx", "playwright", "test", "--config", "playwright.nodes.config.ts")
	cmd.Env = append(os.Environ(), "CLAVE_STORE="+pgtest.New(t).Database(), "CLAVE_BIN="+program, "CHROMIUM="+chromium)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}
