package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// uses matches a step of a workflow that uses an action.
var uses = regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`)

// byCommit matches an action of a commit, with its version as comment.
var byCommit = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// loose matches an installation that may change what a lock file says.
var loose = regexp.MustCompile(`cd (frontend|server/internal/console/web) && npm (install|i)\b`)

// TestPinned checks that workflows use actions by commits, whose content cannot change, and that packages with a lock
// file are installed as it says.
func TestPinned(t *testing.T) {
	workflows, err := filepath.Glob("../.github/workflows/*")
	if err != nil || len(workflows) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range append(workflows, "../Makefile", "../Dockerfile", "../README.md", "doc/production.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllSubmatch(text, -1) {
			if !byCommit.Match(m[1]) {
				t.Errorf("%s: uses %s: name the action's commit, and its version as comment: owner/name@COMMIT # v1.2.3", file, m[1])
			}
		}
		if m := loose.Find(text); m != nil || filepath.Base(file) == "Dockerfile" && regexp.MustCompile(`npm install`).Match(text) {
			t.Errorf("%s: %s: use npm ci, which installs what the lock file says", file, m)
		}
	}
}
