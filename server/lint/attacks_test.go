package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// attackTable is the table of attacks in the page about providers, and attackTest a test in it with its cases.
var (
	attackTable = regexp.MustCompile(`(?m)^\| attack \| shown by \|\n\|[-|]+\|\n((?:\|.*\n)+)`)
	attackTest  = regexp.MustCompile("^`(Test[A-Za-z0-9]+)`(?:: (.+))?$")
)

// TestAttacksOnProvidersExist requires that the tests exist which the table of attacks on sign-ins names, with their
// cases.
func TestAttacksOnProvidersExist(t *testing.T) {
	page, err := os.ReadFile("doc/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	table := attackTable.FindStringSubmatch(string(page))
	if table == nil {
		t.Fatal("doc/providers.md has no table of attacks")
	}
	packages := testSources(t, "internal/auth/provider", "test/e2e/attack", "test/e2e/nodes")
	for row := range strings.Lines(table[1]) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), " | ")
		if len(cells) != 2 {
			t.Errorf("a row has %d cells: %s", len(cells), row)
			continue
		}
		for _, one := range strings.Split(strings.TrimSpace(cells[1]), ". `") {
			found := attackTest.FindStringSubmatch("`" + strings.TrimPrefix(one, "`"))
			if found == nil {
				t.Errorf("%q names no test", one)
				continue
			}
			source := sourceOf(packages, found[1])
			if source == "" {
				t.Errorf("%s does not exist", found[1])
				continue
			}
			for _, name := range strings.Split(found[2], "; ") {
				if !strings.Contains(source, `"`+name) {
					t.Errorf("%s has no case %q", found[1], name)
				}
			}
		}
	}
}

// sourceOf returns the tests of the package that has a test; empty if none has it.
func sourceOf(packages []string, test string) string {
	for _, source := range packages {
		if strings.Contains(source, "\nfunc "+test+"(t *testing.T)") {
			return source
		}
	}
	return ""
}

// testSources returns the source of the tests of each package.
func testSources(t *testing.T, packages ...string) []string {
	t.Helper()
	var all []string
	for _, folder := range packages {
		files, err := fs.Glob(os.DirFS(folder), "*_test.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has %d tests, %v", folder, len(files), err)
		}
		var source strings.Builder
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
		all = append(all, source.String())
	}
	return all
}
