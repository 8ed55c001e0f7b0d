package production

import (
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestServeWithTheNodeAdminSDK runs the programs of admin, which use firebase-admin by clave/admin, on a production
// server with TLS: every call of Auth, and Firestore. Finally it revokes their key.
func TestServeWithTheNodeAdminSDK(t *testing.T) {
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			harness.Parallel(t)
			project := harness.AdminProject(t, sdk.Folder)
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
