package postgres_test

import (
	"os"
	"path/filepath"
	"testing"

	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
)

// testADamagedReplicaIsBuiltAgain starts a node on a folder of which some files were removed, as by a node that was
// killed while it emptied the folder, and on one whose manifest was cut off.
func testADamagedReplicaIsBuiltAgain(t *testing.T, pg *pgtest.Server) {
	o := postgres.Options{URL: pg.Database(), Dir: filepath.Join(t.TempDir(), "replica")}
	s := lead(t, o)
	set(t, s, "a", "1")
	for name, damage := range map[string]func(path string) error{
		"marker.manifest.*": os.Remove,
		"MANIFEST-*":        func(path string) error { return os.Truncate(path, 1) },
	} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(o.Dir, name))
		if err != nil || len(found) == 0 {
			t.Fatalf("the folder has no %s: %v", name, err)
		}
		for _, path := range found {
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
		}
		s = lead(t, o)
		wantAll(t, s, "a=1")
	}
}
