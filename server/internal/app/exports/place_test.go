package exports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// TestFolderOfExports opens folders of exports: new ones, and those that the data or the site would share with exports.
func TestFolderOfExports(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "srv", "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ at, want string }{
		{"", ""}, {filepath.Join(dir, "exports", "new"), filepath.Join(dir, "exports", "new")}, {filepath.Join(dir, "srv", "exports"), filepath.Join(dir, "srv", "exports")},
		{data, "refused"}, {filepath.Join(data, "exports"), "refused"}, {filepath.Join(dir, "srv"), "refused"}, {link, "refused"}, {filepath.Join(link, "exports"), "refused"}, {dir, "refused"},
	} {
		got, err := exportFolder(&config.Config{AdminExports: tt.at, DataDir: data})
		if err != nil && strings.Contains(err.Error(), "one is in the other") {
			got, err = "refused", nil
		}
		if got != tt.want || err != nil {
			t.Errorf("exports in %s: %q, %v, want %q", tt.at, got, err, tt.want)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "exports", "new")
	if got, err := exportFolder(&config.Config{AdminExports: at, DataDir: filepath.Join(loop, "data")}); err == nil {
		t.Errorf("exports in %s beside data that can't be reached: %q, want an error", at, got)
	}
}
