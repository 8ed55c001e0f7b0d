package admin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/transfer"
)

// The paths of exports and imports.
const (
	exportDefault = "POST /v1/projects/p/databases/(default):exportDocuments"
	importSecond  = "POST /v1/projects/p/databases/second:importDocuments"
)

// put stores documents with a field.
func (s *server) put(db, text string, paths ...string) {
	s.t.Helper()
	of := resource.Database{Project: "p", ID: db}
	for part := range slices.Chunk(paths, 500) {
		var writes []document.Write
		for _, path := range part {
			writes = append(writes, document.Write{Op: document.Update, Name: resource.Document{DB: of, Path: path}, Fields: value.Map{"text": value.String(text)}})
		}
		if _, err := s.documents.Commit(s.t.Context(), token.Caller{Privileged: true, Project: "p"}, of, request.Commit{Writes: writes}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// paths returns the documents of a database with the texts of their fields.
func (s *server) paths(db string) map[string]string {
	s.t.Helper()
	found := make(map[string]string)
	all, err := (&query.Query{DB: resource.Database{Project: "p", ID: db}, From: []query.From{{AllDescendants: true}}, Limit: query.NoLimit}).Normalize()
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = s.documents.Query(s.t.Context(), token.Caller{Privileged: true, Project: "p"}, all, request.At{}, func(authz.Snapshot) error { return nil }, func(d *document.Document) error {
		text, _ := d.Fields["text"].(value.String)
		found[d.Name.Path] = string(text)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// TestExports exports documents, all and those of collection groups, imports them into another database, and reads the
// export as clave import does.
func TestExports(t *testing.T) {
	s := open(t, memory(t))
	s.put("(default)", "old", "a/1", "a/1/b/1", "a/2", "c/1")
	begun := s.want(200, exportDefault, `{"outputUriPrefix":"gs://backups/one/"}`, `"operationState":"PROCESSING"`)
	s.want(400, exportDefault, `{"outputUriPrefix":"gs://backups/one"}`, "Path already exists: /backups/one/one.overall_export_metadata")
	s.want(400, exportDefault, `{"outputUriPrefix":"gs://backups/one/two"}`, "Path already exists: /backups/one/one.overall_export_metadata")
	inner := s.want(200, exportDefault, `{"outputUriPrefix":"gs://inner/one/two"}`, "PROCESSING")
	s.want(400, exportDefault, `{"outputUriPrefix":"gs://inner/one"}`, "Path already exists: /inner/one/two/two.overall_export_metadata")
	s.want(200, "POST /v1/"+field(t, inner, "name")+":cancel", "{}", "{}")
	s.put("(default)", "new", "a/2")
	s.settle(field(t, begun, "name"))
	ended := s.want(200, "GET /v1/"+field(t, begun, "name"), "", `"operationState":"SUCCESSFUL"`)
	for _, want := range []string{"ExportDocumentsMetadata", `"outputUriPrefix":"gs://backups/one"`, `"progressDocuments":{"completedWork":"4","estimatedWork":"4"}`, "ExportDocumentsResponse", "endTime"} {
		if !strings.Contains(ended, want) {
			t.Errorf("the operation %s lacks %s", ended, want)
		}
	}
	s = s.again()
	s.want(400, exportDefault, `{"outputUriPrefix":"gs://backups/one"}`, "Path already exists")
	s.want(200, "GET /v1/"+field(t, begun, "name"), "", `"completedWork":"4"`)

	s.put("second", "own", "a/1", "z/1")
	some := field(t, s.want(200, importSecond, `{"inputUriPrefix":"gs://backups/one","collectionIds":["b","c"],"namespaceIds":[""]}`, "ImportDocumentsMetadata"), "name")
	s.settle(some)
	s.want(200, "GET /v1/"+some, "", `"progressDocuments":{"completedWork":"2","estimatedWork":"2"}`)
	s.want(200, "GET /v1/"+some, "", `"response":{"@type":"type.googleapis.com/google.protobuf.Empty"}`)
	if got, want := s.paths("second"), "map[a/1:own a/1/b/1:old c/1:old z/1:own]"; fmt.Sprint(got) != want {
		t.Errorf("after an import of collection groups: %v, want %s", got, want)
	}
	s.settle(field(t, s.want(200, importSecond, `{"inputUriPrefix":"gs://backups/one/"}`, "name"), "name"))
	if got, want := s.paths("second"), "map[a/1:old a/1/b/1:old a/2:new c/1:old z/1:own]"; fmt.Sprint(got) != want {
		t.Errorf("after an import: %v, want %s", got, want)
	}

	bucket := s.want(200, exportDefault, `{"outputUriPrefix":"gs://backups","collectionIds":["b"]}`, `"outputUriPrefix":"gs://backups/2`)
	s.settle(field(t, bucket, "name"))
	_, place, _ := strings.Cut(bucket, `"outputUriPrefix":"gs://`)
	place, _, _ = strings.Cut(place, `"`)
	other, _ := authztest.Open(t, authz.RulesetsOptions{})
	sum, err := transfer.New(transfer.Options{Authorizer: other, Project: "p"}).Import(t.Context(), filepath.Join(s.exports, place))
	if err != nil || sum.Documents != 1 {
		t.Errorf("clave import of %s: %v, %v", place, sum, err)
	}
	info, err := os.Stat(filepath.Join(s.exports, "backups"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can read exports: %v, %v", info, err)
	}
}

// TestExportsAreRefused sends places outside of the folder of exports and other requests that can't be served.
func TestExportsAreRefused(t *testing.T) {
	s := open(t, memory(t))
	for _, place := range []string{
		"", "backups", "/tmp/x", "file:///tmp/x", "gs://", "gs:///x", "gs://..", "gs://a/../../x", "gs://a//b", "gs://a/.b", "gs://a/b/.", "gs://a/b\\c", "gs://a/%2e%2e/b", "gs://a b", "gs://a/\u0000", "gs://ä",
		"s3://a/b", "gs://" + strings.Repeat("a/", 8) + "a", "gs://" + strings.Repeat("a", 129), "gs://" + strings.Repeat(strings.Repeat("a", 128)+"/", 8) + "a",
	} {
		s.want(400, exportDefault, `{"outputUriPrefix":"`+place+`"}`, "INVALID_ARGUMENT")
		s.want(400, importSecond, `{"inputUriPrefix":"`+place+`"}`, "INVALID_ARGUMENT")
	}
	for body, want := range map[string]string{
		`{"outputUriPrefix":"gs://a/b","collectionIds":[""]}`:                                                                        "400 empty id",
		`{"outputUriPrefix":"gs://a/b","collectionIds":["x/y"]}`:                                                                     "400 INVALID_ARGUMENT",
		`{"outputUriPrefix":"gs://a/b","collectionIds":[` + strings.Repeat(`"x",`, 100) + `"x"]}`:                                    "400 more than 100",
		`{"outputUriPrefix":"gs://a/b","namespaceIds":["other"]}`:                                                                    "400 namespace_ids",
		`{"outputUriPrefix":"gs://a/b","inputUriPrefix":"gs://a/b"}`:                                                                 "400 INVALID_ARGUMENT",
		`{"outputUriPrefix":"gs://a/b","snapshotTime":"2026-01-02T03:05:01Z"}`:                                                       "400 whole minute",
		`{"outputUriPrefix":"gs://a/b","snapshotTime":"` + time.Now().Add(time.Hour).Truncate(time.Hour).Format(time.RFC3339) + `"}`: "400 of the past",
		`{"outputUriPrefix":"gs://a/b","snapshotTime":"2026-01-02T03:04:00Z"}`:                                                       "400 too old",
		`{"outputUriPrefix":"gs://a/b","colour":"red"}`:                                                                              "400 Unknown name",
	} {
		code, part, _ := strings.Cut(want, " ")
		got, text := s.call("deployer", exportDefault, body)
		if fmt.Sprint(got) != code || !strings.Contains(text, part) {
			t.Errorf("%s: %d %s, want %s", body, got, text, want)
		}
	}
	s.want(404, "POST /v1/projects/p/databases/third:exportDocuments", `{"outputUriPrefix":"gs://a/b"}`, "NOT_FOUND")
	s.want(400, importSecond, `{"inputUriPrefix":"gs://a/b","snapshotTime":"2026-01-02T03:05:00Z"}`, "INVALID_ARGUMENT")
	none := openAt(t, memory(t), nil, "")
	none.want(400, exportDefault, `{"outputUriPrefix":"gs://a/b"}`, "--admin-exports")
	if entries, err := os.ReadDir(s.exports); err != nil || len(entries) > 0 {
		t.Errorf("refused exports leave %v, %v", entries, err)
	}
}

// TestDamagedExports imports from places without an export and from a damaged one: nothing is imported, and the errors
// name the place of the request instead of a folder of the machine.
func TestDamagedExports(t *testing.T) {
	s := open(t, memory(t))
	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprintf("a/%03d", i))
	}
	s.put("(default)", strings.Repeat("x", 200), many...)
	s.settle(field(t, s.want(200, exportDefault, `{"outputUriPrefix":"gs://x/damaged"}`, "name"), "name"))
	file := filepath.Join(s.exports, "x/damaged/all_namespaces/all_kinds/output-0")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1000] ^= 1
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"gs://x/none", "gs://x", "gs://x/damaged"} {
		name := field(t, s.want(200, importSecond, `{"inputUriPrefix":"`+place+`"}`, "name"), "name")
		s.settle(name)
		if got := s.want(200, "GET /v1/"+name, "", `"operationState":"FAILED"`); !strings.Contains(got, `"error":{"code":`) || strings.Contains(got, s.exports) {
			t.Errorf("an import from %s: %s", place, got)
		}
	}
	if got := s.paths("second"); len(got) > 0 {
		t.Errorf("damaged exports have imported %d documents", len(got))
	}
}

// TestImportsContinue stops a server in the middle of an import. The next one goes on where it was: a document that a
// client has changed since is not replaced again.
func TestImportsContinue(t *testing.T) {
	s := open(t, memory(t))
	var many []string
	for i := range 1200 {
		many = append(many, fmt.Sprintf("a/%04d", i))
	}
	s.put("(default)", "old", many...)
	s.settle(field(t, s.want(200, exportDefault, `{"outputUriPrefix":"gs://x/many"}`, "name"), "name"))
	name := field(t, s.want(200, importSecond, `{"inputUriPrefix":"gs://x/many"}`, "name"), "name")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s.reported = func(p transfer.Progress) {
		if p.Documents > 0 {
			stop()
		}
	}
	if err := s.apis.Run(ctx); err != nil {
		t.Error(err)
	}
	s.want(200, "GET /v1/"+name, "", `"progressDocuments":{"completedWork":"500","estimatedWork":"1200"}`)
	if got := s.paths("second"); len(got) != 500 {
		t.Errorf("the first server has imported %d documents, want 500", len(got))
	}
	s = s.again()
	s.want(200, "GET /v1/"+name, "", `"operationState":"PROCESSING"`)
	s.put("second", "of a client", "a/0007")
	s.settle(name)
	s.want(200, "GET /v1/"+name, "", `"progressDocuments":{"completedWork":"1200","estimatedWork":"1200"}`)
	if got := s.paths("second"); len(got) != 1200 || got["a/0007"] != "of a client" || got["a/0999"] != "old" {
		t.Errorf("after both servers there are %d documents, a/0007 is %q", len(got), got["a/0007"])
	}
}

// TestTransfersAreCancelled cancels an export and an import that are being done. An index operation that begins
// meanwhile does not wait for them, and nothing of the export stays.
func TestTransfersAreCancelled(t *testing.T) {
	s := open(t, memory(t))
	var many []string
	for i := range 1200 {
		many = append(many, fmt.Sprintf("a/%04d", i))
	}
	s.put("(default)", "old", many...)
	s.settle(field(t, s.want(200, exportDefault, `{"outputUriPrefix":"gs://x/whole"}`, "name"), "name"))
	for _, tt := range []struct{ words, body string }{{exportDefault, `{"outputUriPrefix":"gs://y/part"}`}, {importSecond, `{"inputUriPrefix":"gs://x/whole"}`}} {
		name := field(t, s.want(200, tt.words, tt.body, "name"), "name")
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		var once sync.Once
		s.reported = func(p transfer.Progress) {
			if p.Documents == 0 {
				return
			}
			once.Do(func() {
				change := field(t, s.want(200, "PATCH /v1/projects/p/databases/second/collectionGroups/g/fields/a", "{}", "name"), "name")
				for ctx.Err() == nil {
					if _, got := s.call("deployer", "GET /v1/"+change, ""); strings.Contains(got, `"done":true`) {
						break
					}
					if err := clock.Sleep(ctx, clock.System(), time.Millisecond); err != nil {
						t.Error("the change of the field waits for the transfer")
					}
				}
				s.want(200, "POST /v1/"+name+":cancel", "{}", "{}")
			})
		}
		s.settle(name)
		s.want(200, "GET /v1/"+name, "", `"operationState":"CANCELLED"`)
		stop()
	}
	if entries, err := os.ReadDir(filepath.Join(s.exports, "y")); err != nil || len(entries) > 0 {
		t.Errorf("the cancelled export left %v, %v", entries, err)
	}
	if got := len(s.paths("second")); got != 500 {
		t.Errorf("the cancelled import has %d documents, want 500", got)
	}
}

// TestGoClientExports exports and imports with the Go client, as a role that may and as roles that may not.
func TestGoClientExports(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	s.put("(default)", "old", "a/1")
	ctx := s.as("datastore-owner")
	out, err := c.ExportDocuments(ctx, &adminpb.ExportDocumentsRequest{Name: defaultName, OutputUriPrefix: "gs://go/one", CollectionIds: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if meta, err := out.Metadata(); err != nil || meta.GetOperationState() != adminpb.OperationState_PROCESSING || meta.GetCollectionIds()[0] != "a" {
		t.Errorf("a new export has the metadata %v, %v", meta, err)
	}
	s.settle(out.Name())
	done, err := out.Wait(ctx)
	if err != nil || done.GetOutputUriPrefix() != "gs://go/one" {
		t.Errorf("ExportDocuments: %v, %v", done, err)
	}
	in, err := c.ImportDocuments(ctx, &adminpb.ImportDocumentsRequest{Name: "projects/p/databases/second", InputUriPrefix: done.GetOutputUriPrefix()})
	if err != nil {
		t.Fatal(err)
	}
	s.settle(in.Name())
	if err := in.Wait(ctx); err != nil {
		t.Error(err)
	}
	if meta, err := in.Metadata(); err != nil || meta.GetProgressDocuments().GetCompletedWork() != 1 || meta.GetInputUriPrefix() != "gs://go/one" || meta.GetEndTime() == nil {
		t.Errorf("an import has the metadata %v, %v", meta, err)
	}
	for _, role := range []string{"viewer", "index-admin", "rules-admin", "hosting-admin"} {
		_, err := c.ExportDocuments(s.as(role), &adminpb.ExportDocumentsRequest{Name: defaultName, OutputUriPrefix: "gs://go/two"})
		if status.Code(err) != codes.PermissionDenied {
			t.Errorf("an export by %s: %v", role, err)
		}
	}
	_, err = c.ExportDocuments(ctx, &adminpb.ExportDocumentsRequest{Name: defaultName, OutputUriPrefix: "gs://go/two", SnapshotTime: timestamppb.New(time.Unix(1, 0))})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("an export of a second of 1970: %v", err)
	}
}
