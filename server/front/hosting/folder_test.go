package hosting_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/front/hosting"
)

// TestAFolderIsServedFromWithin checks that symbolic links that leave the folder are not followed, and that the response reports a missing folder
// until it exists.
func TestAFolderIsServedFromWithin(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	config, err := hosting.Parse([]byte(`{"public": "site"}`))
	if err != nil {
		t.Fatal(err)
	}
	handler := hosting.Folder(config, site, hosting.Options{})
	get := func(path string, want int, text string) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want || !strings.Contains(w.Body.String(), text) {
			t.Errorf("GET %s: %d %q, want %d and %q", path, w.Code, w.Body, want, text)
		}
	}
	get("/", http.StatusServiceUnavailable, "the built site does not exist")
	if err := os.MkdirAll(filepath.Join(site, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"secret.txt": "secret", "site/index.html": "home", "site/real/a.txt": "inside"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out.txt": "../secret.txt", "absolute.txt": filepath.Join(dir, "secret.txt"), "up": "..", "linked": "real"} {
		if err := os.Symlink(to, filepath.Join(site, link)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	get("/", http.StatusOK, "home")
	get("/linked/a.txt", http.StatusOK, "inside")
	get("/out.txt", http.StatusNotFound, "Not Found")
	get("/absolute.txt", http.StatusNotFound, "Not Found")
	get("/up/secret.txt", http.StatusNotFound, "Not Found")
	if err := syscall.Mkfifo(filepath.Join(site, "pipe.txt"), 0o600); err == nil {
		get("/pipe.txt", http.StatusNotFound, "Not Found") // opening it would not return
	}
	if err := os.RemoveAll(site); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(site, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("built again"), 0o600); err != nil {
		t.Fatal(err)
	}
	get("/", http.StatusOK, "built again")
}
