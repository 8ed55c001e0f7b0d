package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// httpHeaders lists header fields that only some packages may set or read, and what the others do instead. Each further
// package has a reason.
var httpHeaders = []struct {
	field, value string
	homes        map[string]string
	instead      string
}{
	{"Content-Type", "application/json", map[string]string{
		"httpx/httpjson":       "writes the responses of handlers",
		"transport/rest":       "streams results that are encoded one by one, with the charset as production writes it",
		"transport/hosting":    "has the header of Firebase Hosting, without a charset",
		"auth/service/webhook": "sends requests",
		"suite/triggers":       "sends requests",
		"suite/seed":           "sends requests",
		"console/mcpserver":    "sends requests",
		"test/e2e/harness":     "sends requests",
	}, "call httpjson"},
	{"X-Forwarded-For", "", map[string]string{
		"httpx/clientaddr":  "reads the header",
		"transport/hosting": "sets it for services",
	}, "call forwarded"},
	{"X-Forwarded-Proto", "", map[string]string{
		"httpx/clientaddr":  "reads the header",
		"transport/hosting": "sets it for services",
	}, "call forwarded"},
}

// TestOneWayForHTTP checks that there is one writer of JSON responses and one reader of forwarded addresses.
func TestOneWayForHTTP(t *testing.T) {
	for pkg, files := range sourceFiles(t) {
		for _, name := range files {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					checkHeaders(t, fset, call, pkg)
				}
				return true
			})
		}
	}
}

// checkHeaders reports a call of a method of http.Header with one of httpHeaders in a package that may not make it.
func checkHeaders(t *testing.T, fset *token.FileSet, call *ast.CallExpr, pkg string) {
	t.Helper()
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || !strings.Contains(" Set Add Get Values Del ", " "+method.Sel.Name+" ") {
		return
	}
	for _, h := range httpHeaders {
		if h.homes[pkg] != "" || !isText(call.Args[0], h.field) || h.value != "" && (len(call.Args) < 2 || !isText(call.Args[1], h.value)) {
			continue
		}
		t.Errorf("%s: %s of %s: %s", fset.Position(call.Pos()), method.Sel.Name, h.field, h.instead)
	}
}

// isText reports whether an expression is a string literal that begins with a text, in any case of letters.
func isText(e ast.Expr, begin string) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && strings.HasPrefix(strings.ToLower(lit.Value), `"`+strings.ToLower(begin))
}
