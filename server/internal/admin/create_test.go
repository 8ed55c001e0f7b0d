package admin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
)

// made is a database that the tests make.
var made = resource.Database{Project: "p", ID: "made-here"}

// The paths and bodies of the tests.
const (
	createMade = "POST /v1/projects/p/databases?databaseId=made-here"
	atMade     = "/v1/projects/p/databases/made-here"
	newBody    = `{"locationId":"nam5","type":"FIRESTORE_NATIVE","databaseEdition":"ENTERPRISE","deleteProtectionState":"DELETE_PROTECTION_DISABLED","pointInTimeRecoveryEnablement":"POINT_IN_TIME_RECOVERY_DISABLED","realtimeUpdatesMode":"REALTIME_UPDATES_MODE_ENABLED","firestoreDataAccessMode":"DATA_ACCESS_MODE_ENABLED","mongodbCompatibleDataAccessMode":"DATA_ACCESS_MODE_DISABLED"}`
)

// writeMade writes a document of the database, and returns the error.
func (s *server) writeMade(path string) error {
	owner := token.Caller{Privileged: true, Project: "p"}
	_, err := s.documents.Commit(s.t.Context(), owner, made, request.Commit{Writes: []document.Write{{Op: document.Update, Name: resource.Document{DB: made, Path: path}}}})
	return err
}

// hasMade reports whether the database has a document.
func (s *server) hasMade(path string) bool {
	s.t.Helper()
	found := false
	err := s.documents.Below(s.t.Context(), token.Caller{Privileged: true, Project: "p"}, made, path, func(resource.Document) error {
		found = true
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	return found
}

// TestDatabasesAreMade makes a database, uses it at once and after a restart, and deletes it with its documents,
// indexes and rules. Another one of the same name begins empty and closed.
func TestDatabasesAreMade(t *testing.T) {
	s := open(t, memory(t))
	s.want(404, "GET "+atMade, "", "NOT_FOUND")
	if err := s.writeMade("a/b"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a write before the creation: %v", err)
	}
	got := s.want(200, createMade, newBody, `"done":true`)
	for _, want := range []string{`"locationId":"nam5"`, `"databaseEdition":"ENTERPRISE"`, `"deleteProtectionState":"DELETE_PROTECTION_DISABLED"`, "CreateDatabaseMetadata"} {
		if !strings.Contains(got, want) {
			t.Errorf("the operation %s lacks %s", got, want)
		}
	}
	s.want(200, "GET /v1/"+field(t, got, "name"), "", `"name":"projects/p/databases/made-here"`)
	s.want(200, "GET "+atMade+"/operations", "", field(t, got, "name"))
	s.want(409, createMade, newBody, "Please use another database_id")
	first := field(t, s.want(200, "GET "+atMade, "", `"nam5"`), "uid")
	s.want(200, "GET /v1/projects/p/databases", "", "databases/made-here")
	if err := s.writeMade("a/b"); err != nil {
		t.Errorf("a write after the creation: %v", err)
	}
	const index = `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}`
	s.settle(field(t, s.want(200, "POST "+atMade+"/collectionGroups/a/indexes", index, `"state":"PROCESSING"`), "name"))
	rules := field(t, s.want(200, "POST /v1/projects/p/rulesets", asSource(t, good), "name"), "name")
	s.want(404, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", "NOT_FOUND")
	s.want(200, "POST /v1/projects/p/releases", `{"name":"projects/p/releases/cloud.firestore/made-here","rulesetName":"`+rules+`"}`, rules)

	s = open(t, s.store) // as after a restart
	s.want(200, "GET "+atMade, "", first)
	s.want(200, "GET "+atMade+"/collectionGroups/-/indexes", "", "READY")
	s.want(200, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", rules)
	if !s.hasMade("a/b") || s.writeMade("a/c") != nil {
		t.Error("after a restart the database is not there, or can't be written")
	}
	s.want(200, "PATCH "+atMade, `{"deleteProtectionState":"DELETE_PROTECTION_ENABLED","locationId":"nam5"}`, "PROTECTION_ENABLED")
	s.want(400, "DELETE "+atMade, "", "Database has delete protection enabled.")
	s.want(200, "PATCH "+atMade, `{"deleteProtectionState":"DELETE_PROTECTION_DISABLED"}`, "PROTECTION_DISABLED")
	s.want(409, "DELETE "+atMade+"?etag=00", "", "ABORTED")
	etag := field(t, s.want(200, "GET "+atMade, "", "etag"), "etag")
	s.want(200, "DELETE "+atMade+"?etag="+etag, "", `"uid":"`+first+`"`)
	s.want(404, "GET "+atMade, "", "NOT_FOUND")
	s.want(404, "DELETE "+atMade, "", "NOT_FOUND")
	s.want(404, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", "NOT_FOUND")
	if err := s.writeMade("a/b"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a write after the deletion: %v", err)
	}

	s = open(t, s.store)
	s.want(404, "GET "+atMade, "", "NOT_FOUND")
	s.want(200, createMade, newBody, `"done":true`)
	if field(t, s.want(200, "GET "+atMade, "", "uid"), "uid") == first {
		t.Error("another database has the uid of the first")
	}
	s.want(200, "GET "+atMade+"/collectionGroups/-/indexes", "", "{}")
	s.want(404, "GET /v1/projects/p/releases/cloud.firestore/made-here", "", "NOT_FOUND")
	if s.hasMade("a/b") {
		t.Error("another database has the documents of the first")
	}
}

// TestCreationsAreRefused sends what can't be created, and creates the same database several times at once.
func TestCreationsAreRefused(t *testing.T) {
	s := open(t, memory(t))
	for _, id := range []string{"", "abc", "1abc", "Abcd", "abcd-", "a_bcd", "a/bcd", strings.Repeat("a", 64), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"} {
		s.want(400, "POST /v1/projects/p/databases?databaseId="+strings.ReplaceAll(id, "/", "%2F"), newBody, "Invalid database_id")
	}
	for text, want := range map[string]string{
		`{"type":"FIRESTORE_NATIVE"}`:                                              "400 location_id",
		`{"locationId":"nam5"}`:                                                    "400 type of the database",
		`{"locationId":"a b","type":"FIRESTORE_NATIVE"}`:                           "400 database.locationId",
		`{"locationId":"nam5","type":"DATASTORE_MODE"}`:                            "501 DATASTORE_MODE",
		`{"locationId":"nam5","type":"FIRESTORE_NATIVE","databaseEdition":"GOLD"}`: "400 database.databaseEdition",
		`{"locationId":"nam5","type":"FIRESTORE_NATIVE","mongodbCompatibleDataAccessMode":"DATA_ACCESS_MODE_ENABLED"}`: "501 mongodbCompatibleDataAccessMode",
		`{"locationId":"nam5","type":"FIRESTORE_NATIVE","cmekConfig":{"kmsKeyName":"k"}}`:                              "501 cmekConfig",
		`{"locationId":"nam5","type":"FIRESTORE_NATIVE","colour":"red"}`:                                               "400 database.colour",
		`[]`: "400 Invalid JSON",
	} {
		code, part, _ := strings.Cut(want, " ")
		status, got := s.call("deployer", createMade, text)
		if fmt.Sprint(status) != code || !strings.Contains(got, part) {
			t.Errorf("%s: %d %s, want %s", text, status, got, want)
		}
	}
	s.want(200, "PATCH /v1/projects/p/databases/second", `{"deleteProtectionState":"DELETE_PROTECTION_DISABLED"}`, "DISABLED")
	s.want(501, "DELETE /v1/projects/p/databases/second", "", "firebase.json")
	var made sync.WaitGroup
	codes := make(chan int, 8)
	for range cap(codes) {
		made.Go(func() {
			code, _ := s.call("deployer", createMade, newBody)
			codes <- code
		})
	}
	made.Wait()
	close(codes)
	counted := map[int]int{}
	for code := range codes {
		counted[code]++
	}
	if counted[http.StatusOK] != 1 || counted[http.StatusConflict] != cap(codes)-1 {
		t.Errorf("creations at once are answered with %v", counted)
	}
	for i := 0; ; i++ {
		code, got := s.call("deployer", fmt.Sprintf("POST /v1/projects/p/databases?databaseId=more-%d", i), newBody)
		if code == http.StatusOK && i < 100 {
			continue
		}
		if code != http.StatusTooManyRequests || i != 97 {
			t.Errorf("creation %d: %d %s", i, code, got)
		}
		break
	}
}

// TestDeletesBesideOperations deletes a database while operations wait: they end, and a later database has none of
// them.
func TestDeletesBesideOperations(t *testing.T) {
	s := open(t, memory(t))
	s.want(200, createMade, newBody, `"done":true`)
	waiting := field(t, s.want(200, "POST "+atMade+":bulkDeleteDocuments", `{"collectionIds":["a"]}`, "name"), "name")
	s.want(200, "DELETE "+atMade, "", `"done":true`)
	s.want(404, "GET /v1/"+waiting, "", "NOT_FOUND")
	s.want(200, createMade, newBody, `"done":true`)
	for _, again := range []*server{s, open(t, s.store)} {
		again.want(404, "GET /v1/"+waiting, "", "NOT_FOUND")
		again.want(404, "POST /v1/"+waiting+":cancel", "{}", "NOT_FOUND")
		if all := again.want(200, "GET "+atMade+"/operations", "", "CreateDatabaseMetadata"); strings.Contains(all, "BulkDelete") {
			t.Errorf("the operations of another database have those of the first: %s", all)
		}
	}
}

// TestClonesAreNotTaken creates a database whose name a clone has.
func TestClonesAreNotTaken(t *testing.T) {
	s := open(t, memory(t))
	if _, err := s.engine.Clone(t.Context(), resource.Database{Project: "p", ID: "second"}, made, 0); err != nil {
		t.Fatal(err)
	}
	s.want(409, createMade, newBody, "such as a clone")
	open(t, s.store).want(409, createMade, newBody, "such as a clone")
}

// TestDeletesContinue begins to delete a database whose data can't be removed: it is gone for clients, its name can't
// be used, and the next process removes the data.
func TestDeletesContinue(t *testing.T) {
	s := open(t, memory(t))
	s.want(200, createMade, newBody, `"done":true`)
	if err := s.writeMade("a/b"); err != nil {
		t.Fatal(err)
	}
	s.fails.Store(true)
	s.want(500, "DELETE "+atMade, "", "INTERNAL")
	for _, again := range []*server{s, open(t, s.store)} {
		again.want(404, "GET "+atMade, "", "NOT_FOUND")
		again.want(400, createMade, newBody, "is being deleted")
		if err := again.writeMade("a/b"); !fault.Is(err, fault.NotFound) {
			t.Errorf("a write: %v, want NOT_FOUND", err)
		}
		s = again
	}
	s.settle(field(t, s.want(200, "PATCH /v1/projects/p/databases/second/collectionGroups/g/fields/a", "{}", "name"), "name"))
	s.want(200, createMade, newBody, `"done":true`)
	if s.hasMade("a/b") {
		t.Error("another database has the documents of the first")
	}
}

// limited returns a context for waits that end soon.
func (s *server) limited() context.Context {
	ctx, stop := context.WithTimeout(s.t.Context(), 25*time.Second)
	s.t.Cleanup(stop)
	return ctx
}

// remake creates the database once the one with its name is deleted, which a server does meanwhile, until ctx ends.
func (s *server) remake(ctx context.Context) {
	s.t.Helper()
	for ctx.Err() == nil {
		if code, _ := s.call("deployer", createMade, newBody); code == http.StatusOK {
			return
		}
		_ = clock.Sleep(ctx, clock.System(), time.Millisecond) // until ctx ends
	}
}

// while runs the operations of the server in the background until do returns.
func (s *server) while(do func(ctx context.Context)) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.apis.Run(ctx) }()
	do(ctx)
	if ctx.Err() != nil {
		s.t.Error("it took longer than 30 s")
	}
	stop()
	if err := <-ended; err != nil {
		s.t.Error(err)
	}
}

// TestFailedDeletesAreRepeated deletes databases while the disk is full: when their data are removed, and when the
// release without them is written. The server completes both when there is space, without a restart.
func TestFailedDeletesAreRepeated(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		s := open(t, memory(t))
		s.want(200, createMade, newBody, `"done":true`)
		if err := s.writeMade("a/b"); err != nil {
			t.Fatal(err)
		}
		var full atomic.Bool
		full.Store(true)
		s.fails.Store(!atEnd)
		s.dropped = func() { s.refuses.Store(full.Load()) }
		s.while(func(ctx context.Context) {
			s.want(500, "DELETE "+atMade, "", "INTERNAL")
			s.want(404, "GET "+atMade, "", "NOT_FOUND")
			s.want(400, createMade, newBody, "is being deleted")
			full.Store(false)
			s.refuses.Store(false)
			s.fails.Store(false)
			s.remake(ctx)
		})
		if s.hasMade("a/b") {
			t.Error("another database has the documents of the first")
		}
	}
}

// stored counts the keys of the store, except those of operations and of the floors of deleted databases.
func (s *server) stored() (n int) {
	s.t.Helper()
	it := s.store.Scan(store.Range{From: []byte{0}, To: []byte{0xff}})
	for it.Next() {
		if key := it.Key(); key[0] != keys.KindFloor && !strings.HasPrefix(string(key), "admin/operation/") {
			n++
		}
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// TestDeletesDuringBuilds deletes a database while an index of it is built, by an operation and by a release, which
// ends. Nothing of the database is left.
func TestDeletesDuringBuilds(t *testing.T) {
	s := open(t, memory(t))
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("g/%04d", i))
	}
	var before int
	for round := range 6 {
		s.want(200, createMade, newBody, `"done":true`)
		s.put(made.ID, "text", many...)
		s.while(func(ctx context.Context) {
			const index = `{"queryScope":"COLLECTION","fields":[{"fieldPath":"text","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}`
			var deployed sync.WaitGroup
			if round%2 == 0 {
				s.want(200, "POST "+atMade+"/collectionGroups/g/indexes", index, `"state":"PROCESSING"`)
			} else {
				deployed.Go(func() {
					const files = `{"files":{"made-here":{"indexes":{"name":"i.json","text":"{\"indexes\":[{\"collectionGroup\":\"g\",\"queryScope\":\"COLLECTION\",\"fields\":[{\"fieldPath\":\"text\",\"order\":\"ASCENDING\"},{\"fieldPath\":\"b\",\"order\":\"DESCENDING\"}]}]}"}}}}`
					s.call("deployer", "POST /v1/projects/p:deploy", files) // it succeeds or not
				})
			}
			for range round * 200 { // other moments of the build
				runtime.Gosched()
			}
			s.want(200, "DELETE "+atMade, "", `"done":true`)
			deployed.Wait()
		})
		s.want(404, "GET "+atMade, "", "NOT_FOUND")
		switch left := s.stored(); {
		case round == 0:
			before = left
		case left != before:
			t.Errorf("after round %d the store has %d keys, want %d", round, left, before)
		}
	}
}

// TestWaits waits for operations over HTTP and with the Go client: until they end, for a time, and while too many wait.
func TestWaits(t *testing.T) {
	s := open(t, memory(t))
	name := field(t, s.want(200, "PATCH /v1/projects/p/databases/second/collectionGroups/g/fields/a", "{}", "name"), "name")
	s.want(200, "POST /v1/"+name+":wait", `{"timeout":"0.001s"}`, `"state":"PROCESSING"`)
	for _, bad := range []string{"-1s", "1", "s", "NaNs", "1m"} {
		s.want(400, "POST /v1/"+name+":wait", `{"timeout":"`+bad+`"}`, "timeout")
	}
	s.want(404, "POST /v1/"+name+"0:wait", "{}", "NOT_FOUND")
	_, conn := s.client()
	calls := longrunningpb.NewOperationsClient(conn)
	var waiting sync.WaitGroup
	var early atomic.Int32
	for range 120 { // 20 more than may wait
		waiting.Go(func() {
			got, err := calls.WaitOperation(s.as("viewer"), &longrunningpb.WaitOperationRequest{Name: name, Timeout: durationpb.New(time.Hour)})
			if err != nil || got.GetName() != name {
				t.Errorf("WaitOperation: %v, %v", got, err)
			}
			early.Add(1)
		})
	}
	for ctx := s.limited(); early.Load() < 20 && ctx.Err() == nil; {
		_ = clock.Sleep(ctx, clock.System(), time.Millisecond) // until ctx ends
	}
	if got := early.Load(); got != 20 {
		t.Errorf("%d calls return before the operation ends, want 20", got)
	}
	s.while(func(context.Context) { waiting.Wait() })
	s.want(200, "POST /v1/"+name+":wait", "{}", `"done":true`)
	code, _ := s.call("hosting-admin", "POST /v1/"+name+":wait", "{}")
	if code != http.StatusForbidden {
		t.Errorf("a wait of a role that may not read operations: %d", code)
	}
}

// TestGoClientCreates makes and deletes a database, which is protected from deletes first, with the Go client.
func TestGoClientCreates(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	ctx := s.as("datastore-owner")
	creation, err := c.CreateDatabase(ctx, &adminpb.CreateDatabaseRequest{Parent: "projects/p", DatabaseId: made.ID, Database: &adminpb.Database{
		LocationId: "eur3", Type: adminpb.Database_FIRESTORE_NATIVE, DeleteProtectionState: adminpb.Database_DELETE_PROTECTION_ENABLED,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := creation.Wait(ctx); err != nil || got.GetLocationId() != "eur3" || got.GetDatabaseEdition() != adminpb.Database_STANDARD {
		t.Errorf("CreateDatabase: %v, %v", got, err)
	}
	const name = "projects/p/databases/made-here"
	_, err = c.DeleteDatabase(ctx, &adminpb.DeleteDatabaseRequest{Name: name})
	if st := status.Convert(err); st.Code() != codes.FailedPrecondition || st.Message() != "Database has delete protection enabled. Disable it first to delete the database." {
		t.Errorf("a delete of a protected database: %v", err)
	}
	if _, err := c.UpdateDatabase(ctx, &adminpb.UpdateDatabaseRequest{
		Database:   &adminpb.Database{Name: name, DeleteProtectionState: adminpb.Database_DELETE_PROTECTION_DISABLED},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"delete_protection_state"}},
	}); err != nil {
		t.Fatal(err)
	}
	deletion, err := c.DeleteDatabase(ctx, &adminpb.DeleteDatabaseRequest{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := deletion.Wait(ctx); err != nil || got.GetName() != "projects/p/databases/"+made.ID {
		t.Errorf("DeleteDatabase: %v, %v", got, err)
	}
}
