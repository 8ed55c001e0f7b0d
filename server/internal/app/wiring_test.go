package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// startedElsewhere lists the types whose Run is not called by the wiring, with their callers.
var startedElsewhere = map[string]string{
	"transport/port.split":     "port.Port.Run",
	"store/postgres.Store":     "App.openServed, with --store alone",
	"store/postgres.Members":   "App.join, with --store alone",
	"cluster/forward.Node":     "App.join, with --store alone",
	"cluster/readindex.Reader": "nodes.followUntil, with --store alone",
}

// TestEveryRunIsStarted builds the server of each mode as the program does. Every component with a Run(context.Context)
// error must run with the app, and every type of the module with such a Run must be part of at least one mode.
func TestEveryRunIsStarted(t *testing.T) {
	started := make(map[string]bool)
	for mode, flags := range map[config.Mode][]string{
		config.ModeStart: {"--project", "demo-wiring", "--memory", "--sign-tokens"},
		config.ModeServe: {"--project", "wiring", "--public-url", "https://wiring.example", "--trust-proxy", "--console", "127.0.0.1:0"},
	} {
		a := buildApp(t, mode, flags)
		running := make(map[any]bool)
		for _, c := range a.components {
			running[c] = true
		}
		reach(reflect.ValueOf(a), make(map[any]bool), func(v reflect.Value) {
			name := typeName(v.Type())
			if startedElsewhere[name] != "" {
				return
			}
			if !v.CanInterface() {
				v = reflect.NewAt(v.Type().Elem(), v.UnsafePointer())
			}
			if _, ok := v.Interface().(runner); !ok {
				return
			}
			if running[v.Interface()] {
				started[name] = true
			} else {
				t.Errorf("mode %v: a %s is part of the server and its Run is never called: register it with App.add", mode, name)
			}
		})
	}
	for _, name := range typesWithRun(t) {
		if !started[name] && startedElsewhere[name] == "" {
			t.Errorf("%s has a Run(context.Context) error and no mode of the program starts one: register it with App.add", name)
		}
	}
}

// buildApp builds a server that is never run.
func buildApp(t *testing.T, mode config.Mode, flags []string) *App {
	t.Helper()
	dir, err := os.MkdirTemp("", "app") // shorter than t.TempDir: the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, text := range map[string]string{
		"firebase.json":   `{"firestore": {"rules": "firestore.rules"}}`,
		"events.json":     `{"triggers": []}`,
		"firestore.rules": "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Parse(mode, append(flags, "--config", filepath.Join(dir, "firebase.json")), func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c.Ports, c.TempDir = config.Ports{}, dir
	if mode == config.ModeServe {
		c.Events = filepath.Join(dir, "events.json")
	}
	a, err := New(t.Context(), c, Options{GovernMemory: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// reach calls visit with every pointer to a type of this module that is reachable from a value.
func reach(v reflect.Value, seen map[any]bool, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Interface:
		reach(v.Elem(), seen, visit)
	case reflect.Pointer:
		key := [2]any{v.Type(), v.Pointer()}
		if v.IsNil() || seen[key] || !ours(v.Type().Elem()) {
			return
		}
		seen[key] = true
		if v.Type().Elem().Name() != "" {
			visit(v)
		}
		reach(v.Elem(), seen, visit)
	case reflect.Struct:
		if ours(v.Type()) {
			for i := range v.NumField() {
				reach(v.Field(i), seen, visit)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			reach(v.Index(i), seen, visit)
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			reach(entry.Key(), seen, visit)
			reach(entry.Value(), seen, visit)
		}
	}
}

// ours reports whether a type is of this module, or has no name.
func ours(t reflect.Type) bool {
	return t.PkgPath() == "" || strings.HasPrefix(t.PkgPath(), "clave/server/")
}

// typeName returns the name of the type that a pointer points to, with its package's path below internal.
func typeName(t reflect.Type) string {
	return strings.TrimPrefix(t.Elem().PkgPath(), "clave/server/internal/") + "." + t.Elem().Name()
}

// typesWithRun returns the types of the module, without test files, that have a method Run(context.Context) error.
func typesWithRun(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel("..", filepath.Dir(name))
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && isRun(f) {
				if receiver, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					of := receiver.X
					if generic, ok := of.(*ast.IndexExpr); ok {
						of = generic.X
					}
					names = append(names, filepath.ToSlash(folder)+"."+of.(*ast.Ident).Name)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 9 {
		t.Fatalf("found %v, want all types with a Run", names)
	}
	return names
}

// isRun reports whether a declaration is of a method Run(context.Context) error.
func isRun(f *ast.FuncDecl) bool {
	if f.Recv == nil || f.Name.Name != "Run" || f.Type.Params.NumFields() != 1 || f.Type.Results.NumFields() != 1 {
		return false
	}
	parameter, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr)
	result, isName := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && parameter.Sel.Name == "Context" && isName && result.Name == "error"
}
