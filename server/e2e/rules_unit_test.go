package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRulesUnitTesting runs the site's rules tests, which use @firebase/rules-unit-testing, against a whole server.
func TestRulesUnitTesting(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: the rules tests take half a minute")
	}
	frontend, err := filepath.Abs("../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	vitest := filepath.Join(frontend, "node_modules", ".bin", "vitest")
	for _, file := range []string{vitest, filepath.Join(frontend, "node_modules", "@firebase", "rules-unit-testing")} {
		if _, err := os.Stat(file); err != nil {
			t.Skip("the frontend's packages are not installed: ", err)
		}
	}
	a := start(t, nil)
	cmd := exec.CommandContext(t.Context(), vitest, "run", "--config", "rules-test/vitest.config.ts")
	cmd.Dir = frontend
	cmd.Env = append(os.Environ(), "FIRESTORE_EMULATOR_HOST="+a.Firestore, "CI=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
}
