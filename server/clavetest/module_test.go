package clavetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInAnotherModule runs the commands and the test of doc/suite.md in a module of its own, as another project does.
func TestInAnotherModule(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(checkout, "server/doc/suite.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "### Go tests of another module")
	// The sums of the checkout spare requests to the database of sums.
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.org/notes\n\ngo 1.26.0\n",
		"go.sum":          string(sums),
		"notes_test.go":   block(t, section, "go"),
		"firestore.rules": "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write; } } }",
	} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(block(t, section, "sh")), "\n") {
		words := strings.Fields(strings.ReplaceAll(line, "../clave", checkout))
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = project
		// With these the builds of dependencies are shared with those of the programs.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

// block returns the first code block of a language in a page.
func block(t *testing.T, page, language string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "```"+language+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !ok || !closed {
		t.Fatalf("the page has no block of %s", language)
	}
	return text
}
