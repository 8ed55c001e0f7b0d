package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestWebSDK runs the web SDK in Chromium against the built server (web/drive.mjs): streaming, long polling, a buffering
// proxy, persistent caches, several tabs, and a server that is killed and started again.
func TestWebSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is too slow for -short")
	}
	frontend, err := filepath.Abs("../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(frontend, "node_modules", "playwright-core")); err != nil {
		t.Skip("the web SDK is not installed: run npm ci in frontend (make test does)")
	}
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no browser at %s (CHROMIUM names another)", chromium)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "clave")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "../cmd/clave").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join("web", "drive.mjs"), binary, frontend, dir)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("web/drive.mjs: %v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}
