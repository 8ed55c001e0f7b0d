package production

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"clave/server/test/e2e/harness"
)

// builtSite copies the built site into a folder and changes its project, as a build with VITE_FIREBASE_PROJECT_ID does.
func builtSite(t *testing.T, dist, dir string) {
	t.Helper()
	made := 0
	err := filepath.WalkDir(dist, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(dist, name)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rest)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		made += bytes.Count(file, []byte("demo-fundacion"))
		return os.WriteFile(target, bytes.ReplaceAll(file, []byte("demo-fundacion"), []byte(harness.RealProject)), 0o600)
	})
	if err != nil || made == 0 {
		t.Fatalf("copy %s: %v; %d times the demo project", dist, err, made)
	}
}

// TestServeTheSite drives the foundation's site in Chromium. A production server with TLS serves it, with the back
// office behind it.
func TestServeTheSite(t *testing.T) {
	harness.Browser(t)
	frontend := harness.Frontend(t, "dist/index.html")
	harness.ShareStore(t)
	dir := t.TempDir()
	for from, to := range map[string]string{"firebase.json": "firebase.json", "firestore.rules": "firestore.rules", "firestore.indexes.json": "firestore.indexes.json"} {
		file, err := os.ReadFile(filepath.Join(frontend, "..", from))
		if err != nil {
			t.Fatal(err)
		}
		harness.WriteFile(t, filepath.Join(dir, to), string(file))
	}
	builtSite(t, filepath.Join(frontend, "dist"), filepath.Join(dir, "frontend", "dist"))
	p := serveWithBackOffice(t, dir, true)
	harness.InBrowser(t, "serve.mjs", p.URL, signupCode)
	p.Stop(t)
}
