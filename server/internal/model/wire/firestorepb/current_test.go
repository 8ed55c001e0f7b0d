package firestorepb_test

import (
	"os/exec"
	"testing"
)

// TestGeneratedFilesAreCurrent generates the files again, with the plugins that protogen's go.mod pins, and compares
// them.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-C", "../../../../cmd/protogen", ".", "-check").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
