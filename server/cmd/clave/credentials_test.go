package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/store/pebble"
)

// output runs a command line and returns its exit code and its output.
func output(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), args, streams{&out, &out})
	return code, out.String()
}

func TestCredentials(t *testing.T) {
	t.Setenv("CLAVE_PUBLIC_URL", "")
	t.Chdir(t.TempDir())
	with := func(words ...string) []string {
		args := append(append([]string{"credentials"}, words...), "--project", "foundation", "--data", "data")
		if words[0] == "create" {
			args = append(args, "--public-url", "https://data.example.org/")
		}
		return args
	}

	if code, text := output(t, with("list")...); code != 1 || !strings.Contains(text, "--data") {
		t.Errorf("list without data: %d %q, want 1 and the flag --data named", code, text)
	}
	if _, err := os.Stat("data"); err == nil {
		t.Error("list made a data folder")
	}
	code, text := output(t, with("create", "backend")...)
	if code != 0 || !strings.Contains(text, "backend.json") {
		t.Fatalf("create: %d %q", code, text)
	}
	info, err := os.Stat("backend.json")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backend.json: %v, %v; want mode 0600", info, err)
	}
	raw, err := os.ReadFile("backend.json")
	if err != nil {
		t.Fatal(err)
	}
	var key struct {
		Type         string
		ProjectID    string `json:"project_id"`
		PrivateKeyID string `json:"private_key_id"`
		ClientEmail  string `json:"client_email"`
		TokenURI     string `json:"token_uri"`
	}
	if err := json.Unmarshal(raw, &key); err != nil {
		t.Fatal(err)
	}
	if key.Type != "service_account" || key.ProjectID != "foundation" || key.ClientEmail != "backend@foundation.iam.gserviceaccount.com" ||
		key.TokenURI != "https://data.example.org/oauth2.googleapis.com/token" {
		t.Errorf("the key's file has %+v", key)
	}
	if strings.Contains(text, "PRIVATE KEY") {
		t.Error("create printed the private key")
	}
	if code, text := output(t, with("list")...); code != 0 || !strings.Contains(text, key.PrivateKeyID) || !strings.Contains(text, key.ClientEmail) {
		t.Errorf("list: %d %q, want the key and its account", code, text)
	}

	if code, text := output(t, with("create", "backend")...); code != 1 || !strings.Contains(text, "--out") {
		t.Errorf("create over a file: %d %q, want 1 and the flag --out named", code, text)
	}
	if again, err := os.ReadFile("backend.json"); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("create changed the file that was there: %v", err)
	}
	if code, text := output(t, append(with("create", "backend"), "--out", "-", "--role", "viewer")...); code != 1 || !strings.Contains(text, "has the role owner") {
		t.Errorf("another role for an account with a key: %d %q, want 1 and its role", code, text)
	}
	if code, text := output(t, append(with("create", "deployer"), "--role", "rules-admin")...); code != 0 {
		t.Errorf("create with a role: %d %q", code, text)
	}
	if code, text := output(t, with("list")...); code != 0 || !strings.Contains(text, "rules-admin") {
		t.Errorf("list: %d %q, want the role", code, text)
	}
	if code, text := output(t, append(with("create", "another"), "--role", "editor")...); code != 1 || !strings.Contains(text, `no role "editor"`) {
		t.Errorf("create with an unknown role: %d %q", code, text)
	}
	if _, err := os.Stat("another.json"); err == nil {
		t.Error("a refused key left its file")
	}
	if code, text := output(t, append(with("create", "backend"), "--out", "-")...); code != 0 || !json.Valid([]byte(text)) {
		t.Errorf("create --out -: %d %q, want 0 and the file alone", code, text)
	}

	if code, _ := output(t, with("revoke", "backend", "0000")...); code != 1 {
		t.Errorf("revoking a key that is not there: %d, want 1", code)
	}
	if code, text := output(t, with("revoke", "backend", key.PrivateKeyID)...); code != 0 || !strings.Contains(text, key.PrivateKeyID) {
		t.Errorf("revoke of one key: %d %q", code, text)
	}
	if code, text := output(t, with("revoke", key.ClientEmail)...); code != 0 || strings.Contains(text, key.PrivateKeyID) {
		t.Errorf("revoke of the rest: %d %q", code, text)
	}
	if code, text := output(t, with("list")...); code != 0 || strings.Contains(text, key.ClientEmail) {
		t.Errorf("list after all was revoked: %d %q", code, text)
	}
}

func TestCredentialsRefuses(t *testing.T) {
	t.Setenv("CLAVE_PUBLIC_URL", "")
	t.Setenv("GCLOUD_PROJECT", "")
	t.Chdir(t.TempDir())
	busy, err := pebble.Open(filepath.Join("busy", "store"), pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	project, url := []string{"--project", "foundation"}, []string{"--public-url", "https://data.example.org"}
	for _, tt := range []struct {
		name string
		args [][]string
		code int
		want string
	}{
		{"no name", [][]string{{"create"}, project, url}, 2, "name the account"},
		{"a word too many", [][]string{{"list", "all"}, project}, 2, "takes no arguments"},
		{"no project", [][]string{{"list"}}, 2, "--project"},
		{"no origin", [][]string{{"create", "backend"}, project}, 2, "--public-url"},
		{"a name that Google would not take", [][]string{{"create", "B"}, project, url}, 1, "6 to 30 lower-case letters"},
		{"a folder in use", [][]string{{"create", "backend"}, project, url, {"--data", "busy"}}, 1, "another clave uses this data folder"},
		{"a file that can't be made", [][]string{{"create", "backend"}, project, url, {"--out", "nowhere/key.json"}}, 1, "--out"},
	} {
		args := []string{"credentials"}
		for _, part := range tt.args {
			args = append(args, part...)
		}
		if code, text := output(t, args...); code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %d %q, want %d and %q", tt.name, code, text, tt.code, tt.want)
		}
	}
	if left, _ := filepath.Glob("*.json"); len(left) > 0 {
		t.Errorf("refused commands left %v", left)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{{nil, "revoke"}, {[]string{"burn"}, `there is no command "burn"`}, {[]string{"creat", "x"}, "did you mean clave credentials create?"}} {
		if code, text := output(t, append(append([]string{"credentials"}, tt.args...), project...)...); code != 2 || !strings.Contains(text, tt.want) {
			t.Errorf("clave credentials %q: %d %q, want 2 and %q", tt.args, code, text, tt.want)
		}
	}
}
