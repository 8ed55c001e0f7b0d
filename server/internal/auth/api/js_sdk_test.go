package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestJSSDK runs the flows of Auth with the JavaScript SDK that the site's package installs.
func TestJSSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Node")
	}
	from, err := filepath.Abs("../../../../frontend/package.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(from), "node_modules", "firebase")); err != nil {
		t.Skip("the JS SDK is not installed: npm ci in frontend")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	for name, s := range map[string]setup{"unsigned": {}, "signed": {signed: true}} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, s)
			cmd := exec.CommandContext(t.Context(), node, "testdata/js-sdk.mjs")
			cmd.Env = append(os.Environ(), "AUTH_URL="+w.url, "SDK_FROM="+from)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
