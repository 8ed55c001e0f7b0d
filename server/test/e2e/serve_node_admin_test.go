package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// sdksOf are the folders in which npm has installed versions of firebase-admin.
var sdksOf = []struct{ name, folder string }{
	{"the site's version", "../../../frontend/node_modules"},
	{"the newest version", "sdks/node_modules"},
}

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

// runAdmin runs a program of admin on a server, with the file of a key.
func (p *production) runAdmin(t *testing.T, dir, program, key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", program)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "NODE_NO_WARNINGS=1",
		"CLAVE_URL=" + p.url, "CLAVE_KEY=" + key, "CLAVE_CA=" + filepath.Join(p.dir, "cert.pem"),
		// Programs that give no authority trust this one.
		"NODE_EXTRA_CA_CERTS=" + filepath.Join(p.dir, "cert.pem"),
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
}

// TestServeWithTheNodeAdminSDK runs the programs of admin, which use firebase-admin by clave/admin, on a production
// server with TLS: every call of Auth, and Firestore. Finally it revokes their key.
func TestServeWithTheNodeAdminSDK(t *testing.T) {
	for _, sdk := range sdksOf {
		t.Run(sdk.name, func(t *testing.T) {
			parallel(t)
			project := adminProject(t, sdk.folder)
			dir := productionFolder(t)
			p := serve(t, dir, true)
			createKeyFor(t, dir, "backend", p.url)
			key := filepath.Join(dir, "backend.json")
			for _, program := range []string{"auth.mjs", "tenants.mjs", "firestore.mjs", "connection.mjs"} {
				t.Run(program, func(t *testing.T) { p.runAdmin(t, project, program, key) })
			}
			if out, err := command(t, dir, "credentials", "revoke", "backend", "--project", realProject).CombinedOutput(); err != nil {
				t.Fatalf("credentials revoke: %v\n%s", err, out)
			}
			p.runAdmin(t, project, "revoked.mjs", key)
			p.stop(t)
		})
	}
}
