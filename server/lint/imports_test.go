// Package lint_test holds the structure tests: which package may import which, and how code is written.
package lint_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the packages.
const module = "clave/server/"

// unfenced lists the packages that may import any other: the wiring and the tests of the whole program.
var unfenced = []string{"app", "test/e2e", "test/e2e/harness", "test/bench"}

// sourceFiles returns the Go files of all packages, without tests and generated code, by their package.
func sourceFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go") {
			pkg := packageOf(filepath.ToSlash(filepath.Dir(name)))
			files[pkg] = append(files[pkg], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("found %d packages, want all", len(files))
	}
	return files
}

// packageOf returns the name of a folder of server in imports.txt, which leaves out internal.
func packageOf(folder string) string {
	return strings.TrimPrefix(folder, "internal/")
}

// folderOf returns the folder of a package of imports.txt.
func folderOf(pkg string) string {
	if _, err := os.Stat(filepath.Join("internal", pkg)); err == nil {
		return filepath.Join("internal", pkg)
	}
	return pkg
}

// allowed is a line of imports.txt.
type allowed struct {
	layer   int
	purpose string
	imports []string
}

// readImports parses imports.txt: for each package its layer, its purpose and its allowed imports.
func readImports(t *testing.T) map[string]allowed {
	t.Helper()
	text, err := os.ReadFile("lint/imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	packages := make(map[string]allowed)
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		head, imports, ok := strings.Cut(line, " >")
		place, purpose, ok2 := strings.Cut(head, ": ")
		number, name, ok3 := strings.Cut(place, " ")
		layer, err := strconv.Atoi(number)
		if _, twice := packages[name]; !ok || !ok2 || !ok3 || err != nil || twice || !strings.HasSuffix(purpose, ".") {
			t.Fatalf("imports.txt:%d: want «LAYER PACKAGE: sentence. > imports», once for each package: %q", i+1, line)
		}
		a := allowed{layer: layer, purpose: purpose}
		for _, imported := range strings.Fields(imports) {
			switch imported {
			case "*":
				a.imports = append(a.imports, "base/fault", "base/clock")
			case "+":
				a.imports = append(a.imports, "model/document", "model/query", "model/resource", "model/value")
			default:
				a.imports = append(a.imports, imported)
			}
		}
		packages[name] = a
	}
	return packages
}

// isUnfenced reports whether a package may import any other.
func isUnfenced(name string) bool {
	return slices.Contains(unfenced, name)
}

func TestImports(t *testing.T) {
	packages := readImports(t)
	for name, files := range sourceFiles(t) {
		may, known := packages[name]
		if !known && !isUnfenced(name) {
			t.Errorf("package %s is not in imports.txt", name)
			continue
		}
		for _, file := range files {
			for _, imported := range moduleImports(t, file) {
				if !isUnfenced(name) && !slices.Contains(may.imports, imported) {
					t.Errorf("%s: package %s may not import %s (imports.txt)", file, name, imported)
				}
				if isUnfenced(imported) && imported != "app" {
					t.Errorf("%s: nothing imports %s", file, imported)
				}
			}
		}
	}
	for name := range packages {
		if _, err := os.Stat(folderOf(name)); err != nil {
			t.Errorf("imports.txt names %s, which does not exist", name)
		}
	}
}

// moduleImports returns the packages of this module that a file imports.
func moduleImports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if imported, ok := strings.CutPrefix(name, module); ok {
			imports = append(imports, packageOf(path.Clean(imported)))
		}
	}
	return imports
}

// TestImportsGoDown checks that no allowed import goes up a layer or is part of a cycle, and that the separations of
// design.md hold.
func TestImportsGoDown(t *testing.T) {
	packages := readImports(t)
	for name, may := range packages {
		for _, imported := range may.imports {
			of, known := packages[imported]
			switch {
			case isUnfenced(imported):
			case !known:
				t.Errorf("%s may import %s, which is not in imports.txt", name, imported)
			case of.layer > may.layer:
				t.Errorf("%s of layer %d may import %s of layer %d: imports never go up", name, may.layer, imported, of.layer)
			}
		}
	}
	const visiting, done = 1, 2
	state := make(map[string]int)
	var visit func(name string, trail []string) error
	visit = func(name string, trail []string) error {
		switch state[name] {
		case visiting:
			return fmt.Errorf("imports make a cycle: %s", strings.Join(append(trail, name), " → "))
		case done:
			return nil
		}
		state[name] = visiting
		for _, imported := range packages[name].imports {
			if err := visit(imported, append(trail, name)); err != nil {
				return err
			}
		}
		state[name] = done
		return nil
	}
	for name := range packages {
		if err := visit(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, fence := range []struct{ name, never string }{
		{"database/api", "database/engine"}, {"rules", "database/engine"}, {"rules", "store"}, {"database/engine", "database/authz"},
		{"backoffice", "database/engine"}, {"backoffice", "database/authz"},
	} {
		if slices.Contains(packages[fence.name].imports, fence.never) {
			t.Errorf("%s must not import %s (design.md)", fence.name, fence.never)
		}
	}
}
