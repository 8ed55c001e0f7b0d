package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDecisionsAreListed requires a line in the index of decisions for each page, with the number and title in its
// heading.
func TestDecisionsAreListed(t *testing.T) {
	index, err := os.ReadFile("doc/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("doc/decisions/0*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var want []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(string(text), "\n")
		number, title, _ := strings.Cut(strings.TrimPrefix(heading, "# "), " ")
		name := filepath.Base(page)
		if !strings.HasPrefix(name, number+"-") {
			t.Errorf("%s begins with %q, want %q and its title", page, heading, "# "+name[:len("0000")])
		}
		want = append(want, "- ["+number+"]("+name+") "+title)
	}
	got := string(index)
	for _, line := range want {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("doc/decisions/README.md lacks the line %q", line)
		}
	}
	if n := strings.Count(got, "\n- ["); n != len(want) {
		t.Errorf("doc/decisions/README.md has %d lines for %d pages", n, len(want))
	}
}
