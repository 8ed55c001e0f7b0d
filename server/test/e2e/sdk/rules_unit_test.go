package sdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestRulesUnitTesting runs the site's rules tests, which use @firebase/rules-unit-testing, against a server.
func TestRulesUnitTesting(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped in short mode: the rules tests take half a minute")
	}
	frontend := harness.Frontend(t, "node_modules/.bin/vitest", harness.RulesUnitTesting)
	a := harness.Start(t, nil)
	cmd := exec.CommandContext(t.Context(), filepath.Join(frontend, "node_modules", ".bin", "vitest"), "run", "--config", "rules-test/vitest.config.ts")
	cmd.Dir = frontend
	cmd.Env = append(os.Environ(), "FIRESTORE_EMULATOR_HOST="+a.Firestore, "CI=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
}
