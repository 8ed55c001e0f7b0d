package lint_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The names in a page that must exist: links, names of files in backquotes, tests and targets of make. Names with
// capitals or * stand for others.
var (
	pageLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	pageFile = regexp.MustCompile("`([a-z0-9_./-]+/[a-z0-9_.-]+\\.(?:go|ts|tsx|mjs|proto|md|yml|txt|rules|sh))`")
	pageTest = regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz)[A-Z]\w+`)
	pageMake = regexp.MustCompile("`make ([a-z-]+)[` ]")
	target   = regexp.MustCompile(`(?m)^([a-z-]+):`)
	testName = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
)

// distribution is the folder of packages and configuration for distributions; other folders of this name are built.
const distribution = "../server/dist"

// built lists files that pages name and the site's build makes.
var built = []string{"eventos/plantilla.html", "eventos/plantilla-completa.html"}

// repository holds the names that pages may use.
type repository struct {
	files   []string
	tests   []string
	targets []string
}

// TestPagesNameWhatExists requires that the links, files, tests and targets of make in the documentation exist.
func TestPagesNameWhatExists(t *testing.T) {
	r := readRepository(t)
	pages := 0
	for _, name := range r.files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for i, line := range strings.Split(string(text), "\n") {
			for _, missing := range r.missing(name, line) {
				t.Errorf("%s:%d: %s does not exist", name, i+1, missing)
			}
		}
	}
	if pages < 30 {
		t.Errorf("only %d pages were read", pages)
	}
}

// readRepository lists the files, the tests and the targets of make.
func readRepository(t *testing.T) (r repository) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != distribution && slices.Contains([]string{"node_modules", ".git", "bin", "dist", "dist-ssr", "test-results", "capturas"}, d.Name()) {
			return fs.SkipDir
		}
		name = filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		r.files = append(r.files, name)
		if !strings.HasSuffix(name, "_test.go") && name != "Makefile" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		for _, found := range testName.FindAllStringSubmatch(string(text), -1) {
			r.tests = append(r.tests, found[1])
		}
		if name == "Makefile" {
			for _, found := range target.FindAllStringSubmatch(string(text), -1) {
				r.targets = append(r.targets, found[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// missing returns the names in a line of a page that do not exist.
func (r repository) missing(page, line string) (names []string) {
	for _, found := range pageLink.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(r.files, path.Join(path.Dir(page), found[1])) {
			names = append(names, "the link "+found[1])
		}
	}
	for _, found := range pageFile.FindAllStringSubmatch(line, -1) {
		is := func(file string) bool { return file == found[1] || strings.HasSuffix(file, "/"+found[1]) }
		if !slices.ContainsFunc(r.files, is) && !slices.Contains(built, found[1]) {
			names = append(names, found[1])
		}
	}
	for _, name := range pageTest.FindAllString(line, -1) {
		begins := func(test string) bool { return strings.HasPrefix(test, name) } // -run takes the beginning of a name
		if !slices.ContainsFunc(r.tests, begins) {
			names = append(names, name)
		}
	}
	for _, found := range pageMake.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(r.targets, found[1]) {
			names = append(names, fmt.Sprintf("make %s", found[1]))
		}
	}
	return names
}

// TestMissingNames checks which names are found to be missing.
func TestMissingNames(t *testing.T) {
	r := repository{files: []string{"README.md", "server/doc/live.md", "server/internal/database/listen/hub.go"}, tests: []string{"TestFanOut"}, targets: []string{"test"}}
	for _, tt := range []struct{ line, want string }{
		{"[live](server/doc/live.md#limits), `listen/hub.go`, `TestFan`, `make test`, [web](https://example.org)", ""},
		{"[live](doc/live.md)", "the link doc/live.md"},
		{"`listen/gone.go`, `rpc/firestore/NAME.go`", "listen/gone.go"},
		{"TestGone", "TestGone"},
		{"`make gone`", "make gone"},
	} {
		if got := strings.Join(r.missing("README.md", tt.line), " "); got != tt.want {
			t.Errorf("missing in %q: %q, want %q", tt.line, got, tt.want)
		}
	}
}
