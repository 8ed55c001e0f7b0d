package production

import (
	"os"
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// adminProject returns a folder with the programs of admin and, in node_modules, the npm package clave and
// firebase-admin of a folder.
func adminProject(t *testing.T, modules string) string {
	t.Helper()
	dir := t.TempDir()
	modules, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("admin")); err != nil {
		t.Fatal(err)
	}
	// A copy, so that the package finds firebase-admin beside itself.
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "clave"), os.DirFS("../../dist/npm/clave")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"firebase-admin", "@google-cloud", "google-gax"} {
		from := filepath.Join(modules, name)
		if _, err := os.Stat(from); err != nil {
			t.Skipf("%s is missing: make test installs it", from)
		}
		if err := os.Symlink(from, filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestServeWithTheNodeAdminSDK runs the programs of admin, which use firebase-admin by clave/admin, on a production
// server with TLS: every call of Auth, and Firestore. Finally it revokes their key.
func TestServeWithTheNodeAdminSDK(t *testing.T) {
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			harness.Parallel(t)
			project := adminProject(t, sdk.Folder)
			dir := harness.ProductionFolder(t)
			p := harness.Serve(t, dir, true)
			harness.CreateKeyFor(t, dir, "backend", p.URL)
			key := filepath.Join(dir, "backend.json")
			for _, program := range []string{"auth.mjs", "tenants.mjs", "firestore.mjs", "connection.mjs"} {
				t.Run(program, func(t *testing.T) { p.RunAdmin(t, project, program, key) })
			}
			if out, err := harness.Command(t, dir, "credentials", "revoke", "backend", "--project", harness.RealProject).CombinedOutput(); err != nil {
				t.Fatalf("credentials revoke: %v\n%s", err, out)
			}
			p.RunAdmin(t, project, "revoked.mjs", key)
			p.Stop(t)
		})
	}
}
