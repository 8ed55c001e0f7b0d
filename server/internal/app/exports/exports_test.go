package exports_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/app/exports"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/suite/transfer"
	"clave/server/test/kit/bucketserver"
)

// db is the database of the tests.
var db = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// moves writes and reads files in the place of exports.
type moves struct {
	// files are those that an export writes, by their paths, and failed is the error of an export after them.
	files  map[string]string
	failed error
	// loaded has the files of the last import.
	loaded map[string]string
	fail   error
}

func (m *moves) Blank(context.Context, string) (bool, error) {
	return false, errors.New("the folder is not asked")
}

func (m *moves) ExportDocuments(_ context.Context, _ resource.Database, dir string, _ transfer.Selection) (int64, error) {
	for name, text := range m.files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "NAME", filepath.Base(dir)))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return 0, err
		}
	}
	return int64(len(m.files)), m.failed
}

func (m *moves) LoadDocuments(_ context.Context, _ resource.Database, dir string, _ transfer.Selection) error {
	m.loaded = make(map[string]string)
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			m.loaded[name] = string(text)
		}
		return nil
	})
	if m.fail != nil {
		return fault.Wrap(m.fail, fault.InvalidArgument, "%s is damaged", filepath.Join(dir, "x"))
	}
	return nil
}

// whole are the files of an export.
func whole() map[string]string {
	return map[string]string{"NAME.overall_export_metadata": "overall", "all_namespaces/all_kinds/output-0": "documents", "all_namespaces/all_kinds/empty": ""}
}

// open returns exports in a bucket of a server in this process.
func open(t *testing.T, m *moves) (*exports.Bucket, *bucketserver.Server) {
	t.Helper()
	s := bucketserver.Memory(t)
	place := config.BackupPlace{At: "s3://" + bucketserver.Bucket + "/of/clave", Endpoint: s.URL, AccessKey: bucketserver.AccessKey, SecretKey: bucketserver.SecretKey}
	at, err := backups.OpenBucket(&place, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	b := &exports.Bucket{Transfers: m, Target: at, Folder: filepath.Join(t.TempDir(), "exports")}
	if err := os.MkdirAll(filepath.Join(b.Folder, "transfer-of-a-killed-process"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(b.Folder); err != nil || len(left) != 0 {
			t.Errorf("the folder of transfers has %v, %v", left, err)
		}
	})
	return b, s
}

// names returns the objects of a target.
func names(t *testing.T, at target.Target) []string {
	t.Helper()
	all, err := at.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(all))
	for i, o := range all {
		out[i] = o.Name
	}
	return out
}

// TestBucket exports to a bucket and imports from it, also what a former attempt has left there.
func TestBucket(t *testing.T) {
	m := &moves{files: whole()}
	b, s := open(t, m)
	dir := filepath.Join(b.Folder, "my-bucket", "one")
	if blank, err := b.Blank(t.Context(), dir); err != nil || !blank {
		t.Errorf("an absent export: %v, %v", blank, err)
	}
	if _, err := b.Target.Put(t.Context(), "my-bucket/one/all_namespaces/old", strings.NewReader("rest"), 4); err != nil {
		t.Fatal(err)
	}
	var written []string
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			written = append(written, r.URL.Path)
		}
		return false
	})
	if n, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{}); err != nil || n != 3 {
		t.Fatalf("ExportDocuments = %d, %v", n, err)
	}
	s.Intercept(nil)
	if len(written) != 3 || !strings.HasSuffix(written[2], "/of/clave/my-bucket/one/one.overall_export_metadata") {
		t.Errorf("the objects are written in the order %q, want the one that describes the export last", written)
	}
	want := []string{"my-bucket/one/all_namespaces/all_kinds/empty", "my-bucket/one/all_namespaces/all_kinds/output-0", "my-bucket/one/one.overall_export_metadata"}
	if got := names(t, b.Target); !slices.Equal(got, want) {
		t.Errorf("the bucket has %q, want %q", got, want)
	}
	var asked []string
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		asked = append(asked, r.URL.Query().Get("max-keys"))
		return false
	})
	if blank, err := b.Blank(t.Context(), dir); err != nil || blank || !slices.Equal(asked, []string{"1"}) {
		t.Errorf("an export: %v, %v, by requests for %q objects, want one for one of the three", blank, err, asked)
	}
	s.Intercept(nil)
	if blank, err := b.Blank(t.Context(), dir[:len(dir)-1]); err != nil || !blank {
		t.Errorf("a name that another one begins with: %v, %v", blank, err)
	}
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range m.files {
		if text == "" {
			text = "\x00"
		}
		if got, ok := m.loaded[strings.ReplaceAll(name, "NAME", "one")]; !ok || got != text {
			t.Errorf("the import has %q of %s, %v, want %q", got, name, ok, text)
		}
	}
	m.fail = errors.New("x")
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != filepath.Join(dir, "x")+" is damaged" {
		t.Errorf("a damaged export: %v", err)
	}
}

// TestManyFiles exports documents by files of a lower size than those of S3, each of which is an object, and imports
// them after they were deleted. Without enough space on the disk both end, and leave nothing.
func TestManyFiles(t *testing.T) {
	b, _ := open(t, nil)
	documents, _ := authztest.Open(t, authz.RulesetsOptions{})
	b.Transfers = transfer.New(transfer.Options{Authorizer: documents, Project: "p", FileBytes: 1})
	dir := filepath.Join(b.Folder, "my-bucket", "many")
	commit := func(op document.Op) {
		t.Helper()
		var writes []document.Write
		for _, id := range []string{"one", "two", "three"} {
			writes = append(writes, document.Write{Op: op, Name: resource.Document{DB: db, Path: "docs/" + id}})
		}
		if _, err := documents.Commit(t.Context(), token.Caller{Privileged: true, Project: "p"}, db, request.Commit{Writes: writes}); err != nil {
			t.Fatal(err)
		}
	}
	commit(document.Update)
	b.Reserve = 1 << 62
	exhausted := func(err error) bool {
		return fault.Is(err, fault.ResourceExhausted) && fault.FromError(err).Message == "The disk of this server has no space for the export."
	}
	if _, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{}); !exhausted(err) || len(names(t, b.Target)) != 0 {
		t.Errorf("an export without space: %v, the bucket has %q", err, names(t, b.Target))
	}
	b.Reserve = 0
	if n, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{}); err != nil || n != 3 {
		t.Fatalf("ExportDocuments = %d, %v", n, err)
	}
	files := slices.DeleteFunc(names(t, b.Target), func(name string) bool { return !strings.Contains(name, "/output-") })
	if len(files) != 3 || !strings.HasSuffix(files[2], "/output-2") {
		t.Errorf("the documents are in %q, want three objects", files)
	}
	commit(document.Delete)
	b.Reserve = 1 << 62
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); !exhausted(err) {
		t.Errorf("an import without space: %v", err)
	}
	b.Reserve = 0
	var last transfer.Progress
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{Report: func(p transfer.Progress) error { last = p; return nil }}); err != nil || last.Documents != 3 {
		t.Errorf("the import has %+v, %v, want 3 documents", last, err)
	}
}

// TestNoDocuments exports a database without documents, and imports it.
func TestNoDocuments(t *testing.T) {
	b, _ := open(t, nil)
	documents, _ := authztest.Open(t, authz.RulesetsOptions{})
	b.Transfers = transfer.New(transfer.Options{Authorizer: documents, Project: "p"})
	dir := filepath.Join(b.Folder, "my-bucket", "none")
	report := func(transfer.Progress) error { return nil }
	if n, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{Report: report}); err != nil || n != 0 {
		t.Fatalf("ExportDocuments = %d, %v", n, err)
	}
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{Report: report}); err != nil {
		t.Error(err)
	}
	if err := b.LoadDocuments(t.Context(), db, dir+"x", transfer.Selection{Report: report}); err == nil || strings.Contains(err.Error(), "transfer-") {
		t.Errorf("an absent export: %v", err)
	}
}

// TestFailedExports lets exports fail: while documents are read, at each object, and as the client cancels. Nothing is
// left in the bucket.
func TestFailedExports(t *testing.T) {
	m := &moves{files: whole()}
	b, s := open(t, m)
	dir := filepath.Join(b.Folder, "my-bucket", "one")
	m.failed = errors.New("no documents")
	if _, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{}); !errors.Is(err, m.failed) {
		t.Errorf("ExportDocuments = %v", err)
	}
	m.failed = nil
	for at := range 3 {
		puts := 0
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			if puts++; puts <= at {
				return false
			}
			bucketserver.Refuse(w, http.StatusForbidden, "AccessDenied")
			return true
		})
		if _, err := b.ExportDocuments(t.Context(), db, dir, transfer.Selection{}); !fault.Is(err, fault.Unavailable) || strings.Contains(fault.FromError(err).Message, "s3://") || !strings.Contains(fault.Reason(err), "can't be used") {
			t.Errorf("a refused object %d: %v", at, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		puts = 0
		s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				if puts++; puts > at {
					cancel()
				}
			}
			return false
		})
		if _, err := b.ExportDocuments(ctx, db, dir, transfer.Selection{}); !errors.Is(err, context.Canceled) && err == nil && at < 2 {
			t.Errorf("an export that is canceled at object %d: %v", at, err)
		}
		cancel()
		s.Intercept(nil)
		if got := names(t, b.Target); len(got) != 0 && at < 2 {
			t.Errorf("after a failure at object %d the bucket has %q", at, got)
		}
	}
}

// TestHostileObjects imports objects that others have written: names that lead elsewhere, names of folders, objects
// that change, and places that are none.
func TestHostileObjects(t *testing.T) {
	m := &moves{}
	b, s := open(t, m)
	dir := filepath.Join(b.Folder, "my-bucket", "one")
	put := func(name, text string) {
		t.Helper()
		if _, err := b.Target.Put(t.Context(), name, strings.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
	}
	put("my-bucket/one/a", "text")
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/a") {
			return false
		}
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Thu, 26 Nov 2026 12:00:00 GMT")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return true
	})
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); err == nil {
		t.Error("an object that is longer than it was listed is imported")
	}
	s.Intercept(nil)
	list := func(names ...string) {
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.URL.Query().Get("list-type") != "2" {
				return false
			}
			text := `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>`
			for _, name := range names {
				text += `<Contents><Key>of/clave/my-bucket/one/` + name + `</Key><Size>1</Size><LastModified>2026-11-26T12:00:00.000Z</LastModified></Contents>`
			}
			w.Header().Set("Content-Type", "application/xml")
			_, _ = w.Write([]byte(text + `</ListBucketResult>`))
			return true
		})
	}
	for _, name := range []string{"../two", "a/../../../x", "/etc/passwd"} {
		list(name)
		if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); !fault.Is(err, fault.InvalidArgument) || !strings.Contains(err.Error(), "not that of a file") {
			t.Errorf("an object %q: %v", name, err)
		}
	}
	list("folder/")
	if err := b.LoadDocuments(t.Context(), db, dir, transfer.Selection{}); err != nil || len(m.loaded) != 0 {
		t.Errorf("an object for a folder: %v, %v", m.loaded, err)
	}
	s.Intercept(nil)
	for _, other := range []string{b.Folder, filepath.Dir(b.Folder), filepath.Join(b.Folder, "..", "x")} {
		if _, err := b.Blank(t.Context(), other); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("the place %s: %v", other, err)
		}
	}
}
