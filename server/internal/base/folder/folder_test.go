package folder_test

import (
	"errors"
	"os"
	"testing"

	"clave/server/internal/base/folder"
)

// TestContains has paths inside and outside a folder: with and without links, and with parts that do not exist.
func TestContains(t *testing.T) {
	dir := t.TempDir()
	at := func(path string) string { return dir + "/" + path } // not cleaned
	err := errors.Join(
		os.MkdirAll(at("data/deep"), 0o700), os.Mkdir(at("database"), 0o700), os.WriteFile(at("data/file"), nil, 0o600), os.WriteFile(at("file"), nil, 0o600),
		os.Symlink(at("data"), at("to data")), os.Symlink(at("data/deep"), at("to deep")), os.Symlink(at("data/file"), at("to file")),
		os.Symlink(at("file"), at("data/out")), os.Symlink(at("data/none"), at("to none")), os.Symlink(at("loop"), at("loop")),
	)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"data":              false, // itself
		"to data":           false,
		"data/file":         true,
		"data/none":         true,
		"data/none/at/all":  true,
		"data/deep/none":    true,
		"data/../file":      false,
		"data/../data/file": true,
		"to data/none":      true,
		"to data/none/none": true,
		"to deep":           true,
		"to deep/none":      true,
		"to deep/../none":   true, // its parent is that of the folder to which the link leads
		"to deep/../file":   true,
		"to data/../file":   false,
		"to file":           true,
		"data/out":          true, // as a name
		"file":              false,
		"none":              false,
		"none/at/all":       false,
		"database":          false, // its name only begins with that of the folder
		"database/none":     false,
	} {
		for _, of := range []string{"data", "to data", "data/deep/.."} {
			got, err := folder.Contains(at(of), at(path))
			if got != want || err != nil {
				t.Errorf("%s contains %s = %v, %v, want %v", of, path, got, err, want)
			}
		}
	}
	if got, err := folder.Contains(at("not made"), at("not made/file")); got || err != nil {
		t.Errorf("a folder that does not exist contains a file: %v, %v", got, err)
	}
	for _, path := range []string{"loop", "loop/none", "file/none"} {
		if got, err := folder.Contains(at("data"), at(path)); got || err == nil {
			t.Errorf("data contains %s = %v, %v, want an error", path, got, err)
		}
	}
	for _, tt := range []struct {
		a, b            string
		within, overlap bool
	}{
		{"data", "data", true, true}, {"data", "to data", true, true}, {"data", "data/none", true, true}, {"data/none", "data", false, true},
		{"data", "database", false, false}, {"none", "data", false, false}, {"data/deep", "to data", false, true},
	} {
		within, err := folder.Within(at(tt.a), at(tt.b))
		overlap, overlapErr := folder.Overlap(at(tt.a), at(tt.b))
		if within != tt.within || overlap != tt.overlap || errors.Join(err, overlapErr) != nil {
			t.Errorf("%s and %s: within %v, %v, overlap %v, %v; want %v, %v", tt.a, tt.b, within, err, overlap, overlapErr, tt.within, tt.overlap)
		}
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"bucket/a", "bucket/a", true}, {"bucket/a", "bucket/a/", true}, {"bucket/a", "bucket//a/b", true}, {"bucket", "bucket/a", true},
		{"bucket/a", "bucket/ab", false}, {"bucket/a", "bucket/b", false}, {"gs://bucket/a", "gs://bucket/a/b", true}, {"gs://bucket/a", "gs://bucket/ab", false},
	} {
		if got := folder.NamesOverlap(tt.a, tt.b); got != tt.want || folder.NamesOverlap(tt.b, tt.a) != got {
			t.Errorf("NamesOverlap(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if _, err := folder.Overlap(at("data"), at("loop")); err == nil {
		t.Error("whether a loop overlaps is known")
	}
	t.Chdir(at("data"))
	if got, err := folder.Contains(".", "none"); !got || err != nil {
		t.Errorf("relative paths: %v, %v", got, err)
	}
}
