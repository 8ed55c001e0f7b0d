package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPatterns checks that no variable of a package of Clave compiles a regular expression at the start of the program
// (the back office and the tests are other programs), and that all that are compiled later are valid.
func TestPatterns(t *testing.T) {
	found := 0
	for pkg, files := range sourceFiles(t) {
		if strings.HasPrefix(pkg, "backoffice") || strings.HasPrefix(pkg, "test/") {
			continue
		}
		for _, name := range files {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				_, variables := d.(*ast.GenDecl)
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					switch calledName(call) {
					case "regexp.MustCompile":
						if variables {
							t.Errorf("%s: a regular expression is compiled at each start: use base/pattern", fset.Position(call.Pos()))
						}
					case "pattern.New":
						if lit, ok := call.Args[0].(*ast.BasicLit); ok {
							found++
							checkPattern(t, fset, lit)
						}
					}
					return true
				})
			}
		}
	}
	if found == 0 {
		t.Error("no pattern was found")
	}
}

// checkPattern compiles the expression of a literal.
func checkPattern(t *testing.T, fset *token.FileSet, lit *ast.BasicLit) {
	t.Helper()
	text, err := strconv.Unquote(lit.Value)
	if err == nil {
		_, err = regexp.Compile(text)
	}
	if err != nil {
		t.Errorf("%s: %v", fset.Position(lit.Pos()), err)
	}
}
