package lint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxFile is the largest permitted size of a file in the repository, in bytes.
const maxFile = 1 << 20

// TestNoLargeFiles requires that the repository has no large files, such as programs that were built in it by mistake.
func TestNoLargeFiles(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is not a checkout of git: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 1000 {
		t.Errorf("only %d files were read", len(files))
	}
	for _, name := range files {
		if info, err := os.Lstat(filepath.Join("..", name)); err == nil && info.Size() > maxFile {
			t.Errorf("%s has %d bytes, want at most %d", name, info.Size(), maxFile)
		}
	}
}
