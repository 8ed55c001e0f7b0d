package app

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// TestReadIndexes reads index files as the modes do: with remarks, and in development without a file that has a
// mistake.
func TestReadIndexes(t *testing.T) {
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
		mode          config.Mode
		indexes, file string
		composites    int    // -1 for an error
		want          string // part of the notices or of the error
	}{
		{config.ModeServe, "enforce", "old.json", 1, "old.json:2:15: indexes[0].collectionId is the form of v1beta1"},
		{config.ModeStart, "auto", "old.json", 1, "old.json:2:15: indexes[0].collectionId is the form of v1beta1"},
		{config.ModeStart, "auto", "mistake.json", 0, skipped}, {config.ModeStart, "auto", "broken.json", 0, skipped},
		{config.ModeStart, "record", "pipe.json", 0, "not a regular file"}, {config.ModeStart, "off", "absent.json", 0, "does not exist"},
		{config.ModeStart, "enforce", "mistake.json", -1, `field "a" needs one of`}, {config.ModeServe, "enforce", "mistake.json", -1, `field "a" needs one of`},
		{config.ModeServe, "auto", "broken.json", -1, "broken.json: line 1, column 16"}, {config.ModeServe, "enforce", "pipe.json", -1, "not a regular file"},
		{config.ModeServe, "enforce", "absent.json", -1, "absent.json"},
	} {
		var notices strings.Builder
		database := config.Database{ID: resource.DefaultDatabase, IndexesFile: path(c.file)}
		a := &App{config: &config.Config{Mode: c.mode, Indexes: c.indexes, Project: "p", Databases: []config.Database{database, {ID: "second", IndexesFile: database.IndexesFile}}}}
		a.o.Notices = &notices
		all, err := a.readIndexes()
		if (err != nil) != (c.composites < 0) || err == nil && len(all[a.databaseOf(resource.DefaultDatabase)].Indexes) != c.composites {
			t.Errorf("%s --indexes %s of %s: %v, %v; want %d indexes", c.mode, c.indexes, c.file, all, err, c.composites)
		}
		said := notices.String()
		if err != nil {
			said = fault.FromError(err).Message
		}
		if !strings.Contains(said, c.want) || c.composites > 0 && strings.Count(said, c.want) != 1 {
			t.Errorf("%s --indexes %s of %s: %q, want %q once", c.mode, c.indexes, c.file, said, c.want)
		}
	}
}
