package nodes

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/backup/target/bucket"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/bucketserver"
	"clave/server/test/kit/wait"
)

// shippedTo are nodes that ship their log to a bucket.
type shippedTo struct {
	t       *testing.T
	bucket  *bucket.Bucket
	nodes   []*servingNode
	written []time.Time // the times of the commits of documents n0, n1, …
}

// write writes documents at a node, one after the other, and again while no node leads.
func (s *shippedTo) write(node, n int) {
	s.t.Helper()
	for range n {
		var answer map[string]any
		wait.Until(s.t, "a write", func() bool {
			var code int
			path := fmt.Sprintf("/v1/projects/%s/databases/(default)/documents/open/n%d", harness.RealProject, len(s.written))
			code, answer = s.nodes[node].Request(s.t, http.MethodPatch, path, "", map[string]any{"fields": map[string]any{}})
			return code == http.StatusOK
		})
		text, _ := answer["updateTime"].(string)
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			s.t.Fatal(err)
		}
		s.written = append(s.written, at)
	}
}

// awaitShipped waits until everything that was written is shipped.
func (s *shippedTo) awaitShipped() {
	s.t.Helper()
	wait.Until(s.t, "the last write to be shipped", func() bool {
		return harness.ShippedUntil(s.t, s.objects("log/")).After(s.written[len(s.written)-1])
	})
}

// objects returns the names of the objects of the bucket that begin with a prefix.
func (s *shippedTo) objects(prefix string) (names []string) {
	s.t.Helper()
	all, err := s.bucket.List(s.t.Context(), prefix)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}

// wantAt restores the state before a write to a folder, and serves it from there, or from an empty database into which
// it is moved: it has all documents before, and no others.
func (s *shippedTo) wantAt(n int, database string) {
	s.t.Helper()
	dir := harness.ProductionFolder(s.t)
	at := s.written[n].Add(-time.Microsecond)
	out, err := harness.Command(s.t, dir, "backups", "restore", "--from", s.bucket.String(), "--data", filepath.Join(dir, ".clave"), "--at", at.Format(time.RFC3339Nano)).CombinedOutput()
	if err != nil {
		s.t.Fatalf("restore as of %v: %v\n%s", at, err, out)
	}
	var p *harness.Production
	if database != "" {
		if out, err := harness.Command(s.t, dir, "move", "--from", filepath.Join(dir, ".clave"), "--to", database).CombinedOutput(); err != nil {
			s.t.Fatalf("move: %v\n%s", err, out)
		}
		moved := newServingNode(s.t, database, "open")
		moved.await("Clave ready")
		p = moved.Production
	} else {
		harness.WriteFile(s.t, filepath.Join(dir, "firestore.rules"), rulesFor("open"))
		p = harness.Serve(s.t, dir, true)
		defer p.Stop(s.t)
	}
	for i := range s.written {
		code, answer := p.Request(s.t, http.MethodGet, fmt.Sprintf("/v1/projects/%s/databases/(default)/documents/open/n%d", harness.RealProject, i), "", nil)
		if want := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[i < n]; code != want {
			s.t.Errorf("at the time before write %d the document of write %d is answered with %d %v, want %d", n, i, code, answer, want)
		}
	}
}

// TestTheLogOutlivesItsLeaders writes at nodes that ship their log to a bucket while the leader is killed, and the next
// one is stopped. Random times between the writes are restored elsewhere, also those of which a leader was killed
// before it had shipped them. The next leader goes on at once, and does not wait for the end of the bucket's lock.
func TestTheLogOutlivesItsLeaders(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", bucketserver.Memory(t).URL)
	bucketserver.SetCredentials(t)
	b, err := bucket.New(bucket.Options{
		URL: "s3://" + bucketserver.Bucket + "/clave", Endpoint: os.Getenv("AWS_ENDPOINT_URL_S3"),
		AccessKey: bucketserver.AccessKey, SecretKey: bucketserver.SecretKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &shippedTo{t: t, bucket: b}
	pg := pgtest.New(t)
	store := pg.Database()
	for i := range 3 {
		n := newServingNodeWith(t, store, strings.Replace(rulesFor("open"), "allow read", "allow read, write", 1), "--backup-to", b.String(), "--backup-every", "1h", "--backup-verify", "0")
		n.await([]string{"Clave ready", "Follower: ", "Follower: "}[i])
		s.nodes = append(s.nodes, n)
	}
	wait.Until(t, "the first backup", func() bool { return len(s.objects("backups/")) == 1 })
	s.write(2, 20)
	if err := s.nodes[0].Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.nodes[0].Cmd.Wait() // by the signal
	s.write(2, 20)
	s.awaitShipped()
	s.write(2, 5)
	if err := s.nodes[1].Cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.nodes[1].Cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s.write(2, 20)
	s.awaitShipped()
	logs := make(map[string]bool)
	for _, segment := range s.objects("log/") {
		logs[filepath.Dir(segment)] = true
	}
	if len(logs) != 1 {
		t.Errorf("there are the logs %v, want one", logs)
	}
	s.wantAt(rand.IntN(40), "")
	s.wantAt(len(s.written)-1, pg.Database())
	out, err := harness.Command(t, t.TempDir(), "backups", "verify", "--from", b.String()).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "complete") {
		t.Errorf("backups verify: %v\n%s", err, out)
	}
}
