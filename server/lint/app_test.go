package lint_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"testing"
)

// The maximum sizes of package app, which wires only: of its lines without tests, and of the methods of one type.
const (
	maxAppLines   = 2000
	maxAppMethods = 50
)

// TestAppWiresOnly requires that package app stays small. What has a purpose of its own belongs in a package of its
// own.
func TestAppWiresOnly(t *testing.T) {
	lines, methods := 0, make(map[string]int)
	for _, name := range sourceFiles(t)["app"] {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv != nil {
				of := f.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				methods[of.(*ast.Ident).Name]++
			}
		}
	}
	if lines == 0 || lines > maxAppLines {
		t.Errorf("package app has %d lines, want at most %d", lines, maxAppLines)
	}
	if methods["App"] == 0 {
		t.Error("App has no methods")
	}
	for name, n := range methods {
		if n > maxAppMethods {
			t.Errorf("%s of package app has %d methods, want at most %d", name, n, maxAppMethods)
		}
	}
	t.Logf("%d lines, %d methods of App", lines, methods["App"])
}
