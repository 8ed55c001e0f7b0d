package admin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/admin/firestoreadmin"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/pebble"
)

// The path of restorations, the name of the backups of the tests, and the body that restores the database second.
const (
	restoreMade = "POST /v1/projects/p/databases:restore"
	backupName  = "projects/p/locations/local/backups/2026-11-21T01-00-00Z"
	restoreBody = `{"databaseId":"made-here","backup":"` + backupName + `.second"}`
)

// restoreFrom restores a database from the store of the backups.
func (s *server) restoreFrom(ctx context.Context, r firestoreadmin.Restoration) error {
	if s.backup == nil {
		return errors.New("no backup")
	}
	if err := r.Edition(r.From == "second"); err != nil {
		return err
	}
	_, err := s.engine.CopyFrom(ctx, s.backup, resource.Database{Project: "p", ID: r.From}, resource.Database{Project: "p", ID: r.To}, func(done, all int64) {
		r.Report(50 + 50*done/max(1, all))
		if s.restoring != nil {
			s.restoring(50 + 50*done/max(1, all))
		}
	})
	if err == nil && s.copied != nil {
		s.copied()
	}
	return err
}

// backedUp opens a server with a backup, whose database second has documents, an index and a policy.
func backedUp(t *testing.T, st *pebble.Store) *server {
	t.Helper()
	from := open(t, memory(t))
	from.put("second", "old", "a/1", "a/2")
	const index = `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}`
	from.settle(field(t, from.want(200, "POST /v1/projects/p/databases/second/collectionGroups/a/indexes", index, "name"), "name"))
	from.settle(field(t, from.want(200, "PATCH /v1/projects/p/databases/second/collectionGroups/a/fields/until", `{"ttlConfig":{}}`, "name"), "name"))
	return from.withBackup(st)
}

// withBackup opens a server that has the store of this one as its backup.
func (s *server) withBackup(st *pebble.Store) *server {
	s.t.Helper()
	next := openWith(s.t, st, kept{
		{Name: "2026-11-20T01-00-00Z", Time: time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC), Damage: "a file is missing"},
		{Name: "2026-11-21T01-00-00Z", Time: time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC), Bytes: 12345},
	})
	next.backup = s.store
	return next
}

// afterRestart opens a server on the store and with the backup of this one.
func (s *server) afterRestart() *server {
	s.t.Helper()
	return (&server{t: s.t, store: s.backup}).withBackup(s.store)
}

// TestRestores restores a database of a backup beside the running ones, with its documents, indexes and edition: at
// once, with a restart in the middle, and with one between the copy and the release that lets clients use it.
func TestRestores(t *testing.T) {
	s := backedUp(t, memory(t))
	s.put("second", "new", "a/2", "a/3")
	for _, killed := range []string{"", "in the middle", "after the copy"} {
		begun := s.want(200, restoreMade, restoreBody, `"operationState":"PROCESSING"`)
		name := field(t, begun, "name")
		if want := `"backup":"` + backupName + `.second"`; !strings.Contains(begun, want) || !strings.Contains(begun, "RestoreDatabaseMetadata") || !strings.Contains(begun, `"response":{"@type":"type.googleapis.com/google.firestore.admin.v1.Database","name":"projects/p/databases/made-here"`) {
			t.Errorf("the operation %s lacks %s", begun, want)
		}
		s.want(409, restoreMade, restoreBody, "Please use another database_id")
		s.want(404, "GET "+atMade, "", "NOT_FOUND")
		var percents []int64
		s.restoring = func(percent int64) {
			percents = append(percents, percent)
			s.want(200, "GET /v1/"+name, "", fmt.Sprintf(`"completedWork":"%d"`, percent))
		}
		if killed != "" {
			ctx, stop := context.WithCancel(t.Context())
			if killed == "in the middle" {
				s.restoring = func(int64) { stop() }
			}
			s.copied = func() {
				s.refuses.Store(true)
				stop()
			}
			if err := s.apis.Run(ctx); err != nil {
				t.Error(err)
			}
			s = s.afterRestart()
			s.want(404, "GET "+atMade, "", "NOT_FOUND")
		}
		s.settle(name)
		if killed == "" && (len(percents) < 3 || percents[len(percents)-1] != 100) {
			t.Errorf("the progress is %d", percents)
		}
		ended := s.want(200, "GET /v1/"+name, "", `"operationState":"SUCCESSFUL"`)
		for _, want := range []string{`"completedWork":"100"`, `"response":{"@type":"type.googleapis.com/google.firestore.admin.v1.Database","name":"projects/p/databases/made-here"`, `"ENTERPRISE"`} {
			if !strings.Contains(ended, want) {
				t.Errorf("killed %q: the operation %s lacks %s", killed, ended, want)
			}
		}
		if got := fmt.Sprint(s.paths("made-here")); got != "map[a/1:old a/2:old]" {
			t.Errorf("killed %q: the restored database has %s", killed, got)
		}
		s.want(200, "GET "+atMade+"/collectionGroups/-/indexes", "", "READY")
		if got := s.want(200, "GET "+atMade+"/collectionGroups/-/fields?filter=ttlConfig:*", "", ""); strings.Contains(got, "until") {
			t.Errorf("the restored database has TTL policies: %s", got)
		}
		s.want(404, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", "NOT_FOUND")
		s.restoring = nil
		s.want(200, "DELETE "+atMade, "", `"done":true`)
	}
}

// TestRestoresAreRefused sends restorations that can't be made, and cancels one before it begins and one in the middle.
func TestRestoresAreRefused(t *testing.T) {
	s := backedUp(t, memory(t))
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{400, strings.Replace(restoreBody, "made-here", "x", 1), "Invalid database_id"},
		{409, strings.Replace(restoreBody, "made-here", "second", 1), "ALREADY_EXISTS"},
		{404, strings.Replace(restoreBody, ".second", ".third", 1), "NOT_FOUND"},
		{404, strings.Replace(restoreBody, "local", "nam5", 1), "NOT_FOUND"},
		{400, strings.Replace(restoreBody, "2026-11-21T01-00-00Z.second", "2026-11-20T01-00-00Z", 1), "is damaged"},
		{400, strings.Replace(restoreBody, "projects/p/", "projects/other/", 1), "backup must name"},
		{400, strings.Replace(restoreBody, "/backups/", "/", 1), "backup must name"},
		{400, strings.Replace(restoreBody, ".second", "/second", 1), "backup must name"},
		{400, `{"databaseId":"made-here"}`, "backup must name"},
		{400, strings.Replace(restoreBody, "{", `{"colour":"red",`, 1), "Unknown name"},
		{501, strings.Replace(restoreBody, "{", `{"encryptionConfig":{"customerManagedEncryption":{"kmsKeyName":"k"}},`, 1), "UNIMPLEMENTED"},
		{501, strings.Replace(restoreBody, "{", `{"tags":{"a":"b"},`, 1), "UNIMPLEMENTED"},
	} {
		s.want(tt.status, restoreMade, tt.body, tt.want)
	}
	for _, role := range []string{"viewer", "index-admin", "rules-admin", "hosting-admin"} {
		if code, got := s.call(role, restoreMade, restoreBody); code != http.StatusForbidden {
			t.Errorf("with the role %s: %d %s", role, code, got)
		}
	}
	name := field(t, s.want(200, restoreMade, restoreBody, "name"), "name")
	s.want(200, "POST /v1/"+name+":cancel", "{}", "{}")
	s.want(200, "GET /v1/"+name, "", `"operationState":"CANCELLED"`)
	name = field(t, s.want(200, restoreMade, restoreBody, "name"), "name")
	before := s.stored()
	s.restoring = func(int64) { s.want(200, "POST /v1/"+name+":cancel", "{}", "{}") }
	s.settle(name)
	s.restoring = nil
	s.want(200, "GET /v1/"+name, "", `"operationState":"CANCELLED"`)
	if left := s.stored(); left != before {
		t.Errorf("a cancelled restoration leaves %d keys", left-before)
	}
	s.want(404, "GET "+atMade, "", "NOT_FOUND")
	name = field(t, s.want(200, restoreMade, strings.Replace(restoreBody, ".second", ".gone", 1), "name"), "name")
	s.settle(name)
	s.want(200, "GET /v1/"+name, "", "The backup does not have the database gone.")
	s.want(200, createMade, newBody, `"done":true`)
}

// TestFailedCopiesAreRemoved completes a clone and a restored database, and refuses to write the release: nothing of
// them stays, at once, or when there is space again, also after a restart. The name can be used then.
func TestFailedCopiesAreRemoved(t *testing.T) {
	for _, full := range []string{"", "until later", "until a restart"} {
		for path, body := range map[string]string{restoreMade: restoreBody, cloneMade: cloneBody(time.Now().UTC().Truncate(time.Minute))} {
			s := backedUp(t, memory(t))
			s.put("second", "old", "a/1")
			s.want(200, createMade, newBody, `"done":true`) // the first release has a key
			s.want(200, "DELETE "+atMade, "", `"done":true`)
			before := s.stored()
			var once atomic.Bool
			s.copied = func() {
				s.refuses.Store(once.CompareAndSwap(false, true))
				s.fails.Store(full != "")
			}
			name := field(t, s.want(200, path, body, "name"), "name")
			s.settle(name)
			s.refuses.Store(false)
			s.want(200, "GET /v1/"+name, "", `"operationState":"FAILED"`)
			s.want(404, "GET "+atMade, "", "NOT_FOUND")
			if left := s.stored(); full == "" && left != before {
				t.Errorf("%s: %d keys are left", path, left-before)
			}
			if full != "" {
				s.want(400, createMade, newBody, "is being deleted")
				s.want(400, "DELETE /v1/"+name, "", "not completed")
			}
			if full == "until a restart" {
				s = s.afterRestart()
				s.want(400, createMade, newBody, "is being deleted")
			}
			s.fails.Store(false)
			s.while(s.remake)
			if s.hasMade("a/1") {
				t.Error("another database has the documents of a failed copy")
			}
			s.want(200, "DELETE "+atMade, "", `"done":true`)
			if left := s.stored(); left != before {
				t.Errorf("%s, full %q: %d keys are left", path, full, left-before)
			}
		}
	}
}

// TestCopiesDoNotTakeOthers begins a copy, and makes a clone of its name beside the API before the copy is made: it
// fails, and the clone stays.
func TestCopiesDoNotTakeOthers(t *testing.T) {
	s := backedUp(t, memory(t))
	s.put("second", "own", "a/1")
	for path, body := range map[string]string{restoreMade: restoreBody, cloneMade: cloneBody(time.Now().UTC().Truncate(time.Minute))} {
		name := field(t, s.want(200, path, body, "name"), "name")
		if _, err := s.engine.Clone(t.Context(), resource.Database{Project: "p", ID: "second"}, made, 0); err != nil {
			t.Fatal(err)
		}
		s.settle(name)
		s.want(200, "GET /v1/"+name, "", `"operationState":"FAILED"`)
		s.want(409, createMade, newBody, "such as a clone")
		if err := s.engine.Drop(t.Context(), made); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGoClientRestores restores a database with the Go client, also the default one of a backup.
func TestGoClientRestores(t *testing.T) {
	from := open(t, memory(t))
	from.put("(default)", "old", "a/1")
	s := from.withBackup(memory(t))
	c, _ := s.client()
	request := &adminpb.RestoreDatabaseRequest{Parent: "projects/p", DatabaseId: made.ID, Backup: backupName}
	if _, err := c.RestoreDatabase(s.as("viewer"), request); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a viewer's call: %v", err)
	}
	begun, err := c.RestoreDatabase(s.as("datastore-owner"), request)
	if err != nil {
		t.Fatal(err)
	}
	if meta, err := begun.Metadata(); err != nil || meta.GetDatabase() != "projects/p/databases/made-here" || meta.GetBackup() != backupName || meta.GetProgressPercentage().GetEstimatedWork() != 100 {
		t.Errorf("the metadata are %v, %v", meta, err)
	}
	s.settle(begun.Name())
	got, err := begun.Wait(s.as("datastore-owner"))
	if err != nil || got.GetName() != "projects/p/databases/made-here" || got.GetDatabaseEdition() != adminpb.Database_STANDARD || len(s.paths(made.ID)) != 1 {
		t.Errorf("RestoreDatabase: %v, %v", got, err)
	}
}
