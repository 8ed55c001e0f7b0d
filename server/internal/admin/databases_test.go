package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// TestDatabases reads databases, changes their protection before and after a restart, and refuses what the server can't
// change.
func TestDatabases(t *testing.T) {
	s := open(t, memory(t))
	const at = "/v1/projects/p/databases/(default)"
	s.want(200, "GET /v1/projects/p/databases", "", "projects/p/databases/second")
	shown := s.want(200, "GET "+at, "", `"deleteProtectionState":"DELETE_PROTECTION_ENABLED"`)
	for _, want := range []string{"FIRESTORE_NATIVE", `"earliestVersionTime":"2026-01-02T03:04:05.000006Z"`, `"versionRetentionPeriod":"604800s"`, `"pointInTimeRecoveryEnablement":"POINT_IN_TIME_RECOVERY_ENABLED"`, `"databaseEdition":"STANDARD"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("the database %s lacks %s", shown, want)
		}
	}
	created, etag := field(t, shown, "createTime"), field(t, shown, "etag")
	s.want(400, "DELETE "+at, "", "Database has delete protection enabled.")
	s.want(409, "PATCH "+at, `{"etag":"0000","deleteProtectionState":"DELETE_PROTECTION_DISABLED"}`, "ABORTED")
	s.want(200, "PATCH "+at+"?updateMask=name", `{"deleteProtectionState":"DELETE_PROTECTION_DISABLED"}`, "DELETE_PROTECTION_ENABLED")
	s.want(200, "PATCH "+at+"?updateMask=delete_protection_state", `{"deleteProtectionState":"DELETE_PROTECTION_DISABLED","type":"DATASTORE_MODE"}`, `"done":true`)
	s.want(501, "PATCH "+at, `{"pointInTimeRecoveryEnablement":"POINT_IN_TIME_RECOVERY_DISABLED"}`, "--history")
	s.want(400, "PATCH "+at, `{"deleteProtectionState":"NO"}`, "database.deleteProtectionState")
	s.want(501, "DELETE "+at, "", "bulkDeleteDocuments")
	s.want(409, "POST /v1/projects/p/databases?databaseId=second", newBody, "Please use another database_id")
	s.want(404, "GET /v1/projects/p/databases/third", "", "NOT_FOUND")
	s.want(200, "GET /v1/projects/p/locations", "", `"locationId":"local"`)
	s.want(404, "GET /v1/projects/p/locations/nam5", "", "NOT_FOUND")

	again := open(t, s.store) // as after a restart
	shown = again.want(200, "GET "+at, "", `"deleteProtectionState":"DELETE_PROTECTION_DISABLED"`)
	if field(t, shown, "createTime") != created || field(t, shown, "etag") == etag {
		t.Errorf("after an update and a restart the database is %s; it was created at %s with the etag %s", shown, created, etag)
	}
	again.want(200, "GET /v1/projects/p/databases/second", "", `"deleteProtectionState":"DELETE_PROTECTION_ENABLED"`)
}

// TestBulkDelete deletes the documents of collection groups, in several commits, and no others.
func TestBulkDelete(t *testing.T) {
	s := open(t, memory(t))
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	owner := token.Caller{Privileged: true, Project: "p"}
	write := func(paths ...string) {
		var writes []document.Write
		for _, path := range paths {
			writes = append(writes, document.Write{Op: document.Update, Name: resource.Document{DB: db, Path: path}, Fields: value.Map{}})
		}
		if _, err := s.documents.Commit(t.Context(), owner, db, request.Commit{Writes: writes}); err != nil {
			t.Fatal(err)
		}
	}
	write("kept/a", "gone/x", "kept/a/gone/y", "gone/x/kept/b")
	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprintf("gone/%04d", i))
	}
	write(many...)
	const method = "POST /v1/projects/p/databases/(default):bulkDeleteDocuments"
	s.want(400, method, `{}`, "at least one collection group")
	s.want(400, method, `{"collectionIds":["a/b"]}`, "INVALID_ARGUMENT")
	s.want(400, method, `{"collectionIds":["a"],"namespaceIds":["n"]}`, "namespaces")
	name := field(t, s.want(200, method, `{"collectionIds":["gone","other"]}`, "BulkDeleteDocumentsMetadata"), "name")
	s.settle(name)
	s.want(200, "GET /v1/"+name, "", `"progressDocuments":{"completedWork":"602"}`)
	s.want(200, "GET /v1/"+name, "", `"operationState":"SUCCESSFUL"`)
	var left []string
	for _, root := range []string{"kept", "gone"} {
		err := s.documents.Below(t.Context(), owner, db, root, func(name resource.Document) error {
			left = append(left, name.Path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(left) != "[kept/a gone/x/kept/b]" {
		t.Errorf("the documents that are left: %v", left)
	}
	open(t, s.store).want(200, "GET /v1/"+name, "", `"progressDocuments":{"completedWork":"602"}`) // as after a restart
}

// TestWaitingOperations cancels and deletes operations, and refuses more than may wait.
func TestWaitingOperations(t *testing.T) {
	s := open(t, memory(t))
	const database = "/v1/projects/p/databases/(default)"
	begin := func(path string) string {
		return field(t, s.want(200, "PATCH "+database+"/collectionGroups/g/fields/"+path, `{"indexConfig":{"indexes":[]}}`, "name"), "name")
	}
	first, second := begin("a"), begin("b")
	s.want(400, "DELETE /v1/"+first, "", "FAILED_PRECONDITION")
	s.want(200, "POST /v1/"+first+":cancel", "", "{}")
	s.want(200, "GET /v1/"+first, "", `"state":"CANCELLED"`)
	s.want(200, "GET /v1/"+first, "", `"error":{"code":1,`)
	s.want(400, "POST /v1/"+first+":cancel", "", "Cannot cancel an operation that is completed.")
	s.settle(second)
	if got := s.want(200, "GET "+database+"/collectionGroups/-/fields?filter=indexConfig.usesAncestorConfig=false", "", "fields/b"); strings.Contains(got, "fields/a") {
		t.Errorf("a cancelled operation was done: %s", got)
	}
	s.want(200, "DELETE /v1/"+first, "", "{}")
	s.want(404, "GET /v1/"+first, "", "NOT_FOUND")
	open(t, s.store).want(404, "GET /v1/"+first, "", "NOT_FOUND") // as after a restart

	long := `{"collectionIds":["` + strings.Repeat("x", 1500) + `"` + strings.Repeat(`,"`+strings.Repeat("y", 1500)+`"`, 99) + `]}`
	begun := 0
	for code := http.StatusOK; code == http.StatusOK; begun++ {
		var got string
		if code, got = s.call("deployer", "POST "+database+":bulkDeleteDocuments", long); code == http.StatusOK {
			continue
		}
		if code != http.StatusTooManyRequests || !strings.Contains(got, "Too many operations wait") {
			t.Fatalf("after %d operations: %d %s", begun, code, got)
		}
		break
	}
	if want := (16 << 20) / len(long); begun < want*9/10 || begun > want {
		t.Errorf("%d operations of %d bytes may wait, want about %d", begun, len(long), want)
	}
}
