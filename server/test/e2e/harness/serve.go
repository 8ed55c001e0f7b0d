package harness

import (
	"bytes"
	"context"
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

	"cloud.google.com/go/firestore"
	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/firebaseconn"
	"clave/server/internal/auth/secret/secrettest"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/kit/cert"
)

// ToolkitPath is the path of a method of the Identity Toolkit.
func ToolkitPath(method string) string {
	if strings.HasPrefix(method, "v2/") {
		return "/identitytoolkit.googleapis.com/" + method
	}
	return "/identitytoolkit.googleapis.com/v1/" + method
}

// Listen opens a Listen stream on a document that its user may read. The channel receives the status code with which
// the stream ends.
func (p *Production) Listen(t *testing.T, uid, idToken string) <-chan codes.Code {
	t.Helper()
	return p.ListenTo(t, "(default)", "mine/"+uid, idToken)
}

// ListenTo opens a Listen stream on a document of a database with a token. The channel receives the status code with
// which the stream ends.
func (p *Production) ListenTo(t *testing.T, id, path, token string) <-chan codes.Code {
	t.Helper()
	transport := insecure.NewCredentials()
	if strings.HasPrefix(p.URL, "https:") {
		transport = credentials.NewTLS(&tls.Config{RootCAs: p.Roots})
	}
	_, address, _ := strings.Cut(p.URL, "//")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	database := "projects/" + RealProject + "/databases/" + id
	ctx := metadata.AppendToOutgoingContext(t.Context(), "google-cloud-resource-prefix", database, "authorization", "Bearer "+token)
	ss, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Listen")
	if err == nil {
		err = ss.SendMsg(&pb.ListenRequest{Database: database, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
			TargetId: 2, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{database + "/documents/" + path}}},
		}}})
	}
	for current := false; err == nil && !current; {
		var m pb.ListenResponse
		err = ss.RecvMsg(&m)
		current = m.GetTargetChange().GetTargetChangeType() == pb.TargetChange_CURRENT
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan codes.Code, 1)
	go func() {
		var err error
		for err == nil {
			err = ss.RecvMsg(&pb.ListenResponse{})
		}
		ended <- status.Code(err)
	}()
	return ended
}

// AttackedDatabase is the name of the database.
const AttackedDatabase = "projects/" + RealProject + "/databases/(default)"

// MaxReauthorization is how long after a commit the tests let a listener stay open whose permission the commit removed.
// The goal is 2 s, which a loaded machine may exceed. A listener that is not authorized again stays open until its
// token expires, an hour later.
const MaxReauthorization = 30 * time.Second

// SdksOf are the folders in which npm has installed versions of firebase-admin.
var SdksOf = []struct{ Name, Folder string }{
	{"the site's version", "../../../frontend/node_modules"},
	{"the newest version", "sdks/node_modules"},
}

// AdminProject returns a folder with the programs of admin and, in node_modules, the npm package clave and
// firebase-admin of a folder.
func AdminProject(t *testing.T, modules string) string {
	t.Helper()
	dir := t.TempDir()
	modules, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("admin")); err != nil {
		t.Fatal(err)
	}
	// A copy, so that the package finds firebase-admin beside itself.
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "clave"), os.DirFS("../../dist/npm/clave")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"firebase-admin", "@google-cloud", "google-gax"} {
		from := filepath.Join(modules, name)
		if _, err := os.Stat(from); err != nil {
			t.Skipf("%s is missing: make test installs it", from)
		}
		if err := os.Symlink(from, filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// RunAdmin runs a program of admin on a server, with the file of a key and further variables of the environment.
func (p *Production) RunAdmin(t *testing.T, dir, program, key string, env ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", program)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "NODE_NO_WARNINGS=1",
		"CLAVE_URL=" + p.URL, "CLAVE_KEY=" + key, "CLAVE_CA=" + filepath.Join(p.Dir, "cert.pem"),
		// Programs that give no authority trust this one.
		"NODE_EXTRA_CA_CERTS=" + filepath.Join(p.Dir, "cert.pem"),
	}
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
}

// keyOrigin is the public URL in the keys. No machine of the test has this name.
const keyOrigin = "https://data.example.org"

// CreateKey creates a service account's key with `clave credentials` and returns the file's content.
func CreateKey(t *testing.T, dir, name string) []byte {
	t.Helper()
	return CreateKeyFor(t, dir, name, keyOrigin)
}

// CreateKeyFor does the same for a server at an origin.
func CreateKeyFor(t *testing.T, dir, name, origin string) []byte {
	t.Helper()
	file := filepath.Join(dir, name+".json")
	cmd := Command(t, dir, "credentials", "create", name, "--project", RealProject, "--public-url", origin, "--out", file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("credentials create: %v\n%s", err, out)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// ByGoogle replaces a key's token_uri by Google's, whose connections the test also leads to the server.
func ByGoogle(key []byte) []byte {
	return bytes.ReplaceAll(key, []byte(keyOrigin+"/oauth2.googleapis.com/token"), []byte("https://oauth2.googleapis.com/token"))
}

// Admin returns the Admin SDK's clients of a running server, signed in with a key.
func (p *Production) Admin(t *testing.T, key []byte) (*auth.Client, *firestore.Client) {
	t.Helper()
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", "")
	t.Setenv("FIRESTORE_EMULATOR_HOST", "")
	restore, err := firebaseconn.Route(firebaseconn.Options{URL: p.URL, RootCAs: p.Roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	key = ByGoogle(key)
	app, err := firebase.NewApp(t.Context(), &firebase.Config{ProjectID: RealProject}, option.WithAuthCredentialsJSON(option.ServiceAccount, key),
		option.WithEndpoint(strings.TrimPrefix(p.URL, "https://")),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: p.Roots}))))
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := app.Auth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents, err := app.Firestore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = documents.Close() })
	return accounts, documents
}

// Read reads a document over gRPC with a user's token.
func (p *Production) Read(t *testing.T, token, document string) error {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(p.URL, "https://"), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: p.Roots})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
	in := &pb.GetDocumentRequest{Name: "projects/" + RealProject + "/databases/(default)/documents/" + document}
	return conn.Invoke(ctx, "/google.firestore.v1.Firestore/GetDocument", in, &pb.Document{})
}

// RealProject is the project in the tests of `clave serve`, which refuses demo projects.
const RealProject = "fundacion-e2e"

// ProductionRules allow users access to their own documents, and anyone to read the collection open.
const ProductionRules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents {
  match /open/{id} { allow read; }
  match /mine/{uid} { allow read, write: if request.auth.uid == uid; }
} }
`

// Production is a running `clave serve`.
type Production struct {
	Cmd *exec.Cmd
	// followers are the other nodes, if any.
	followers []*exec.Cmd
	Dir       string
	// URL is the origin, and client trusts its certificate.
	URL    string
	Client *http.Client
	Roots  *x509.CertPool
	// StopBackOffice stops the back office of serveWithBackOffice.
	StopBackOffice func()
}

// Host returns the address of a server without TLS.
func (p *Production) Host() string { return strings.TrimPrefix(p.URL, "http://") }

// ProductionFolder creates a project's folder.
func ProductionFolder(t *testing.T) string {
	t.Helper()
	ShareStore(t)
	dir := t.TempDir()
	WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}, "hosting": {"public": "site", "rewrites": [
		{"source": "/api/admin/**", "run": {"serviceId": "backoffice"}}]}}`)
	WriteFile(t, filepath.Join(dir, "firestore.rules"), ProductionRules)
	if err := os.MkdirAll(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	WriteFile(t, filepath.Join(dir, "site", "index.html"), "<h1>Fundación</h1>")
	return dir
}

// ServeCommand returns `clave serve` in a folder, with its own environment and the variables of the AWS tools.
func ServeCommand(t *testing.T, dir string, env []string, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := Command(t, dir, append([]string{"serve"}, flags...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "AWS_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	return cmd
}

// secretKeys writes the key that seals secrets into a folder, unless there is one, and returns its path.
func secretKeys(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "secret.keys")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.WriteFile(path, []byte(secrettest.Line("key")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Serve runs `clave serve` in a folder until the test ends. If secure is set, it has a certificate of its own.
func Serve(t *testing.T, dir string, secure bool, flags ...string) *Production {
	t.Helper()
	port := FreePorts(t, 1)[0]
	p := &Production{Dir: dir, URL: fmt.Sprintf("http://127.0.0.1:%d", port), Roots: x509.NewCertPool()}
	if secure {
		p.URL = fmt.Sprintf("https://127.0.0.1:%d", port)
		Certificate(t, dir, p.Roots)
		flags = append(flags, "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.Roots}}
	p.Client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	flags = append(flags, "--project", RealProject, "--public-url", p.URL, "--secret-key-file", secretKeys(t, dir))
	if os.Getenv(NodesVariable) != "" {
		if os.Getenv("CLAVE_STORE") == "" {
			ShareStore(t)
		}
		p.serveNodes(t, port, flags...)
		return p
	}
	flags = append(flags, "--port", fmt.Sprint(port))
	p.Cmd = ServeCommand(t, dir, nil, flags...)
	p.Cmd.Stderr = os.Stderr
	AwaitReady(t, p.Cmd)
	return p
}

// Stop stops the program by a signal, as an administrator does.
func (p *Production) Stop(t *testing.T) {
	t.Helper()
	for _, cmd := range append(p.followers, p.Cmd) { // the leader last, so that no other node takes over
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := WaitForExit(t, cmd); err != nil {
			t.Fatalf("clave serve ended with %v", err)
		}
	}
	p.followers = nil
}

// Certificate writes a certificate for 127.0.0.1 and Google's names into a folder and adds it to a pool.
func Certificate(t *testing.T, dir string, roots *x509.CertPool) {
	t.Helper()
	roots.AppendCertsFromPEM(cert.Write(t, cert.In(dir), cert.Options{Names: []string{"*.googleapis.com"}, Loopback: true}))
}

// Request sends a request with an Authorization header, if any, and returns status and body.
func (p *Production) Request(t *testing.T, method, path, authorization string, body any) (int, map[string]any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, raw := Do(t, p.Client, r) //nolint:bodyclose // Do closes it
	answer := make(map[string]any)
	_ = json.Unmarshal([]byte(raw), &answer) // pages and plain texts give no answer
	return resp.StatusCode, answer
}

// Call makes a call of the Identity Toolkit or of the back office, which must succeed.
func (p *Production) Call(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	code, answer := p.Request(t, http.MethodPost, path, "", body)
	if code/100 != 2 {
		t.Fatalf("POST %s: %d %v", path, code, answer)
	}
	return answer
}
