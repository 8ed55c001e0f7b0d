package download_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/clavetest"
	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/suite/download"
	"clave/server/internal/suite/transfer"
)

// project is the tests' project, on a server in the test's process.
const project = "demo-live"

// live is a project on a server with what Firebase has.
type live struct {
	t *testing.T
	*clavetest.Server
}

// start starts a server without data.
func start(t *testing.T) *live {
	t.Helper()
	return &live{t, clavetest.Start(t, clavetest.Options{ProjectID: project})}
}

// send sends a request to the server as its owner.
func (l *live) send(method, url string, body any) {
	l.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		l.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, url, bytes.NewReader(text))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	client := &http.Client{}
	defer client.CloseIdleConnections()
	res, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		l.t.Fatalf("%s %s: %s %s", method, url, res.Status, text)
	}
}

// put sets documents of a database by their paths, with a version each, in one commit.
func (l *live) put(database string, version int, paths ...string) {
	l.t.Helper()
	name := "projects/" + project + "/databases/" + database + "/documents"
	var writes []any
	for _, p := range paths {
		writes = append(writes, map[string]any{"update": map[string]any{"name": name + "/" + p, "fields": map[string]any{"version": map[string]any{"integerValue": fmt.Sprint(version)}}}})
	}
	l.send(http.MethodPost, "http://"+l.Firestore+"/v1/"+name+":commit", map[string]any{"writes": writes})
}

// rooms returns the paths of n documents.
func rooms(n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf("rooms/%04d", i))
	}
	return paths
}

// options returns the options of a download of the project to a folder, in small steps.
func (l *live) options(dir string) download.Options {
	return download.Options{
		Project: project, Dir: dir, Pause: time.Microsecond, Sizes: download.Sizes{Partitions: 4, Workers: 2, Documents: 50, Bytes: 1 << 20},
		Endpoints: download.Endpoints{download.APIFirestore: "http://" + l.Firestore, download.APIIdentity: "http://" + l.Auth + "/identitytoolkit.googleapis.com"},
	}
}

// target is an empty server in memory into which downloads are imported.
type target struct {
	*transfer.Transfer
	documents *authz.Authorizer
}

// newTarget returns a target.
func newTarget(t *testing.T) target {
	t.Helper()
	az, store := authztest.Open(t, authz.RulesetsOptions{})
	users := service.New(service.Options{Accounts: account.New(store), Tokens: token.New(token.Options{Unsigned: true}), Project: project, Emulator: true, HashMemCost: 4})
	return target{transfer.New(transfer.Options{Authorizer: az, Identity: users, Project: project}), az}
}

// content returns how many documents and accounts a folder has by their kinds, as the import reads them.
func content(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	tally, _, err := newTarget(t).Survey(t.Context(), transfer.Source{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(tally.Refused) > 0 {
		t.Errorf("an import refuses %+v", tally.Refused)
	}
	counts := make(map[string]int64)
	for _, c := range tally.Counts() {
		counts[strings.TrimSpace(c.Kind+" "+c.Database+" "+c.Name)] = c.Number
	}
	return counts
}

// wantContent reports a folder whose content is not what was expected.
func wantContent(t *testing.T, dir string, want map[string]int64) {
	t.Helper()
	if got := content(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the download has %v, want %v", got, want)
	}
}

// TestDownload downloads documents, also those under missing parents, and accounts with and without a tenant.
func TestDownload(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, append(rooms(120), "missing/parent/kept/one", "missing/parent/deeper/none/kept/two", "rooms/0000/seats/a", "rooms/__id7__")...)
	const toolkit = "/identitytoolkit.googleapis.com/"
	l.send(http.MethodPost, "http://"+l.Auth+toolkit+"v1/projects/"+project+"/accounts", map[string]any{"localId": "ana", "email": "ana@example.org", "password": "secreta1"})
	dir := filepath.Join(t.TempDir(), "live")
	r, err := download.Run(t.Context(), l.options(dir))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"documents (default) rooms": 121, "documents (default) seats": 1, "documents (default) kept": 2, "accounts": 1}
	wantContent(t, dir, want)
	remarks := strings.Join(r.Remarks, "\n")
	for _, part := range []string{"security rules: the endpoint", "indexes: the endpoint", "databases but (default)", "settings of Authentication"} {
		if !strings.Contains(remarks, part) {
			t.Errorf("the remarks miss %q: %s", part, remarks)
		}
	}
	if r.ReadTime.IsZero() || r.RefusedNumber != 0 {
		t.Errorf("the result is %+v", r)
	}
	l.put("(default)", 2, "rooms/later")
	if again, err := download.Run(t.Context(), l.options(dir)); err != nil || !again.ReadTime.Equal(r.ReadTime) {
		t.Errorf("a complete download is made again: %+v, %v", again, err)
	}
	wantContent(t, dir, want)
	other := l.options(dir)
	other.Project = "demo-other"
	if _, err := download.Run(t.Context(), other); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("another project into the same folder: %v", err)
	}
	if err := download.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the removed download: %v", err)
	}
}

// recorded returns the files of documents that the state of a download records, with the times of their last change.
func recorded(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	var state struct {
		Databases []struct{ Partitions []struct{ Outputs []string } }
	}
	text, err := os.ReadFile(filepath.Join(dir, "download.json"))
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]time.Time)
	for _, p := range state.Databases[0].Partitions {
		for _, name := range p.Outputs {
			info, err := os.Stat(filepath.Join(dir, "firestore_export", "all_namespaces", "all_kinds", name))
			if err != nil {
				t.Fatal(err)
			}
			all[name] = info.ModTime()
		}
	}
	return all
}

// TestADownloadIsOfOneTime changes all documents, adds some and deletes one as soon as the first are downloaded, and
// interrupts the download. What the next run downloads is as it was before.
func TestADownloadIsOfOneTime(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, rooms(400)...)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := l.options(dir)
	var once sync.Once
	o.Progress = func(n int64) {
		if n == 0 {
			return
		}
		once.Do(func() {
			l.put("(default)", 2, append(rooms(400), "rooms/0000a", "rooms/0399a")...)
			l.send(http.MethodDelete, "http://"+l.Firestore+"/v1/projects/"+project+"/databases/(default)/documents/rooms/0200", nil)
			stop()
		})
	}
	if _, err := download.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("the interrupted download: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "firebase-export-metadata.json")); !os.IsNotExist(err) {
		t.Errorf("an incomplete download is an export: %v", err)
	}
	before := recorded(t, dir)
	if len(before) == 0 {
		t.Fatal("the interrupted download has recorded no file")
	}
	o.Progress = nil
	if _, err := download.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	after := recorded(t, dir)
	for name, changed := range before {
		if !after[name].Equal(changed) {
			t.Errorf("the next run has written %s again", name)
		}
	}
	to := newTarget(t)
	if sum, err := to.Import(t.Context(), dir); err != nil || sum.Documents != 400 {
		t.Fatalf("import: %+v, %v", sum, err)
	}
	db := resource.Database{Project: project, ID: resource.DefaultDatabase}
	q, err := (&query.Query{DB: db, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		t.Fatal(err)
	}
	owner := token.Caller{Privileged: true, Project: project}
	_, err = to.documents.Query(t.Context(), owner, q, request.At{}, func(authz.Snapshot) error { return nil }, func(d *document.Document) error {
		if d.Fields["version"] != value.Int(1) {
			t.Errorf("%s has the version %v", d.Name.Path, d.Fields["version"])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// faults fails the calls of a client in turns.
type faults struct{ n atomic.Int64 }

// broken is a stream of which each thirtieth message, and each fifth stream at its begin, fails.
type broken struct {
	grpc.ClientStream
	f *faults
}

// RecvMsg implements grpc.ClientStream.
func (b broken) RecvMsg(m any) error {
	if err := b.ClientStream.RecvMsg(m); err != nil {
		return err
	}
	switch n := b.f.n.Add(1); {
	case n%60 == 0:
		return status.Error(codes.ResourceExhausted, "Quota exceeded.")
	case n%30 == 0:
		return status.Error(codes.Unavailable, "The service is currently unavailable.")
	}
	return nil
}

// RoundTrip implements http.RoundTripper: two of three calls fail.
func (f *faults) RoundTrip(r *http.Request) (*http.Response, error) {
	switch n := f.n.Add(1); {
	case n%3 == 1:
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Status: "503 Service Unavailable", Body: http.NoBody, Request: r}, nil
	case n%3 == 2:
		return nil, errors.New("connection reset by peer")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestDownloadWithFaults downloads from a server whose streams break and whose calls fail.
func TestDownloadWithFaults(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, rooms(400)...)
	dir := t.TempDir()
	o := l.options(dir)
	var streams, calls faults
	o.Dial = []grpc.DialOption{grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := streamer(ctx, desc, cc, method, opts...)
		return broken{s, &streams}, err
	})}
	o.HTTP = &http.Client{Transport: &calls}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections() //nolint:forcetypeassert // it is one
	if _, err := download.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if streams.n.Load() < 400 || calls.n.Load() < 6 {
		t.Errorf("%d messages and %d calls", streams.n.Load(), calls.n.Load())
	}
	wantContent(t, dir, map[string]int64{"documents (default) rooms": 400})
}

// TestDownloadsThatFail expects that refusals and endless failures end a download, with what to do.
func TestDownloadsThatFail(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, rooms(10)...)
	for _, tt := range []struct {
		name   string
		change func(*download.Options)
		want   string
	}{
		{"a refusal", failing(codes.PermissionDenied, "Missing or insufficient permissions."), "roles/datastore.viewer"},
		{"failures without end", failing(codes.Unavailable, "try again"), "It failed 8 times"},
		{"an old read time", func(o *download.Options) { o.ReadTime = time.Unix(1, 0).UTC() }, "point-in-time recovery"},
		{"a folder with other files", func(o *download.Options) { o.Dir = "." }, "neither empty nor an earlier download"},
		{"a refused key", func(o *download.Options) {
			o.Token = func(context.Context) (string, error) { return "", fault.E(fault.Unauthenticated, "no token") }
		}, "no token"},
	} {
		o := l.options(t.TempDir())
		tt.change(&o)
		if _, err := download.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// failing returns a change by which all calls of Firestore fail.
func failing(code codes.Code, text string) func(*download.Options) {
	return func(o *download.Options) {
		o.Dial = []grpc.DialOption{grpc.WithStreamInterceptor(func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, grpc.Streamer, ...grpc.CallOption) (grpc.ClientStream, error) {
			return nil, status.Error(code, text)
		})}
	}
}

// TestParseEndpoints parses endpoints of the command line.
func TestParseEndpoints(t *testing.T) {
	for _, tt := range []struct {
		given []string
		ok    bool
	}{
		{nil, true},
		{[]string{"firestore=https://restricted.googleapis.com"}, true},
		{[]string{"firestore=http://127.0.0.1:8080", "identity=http://127.0.0.1:9099/identitytoolkit.googleapis.com/"}, true},
		{[]string{"rules=https://rules.example.org"}, false},
		{[]string{"firestore=http://data.example.org"}, false},
		{[]string{"firestore=https://data.example.org/path"}, false},
		{[]string{"firestore=https://user:password@data.example.org"}, false},
		{[]string{"storage=https://data.example.org"}, false},
		{[]string{"firestore"}, false},
	} {
		got, err := download.ParseEndpoints(tt.given)
		if (err == nil) != tt.ok {
			t.Errorf("%q: %v, %v", tt.given, got, err)
		}
		if strings.Contains(fmt.Sprint(err), "password") {
			t.Errorf("%q: the error has the password: %v", tt.given, err)
		}
	}
	if got, _ := download.ParseEndpoints([]string{"firestore=http://127.0.0.1:8080"}); len(got) != 1 || !got.Plain() {
		t.Errorf("one endpoint: %v", got)
	}
	if download.Google().Plain() {
		t.Error("Google is taken for an emulator")
	}
}

// lossy is a stream that loses a document.
type lossy struct {
	grpc.ClientStream
	lost *atomic.Bool
}

// RecvMsg implements grpc.ClientStream.
func (l lossy) RecvMsg(m any) error {
	err := l.ClientStream.RecvMsg(m)
	if r, ok := m.(*pb.RunQueryResponse); ok && err == nil && strings.HasSuffix(r.GetDocument().GetName(), "/rooms/0007") && !l.lost.Swap(true) {
		return l.ClientStream.RecvMsg(m)
	}
	return err
}

// TestDownloadsAreCounted compares a download that has lost a document with the count of the project.
func TestDownloadsAreCounted(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, rooms(60)...)
	o := l.options(t.TempDir())
	var lost atomic.Bool
	o.Dial = []grpc.DialOption{grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := streamer(ctx, desc, cc, method, opts...)
		return lossy{s, &lost}, err
	})}
	if _, err := download.Run(t.Context(), o); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), "counts 60 documents in (default), and 59 were downloaded") {
		t.Errorf("a download without a document: %v", err)
	}
}

// TestQueriesWithoutEnd downloads from a server whose queries begin again at the first document.
func TestQueriesWithoutEnd(t *testing.T) {
	l := start(t)
	l.put("(default)", 1, rooms(120)...)
	o := l.options(t.TempDir())
	o.Sizes.Partitions = 1
	o.Dial = []grpc.DialOption{grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := streamer(ctx, desc, cc, method, opts...)
		return endless{s}, err
	})}
	if _, err := download.Run(t.Context(), o); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), "a query of the documents after") {
		t.Errorf("queries without an end: %v", err)
	}
}

// endless is a stream that forgets where a query begins.
type endless struct{ grpc.ClientStream }

// SendMsg implements grpc.ClientStream.
func (e endless) SendMsg(m any) error {
	if r, ok := m.(*pb.RunQueryRequest); ok {
		r.GetStructuredQuery().StartAt = nil
	}
	return e.ClientStream.SendMsg(m)
}

// smallDisk mounts a file system of a size on a folder until the test ends. If none can be mounted, the test is
// skipped.
func smallDisk(t *testing.T, dir, size string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "none", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: no file system can be mounted: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

// TestTheStateIsRemovedLast removes a download of which a part can't be removed, and then the rest.
func TestTheStateIsRemovedLast(t *testing.T) {
	l, dir := start(t), filepath.Join(t.TempDir(), "live")
	l.put("(default)", 1, rooms(10)...)
	if _, err := download.Run(t.Context(), l.options(dir)); err != nil {
		t.Fatal(err)
	}
	mounted := filepath.Join(dir, "z")
	if err := os.Mkdir(mounted, 0o700); err != nil {
		t.Fatal(err)
	}
	smallDisk(t, mounted, "32k")
	if err := download.Remove(dir); err == nil {
		t.Error("a mount was removed")
	}
	if out, err := exec.Command("umount", mounted).CombinedOutput(); err != nil {
		t.Fatalf("umount: %v %s", err, out)
	}
	if err := download.Remove(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the removed download: %v", err)
	}
}

// TestDownloadsToAFullDisk downloads to a disk that is too small, and goes on when there is space.
func TestDownloadsToAFullDisk(t *testing.T) {
	dir := t.TempDir()
	smallDisk(t, dir, "32k")
	l := start(t)
	l.put("(default)", 1, rooms(400)...)
	o := l.options(dir)
	_, err := download.Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), "--read-time") || strings.Count(err.Error(), "no space") != 1 {
		t.Errorf("a full disk: %v", err)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=4m", dir).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v %s", err, out)
	}
	if _, err := download.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantContent(t, dir, map[string]int64{"documents (default) rooms": 400})
}
