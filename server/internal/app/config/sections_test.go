package config_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// TestSectionsInFilesOfTheirOwn reads sections that firebase.json gives as the names of files, as the Firebase CLI
// does.
func TestSectionsInFilesOfTheirOwn(t *testing.T) {
	path := write(t, map[string]string{
		"firebase.json": `{"firestore": "firestore.json", "emulators": "emulators.json", "hosting": "hosting.json", "storage": "none.json"}`,
		"firestore.json": `{"firestore": [{"rules": "a.rules",
  "rule": 1}, {"database": "b", "rules": "b.rules"}]}`,
		"emulators.json": "\ufeff{ // ports\n \"firestore\": {\"port\": \"8081\", \"prot\": 1}, \"database\": {}, \"ui\": {\"enabled\": false}, \"singleProjectMode\": false}",
		"hosting.json":   "[{\"target\": \"a\",\n \"public\": \"one\"}, {\"public\": \"two\"}]",
	})
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(path)
	if c.Ports.Firestore != 8081 || c.UI || c.SingleProject {
		t.Errorf("the emulators: port %d, UI %t, one project %t; want 8081, false, false", c.Ports.Firestore, c.UI, c.SingleProject)
	}
	want := []config.Database{{ID: "(default)", RulesFile: filepath.Join(folder, "a.rules")}, {ID: "b", RulesFile: filepath.Join(folder, "b.rules")}}
	if !slices.Equal(c.Databases, want) {
		t.Errorf("the databases: %+v, want %+v", c.Databases, want)
	}
	if !c.ServesSite() || c.HostingFile != filepath.Join(folder, "hosting.json") || c.HostingMember != "hosting[0]" || !strings.Contains(string(c.Hosting), `"one"`) {
		t.Errorf("the site %s of %s: %s", c.HostingMember, c.HostingFile, c.Hosting)
	}
	notes := strings.ReplaceAll(strings.Join(c.Notes, "\n"), folder+string(filepath.Separator), "")
	for _, note := range []string{
		"firestore.json:2:3: firestore[0].rule is not known and has no effect", "emulators.json:2:32: firestore.prot is not known and has no effect",
		"firebase.json names database, storage, of which Clave has no emulator", "firebase.json has 2 sites, of which Clave serves one: a.",
	} {
		if !strings.Contains(notes, note) {
			t.Errorf("the notes lack %q:\n%s", note, notes)
		}
	}
}

// TestSectionsThatCannotBeRead names files of sections that the Firebase CLI refuses. The error names both places.
func TestSectionsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, json, file, err string }{
		{"absent", "{\n \"emulators\": \"none.json\"}", "", "firebase.json:2:15: emulators is in a file of its own. none.json: cannot be read (no such file or directory)."},
		{"of another type", `{"hosting": "s.js"}`, "", "firebase.json:1:13: hosting is in a file of its own. s.js: the name of the file must end in .json."},
		{"not JSON", `{"firestore": "s.json"}`, "{\n x}", "firebase.json:1:15: firestore is in a file of its own. s.json:2:2: invalid character 'x' looking for beginning of object key string. Correct the JSON there."},
		{"of another form", `{"emulators": "s.json"}`, "{\"emulators\": {\"auth\":\n {\"port\": true}}}", `s.json:2:14: "auth.port" must be a whole number, not bool.`},
	} {
		path := write(t, map[string]string{"firebase.json": c.json, "s.json": c.file})
		_, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if err == nil {
			t.Errorf("%s: no error, want %q", c.name, c.err)
			continue
		}
		if text := strings.ReplaceAll(fault.FromError(err).Message, filepath.Dir(path)+string(filepath.Separator), ""); text != c.err {
			t.Errorf("%s: %q\nwant %q", c.name, text, c.err)
		}
	}
}
