package missingindex

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/database/index"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/release"
)

func TestTheRecorderWritesToTheDatabasesFile(t *testing.T) {
	dir := t.TempDir()
	file, own := filepath.Join(dir, "firestore.indexes.json"), filepath.Join(dir, "own.json")
	if err := os.WriteFile(own, []byte(`{"indexes": [], "note": "stays"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	r := NewRecorder([]release.Paths{
		{ID: resource.DefaultDatabase, IndexesFile: file}, {ID: "own", IndexesFile: own},
	}, slog.New(slog.DiscardHandler))
	two := index.Definition{CollectionGroup: "c", Fields: []index.Field{{Path: "a"}, {Path: "b"}}}
	one := index.Definition{CollectionGroup: "c", Group: true, Fields: []index.Field{{Path: "a"}}}
	for _, id := range []string{resource.DefaultDatabase, "own", "another"} {
		r.record(resource.Database{Project: "p", ID: id}, two)
	}
	r.record(resource.Database{Project: "p", ID: resource.DefaultDatabase}, one)
	for path, want := range map[string]int{file: 2, own: 1} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defs, _, err := index.ParseDefinitions(text)
		if err != nil || len(defs.Indexes) == 0 || !defs.Indexes[0].Equal(two) {
			t.Errorf("%s holds %+v, %v; want %+v first", path, defs, err, two)
		}
		if got := strings.Count(string(text), `"fieldPath": "b"`); got != want {
			t.Errorf("%s has the index %d times, want %d: %s", path, got, want, text)
		}
		if strings.Contains(string(text), "stays") != (path == own) {
			t.Errorf("%s lost its other content: %s", path, text)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if defs, _, err := index.ParseDefinitions(text); err != nil || len(defs.Overrides) != 1 || !defs.Overrides[0].Group.Ascending {
		t.Errorf("an index of one field: %+v, %v; want an override", defs.Overrides, err)
	}
}
