package transfer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/value"
)

// namesIn returns the names in a folder.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTheRemainsOfAKilledExportAreRemoved exports beside the temporary folder of a killed process, and then over that
// export.
func TestTheRemainsOfAKilledExportAreRemoved(t *testing.T) {
	h, parent := newFixture(t, cheap), t.TempDir()
	remains := filepath.Join(parent, "seed.copy-1")
	if err := os.MkdirAll(filepath.Join(remains, "export"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(remains, "unfinished.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"c/a", "c/b"} {
		h.put(everything, path, value.Map{"v": value.Int(1)})
		if _, err := h.Export(t.Context(), filepath.Join(parent, "seed")); err != nil {
			t.Fatal(err)
		}
		if names := namesIn(t, parent); len(names) != 1 || names[0] != "seed" {
			t.Errorf("after an export the folder has %v, want the export alone", names)
		}
	}
	again := newFixture(t, cheap)
	if sum, err := again.Import(t.Context(), filepath.Join(parent, "seed")); err != nil || sum.Documents != 2 {
		t.Errorf("the export that replaced another has %v, %v; want 2 documents", sum, err)
	}
}

// TestExportToAFullDisk exports to a small disk over an earlier export, which must stay as it was.
func TestExportToAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "transfer", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	h, dir := newFixture(t, cheap), filepath.Join(disk, "seed")
	h.put(everything, "c/a", value.Map{"v": value.Int(1)})
	if _, err := h.Export(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	h.put(everything, "c/b", value.Map{"v": value.String(strings.Repeat("x", 300_000))})
	_, err := h.Export(t.Context(), dir)
	if !fault.Is(err, fault.ResourceExhausted) || !strings.Contains(fault.FromError(err).Message, "no space") {
		t.Errorf("Export to a full disk = %v, want RESOURCE_EXHAUSTED with the reason", err)
	}
	if names := namesIn(t, disk); len(names) != 1 || names[0] != "seed" {
		t.Errorf("after an export to a full disk it has %v, want the earlier export alone", names)
	}
	again := newFixture(t, cheap)
	if sum, err := again.Import(t.Context(), dir); err != nil || sum.Documents != 1 {
		t.Errorf("the earlier export has %v, %v; want 1 document", sum, err)
	}
}
