package config_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/config"
)

// write makes a project folder with the given files and returns the path of its firebase.json.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "firebase.json")
}

// noEnv is an empty environment.
func noEnv(string) string { return "" }

func TestParseReadsTheProject(t *testing.T) {
	path := write(t, map[string]string{
		"firebase.json": `{"firestore":{"rules":"firestore.rules","indexes":"i.json"},"emulators":{"firestore":{"port":8081,"websocketPort":9151}}}`,
		".firebaserc":   `{"projects":{"default":"demo-x"}}`,
	})
	c, err := config.Parse(config.ModeStart, []string{"--config", path, "--only", "firestore,auth"}, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Ports{Firestore: 8081, Auth: 9099, Hosting: 5000, Websocket: 9151}); c.Ports != want {
		t.Errorf("Ports = %+v, want %+v", c.Ports, want)
	}
	if c.Project != "demo-x" || !c.Runs("auth") || c.Runs("hosting") || c.Production() {
		t.Errorf("project %q, auth %v, hosting %v, production %v", c.Project, c.Runs("auth"), c.Runs("hosting"), c.Production())
	}
	want := config.Database{ID: "(default)", RulesFile: filepath.Join(filepath.Dir(path), "firestore.rules"), IndexesFile: filepath.Join(filepath.Dir(path), "i.json")}
	if len(c.Databases) != 1 || c.Databases[0] != want {
		t.Errorf("Databases = %+v, want %+v", c.Databases, want)
	}
}

func TestParseSeveralDatabases(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"firestore":[{"rules":"a.rules"},{"database":"second","rules":"b.rules"}]}`})
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil || len(c.Databases) != 2 || c.Databases[1].ID != "second" {
		t.Errorf("Parse = %+v, %v; want two databases", c, err)
	}
}

func TestParseRefuses(t *testing.T) {
	good := `{"firestore":{"rules":"firestore.rules"}}`
	tests := []struct {
		name, json string
		mode       config.Mode
		args       []string
		want       string
	}{
		{"broken JSON names the line", "{\n  \"firestore\": oops\n}", config.ModeStart, nil, "firebase.json:2:16: "},
		{"a wrong type names the field", `{"emulators":{"auth":{"port":"x"}}}`, config.ModeStart, nil, `"emulators.auth.port" must be a int`},
		{"index mode", good, config.ModeStart, []string{"--indexes", "maybe"}, "--indexes maybe"},
		{"part", good, config.ModeStart, []string{"--only", "storage"}, "--only storage"},
		{"stray argument", good, config.ModeStart, []string{"now"}, `unexpected argument "now"`},
		{"exec without a command", good, config.ModeExec, nil, "say what to run"},
		{"serve without a project", good, config.ModeServe, nil, "--project"},
		{"serve with a demo project", good, config.ModeServe, []string{"--project", "demo-x"}, "demo project"},
		{"serve without rules", `{}`, config.ModeServe, []string{"--project", "x"}, "without rules"},
		{"serve without its origin", good, config.ModeServe, []string{"--project", "x"}, "--public-url"},
		{"serve with a path behind its origin", good, config.ModeServe, []string{"--project", "x", "--public-url", "https://x.org/a"}, "want an origin"},
		{"serve with half a certificate", good, config.ModeServe, []string{"--project", "x", "--tls-cert", "c.pem"}, "go together"},
		{"credentials without a project", good, config.ModeCredentials, nil, "--project"},
		{"credentials with a server's flag", good, config.ModeCredentials, []string{"--port", "1"}, "flag provided but not defined"},
		{"serve with unsigned tokens", good, config.ModeServe, []string{"--project", "x", "--sign-tokens=false"}, "always signed"},
	}
	for _, tt := range tests {
		path := write(t, map[string]string{"firebase.json": tt.json})
		c, err := config.Parse(tt.mode, append([]string{"--config", path}, tt.args...), noEnv, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Parse = %+v, %v; want an error with %q", tt.name, c, err, tt.want)
		}
	}
	if _, err := config.Parse(config.ModeStart, []string{"--config", "/does/not/exist.json"}, noEnv, io.Discard); err == nil {
		t.Error("a named firebase.json that does not exist must be refused")
	}
}

func FuzzFirebaseJSON(f *testing.F) {
	f.Add(`{"firestore":[{"rules":"a"}]}`)
	f.Add(`{"firestore":{"rules":1}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "firebase.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if (c == nil) && err == nil {
			t.Error("neither a configuration nor an error")
		}
	})
}
