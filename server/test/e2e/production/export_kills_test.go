package production_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/bucketserver"
	"clave/server/test/kit/wait"
)

// killedExport is a server with exports in a bucket, which is killed and started again.
type killedExport struct {
	t        *testing.T
	dir      string
	port     int
	s        *bucketserver.Server
	bucket   target.Target
	p, admin *harness.Production
	token    string
}

// The number of documents of the exports, and the path of the database.
const (
	killedDocuments = 5000
	killedDatabase  = "/v1/projects/" + harness.RealProject + "/databases/(default)"
)

// serve starts the server.
func (k *killedExport) serve() {
	k.t.Helper()
	k.p = harness.Serve(k.t, k.dir, false, "--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", k.port),
		"--admin-exports", "s3://"+bucketserver.Bucket+"/exports", "--backup-endpoint", k.s.URL)
	of := *k.p
	of.URL = fmt.Sprintf("http://127.0.0.1:%d", k.port)
	k.admin = &of
}

// want makes a call that must succeed.
func (k *killedExport) want(of *harness.Production, method, path string, body any) map[string]any {
	k.t.Helper()
	code, answer := of.Request(k.t, method, path, k.token, body)
	if code != http.StatusOK {
		k.t.Fatalf("%s %s: %d %v", method, path, code, answer)
	}
	return answer
}

// fill writes the documents.
func (k *killedExport) fill() {
	k.t.Helper()
	text := map[string]any{"stringValue": strings.Repeat("text ", 200)}
	for from := 0; from < killedDocuments; from += 500 {
		var writes []any
		for i := range 500 {
			name := fmt.Sprintf("%s/documents/open/%d", strings.TrimPrefix(killedDatabase, "/v1/"), from+i)
			writes = append(writes, map[string]any{"update": map[string]any{"name": name, "fields": map[string]any{"text": text}}})
		}
		k.want(k.p, http.MethodPost, killedDatabase+"/documents:commit", map[string]any{"writes": writes})
	}
}

// transfer begins an export or an import of a place, and returns the name of the operation.
func (k *killedExport) transfer(verb, field, place string) string {
	k.t.Helper()
	return fmt.Sprint(k.want(k.admin, http.MethodPost, killedDatabase+":"+verb, map[string]any{field: "gs://kills/" + place})["name"])
}

// complete waits until an operation has ended, with all documents.
func (k *killedExport) complete(name string) {
	k.t.Helper()
	var operation map[string]any
	wait.Until(k.t, "the operation "+name, func() bool {
		operation = k.want(k.admin, http.MethodGet, "/v1/"+name, nil)
		return operation["done"] == true
	})
	metadata, _ := operation["metadata"].(map[string]any)
	progress, _ := metadata["progressDocuments"].(map[string]any)
	if operation["error"] != nil || progress["completedWork"] != fmt.Sprint(killedDocuments) {
		k.t.Errorf("the operation has ended with %v, want %d documents", operation, killedDocuments)
	}
}

// files returns the names of the objects of a place without its name.
func (k *killedExport) files(place string) (names []string) {
	k.t.Helper()
	all, err := k.bucket.List(k.t.Context(), "kills/"+place+"/")
	if err != nil {
		k.t.Fatal(err)
	}
	for _, o := range all {
		names = append(names, strings.TrimPrefix(o.Name, "kills/"+place+"/"))
	}
	return names
}

// TestKilledExportsToABucket kills a server at random moments of exports to versitygw. The bucket never has the object
// that describes an export without the others, the next server completes the export, and an import reads all of it.
func TestKilledExportsToABucket(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("CLAVE_TORTURE_ROUNDS"))
	if err != nil {
		t.Skip("make torture runs this test")
	}
	harness.Alone(t, "the server is killed and started again")
	k := &killedExport{t: t, s: bucketserver.Versity(t), dir: harness.ProductionFolder(t), port: harness.FreePorts(t, 1)[0]}
	bucketserver.SetCredentials(t)
	if k.bucket, err = bucket.New(bucket.Options{
		URL: "s3://" + bucketserver.Bucket + "/exports", Endpoint: k.s.URL, AccessKey: bucketserver.AccessKey, SecretKey: bucketserver.SecretKey, Clock: clock.System(),
	}); err != nil {
		t.Fatal(err)
	}
	k.serve()
	harness.CreateKeyFor(t, k.dir, "deployer", k.p.URL)
	k.token = "Bearer " + harness.FirebaseCLI{Dir: k.dir}.Token(t, "deployer.json")
	k.fill()
	began := time.Now()
	k.complete(k.transfer("exportDocuments", "outputUriPrefix", "whole"))
	whole, want, cut := time.Since(began), len(k.files("whole")), 0
	for round := range rounds {
		place := fmt.Sprintf("round-%d", round)
		name := k.transfer("exportDocuments", "outputUriPrefix", place)
		if err := clock.Sleep(t.Context(), clock.System(), rand.N(whole)); err != nil {
			t.Fatal(err)
		}
		if err := k.p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = harness.WaitForExit(t, k.p.Cmd) // killed
		left := k.files(place)
		described := len(left) > 0 && strings.Contains(strings.Join(left, " "), place+".overall_export_metadata")
		if described != (len(left) == want) {
			t.Errorf("after a kill the bucket has %q", left)
		}
		if !described {
			cut++
		}
		k.serve()
		k.complete(name)
		if got := k.files(place); len(got) != want {
			t.Errorf("the export that was continued has %q, want %d objects", got, want)
		}
		k.complete(k.transfer("importDocuments", "inputUriPrefix", place))
		found, err := filepath.Glob(filepath.Join(k.dir, "*", "exports-in-progress", "*"))
		if err != nil || len(found) != 0 {
			t.Errorf("the data folder has the files %q, %v", found, err)
		}
	}
	t.Logf("%d of %d exports were incomplete when the server was killed", cut, rounds)
	k.p.Stop(t)
}
