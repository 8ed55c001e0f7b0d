package hosting_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/transport/hosting"
	"clave/server/test/kit/wait"
)

// TestAFolderIsServedFromWithin checks that symbolic links that leave the folder are not followed, and that the
// response reports a missing folder until it exists.
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
	if err := os.WriteFile(filepath.Join(site, "piped.html"), []byte("has a pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(site, "piped.html.br"), 0o600); err == nil {
		get("/piped.html", http.StatusOK, "has a pipe")
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

// TestProductionShowsNoPath requests a page of a site whose folder is missing. Clients do not receive its path, and the
// log has it.
func TestProductionShowsNoPath(t *testing.T) {
	config, err := hosting.Parse([]byte(`{"public": "site"}`))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	var log strings.Builder
	handler := hosting.Folder(config, dir, hosting.Options{Production: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), dir) {
		t.Errorf("GET /: %d %q, want 503 without %s", w.Code, w.Body, dir)
	}
	if !strings.Contains(log.String(), dir) {
		t.Errorf("the log is %q, want %s in it", log.String(), dir)
	}
}

// TestAReplacedFolderIsClosed checks that a site opens the folder that its path leads to, when a link to it changes
// too, and closes the folder before after the requests that use it.
func TestAReplacedFolderIsClosed(t *testing.T) {
	dir := t.TempDir()
	current := filepath.Join(dir, "current")
	config, err := hosting.Parse([]byte(`{"public": "current"}`))
	if err != nil {
		t.Fatal(err)
	}
	site := hosting.Folder(config, current, hosting.Options{})
	server := httptest.NewServer(site)
	defer server.Close()
	large := strings.Repeat("0123456789abcdef", 1<<20) // It is not kept in memory, and its client has not read it yet.
	for _, name := range []string{"first", "second"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "large.txt"), []byte(large), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "index.html"), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get := func(path string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	text := func(res *http.Response) string {
		t.Helper()
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	leadTo := func(name string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := os.Symlink(name, next); err != nil {
			t.Skip("no symbolic links: ", err)
		}
		if err := os.Rename(next, current); err != nil {
			t.Fatal(err)
		}
		if got := text(get("/")); got != name {
			t.Errorf("after a change to %s the page is %q", name, got)
		}
	}
	leadTo("first")
	begun := get("/large.txt")
	leadTo("second")
	if got := openBelow(t, filepath.Join(dir, "first")); got == 0 {
		t.Error("the first folder is closed during a request that uses it")
	}
	if got := text(begun); got != large {
		t.Errorf("the file of the folder before has %d bytes, want %d", len(got), len(large))
	}
	wait.Until(t, "the first folder is closed", func() bool { return openBelow(t, filepath.Join(dir, "first")) == 0 })
	if err := site.Close(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the second folder is closed", func() bool { return openBelow(t, filepath.Join(dir, "second")) == 0 })
	res := get("/")
	if got := text(res); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a closed site responds with %d %q", res.StatusCode, got)
	}
}

// openBelow returns the number of this process's open files and folders at or below a path.
func openBelow(t *testing.T, path string) int {
	t.Helper()
	const all = "/proc/self/fd"
	names, err := os.ReadDir(all)
	if err != nil {
		t.Skip("open files are not listed: ", err)
	}
	n := 0
	for _, name := range names {
		if to, err := os.Readlink(filepath.Join(all, name.Name())); err == nil && strings.HasPrefix(to, path) {
			n++
		}
	}
	return n
}
