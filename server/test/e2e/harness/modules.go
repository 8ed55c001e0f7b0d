package harness

import (
	"os"
	"path/filepath"
	"testing"
)

// FirebaseModules returns the folder of the Firebase CLI and its functions SDK, which make test installs. If they are
// not installed, the test is skipped.
func FirebaseModules(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped in short mode: the Firebase CLI takes seconds to start")
	}
	modules, err := filepath.Abs("functions/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".installed")); err != nil {
		t.Skip("skipped: firebase-tools is not installed in server/test/e2e/functions (make server/test/e2e/functions/node_modules/.installed)")
	}
	return modules
}

// ProviderModules returns the folder of the identity providers and of firebaseui, which make test installs. If they are
// not installed, the test is skipped.
func ProviderModules(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("idps")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".installed")); err != nil {
		t.Skip("skipped: the providers and firebaseui are not installed in server/test/e2e/idps (make server/test/e2e/idps/node_modules/.installed)")
	}
	return dir
}
