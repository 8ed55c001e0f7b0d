package e2e

import (
	"testing"
)

// TestWebSDK runs the web SDK in Chromium against the built server (web/drive.mjs): streaming, long polling, a
// buffering proxy, persistent caches, several tabs, and a server that is killed and started again.
func TestWebSDK(t *testing.T) {
	browser(t)
	inBrowser(t, "drive.mjs", clave(t), t.TempDir())
}
