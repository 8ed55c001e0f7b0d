package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"clave/server/internal/suite/migrate"
	"clave/server/test/e2e/harness"
)

// TestMigrateFromTheOfficialEmulator reads the documents of the official emulator as those of a live project, also
// under missing parents. They are those that the emulator's own export has.
func TestMigrateFromTheOfficialEmulator(t *testing.T) {
	const project, database = "demo-live", "projects/demo-live/databases/(default)"
	theirs := "http://" + harness.StartOfficialEmulator(t)
	send := func(path, body string) {
		t.Helper()
		if code, text := harness.Plain(t, http.MethodPost, theirs+path, body); code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, code, text)
		}
	}
	seed := filepath.Join(suiteAt(t), "firestore_export", "firestore_export.overall_export_metadata")
	send("/emulator/v1/projects/"+project+":import", fmt.Sprintf(`{"database":%q,"export_directory":%q}`, database, seed))
	var writes []string
	for i := range 300 {
		writes = append(writes, fmt.Sprintf(`{"update":{"name":"%s/documents/missing/parent/kept/%d","fields":{"n":{"integerValue":"%d"}}}}`, database, i, i))
	}
	send("/v1/"+database+"/documents:commit", `{"writes":[`+strings.Join(writes, ",")+`]}`)
	exported := t.TempDir()
	send("/emulator/v1/projects/"+project+":export", fmt.Sprintf(`{"database":%q,"export_directory":%q,"export_name":"x"}`, database, exported))
	run := func(flags ...string) (r migrate.Report) {
		t.Helper()
		cmd := harness.Command(t, t.TempDir(), append([]string{"migrate", "from-firebase", "--json", "--project", project}, flags...)...)
		out, err := cmd.Output()
		if err != nil || json.Unmarshal(out, &r) != nil {
			t.Fatalf("migrate: %v %s", err, out)
		}
		return r
	}
	live, export := run("--endpoint", "firestore="+theirs), run(filepath.Join(exported, "x"), "--check")
	if live.State != migrate.Finished || live.Documents != 304 {
		t.Errorf("the report is %+v", live)
	}
	for i := range live.Sides {
		live.Sides[i].Target = nil
	}
	if !reflect.DeepEqual(live.Sides, export.Sides) {
		t.Errorf("the migration has %+v, and the export %+v", live.Sides, export.Sides)
	}
}
