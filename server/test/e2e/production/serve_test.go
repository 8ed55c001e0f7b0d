package production

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

func TestServeRefusesToStart(t *testing.T) {
	good := []string{"--project", harness.RealProject, "--public-url", "https://data.example.org", "--port", "0"}
	tests := []struct {
		name  string
		files map[string]string
		flags []string
		env   []string
		code  int
		want  string
	}{
		{"without rules", map[string]string{"firebase.json": `{}`}, good, nil, 1, "firestore.rules"},
		{"with broken rules", map[string]string{"firestore.rules": "rules_version = '2';\nservice oops"}, good, nil, 1, "firestore.rules:2:"},
		{"with a demo project", nil, append([]string{"--project", "demo-x"}, good[2:]...), nil, 2, "demo project"},
		{"without its origin", nil, good[:2], nil, 2, "--public-url"},
		{"with a service that firebase.json does not name", nil, append([]string{"--service", "office=http://127.0.0.1:1"}, good...), nil, 1, "--service office: firebase.json rewrites no path to a service of this name; it has: backoffice"},
		{"without the built site", map[string]string{"firebase.json": `{"firestore":{"rules":"firestore.rules"},"hosting":{"public":"nowhere"}}`}, good, nil, 1, "nowhere"},
		{"in the clear for other machines", nil, append([]string{"--host", "0.0.0.0"}, good...), nil, 2, "--trust-proxy"},
		{"in the clear at one address", nil, append([]string{"--host", "192.0.2.1"}, good...), nil, 2, "--trust-proxy"},
		{"with a console in the clear for other machines", nil, append([]string{"--trust-proxy", "--console", "0.0.0.0:0"}, good...), nil, 2, "ssh -L"},
		{"with a console at no address", nil, append([]string{"--console", "4000"}, good...), nil, 2, "expected a host and a port"},
		{"with an invalid memory limit", nil, append([]string{"--memory-limit", "lots"}, good...), nil, 2, "512MiB"},
		{"with an invalid certificate", map[string]string{"c.pem": "x"}, append([]string{"--tls-cert", "c.pem", "--tls-key", "c.pem"}, good...), nil, 1, "c.pem"},
	}
	for _, tt := range tests {
		dir := harness.ProductionFolder(t)
		for name, text := range tt.files {
			harness.WriteFile(t, filepath.Join(dir, name), text)
		}
		cmd := harness.ServeCommand(t, dir, tt.env, tt.flags...)
		stop := time.AfterFunc(harness.WaitLimit, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		stop.Stop()
		if err == nil || cmd.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("clave serve %s: %v, %q; want exit code %d and %q", tt.name, err, out, tt.code, tt.want)
		}
	}
}

// TestServeHasNoConveniences tries the requests that the emulators accept and production must refuse.
func TestServeHasNoConveniences(t *testing.T) {
	p := harness.Serve(t, harness.ProductionFolder(t), false)
	documents := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents"
	unsigned := "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbmEiLCJ1c2VyX2lkIjoiYW5hIiwiYXVkIjoiZnVuZGFjaW9uLWUyZSIsImlzcyI6Imh0dHBzOi8vc2VjdXJldG9rZW4uZ29vZ2xlLmNvbS9mdW5kYWNpb24tZTJlIiwiaWF0IjoxLCJleHAiOjk5OTk5OTk5OTl9."
	admin := "/identitytoolkit.googleapis.com/v1/projects/" + harness.RealProject
	tests := []struct {
		name, method, path, authorization string
		body                              any
		want                              int
	}{
		{"a visitor reads what is open", "GET", documents + "/open/a", "", nil, 404},
		{"a visitor reads what is not", "GET", documents + "/mine/ana", "", nil, 403},
		{"a database that is not configured", "GET", "/v1/projects/" + harness.RealProject + "/databases/nope/documents/mine/ana", "", nil, 404},
		{"another project", "GET", "/v1/projects/other/databases/(default)/documents/mine/ana", "", nil, 404},
		{"the owner's token", "GET", documents + "/mine/ana", "Bearer owner", nil, 401},
		{"an emulator's access token", "GET", documents + "/mine/ana", "Bearer ya29.owner", nil, 401},
		{"an unsigned token", "GET", documents + "/mine/ana", unsigned, nil, 401},
		{"the owner lists accounts", "GET", admin + "/accounts:batchGet", "Bearer owner", nil, 401},
		{"the owner makes an account", "POST", admin + "/accounts", "Bearer owner", map[string]any{"email": "a@b.org"}, 401},
		{"an unsigned custom token", "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k", "", map[string]any{"token": strings.TrimPrefix(unsigned, "Bearer ")}, 400},
		{"a made-up credential of a provider", "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k", "",
			map[string]any{"requestUri": "http://localhost", "postBody": `providerId=google.com&id_token={"sub":"1"}`}, 400},
		{"control: clear accounts", "DELETE", "/emulator/v1/projects/" + harness.RealProject + "/accounts", "", nil, 405},
		{"control: clear documents", "DELETE", "/emulator/v1/projects/" + harness.RealProject + "/databases/(default)/documents", "", nil, 405},
		{"control: replace rules", "PUT", "/emulator/v1/projects/" + harness.RealProject + ":securityRules", "", map[string]any{}, 405},
		{"control: codes", "GET", "/emulator/v1/projects/" + harness.RealProject + "/oobCodes", "", nil, 404},
		{"control: action page", "GET", "/emulator/action?mode=signIn", "", nil, 404},
		{"the site", "GET", "/", "", nil, 200},
		{"the site's folder only", "GET", "/..%2ffirebase.json", "", nil, 404},
	}
	for _, tt := range tests {
		if code, answer := p.Request(t, tt.method, tt.path, tt.authorization, tt.body); code != tt.want {
			t.Errorf("%s: %s %s = %d %v, want %d", tt.name, tt.method, tt.path, code, answer, tt.want)
		}
	}
	p.Stop(t)
}

func TestServeKeepsItsFilesPrivate(t *testing.T) {
	harness.Alone(t, "the keys are not in the data folder")
	p := harness.Serve(t, harness.ProductionFolder(t), false)
	p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1"})
	for _, name := range []string{".clave", ".clave/keys", ".clave/store"} {
		if info, err := os.Stat(filepath.Join(p.Dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v; want a folder for its owner alone", name, info, err)
		}
	}
	keys, err := filepath.Glob(filepath.Join(p.Dir, ".clave/keys/*/*.pem"))
	if err != nil || len(keys) == 0 {
		t.Errorf("no keys in the data folder: %v", err)
	}
	for _, key := range keys {
		if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", key, info, err)
		}
	}
	sockets, err := filepath.Glob(filepath.Join(p.Dir, ".clave/*.sock"))
	if err != nil || len(sockets) == 0 {
		t.Errorf("no sockets for commands in the data folder: %v", err)
	}
	for _, socket := range sockets {
		if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", socket, info, err)
		}
	}
	other := harness.ServeCommand(t, p.Dir, nil, "--project", harness.RealProject, "--port", fmt.Sprint(harness.FreePorts(t, 1)[0]), "--public-url", p.URL)
	if out, err := other.CombinedOutput(); err == nil || !strings.Contains(string(out), "another clave uses this data folder") {
		t.Errorf("a second server on the data folder: %v %s", err, out)
	}
}
