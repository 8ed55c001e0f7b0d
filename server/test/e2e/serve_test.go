package e2e

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/test/kit/cert"
)

// realProject is the project in the tests of `clave serve`, which refuses demo projects.
const realProject = "fundacion-e2e"

// productionRules allow users access to their own documents, and anyone to read the collection open.
const productionRules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents {
  match /open/{id} { allow read; }
  match /mine/{uid} { allow read, write: if request.auth.uid == uid; }
} }
`

// production is a running `clave serve`.
type production struct {
	cmd *exec.Cmd
	// followers are the other nodes, if any.
	followers []*exec.Cmd
	dir       string
	// url is the origin, and client trusts its certificate.
	url    string
	client *http.Client
	roots  *x509.CertPool
	// stopBackOffice stops the back office of serveWithBackOffice.
	stopBackOffice func()
}

// host returns the address of a server without TLS.
func (p *production) host() string { return strings.TrimPrefix(p.url, "http://") }

// productionFolder creates a project's folder.
func productionFolder(t *testing.T) string {
	t.Helper()
	shareStore(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": "site", "rewrites": [
		{"source": "/api/admin/**", "run": {"serviceId": "backoffice"}}]}}`)
	writeFile(t, filepath.Join(dir, "firestore.rules"), productionRules)
	if err := os.MkdirAll(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "site", "index.html"), "<h1>Fundación</h1>")
	return dir
}

// serveCommand returns `clave serve` in a folder, with its own environment.
func serveCommand(t *testing.T, dir string, env []string, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, dir, append([]string{"serve"}, flags...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	return cmd
}

// serve runs `clave serve` in a folder until the test ends. If secure is set, it has a certificate of its own.
func serve(t *testing.T, dir string, secure bool, flags ...string) *production {
	t.Helper()
	port := freePorts(t, 1)[0]
	p := &production{dir: dir, url: fmt.Sprintf("http://127.0.0.1:%d", port), roots: x509.NewCertPool()}
	if secure {
		p.url = fmt.Sprintf("https://127.0.0.1:%d", port)
		certificate(t, dir, p.roots)
		flags = append(flags, "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.roots}}
	p.client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	flags = append(flags, "--project", realProject, "--public-url", p.url)
	if os.Getenv(nodesVariable) != "" {
		if os.Getenv("CLAVE_STORE") == "" {
			shareStore(t)
		}
		p.serveNodes(t, port, flags...)
		return p
	}
	flags = append(flags, "--port", fmt.Sprint(port))
	p.cmd = serveCommand(t, dir, nil, flags...)
	p.cmd.Stderr = os.Stderr
	awaitReady(t, p.cmd)
	return p
}

// stop stops the program by a signal, as an administrator does.
func (p *production) stop(t *testing.T) {
	t.Helper()
	for _, cmd := range append(p.followers, p.cmd) { // the leader last, so that no other node takes over
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := waitForExit(t, cmd); err != nil {
			t.Fatalf("clave serve ended with %v", err)
		}
	}
	p.followers = nil
}

// certificate writes a certificate for 127.0.0.1 and Google's names into a folder and adds it to a pool.
func certificate(t *testing.T, dir string, roots *x509.CertPool) {
	t.Helper()
	roots.AppendCertsFromPEM(cert.Write(t, cert.In(dir), cert.Options{Names: []string{"*.googleapis.com"}, Loopback: true}))
}

// request sends a request with an Authorization header, if any, and returns status and body.
func (p *production) request(t *testing.T, method, path, authorization string, body any) (int, map[string]any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, raw := do(t, p.client, r)
	answer := make(map[string]any)
	_ = json.Unmarshal([]byte(raw), &answer) // pages and plain texts give no answer
	return resp.StatusCode, answer
}

// call makes a call of the Identity Toolkit or of the back office, which must succeed.
func (p *production) call(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	code, answer := p.request(t, http.MethodPost, path, "", body)
	if code/100 != 2 {
		t.Fatalf("POST %s: %d %v", path, code, answer)
	}
	return answer
}

func TestServeRefusesToStart(t *testing.T) {
	good := []string{"--project", realProject, "--public-url", "https://data.example.org", "--port", "0"}
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
		dir := productionFolder(t)
		for name, text := range tt.files {
			writeFile(t, filepath.Join(dir, name), text)
		}
		cmd := serveCommand(t, dir, tt.env, tt.flags...)
		stop := time.AfterFunc(waitLimit, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		stop.Stop()
		if err == nil || cmd.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("clave serve %s: %v, %q; want exit code %d and %q", tt.name, err, out, tt.code, tt.want)
		}
	}
}

// TestServeHasNoConveniences tries the requests that the emulators accept and production must refuse.
func TestServeHasNoConveniences(t *testing.T) {
	p := serve(t, productionFolder(t), false)
	documents := "/v1/projects/" + realProject + "/databases/(default)/documents"
	unsigned := "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbmEiLCJ1c2VyX2lkIjoiYW5hIiwiYXVkIjoiZnVuZGFjaW9uLWUyZSIsImlzcyI6Imh0dHBzOi8vc2VjdXJldG9rZW4uZ29vZ2xlLmNvbS9mdW5kYWNpb24tZTJlIiwiaWF0IjoxLCJleHAiOjk5OTk5OTk5OTl9."
	admin := "/identitytoolkit.googleapis.com/v1/projects/" + realProject
	tests := []struct {
		name, method, path, authorization string
		body                              any
		want                              int
	}{
		{"a visitor reads what is open", "GET", documents + "/open/a", "", nil, 404},
		{"a visitor reads what is not", "GET", documents + "/mine/ana", "", nil, 403},
		{"a database that is not configured", "GET", "/v1/projects/" + realProject + "/databases/nope/documents/mine/ana", "", nil, 404},
		{"another project", "GET", "/v1/projects/other/databases/(default)/documents/mine/ana", "", nil, 404},
		{"the owner's token", "GET", documents + "/mine/ana", "Bearer owner", nil, 401},
		{"an emulator's access token", "GET", documents + "/mine/ana", "Bearer ya29.owner", nil, 401},
		{"an unsigned token", "GET", documents + "/mine/ana", unsigned, nil, 401},
		{"the owner lists accounts", "GET", admin + "/accounts:batchGet", "Bearer owner", nil, 401},
		{"the owner makes an account", "POST", admin + "/accounts", "Bearer owner", map[string]any{"email": "a@b.org"}, 401},
		{"an unsigned custom token", "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k", "", map[string]any{"token": strings.TrimPrefix(unsigned, "Bearer ")}, 400},
		{"a made-up credential of a provider", "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k", "",
			map[string]any{"requestUri": "http://localhost", "postBody": `providerId=google.com&id_token={"sub":"1"}`}, 400},
		{"control: clear accounts", "DELETE", "/emulator/v1/projects/" + realProject + "/accounts", "", nil, 405},
		{"control: clear documents", "DELETE", "/emulator/v1/projects/" + realProject + "/databases/(default)/documents", "", nil, 405},
		{"control: replace rules", "PUT", "/emulator/v1/projects/" + realProject + ":securityRules", "", map[string]any{}, 405},
		{"control: codes", "GET", "/emulator/v1/projects/" + realProject + "/oobCodes", "", nil, 404},
		{"control: action page", "GET", "/emulator/action?mode=signIn", "", nil, 404},
		{"the site", "GET", "/", "", nil, 200},
		{"the site's folder only", "GET", "/..%2ffirebase.json", "", nil, 404},
	}
	for _, tt := range tests {
		if code, answer := p.request(t, tt.method, tt.path, tt.authorization, tt.body); code != tt.want {
			t.Errorf("%s: %s %s = %d %v, want %d", tt.name, tt.method, tt.path, code, answer, tt.want)
		}
	}
	p.stop(t)
}

func TestServeKeepsItsFilesPrivate(t *testing.T) {
	alone(t, "the keys are not in the data folder")
	p := serve(t, productionFolder(t), false)
	p.call(t, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1"})
	for _, name := range []string{".clave", ".clave/keys", ".clave/store"} {
		if info, err := os.Stat(filepath.Join(p.dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v; want a folder for its owner alone", name, info, err)
		}
	}
	keys, err := filepath.Glob(filepath.Join(p.dir, ".clave/keys/*/*.pem"))
	if err != nil || len(keys) == 0 {
		t.Errorf("no keys in the data folder: %v", err)
	}
	for _, key := range keys {
		if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", key, info, err)
		}
	}
	sockets, err := filepath.Glob(filepath.Join(p.dir, ".clave/*.sock"))
	if err != nil || len(sockets) == 0 {
		t.Errorf("no sockets for commands in the data folder: %v", err)
	}
	for _, socket := range sockets {
		if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", socket, info, err)
		}
	}
	other := serveCommand(t, p.dir, nil, "--project", realProject, "--port", fmt.Sprint(freePorts(t, 1)[0]), "--public-url", p.url)
	if out, err := other.CombinedOutput(); err == nil || !strings.Contains(string(out), "another clave uses this data folder") {
		t.Errorf("a second server on the data folder: %v %s", err, out)
	}
}
