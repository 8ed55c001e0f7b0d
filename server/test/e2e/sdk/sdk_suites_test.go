package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// suite is the test suite of an SDK's module. It is built from the module and connects to Google's addresses. A proxy
// redirects these connections to `clave serve`, whose certificate the suite trusts.
type suite struct {
	// pkg is the suite's package, and run selects its tests.
	pkg, run string
	// without selects tests that are left out, and variables are further ones of the environment.
	without   string
	variables []string
	// passes is the number of tests, including subtests of the first level, that must pass, so that no skipped test goes
	// unnoticed. skips lists the tests that may be skipped.
	passes int
	skips  *regexp.Regexp
	// indexes is the content of firestore.indexes.json.
	indexes string
}

// suiteDatabases lists the databases that the suites use.
const suiteDatabases = `{"firestore": [
  {"database": "(default)", "rules": "firestore.rules", "indexes": "indexes.json"},
  {"database": "testing-database", "rules": "firestore.rules"},
  {"database": "enterprise", "rules": "firestore.rules", "edition": "enterprise"}
]}`

// clientIndexes is a template of the composite indexes that the Go client's suite needs.
const clientIndexes = `{"indexes": [
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "weight", "order": "ASCENDING"}, {"fieldPath": "volume", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "weight", "order": "ASCENDING"}, {"fieldPath": "model", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "weight", "order": "ASCENDING"}, {"fieldPath": "height", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "updatedAt", "order": "ASCENDING"}, {"fieldPath": "weight", "order": "ASCENDING"}, {"fieldPath": "height", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "testNull", "order": "ASCENDING"}, {"fieldPath": "q", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "testNaN", "order": "ASCENDING"}, {"fieldPath": "q", "order": "ASCENDING"}]},
  {"collectionGroup": "indexed_collection", "queryScope": "COLLECTION", "fields": [{"fieldPath": "EmbeddedField64", "vectorConfig": {"dimension": 3, "flat": {}}}]}
]}`

// clientSuite is the suite of the Go client of Firestore.
var clientSuite = suite{
	pkg: "cloud.google.com/go/firestore", run: "^TestIntegration_", passes: 53, indexes: clientIndexes, skips: regexp.MustCompile("EnterpriseDB"),
}

// TestNodesPassTheSuiteOfTheClient runs the suite of the Go client of Firestore, and its part about pipelines, on three
// nodes behind a balancer. make test-nodes runs the other suites too.
func TestNodesPassTheSuiteOfTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("the SDKs' own suites are too slow for -short")
	}
	t.Setenv(harness.NodesVariable, "1")
	t.Run("all", clientSuite.pass)
	t.Run("pipelines", pipelineSuite.pass)
}

// TestSuitesOfSDKs runs unchanged integration tests of Go SDKs against `clave serve`: those of the Admin SDK for
// authentication and Firestore, and those of the Firestore client.
func TestSuitesOfSDKs(t *testing.T) {
	if testing.Short() {
		t.Skip("the SDKs' own suites are too slow for -short")
	}
	for name, s := range map[string]suite{
		"Admin SDK, authentication": {pkg: "firebase.google.com/go/v4/integration/auth", run: ".", passes: 73},
		"Admin SDK, Firestore":      {pkg: "firebase.google.com/go/v4/integration/firestore", run: ".", passes: 3},
		"Firestore client":          clientSuite,
	} {
		t.Run(name, func(t *testing.T) { s.pass(t) })
	}
}

// result matches the result line of a test or a subtest of the first level.
var result = regexp.MustCompile(`(?m)^(?:    )?--- (PASS|FAIL|SKIP): (\S+)`)

// uneventful matches lines of a suite's log that do not explain a failure.
var uneventful = regexp.MustCompile(`(?m)^ *(=== |--- PASS).*\n`)

// pass runs the suite and fails the test unless the whole suite passes.
func (s suite) pass(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	defer cancel()
	// The suites read a key from testdata, two folders above.
	root := t.TempDir()
	work := filepath.Join(root, "integration", "suite")
	for _, dir := range []string{work, filepath.Join(root, "testdata")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(root, "suite.test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, s.pkg).CombinedOutput(); err != nil {
		t.Fatalf("go test -c %s: %v\n%s", s.pkg, err, out)
	}
	p, key := s.serve(t, filepath.Join(root, "testdata"))
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.run", s.run, "-test.skip", cmp.Or(s.without, "^$"))
	cmd.Dir = work
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "HTTPS_PROXY=" + proxy(t, strings.TrimPrefix(p.URL, "https://")),
		"SSL_CERT_FILE=" + filepath.Join(p.Dir, "cert.pem"), "GOOGLE_APPLICATION_CREDENTIALS=" + key,
		"GCLOUD_TESTS_GOLANG_FIRESTORE_PROJECT_ID=" + harness.RealProject, "GCLOUD_TESTS_GOLANG_FIRESTORE_KEY=" + key,
	}
	cmd.Env = append(cmd.Env, s.variables...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	passes := 0
	for _, line := range result.FindAllStringSubmatch(string(out), -1) {
		switch {
		case line[1] == "PASS":
			passes++
		case line[1] == "SKIP" && (s.skips == nil || !s.skips.MatchString(line[2])):
			t.Errorf("%s was skipped", line[2])
		}
	}
	if err != nil || passes < s.passes {
		t.Errorf("%s: %v, %d tests passed, want %d\n%s", s.pkg, err, passes, s.passes, uneventful.ReplaceAllString(string(out), ""))
	}
	t.Logf("%d tests passed", passes)
}

// serve runs `clave serve` for the suite, writes a key for it into a folder, and returns the key's file.
func (s suite) serve(t *testing.T, folder string) (p *harness.Production, key string) {
	t.Helper()
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), suiteDatabases)
	if s.indexes == "" {
		s.indexes = "{}"
	}
	harness.WriteFile(t, filepath.Join(dir, "indexes.json"), s.indexes)
	text := harness.ByGoogle(harness.CreateKey(t, dir, "suite-runner"))
	if !json.Valid(text) {
		t.Fatalf("the key is no JSON: %q", text)
	}
	key = filepath.Join(folder, "integration_cert.json")
	harness.WriteFile(t, key, string(text))
	harness.WriteFile(t, filepath.Join(folder, "integration_apikey.txt"), "any")
	return harness.Serve(t, dir, true, "--only", "firestore,auth", "--indexes", "enforce"), key
}

// proxy runs an HTTP proxy that connects every client to one address, and returns its URL.
func proxy(t *testing.T, address string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
			return
		}
		there, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		here, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = there.Close()
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(there, buffered)
			_ = there.Close()
		}()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	t.Cleanup(server.Close)
	return server.URL
}
