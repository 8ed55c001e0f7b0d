package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The maximum sizes of files and functions.
const (
	maxFileLines = 600
	maxFuncLines = 80
)

// maxParameters is the maximum number of parameters of a function, and maxAuthParameters that in the packages of auth,
// whose steps share a value of the call and its settings.
const (
	maxParameters     = 7
	maxAuthParameters = 5
)

// forbidden lists calls that only some packages may make, and what to write instead.
var forbidden = []struct {
	call    string
	homes   []string
	instead string
}{
	{"time.Now", []string{"base/clock"}, "take a clock.Clock"},
	{"context.Background", []string{"cmd/", "test/bench", "test/e2e"}, "take a context from the caller"},
	{"context.TODO", nil, "take a context from the caller"},
	{"fmt.Print", []string{"cmd/", "test/bench"}, "log with slog, or write to a given io.Writer"},
	{"fmt.Println", []string{"cmd/", "test/bench"}, "log with slog, or write to a given io.Writer"},
	{"fmt.Printf", []string{"cmd/", "test/bench"}, "log with slog, or write to a given io.Writer"},
	{"rand.Read", []string{"base/randid"}, "call randid, which makes ids, secrets, keys and salts"},
	// The back office counts wrong codes in a window: decisions/0014-window-of-wrong-codes.md.
	{"rate.NewLimiter", []string{"limit/rate", "backoffice"}, "take a rate.Limiter of package limit/rate"},
	{"slog.Default", []string{"app"}, "take the logger from the caller; nil logs nothing"},
}

// metaphors matches metaphors that this code once used for programs, so that a reader who searched for "retry" or
// "revoke" did not find them. The list is short on purpose: ordinary English is not on it.
var metaphors = regexp.MustCompile(`(?i)\b(obey(s|ed|ing)?|hush(es|ed)?|whisper(s|ed)?|pok(es?|ed|ing)|bur(y|ies|ied)|` +
	`reviv(es?|ed|ing)|besieg(es?|ed|ing)|parcels?|guests?|in vain)\b`)

// sayInstead is what an error of TestWords adds.
const sayInstead = "write what happens in the words of the field, such as refuse, retry, wake, remove, restart"

// inName matches the beginning of a word in a name.
var inName = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// TestMetaphors checks that ordinary English passes TestWords.
func TestMetaphors(t *testing.T) {
	for _, text := range []string{
		"the client knows its token", "The server asks for it and tells the caller.", "Nobody wants to think about what the loop said.",
		"who forgot goes on and comes back", "a law of the books", "TestWhoAsksKnows", "Obedience", "keepAlive", "burn", "the spoken word",
	} {
		if word := metaphors.FindString(words(text)); word != "" {
			t.Errorf("%q is refused for %q", text, word)
		}
	}
	for _, text := range []string{"It obeys.", "buried", "a retry in vain", "TestGuestsLeave", "reviveNode", "hushed", "a Parcel of writes", "testInVain"} {
		if !metaphors.MatchString(words(text)) {
			t.Errorf("%q is accepted", text)
		}
	}
}

// words returns a name's words with spaces between them. Other texts are unchanged but for names in them.
func words(name string) string { return inName.ReplaceAllString(name, "$1 $2") }

// TestWords refuses metaphors in comments, those of tests included, in names, and in the texts of errors and logs.
func TestWords(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".pb.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		checkWords(t, fset, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkWords refuses metaphors in a file.
func checkWords(t *testing.T, fset *token.FileSet, file *ast.File) {
	t.Helper()
	for _, group := range file.Comments {
		for _, c := range group.List {
			checkComment(t, fset.Position(c.Pos()).String(), c.Text)
		}
	}
	checkTexts(t, fset, file)
	for _, decl := range file.Decls {
		for _, name := range declared(decl) {
			if word := metaphors.FindString(words(name.Name)); word != "" {
				t.Errorf("%s: %q in %s: %s", fset.Position(name.Pos()), word, name.Name, sayInstead)
			}
		}
	}
}

// checkComment refuses metaphors in a comment.
func checkComment(t *testing.T, at, text string) {
	t.Helper()
	if word := metaphors.FindString(text); word != "" {
		t.Errorf("%s: %q: %s", at, word, sayInstead)
	}
}

// makesText lists the functions and methods whose literals are the texts of errors and logs.
var makesText = []string{"fault.E", "fault.Wrap", "errors.New", "fmt.Errorf", "Log.Debug", "Log.Info", "Log.Warn", "Log.Error", "Log.InfoContext", "Log.WarnContext", "Log.ErrorContext"}

// holdsText lists the fields whose values are texts for people: the help of commands and the console's checks.
var holdsText = []string{"Short", "Long", "Text"}

// checkTexts refuses metaphors in the errors, logs, help and checks of a file. Tests are exempt.
func checkTexts(t *testing.T, fset *token.FileSet, file *ast.File) {
	t.Helper()
	if strings.HasSuffix(fset.Position(file.Pos()).Filename, "_test.go") {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.Contains(makesText, calledName(n)) {
				checkLiterals(t, fset, n.Args...)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(holdsText, key.Name) {
				checkLiterals(t, fset, n.Value)
			}
		case *ast.CompositeLit:
			if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Check" {
				checkLiterals(t, fset, n.Elts...)
			}
		}
		return true
	})
}

// checkLiterals refuses metaphors in texts, which may be joined by +.
func checkLiterals(t *testing.T, fset *token.FileSet, texts ...ast.Expr) {
	t.Helper()
	for _, text := range texts {
		switch text := text.(type) {
		case *ast.BinaryExpr:
			checkLiterals(t, fset, text.X, text.Y)
		case *ast.BasicLit:
			if word := metaphors.FindString(text.Value); word != "" && text.Kind == token.STRING {
				t.Errorf("%s: %q in %s: %s", fset.Position(text.Pos()), word, text.Value, sayInstead)
			}
		}
	}
}

// calledName returns the last two names of what a call calls, such as fault.E and Log.Error.
func calledName(call *ast.CallExpr) string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch on := method.X.(type) {
	case *ast.Ident:
		return on.Name + "." + method.Sel.Name
	case *ast.SelectorExpr:
		return on.Sel.Name + "." + method.Sel.Name
	}
	return ""
}

// declared returns the names of functions, types, constants and variables that a declaration makes.
func declared(decl ast.Decl) (names []*ast.Ident) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	return names
}

// TestPackagesWithGoroutinesCheckForLeaks requires goleak in the tests of each package that starts goroutines.
func TestPackagesWithGoroutinesCheckForLeaks(t *testing.T) {
	for pkg, files := range sourceFiles(t) {
		tests, err := filepath.Glob(filepath.Join(folderOf(pkg), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(tests) == 0 || !slices.ContainsFunc(files, func(name string) bool { return startsGoroutine(t, name) }) {
			continue
		}
		if !slices.ContainsFunc(tests, func(name string) bool {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(string(text), "func TestMain(") && strings.Contains(string(text), "goleak.")
		}) {
			t.Errorf("%s starts goroutines: add leak_test.go, whose TestMain calls goleak.VerifyTestMain", pkg)
		}
	}
}

// startsGoroutine reports whether a file has a go statement, or calls a method Go, such as that of sync.WaitGroup.
func startsGoroutine(t *testing.T, name string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "Go"
		}
		return !found
	})
	return found
}

func TestStyle(t *testing.T) {
	for pkg, files := range sourceFiles(t) {
		checkPackageComment(t, pkg, files)
		for _, name := range files {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if n := fset.Position(file.End()).Line; n > maxFileLines {
				t.Errorf("%s: %d lines: a file of more than %d is two", name, n, maxFileLines)
			}
			checkComments(t, fset, file)
			checkFunctions(t, fset, file)
			checkParameters(t, fset, file, pkg)
			checkCalls(t, fset, file, pkg)
			checkLogKeys(t, fset, file)
		}
	}
}

// checkPackageComment checks that one file of a package has its comment.
func checkPackageComment(t *testing.T, pkg string, files []string) {
	t.Helper()
	found := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc != nil && (strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" ") || file.Name.Name == "main") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%s: %d files have a comment of the package, want one", pkg, found)
	}
}

// checkComments checks that every top-level name has a comment.
func checkComments(t *testing.T, fset *token.FileSet, file *ast.File) {
	t.Helper()
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil {
				t.Errorf("%s: %s has no comment", fset.Position(d.Pos()), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				checkSpec(t, fset, d, spec)
			}
		}
	}
}

// checkSpec checks that a type has a comment, and a variable or constant or its group.
func checkSpec(t *testing.T, fset *token.FileSet, d *ast.GenDecl, spec ast.Spec) {
	t.Helper()
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen.IsValid()) {
			t.Errorf("%s: type %s has no comment", fset.Position(s.Pos()), s.Name.Name)
		}
	case *ast.ValueSpec:
		if s.Doc == nil && s.Comment == nil && d.Doc == nil {
			t.Errorf("%s: %s has no comment", fset.Position(s.Pos()), s.Names[0].Name)
		}
	}
}

// checkFunctions checks that functions have at most maxFuncLines, except switches with a case for each node that are
// marked as such.
func checkFunctions(t *testing.T, fset *token.FileSet, file *ast.File) {
	t.Helper()
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line
		if lines > maxFuncLines && !strings.Contains(commentsIn(file, fn), "long: one case a") {
			t.Errorf("%s: %s has %d lines, more than %d", fset.Position(fn.Pos()), fn.Name.Name, lines, maxFuncLines)
		}
	}
}

// checkParameters checks that functions do not have too many parameters.
func checkParameters(t *testing.T, fset *token.FileSet, file *ast.File, pkg string) {
	t.Helper()
	limit := maxParameters
	if strings.HasPrefix(pkg, "auth/") {
		limit = maxAuthParameters
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if fn, ok := n.(*ast.FuncType); ok && fn.Params.NumFields() > limit {
			t.Errorf("%s: %d parameters, more than %d: make a struct of those that belong together", fset.Position(fn.Pos()), fn.Params.NumFields(), limit)
		}
		return true
	})
}

// commentsIn returns the text of a function's own comment and of all comments inside it.
func commentsIn(file *ast.File, fn *ast.FuncDecl) string {
	text := fn.Doc.Text()
	for _, group := range file.Comments {
		if group.Pos() >= fn.Pos() && group.End() <= fn.End() {
			for _, c := range group.List {
				text += c.Text + "\n"
			}
		}
	}
	return text
}

// checkCalls checks that forbidden calls occur only in their packages.
func checkCalls(t *testing.T, fset *token.FileSet, file *ast.File, pkg string) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		qualifier, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, f := range forbidden {
			if qualifier.Name+"."+sel.Sel.Name == f.call && !atHome(pkg, f.homes) {
				t.Errorf("%s: %s: %s", fset.Position(sel.Pos()), f.call, f.instead)
			}
		}
		return true
	})
}

// atHome reports whether a package is in a list, whose entries may be prefixes.
func atHome(pkg string, homes []string) bool {
	for _, home := range homes {
		if pkg == strings.TrimSuffix(home, "/") || strings.HasPrefix(pkg, home) {
			return true
		}
	}
	return false
}

// logCalls are the methods of slog.Logger that write a line, with the index of the first key among their arguments.
var logCalls = map[string]int{"Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "DebugContext": 2, "InfoContext": 2, "WarnContext": 2, "ErrorContext": 2}

// checkLogKeys checks that lines of the log have errors under one key, and not as a part of the text.
func checkLogKeys(t *testing.T, fset *token.FileSet, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		first, ok := logCalls[sel.Sel.Name]
		if !ok || len(call.Args) <= first {
			return true
		}
		for i := first; i+1 < len(call.Args); i += 2 {
			key, ok := call.Args[i].(*ast.BasicLit)
			if !ok {
				break
			}
			value, isName := call.Args[i+1].(*ast.Ident)
			if isName && value.Name == "err" && key.Value != `"error"` || slices.Contains([]string{`"cause"`, `"err"`}, key.Value) {
				t.Errorf("%s: the key %s: errors have the key \"error\"", fset.Position(key.Pos()), key.Value)
			}
		}
		return true
	})
}
