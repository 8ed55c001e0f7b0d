package config_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/app/config"
)

// TestFilesThatTheFirebaseCLIReads reads forms of firebase.json and .firebaserc with which the Firebase CLI starts.
func TestFilesThatTheFirebaseCLIReads(t *testing.T) {
	for _, c := range []struct {
		name, json, rc string
		port           int      // of Firestore
		databases      string   // their ids and rules
		notes          []string // in each of which FILE stands for the path of firebase.json
	}{
		{"a byte order mark", "\ufeff{\"emulators\": {\"firestore\": {\"port\": 8081}}}", "\ufeff{\"projects\": {\"default\": \"demo-a\"}}", 8081, "", nil},
		{"an empty file", "", "{}", 8080, "", nil},
		{"ports in strings", `{"emulators": {"firestore": {"port": "8081"}, "auth": {"port": ""}}}`, "{}", 8081, "", nil},
		{"emulators without an object", "{\"emulators\": {\"firestore\": true,\n\"auth\": null}}", "{}", 8080, "", []string{"FILE:1:16: emulators.firestore is true or false, not an object, and has no effect"}},
		{"no firestore", `{"firestore": false}`, "{}", 8080, "", nil},
		{"null", `{"firestore": null, "emulators": null}`, "{}", 8080, "", nil},
		{
			"members without effect", "{\"$schema\": \"x\", \"rules\": 1,\n \"firestore\": {\"rules\": \"a\", \"predeploy\": [\"x\"], \"location\": \"eur3\", \"rule\": 1},\n \"emulators\": {\"auth\": {\"prot\": 1}, \"stoarge\": {}}}", "{}", 8080, "(default)=a",
			[]string{
				"FILE:1:18: rules is not known and has no effect", "FILE:2:70: firestore.rule is not known and has no effect", "FILE:2:30: firestore.predeploy has no effect here",
				"FILE:2:50: firestore.location has no effect here", "FILE:3:37: emulators.stoarge is not known and has no effect", "FILE:3:25: emulators.auth.prot is not known and has no effect",
			},
		},
		{
			"targets", `{"firestore": [{"database": "x", "rules": "a"}, {"target": "t", "rules": "b"}, {"target": "none", "rules": "c"}]}`,
			`{"projects": {"default": "demo-a"}, "targets": {"demo-a": {"firestore": {"t": ["y", "z"]}}}}`, 8080, "x=a y=b z=b", []string{"FILE: .firebaserc has no databases for the target none of firestore"},
		},
		{"providers of the Firebase CLI", "{\"auth\": {\"providers\": {\"anonymous\": true,\n\"googleSignIn\": {\"supportEmail\": \"a@example.org\"}, \"apple\": true}, \"other\": 1}}", "{}", 8080, "", []string{
			"FILE:2:52: auth.providers.apple is not known and has no effect", "FILE:1:25: auth.providers.anonymous has an effect in clave serve only", "FILE:2:1: auth.providers.googleSignIn has no effect here: clave providers add google",
			"FILE:2:68: auth.other has no effect here",
		}},
		{"a .firebaserc with a mistake", `{}`, `{"projects": }`, 8080, "", []string{"RC:1:14: invalid character '}' looking for beginning of value. Correct the JSON there. The file has no effect."}},
	} {
		path := write(t, map[string]string{"firebase.json": c.json, ".firebaserc": c.rc})
		got, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var databases []string
		for _, d := range got.Databases {
			databases = append(databases, d.ID+"="+filepath.Base(d.RulesFile))
		}
		var notes []string
		for _, note := range got.Notes {
			notes = append(notes, strings.NewReplacer(path, "FILE", filepath.Join(filepath.Dir(path), ".firebaserc"), "RC").Replace(note))
		}
		if got.Ports.Firestore != c.port || strings.Join(databases, " ") != c.databases || !slices.Equal(notes, c.notes) {
			t.Errorf("%s: port %d, databases %q, notes\n%s\nwant %d, %q\n%s", c.name, got.Ports.Firestore, databases, strings.Join(notes, "\n"), c.port, c.databases, strings.Join(c.notes, "\n"))
		}
	}
	if _, err := config.Parse(config.ModeStart, []string{"--config", "/dev/null"}, noEnv, io.Discard); err != nil {
		t.Errorf("the null device: %v", err)
	}
}

// TestPipesInAProject names pipes as firebase.json and .firebaserc, which nothing writes to.
func TestPipesInAProject(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": "{}"})
	if err := syscall.Mkfifo(filepath.Join(filepath.Dir(path), ".firebaserc"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "not a regular file") {
		t.Errorf("a pipe as .firebaserc: %+v, %v; want a note", c, err)
	}
	pipe := filepath.Join(t.TempDir(), "firebase.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Parse(config.ModeStart, []string{"--config", pipe}, noEnv, io.Discard); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe as firebase.json: %v", err)
	}
}
