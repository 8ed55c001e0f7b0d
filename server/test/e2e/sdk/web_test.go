package sdk

import (
	"os"
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestWebSDK runs the web SDK in Chromium against the built server (web/drive.mjs): streaming, long polling, a
// buffering proxy, persistent caches, several tabs, and a server that is killed and started again.
func TestWebSDK(t *testing.T) {
	harness.Browser(t)
	harness.InBrowser(t, "drive.mjs", harness.Clave(t), t.TempDir())
}

// TestNewestWebSDK runs the basic programs with the newest version of the web SDK.
func TestNewestWebSDK(t *testing.T) {
	harness.Browser(t)
	modules, err := filepath.Abs("sdks/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "firebase")); err != nil {
		t.Skipf("%s has no firebase: make test installs it", modules)
	}
	t.Setenv("SDK_MODULES", modules)
	t.Setenv("ONLY", "basics")
	harness.InBrowser(t, "drive.mjs", harness.Clave(t), t.TempDir())
}
