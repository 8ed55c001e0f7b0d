package emulator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// failingMake stands in for make: it prints what the tools of a part print and fails as they do.
const failingMake = `#!/bin/sh
for part; do :; done
case $part in
lint) echo "x.go:1: bad"; echo "make: *** [Makefile:3: lint] Error 1"; exit 2 ;;
test-go) printf 'early\n\n=== Failed\n=== FAIL: server/test/e2e TestX (0.1s)\n    x_test.go:1: no\n\nDONE 3 tests\n'; exit 2 ;;
test-site) printf 'early\n  1) e2e/a.spec.ts:1:1 > x\n    Error: no\n  1 failed\n    e2e/a.spec.ts:1:1 > x\n  1 flaky\n    e2e/b.spec.ts:1:1 > y\n  10 passed\n'; exit 2 ;;
*) echo "$part is well" ;;
esac
`

// TestMakeTest runs the script of `make test` with a make whose parts fail. Each part must run, and the last lines must
// have the failures.
func TestMakeTest(t *testing.T) {
	harness.Alone(t, "no server runs")
	stub := filepath.Join(t.TempDir(), "make")
	if err := os.WriteFile(stub, []byte(failingMake), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(parts ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "../../../.ci/test", parts...)
		cmd.Env = append(os.Environ(), "MAKE="+stub)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("requirements", "/", "lint", "test-go", "+", "test-site", "test-console")
	if err == nil {
		t.Error("make test has succeeded although parts failed")
	}
	all, last, _ := strings.Cut(out, "===== make test: ")
	_, last, _ = strings.Cut(last, "\n")
	want := `Failed: make lint
  make: *** [Makefile:3: lint] Error 1
Failed: make test-go
  === FAIL: server/test/e2e TestX (0.1s)
Failed: make test-site
  e2e/a.spec.ts:1:1 > x
`
	if last != want {
		t.Errorf("the last lines are\n%swant\n%s", last, want)
	}
	if _, failures, _ := strings.Cut(all, "===== Failures"); strings.Contains(failures, "early") || !strings.Contains(failures, "x_test.go:1: no") {
		t.Errorf("the failures of the parts are\n%s", failures)
	}
	for _, part := range []string{"requirements", "test-console"} {
		if strings.Count(all, part+" is well") != 1 {
			t.Errorf("%s did not run once: %s", part, all)
		}
	}
	if out, err := run("test-console"); err != nil {
		t.Errorf("make test without failures: %v\n%s", err, out)
	}
}
