package production_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/bucketserver"
	"clave/server/test/kit/wait"
)

// TestExportsInABucket exports documents to a bucket of S3 by the administration APIs, deletes one, and imports it. The
// bucket has nothing of an export that was refused, and the data folder nothing of either.
func TestExportsInABucket(t *testing.T) {
	s := bucketserver.Memory(t)
	bucketserver.SetCredentials(t)
	dir, port := harness.ProductionFolder(t), harness.FreePorts(t, 1)[0]
	p := harness.Serve(t, dir, false, "--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", port),
		"--admin-exports", "s3://"+bucketserver.Bucket+"/exports", "--backup-endpoint", s.URL)
	harness.CreateKeyFor(t, dir, "deployer", p.URL)
	token := "Bearer " + harness.FirebaseCLI{Dir: dir}.Token(t, "deployer.json")
	const database = "/v1/projects/" + harness.RealProject + "/databases/(default)"
	const document = database + "/documents/open/one"
	admin := *p
	admin.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
	want := func(of *harness.Production, code int, method, path string, body any, text string) map[string]any {
		t.Helper()
		got, answer := of.Request(t, method, path, token, body)
		if got != code || !strings.Contains(fmt.Sprint(answer), text) {
			t.Fatalf("%s %s: %d %v, want %d %q", method, path, got, answer, code, text)
		}
		return answer
	}
	ended := func(operation map[string]any) map[string]any {
		t.Helper()
		wait.Until(t, "the operation", func() bool {
			operation = want(&admin, http.StatusOK, http.MethodGet, "/v1/"+fmt.Sprint(operation["name"]), nil, "")
			return operation["done"] == true
		})
		return operation
	}
	want(p, http.StatusOK, http.MethodPatch, document, map[string]any{"fields": map[string]any{"text": map[string]any{"stringValue": "kept"}}}, "")
	out := ended(want(&admin, http.StatusOK, http.MethodPost, database+":exportDocuments", map[string]any{"outputUriPrefix": "gs://monday/one"}, "PROCESSING"))
	if out["error"] != nil {
		t.Fatalf("the export: %v", out)
	}
	want(&admin, http.StatusBadRequest, http.MethodPost, database+":exportDocuments", map[string]any{"outputUriPrefix": "gs://monday/one"}, "Path already exists")
	want(p, http.StatusOK, http.MethodDelete, document, nil, "")
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		bucketserver.Refuse(w, http.StatusForbidden, "AccessDenied")
		return true
	})
	out = ended(want(&admin, http.StatusOK, http.MethodPost, database+":exportDocuments", map[string]any{"outputUriPrefix": "gs://monday/two"}, "PROCESSING"))
	if out["error"] == nil || strings.Contains(fmt.Sprint(out), "s3://") || strings.Contains(fmt.Sprint(out), dir) {
		t.Errorf("a refused export: %v", out)
	}
	s.Intercept(nil)
	out = ended(want(&admin, http.StatusOK, http.MethodPost, database+":importDocuments", map[string]any{"inputUriPrefix": "gs://monday/two"}, ""))
	if out["error"] == nil || strings.Contains(fmt.Sprint(out), dir) {
		t.Errorf("an import of an export that failed: %v", out)
	}
	out = ended(want(&admin, http.StatusOK, http.MethodPost, database+":importDocuments", map[string]any{"inputUriPrefix": "gs://monday/one"}, ""))
	if out["error"] != nil {
		t.Errorf("the import: %v", out)
	}
	want(p, http.StatusOK, http.MethodGet, document, nil, "kept")
	found, err := filepath.Glob(filepath.Join(dir, "*", "exports-in-progress"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the folder of exports in progress: %q, %v", found, err)
	}
	if left, err := os.ReadDir(found[0]); err != nil || len(left) != 0 {
		t.Errorf("%s has %v, %v", found[0], left, err)
	}
	p.Stop(t)
}

// TestKilledExportToABucket kills the server when an export has written all objects but the one that describes it. The
// bucket has no export then, and the server that is started next completes it.
func TestKilledExportToABucket(t *testing.T) {
	harness.Alone(t, "the server is killed and started again")
	s := bucketserver.Memory(t)
	bucketserver.SetCredentials(t)
	dir, port := harness.ProductionFolder(t), harness.FreePorts(t, 1)[0]
	serve := func() (p, admin *harness.Production) {
		p = harness.Serve(t, dir, false, "--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", port),
			"--admin-exports", "s3://"+bucketserver.Bucket+"/exports", "--backup-endpoint", s.URL)
		of := *p
		of.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
		return p, &of
	}
	p, admin := serve()
	harness.CreateKeyFor(t, dir, "deployer", p.URL)
	token := "Bearer " + harness.FirebaseCLI{Dir: dir}.Token(t, "deployer.json")
	const database = "/v1/projects/" + harness.RealProject + "/databases/(default)"
	const document = database + "/documents/open/one"
	want := func(of *harness.Production, method, path string, body any) map[string]any {
		t.Helper()
		code, answer := of.Request(t, method, path, token, body)
		if code != http.StatusOK {
			t.Fatalf("%s %s: %d %v", method, path, code, answer)
		}
		return answer
	}
	ended := func(name any) {
		t.Helper()
		var operation map[string]any
		wait.Until(t, "the operation", func() bool {
			operation = want(admin, http.MethodGet, "/v1/"+fmt.Sprint(name), nil)
			return operation["done"] == true
		})
		if operation["error"] != nil {
			t.Errorf("the operation: %v", operation)
		}
	}
	want(p, http.MethodPatch, document, map[string]any{"fields": map[string]any{"text": map[string]any{"stringValue": "kept"}}})
	var reached atomic.Bool
	killed := make(chan struct{})
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, "/one.overall_export_metadata") {
			return false
		}
		reached.Store(true)
		select {
		case <-killed:
		case <-t.Context().Done():
		}
		return true
	})
	begun := want(admin, http.MethodPost, database+":exportDocuments", map[string]any{"outputUriPrefix": "gs://monday/one"})
	wait.Until(t, "the last object of the export", reached.Load)
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = harness.WaitForExit(t, p.Cmd) // killed
	close(killed)
	s.Intercept(nil)
	p, admin = serve()
	ended(begun["name"])
	want(p, http.MethodDelete, document, nil)
	ended(want(admin, http.MethodPost, database+":importDocuments", map[string]any{"inputUriPrefix": "gs://monday/one"})["name"])
	if text := fmt.Sprint(want(p, http.MethodGet, document, nil)); !strings.Contains(text, "kept") {
		t.Errorf("the imported document is %s", text)
	}
	p.Stop(t)
}
