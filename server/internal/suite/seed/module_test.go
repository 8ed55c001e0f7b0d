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

// TestTypeScript evaluates a module of TypeScript that imports another one. A Node that cannot is named in the error,
// with the version that can.
func TestTypeScript(t *testing.T) {
	probe, err := exec.CommandContext(t.Context(), "node", "-p", "Boolean(process.features.typescript)").Output()
	if err != nil {
		t.Skipf("node cannot be run: %v", err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"days.ts": "export type Day = { at: string }\nexport const day: Day = { at: 'monday' }\n",
		"seed.ts": "import { day, type Day } from './days.ts'\nexport default (): { documents: Record<string, Record<string, Day>> } => ({ documents: { days: { one: day as Day } } })\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := seed.Evaluate(t.Context(), filepath.Join(dir, "seed.ts"), io.Discard)
	if strings.TrimSpace(string(probe)) != "true" {
		if !fault.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "TypeScript needs Node 22.18 or later") {
			t.Errorf("a Node without types: %q, %v", source.Text, err)
		}
		return
	}
	if got := strings.TrimSpace(string(source.Text)); err != nil || got != `{"documents":{"days":{"one":{"at":"monday"}}}}` {
		t.Errorf("the module's value: %s, %v", got, err)
	}
}
