package atomicfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"clave/server/internal/base/atomicfile"
)

// wantFiles checks that a folder has exactly one file, with a content.
func wantFiles(t *testing.T, dir, name, content string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the folder has %v, want %s alone", entries, name)
	}
	if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != content {
		t.Errorf("the file has %d bytes, %v; want %d bytes", len(text), err, len(content))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if err := os.WriteFile(path+".new", []byte("of a killed process"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"first", "", "second"} {
		if err := atomicfile.Write(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, "a.json", content)
	}
}

func TestWriteToAnAbsentFolder(t *testing.T) {
	if err := atomicfile.Write(filepath.Join(t.TempDir(), "absent", "a"), nil, 0o600); err == nil {
		t.Error("Write to an absent folder succeeds")
	}
}

// TestWriteOnAFullDisk checks that the old content stays and no other file is left.
func TestWriteOnAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16k", "atomicfile", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	path := filepath.Join(dir, "a.json")
	if err := atomicfile.Write(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, make([]byte, 64<<10), 0o600); err == nil {
		t.Error("Write of more than the disk holds succeeds")
	}
	wantFiles(t, dir, "a.json", "old")
}
