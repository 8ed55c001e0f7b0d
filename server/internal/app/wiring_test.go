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
	"slices"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/process"
	"clave/server/internal/cluster/replica"
	"clave/server/internal/store/postgres/pgtest"
)

// TestEveryRunIsStarted builds the server of each mode as the program does, and the parts of a node that follows. Every
// component with a Run(context.Context) error must run with the server, and every type of the module with such a Run
// must be part of at least one mode.
func TestEveryRunIsStarted(t *testing.T) {
	started := make(map[string]bool)
	for mode, build := range map[string]func(t *testing.T) (server any, parts []any){
		"start": func(t *testing.T) (any, []any) {
			return leading(t, config.ModeStart, "--project", "demo-wiring", "--memory", "--sign-tokens")
		},
		"serve": func(t *testing.T) (any, []any) {
			return leading(t, config.ModeServe, "--project", "wiring", "--public-url", "https://wiring.example", "--trust-proxy", "--console", "127.0.0.1:0", "--admin-api", "127.0.0.1:0",
				"--backup-to", filepath.Join(t.TempDir(), "backups"), "--app-check", "auth=count", "--app-check-keys", "https://keys.example/jwks")
		},
		"a follower": followingNode,
	} {
		server, parts := build(t)
		running := make(map[any]bool)
		for _, part := range parts {
			running[part] = true
		}
		reach(reflect.ValueOf(server), make(map[any]bool), func(v reflect.Value) {
			if !v.CanInterface() {
				v = reflect.NewAt(v.Type().Elem(), v.UnsafePointer())
			}
			if _, ok := v.Interface().(process.Runner); !ok {
				return
			}
			name := typeName(v.Type())
			if running[v.Interface()] {
				started[name] = true
			} else {
				t.Errorf("%s: a %s is part of the server and its Run is never called: add it to components", mode, name)
			}
		})
	}
	for _, name := range typesWithRun(t) {
		if !started[name] {
			t.Errorf("%s has a Run(context.Context) error and no mode of the program starts one: add it to components", name)
		}
	}
}

// leading builds a server that is never run, and returns it with its parts.
func leading(t *testing.T, mode config.Mode, flags ...string) (server any, parts []any) {
	t.Helper()
	a := buildApp(t, mode, flags)
	return a, a.components.All
}

// buildApp builds a server that is never run.
func buildApp(t *testing.T, mode config.Mode, flags []string) *App {
	t.Helper()
	c, o := wiringConfig(t, mode, flags)
	a, err := New(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, a.components.Close)
	return a
}

// followingNode builds a node that follows and is never run, and returns it with the parts of the node and those that
// serve reads.
func followingNode(t *testing.T) (server any, parts []any) {
	t.Helper()
	c, o := wiringConfig(t, config.ModeServe, []string{
		"--project", "wiring", "--public-url", "https://wiring.example", "--trust-proxy", "--console", "127.0.0.1:0", "--admin-api", "127.0.0.1:0", "--store", pgtest.New(t).Database(),
		"--app-check", "auth=count", "--app-check-keys", "https://keys.example/jwks",
	})
	a := newApp(c, o)
	closeAfter(t, a.components.Close)
	p, err := a.listen()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.join(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	store, err := a.openShared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, store.Close)
	a.components.Add("store", store)
	f, err := replica.New(a.node.ReplicaOptions(), store)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Reach(t.Context(), 0, store.Elapsed()); err != nil { // it is in contact
		t.Fatal(err)
	}
	s, err := f.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, s.Parts.Close)
	return []any{a, f, s}, slices.Concat(a.components.All, a.node.Early.All, f.Parts.All, s.Parts.All)
}

// closeAfter closes at the end of a test.
func closeAfter(t *testing.T, closer func() error) {
	t.Helper()
	t.Cleanup(func() {
		if err := closer(); err != nil {
			t.Error(err)
		}
	})
}

// wiringConfig returns the configuration of a server with events and rules, and its options.
func wiringConfig(t *testing.T, mode config.Mode, flags []string) (*config.Config, Options) {
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
	return c, Options{GovernMemory: true, Log: slog.New(slog.DiscardHandler)}
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
	name, _, _ := strings.Cut(t.Elem().Name(), "[") // without the types of a generic type
	return strings.TrimPrefix(t.Elem().PkgPath(), "clave/server/internal/") + "." + name
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
