package seed_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/seed"
)

// TestTypeScript evaluates a module of TypeScript that imports another one: by Node itself, or by a compiler beside the
// seed, for which a small one stands. A Node that cannot is named in the error, with what can.
func TestTypeScript(t *testing.T) {
	probe, err := exec.CommandContext(t.Context(), "node", "-p", "Boolean(process.features.typescript)").Output()
	if err != nil {
		t.Skipf("node cannot be run: %v", err)
	}
	able := strings.TrimSpace(string(probe)) == "true"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"days.ts": "export type Day = { at: string }\nexport const day: Day = { at: 'monday' }\n",
		"seed.ts": "import { day, type Day } from './days.ts'\nexport default (): { documents: Record<string, Record<string, Day>> } => ({ documents: { days: { one: day as Day } } })\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(t *testing.T) {
		t.Helper()
		source, err := seed.Evaluate(t.Context(), filepath.Join(dir, "seed.ts"), io.Discard)
		if got := strings.TrimSpace(string(source.Text)); err != nil || got != `{"documents":{"days":{"one":{"at":"monday"}}}}` {
			t.Errorf("the module's value: %s, %v", got, err)
		}
	}
	if able {
		check(t)
	} else if _, err := seed.Evaluate(t.Context(), filepath.Join(dir, "seed.ts"), io.Discard); !fault.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "TypeScript needs Node 22.18 or later, or one of the packages") {
		t.Errorf("a Node without types: %v", err)
	}
	packages := filepath.Join(dir, "node_modules")
	for name, text := range map[string]string{
		"typescript": "", // version 7, which removes no types
		"esbuild":    `exports.transformSync = (text) => ({ code: text.replace(/export type .*|, type Day|: Day|\(\): .*(?= =>)| as Day/g, (t) => (t[0] === '(' ? '()' : '')) })`,
	} {
		if err := os.MkdirAll(filepath.Join(packages, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(packages, name, "index.js"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(t) // by what is beside the seed, if Node needs it
}
