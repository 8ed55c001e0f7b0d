package harness

import (
	"cmp"
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

// Engine is a browser engine, with the programs that drive it.
type Engine struct {
	Name string
	// Programs are the paths of the programs, by the environment variables that name others.
	Programs map[string]string
}

// Engines are the engines in which the scripts of web that take an engine's name run.
var Engines = []Engine{
	{"chromium", map[string]string{"CHROMIUM": "/usr/bin/chromium"}},
	{"firefox", map[string]string{"FIREFOX": "/usr/bin/firefox-esr"}},
	{"webkit", map[string]string{"WEBKIT_DRIVER": "/usr/bin/WebKitWebDriver", "XVFB": "/usr/bin/Xvfb"}},
}

// Need skips the test if a program of the engine is missing.
func (e Engine) Need(t *testing.T) {
	t.Helper()
	for variable, path := range e.Programs {
		if path = cmp.Or(os.Getenv(variable), path); !exists(path) {
			t.Skipf("no %s (%s names another)", path, variable)
		}
	}
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
