package e2e

import (
	"testing"
	"time"

	"clave/server/testprogram"
)

// TestWebSDK runs the web SDK in Chromium against the built server (web/drive.mjs): streaming, long polling, a buffering
// proxy, persistent caches, several tabs, and a server that is killed and started again.
func TestWebSDK(t *testing.T) {
	browser(t)
	path, err := testprogram.Clave()
	if err != nil {
		t.Fatal(err)
	}
	inBrowser(t, "drive.mjs", 4*time.Minute, path, t.TempDir())
}
