package lint_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// maxTextBytes is the maximum size of a checked file. Larger files are not source text.
const maxTextBytes = 1 << 20

// TestNoConflictMarkers checks that no file contains git's conflict markers.
func TestNoConflictMarkers(t *testing.T) {
	skipped := map[string]bool{"node_modules": true, ".git": true, "bin": true, "dist": true, "dist-ssr": true, "test-results": true}
	markers := [][]byte{[]byte("\n<<<<<<" + "< "), []byte("\n>>>>>>" + "> ")}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && skipped[entry.Name()] && name != distribution {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxTextBytes {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, marker := range markers {
			if bytes.Contains(append([]byte("\n"), text...), marker) {
				t.Errorf("%s holds a conflict marker", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
