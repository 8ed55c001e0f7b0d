package projectfiles

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

// TestIndexes reads index files as the modes do: with remarks, and in development without a file that has a
// mistake.
func TestIndexes(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"old.json":     "\ufeff// before the v1 API\n" + `{"indexes": [{"collectionId": "r", "fields": [{"fieldPath": "a", "mode": "ASCENDING"}, {"fieldPath": "b", "mode": "DESCENDING"}]}]}`,
		"mistake.json": `{"indexes": [{"collectionGroup": "r", "fields": [{"fieldPath": "a", "order": "UP"}]}]}`,
		"broken.json":  `{"indexes": [],}`,
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(path("pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	const skipped = "continues without the indexes"
	for _, c := range []struct {
		mode       string // --indexes
		production bool
		file       string
		composites int    // -1 for an error
		want       string // part of the notices or of the error
	}{
		{"enforce", true, "old.json", 1, "old.json:2:15: indexes[0].collectionId is the form of v1beta1"},
		{"auto", false, "old.json", 1, "old.json:2:15: indexes[0].collectionId is the form of v1beta1"},
		{"auto", false, "mistake.json", 0, skipped}, {"auto", false, "broken.json", 0, skipped},
		{"record", false, "pipe.json", 0, "not a regular file"}, {"off", false, "absent.json", 0, "does not exist"},
		{"enforce", false, "mistake.json", -1, `field "a" needs one of`}, {"enforce", true, "mistake.json", -1, `field "a" needs one of`},
		{"auto", true, "broken.json", -1, "broken.json: line 1, column 16"}, {"enforce", true, "pipe.json", -1, "not a regular file"},
		{"enforce", true, "absent.json", -1, "absent.json"},
	} {
		var notices strings.Builder
		paths := release.Paths{ID: resource.DefaultDatabase, IndexesFile: path(c.file)}
		p := &Project{ID: "p", Databases: []release.Paths{paths, {ID: "second", IndexesFile: paths.IndexesFile}}, Production: c.production, Enforce: c.mode == "enforce", Notices: &notices}
		all, err := p.Indexes()
		if (err != nil) != (c.composites < 0) || err == nil && len(all[p.database(resource.DefaultDatabase)].Indexes) != c.composites {
			t.Errorf("--indexes %s (production: %v) of %s: %v, %v; want %d indexes", c.mode, c.production, c.file, all, err, c.composites)
		}
		said := notices.String()
		if err != nil {
			said = fault.FromError(err).Message
		}
		if !strings.Contains(said, c.want) || c.composites > 0 && strings.Count(said, c.want) != 1 {
			t.Errorf("--indexes %s (production: %v) of %s: %q, want %q once", c.mode, c.production, c.file, said, c.want)
		}
	}
}
