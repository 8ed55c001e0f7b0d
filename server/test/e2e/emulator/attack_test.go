package emulator

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// openRules have holes of several kinds.
const openRules = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /users/{uid} { allow get, create: if request.auth.uid == uid; }
    match /posts/{p} {
      allow delete: if get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role == 'admin';
      allow list: if resource.data.open == true;
    }
  }
}
`

// TestProofsOfTheAttack attacks rules and runs the proofs with @firebase/rules-unit-testing: each fails because the
// rules allow its request, and passes with rules that deny everything.
func TestProofsOfTheAttack(t *testing.T) {
	frontend := harness.Frontend(t, harness.RulesUnitTesting)
	dir, _ := harness.ProjectFolder(t, nil)
	rules, proofs := filepath.Join(dir, "firestore.rules"), filepath.Join(dir, "attack.test.mjs")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(openRules)
	if err := os.Symlink(filepath.Join(frontend, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	out, err := harness.Command(t, dir, "rules", "attack", rules, "--proofs", proofs).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Fatalf("clave rules attack: %v, want the exit code 1\n%s", err, out)
	}
	text, err := os.ReadFile(proofs)
	if err != nil {
		t.Fatal(err)
	}
	findings := strings.Count(string(text), "assertFails(") // and once in the import, without a parenthesis
	for _, c := range []struct{ rules, failed string }{
		{openRules, "fail " + strconv.Itoa(findings)},
		{"rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow get: if false; } } }\n", "fail 0"},
	} {
		write(c.rules)
		out, _ := harness.Command(t, dir, "exec", "--only", "firestore", "--", "node", "--test", "--test-reporter=tap", proofs).CombinedOutput()
		if findings < 3 || !strings.Contains(string(out), "# tests "+strconv.Itoa(findings)) || !strings.Contains(string(out), "# "+c.failed+"\n") {
			t.Errorf("of %d proofs, want %s:\n%s", findings, c.failed, out)
		}
	}
}
