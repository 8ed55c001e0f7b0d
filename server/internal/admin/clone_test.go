package admin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// cloneMade is the path of clones.
const cloneMade = "POST /v1/projects/p/databases:clone"

// cloneBody returns the body of a clone of the database second at a time.
func cloneBody(at time.Time) string {
	return fmt.Sprintf(`{"databaseId":"made-here","pitrSnapshot":{"database":"projects/p/databases/second","snapshotTime":%q}}`, at.Format(time.RFC3339))
}

// TestClones clones a database with its documents and indexes, also with a restart in the middle. The clone is a
// database of its own, which can be deleted.
func TestClones(t *testing.T) {
	s := open(t, memory(t))
	s.put("second", "old", "a/1", "a/2")
	const index = `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}`
	s.settle(field(t, s.want(200, "POST /v1/projects/p/databases/second/collectionGroups/a/indexes", index, "name"), "name"))
	s.settle(field(t, s.want(200, "PATCH /v1/projects/p/databases/second/collectionGroups/a/fields/until", `{"ttlConfig":{}}`, "name"), "name"))
	at := time.Now().UTC().Truncate(time.Minute)
	for _, killed := range []bool{false, true} {
		begun := s.want(200, cloneMade, cloneBody(at), `"operationState":"PROCESSING"`)
		name := field(t, begun, "name")
		if want := `"pitrSnapshot":{"database":"projects/p/databases/second","snapshotTime":"` + at.Format(time.RFC3339) + `"}`; !strings.Contains(begun, want) || !strings.HasPrefix(name, "projects/p/databases/made-here/operations/") {
			t.Errorf("the operation %s lacks %s", begun, want)
		}
		s.want(409, cloneMade, cloneBody(at), "Please use another database_id")
		s.want(409, createMade, newBody, "Please use another database_id")
		s.want(404, "GET "+atMade, "", "NOT_FOUND")
		s.want(200, "GET "+atMade+"/operations", "", name)
		if killed { // between the copy and the release that lets clients use it
			ctx, stop := context.WithCancel(t.Context())
			s.copied = func() {
				s.refuses.Store(true)
				stop()
			}
			if err := s.apis.Run(ctx); err != nil {
				t.Error(err)
			}
			s = s.again()
			s.want(404, "GET "+atMade, "", "NOT_FOUND")
		}
		s.settle(name)
		if !killed && !s.cloned.Equal(at) {
			t.Errorf("the clone is of %s, want %s", s.cloned, at)
		}
		ended := s.want(200, "GET /v1/"+name, "", `"operationState":"SUCCESSFUL"`)
		for _, want := range []string{`"completedWork":"100"`, `"response":{"@type":"type.googleapis.com/google.firestore.admin.v1.Database","name":"projects/p/databases/made-here"`} {
			if !strings.Contains(ended, want) {
				t.Errorf("the operation %s lacks %s", ended, want)
			}
		}
		s.put("second", "new", "a/2", "a/3")
		if got := fmt.Sprint(s.paths("made-here")); !killed && got != "map[a/1:old a/2:old]" {
			t.Errorf("the clone has %s", got)
		}
		s.want(200, "GET "+atMade+"/collectionGroups/-/indexes", "", "READY")
		if got := s.want(200, "GET "+atMade+"/collectionGroups/-/fields?filter=ttlConfig:*", "", ""); strings.Contains(got, "until") {
			t.Errorf("the clone has TTL policies: %s", got)
		}
		s.want(404, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", "NOT_FOUND")
		s.want(200, "DELETE "+atMade, "", `"done":true`)
		s.want(404, "GET /v1/"+name, "", "NOT_FOUND")
	}
}

// TestClonesAreRefused sends clones that can't be made, and cancels one before it begins.
func TestClonesAreRefused(t *testing.T) {
	s := open(t, memory(t))
	at := time.Now().UTC().Truncate(time.Minute)
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{400, strings.Replace(cloneBody(at), "made-here", "x", 1), "Invalid database_id"},
		{409, strings.Replace(cloneBody(at), "made-here", "second", 1), "ALREADY_EXISTS"},
		{404, strings.Replace(cloneBody(at), "databases/second", "databases/third", 1), "NOT_FOUND"},
		{400, strings.Replace(cloneBody(at), "projects/p/", "projects/other/", 1), "pitr_snapshot"},
		{400, cloneBody(at.Add(time.Second - time.Hour)), "whole minute"},
		{400, cloneBody(at.Add(time.Hour)), "of the past"},
		{400, cloneBody(time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)), "too old"},
		{400, `{"databaseId":"made-here"}`, "pitr_snapshot"},
		{501, strings.Replace(cloneBody(at), "{", `{"encryptionConfig":{"customerManagedEncryption":{"kmsKeyName":"k"}},`, 1), "UNIMPLEMENTED"},
		{501, strings.Replace(cloneBody(at), "{", `{"tags":{"a":"b"},`, 1), "UNIMPLEMENTED"},
	} {
		s.want(tt.status, cloneMade, tt.body, tt.want)
	}
	name := field(t, s.want(200, cloneMade, cloneBody(at), "name"), "name")
	s.want(200, "POST /v1/"+name+":cancel", "{}", "{}")
	s.want(200, "GET /v1/"+name, "", `"operationState":"CANCELLED"`)
	s.want(200, createMade, newBody, `"done":true`)
}

// TestGoClientClones clones a database with the Go client, and reads schedules of backups, which it can't change.
func TestGoClientClones(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	ctx := s.as("datastore-owner")
	s.put("second", "old", "a/1")
	begun, err := c.CloneDatabase(ctx, &adminpb.CloneDatabaseRequest{Parent: "projects/p", DatabaseId: made.ID, PitrSnapshot: &adminpb.PitrSnapshot{
		Database: "projects/p/databases/second", SnapshotTime: timestamppb.New(time.Now().Truncate(time.Minute)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if meta, err := begun.Metadata(); err != nil || meta.GetDatabase() != "projects/p/databases/made-here" || meta.GetPitrSnapshot().GetDatabase() != "projects/p/databases/second" {
		t.Errorf("the metadata are %v, %v", meta, err)
	}
	s.settle(begun.Name())
	if got, err := begun.Wait(ctx); err != nil || got.GetName() != "projects/p/databases/made-here" || len(s.paths(made.ID)) != 1 {
		t.Errorf("CloneDatabase: %v, %v", got, err)
	}
	const database = "projects/p/databases/made-here"
	all, err := c.ListBackupSchedules(s.as("viewer"), &adminpb.ListBackupSchedulesRequest{Parent: database})
	if err != nil || len(all.GetBackupSchedules()) != 1 || all.GetBackupSchedules()[0].GetRetention().GetSeconds() != 28*24*3600 || all.GetBackupSchedules()[0].GetDailyRecurrence() == nil {
		t.Fatalf("ListBackupSchedules: %v, %v", all, err)
	}
	one := all.GetBackupSchedules()[0]
	if got, err := c.GetBackupSchedule(s.as("viewer"), &adminpb.GetBackupScheduleRequest{Name: one.GetName()}); err != nil || got.GetName() != one.GetName() {
		t.Errorf("GetBackupSchedule: %v, %v", got, err)
	}
}
