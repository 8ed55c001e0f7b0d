package harness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Frontend returns the folder of the site. If one of the named files is missing, the test is skipped.
func Frontend(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.Abs("../../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Skipf("frontend/%s is missing: make test installs or builds it", name)
		}
	}
	return dir
}

// RulesUnitTesting is the path of @firebase/rules-unit-testing in the site's folder.
const RulesUnitTesting = "node_modules/@firebase/rules-unit-testing"

// InBrowser runs a script of web with the frontend's folder and further arguments. Without Playwright or a browser the
// test is skipped.
func InBrowser(t *testing.T, script string, args ...string) {
	t.Helper()
	dir, chromium := Browser(t)
	ctx, cancel := context.WithTimeout(t.Context(), ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{filepath.Join("web", script), dir}, args...)...)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("web/%s: %v\n%s", script, err, out)
	} else {
		t.Logf("%s", out)
	}
}

// Browser returns the site's folder, which contains Playwright, and the browser's path. Without them the test is
// skipped.
func Browser(t *testing.T) (dir, chromium string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is too slow for -short")
	}
	dir = Frontend(t, "node_modules/playwright-core")
	if chromium = os.Getenv("CHROMIUM"); chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no browser at %s (CHROMIUM names another)", chromium)
	}
	return dir, chromium
}
