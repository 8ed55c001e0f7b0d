package lint_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOtherSystems type-checks the program and all its imports for the other systems that releases are built for. It
// does not compile, which would take minutes.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: the types of some 700 packages take seconds")
	}
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			checkSystem(t, system)
		})
	}
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// imported resolves imports from the checked packages.
type imported struct {
	known map[string]*types.Package
	names map[string]string
}

// Import implements types.Importer.
func (i imported) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if real := i.names[path]; real != "" {
		path = real
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not listed before: " + path)
}

// checkSystem type-checks the program for a system. Function bodies are checked only in this module.
func checkSystem(t *testing.T, system string) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "clave/server/cmd/clave")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	known, ours := make(map[string]*types.Package), 0
	for list := json.NewDecoder(out); ; { // dependencies precede the packages that import them
		var p listed
		err := list.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		mine := p.Module != nil && p.Module.Main
		if mine {
			ours++
		}
		known[p.ImportPath] = checkPackage(t, p, mine, known)
	}
	if err := cmd.Wait(); err != nil || ours == 0 {
		t.Fatalf("go list: %v, %d packages of this module", err, ours)
	}
}

// checkPackage checks the types of one package.
func checkPackage(t *testing.T, p listed, bodies bool, known map[string]*types.Package) *types.Package {
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	c := types.Config{
		Importer: imported{known, p.ImportMap}, IgnoreFuncBodies: !bodies, Sizes: types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			if bodies {
				t.Error(err)
			}
		},
	}
	checked, err := c.Check(p.ImportPath, files, parsed, nil)
	if err != nil && bodies {
		t.Errorf("%s: %v", p.ImportPath, err)
	}
	return checked
}
