package admin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	apiadmin "cloud.google.com/go/firestore/apiv1/admin"
	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/genproto/googleapis/cloud/location"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"clave/server/internal/admin/route"
	"clave/server/internal/admin/transcode"
	"clave/server/internal/auth/token"
	"clave/server/internal/console/audit"
)

// client connects the unmodified Go client to a server, without TLS.
func (s *server) client() (*apiadmin.FirestoreAdminClient, *grpc.ClientConn) {
	s.t.Helper()
	web := httptest.NewUnstartedServer(s.http)
	web.Config.Protocols = new(http.Protocols)
	web.Config.Protocols.SetUnencryptedHTTP2(true)
	web.Start()
	s.t.Cleanup(web.Close)
	conn, err := grpc.NewClient(web.Listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := apiadmin.NewFirestoreAdminClient(s.t.Context(), option.WithGRPCConn(conn), option.WithoutAuthentication())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return c, conn
}

// as returns a context of calls with a token.
func (s *server) as(bearer string) context.Context {
	return metadata.AppendToOutgoingContext(s.t.Context(), "authorization", "Bearer "+bearer)
}

// pages returns all elements of an iterator, which must not fail.
func pages[T any](t *testing.T, next func() (T, error)) (all []T) {
	t.Helper()
	for {
		one, err := next()
		if errors.Is(err, iterator.Done) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

// The names of the tests' databases.
const (
	defaultName = "projects/p/databases/(default)"
	groupName   = defaultName + "/collectionGroups/g"
)

// TestGoClientIndexes creates, reads and deletes indexes and changes fields with the Go client.
func TestGoClientIndexes(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	ctx := s.as("deployer")
	want := &adminpb.Index{QueryScope: adminpb.Index_COLLECTION_GROUP, Fields: []*adminpb.Index_IndexField{
		{FieldPath: "a", ValueMode: &adminpb.Index_IndexField_Order_{Order: adminpb.Index_IndexField_DESCENDING}},
		{FieldPath: "v", ValueMode: &adminpb.Index_IndexField_VectorConfig_{VectorConfig: &adminpb.Index_IndexField_VectorConfig{
			Dimension: 3, Type: &adminpb.Index_IndexField_VectorConfig_Flat{Flat: &adminpb.Index_IndexField_VectorConfig_FlatIndex{}},
		}}},
	}}
	creation, err := c.CreateIndex(ctx, &adminpb.CreateIndexRequest{Parent: groupName, Index: want})
	if err != nil {
		t.Fatal(err)
	}
	if meta, err := creation.Metadata(); err != nil || meta.GetState() != adminpb.OperationState_PROCESSING || creation.Done() {
		t.Errorf("a new operation has the metadata %v, %v", meta, err)
	}
	_, err = c.CreateIndex(ctx, &adminpb.CreateIndexRequest{Parent: groupName, Index: want})
	if st := status.Convert(err); st.Code() != codes.AlreadyExists || st.Message() != "index already exists" {
		t.Errorf("a second creation: %v", err)
	}
	s.settle(creation.Name())
	index, err := creation.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.GetIndex(ctx, &adminpb.GetIndexRequest{Name: index.GetName()})
	if err != nil || got.GetState() != adminpb.Index_READY || got.GetFields()[2].GetVectorConfig().GetDimension() != 3 || got.GetQueryScope() != adminpb.Index_COLLECTION_GROUP {
		t.Errorf("GetIndex: %v, %v", got, err)
	}
	if all := pages(t, c.ListIndexes(ctx, &adminpb.ListIndexesRequest{Parent: groupName}).Next); len(all) != 1 || all[0].GetName() != index.GetName() {
		t.Errorf("ListIndexes: %v", all)
	}
	if err := c.DeleteIndex(ctx, &adminpb.DeleteIndexRequest{Name: index.GetName()}); err != nil {
		t.Error(err)
	}
	_, err = c.GetIndex(ctx, &adminpb.GetIndexRequest{Name: index.GetName()})
	if status.Code(err) != codes.NotFound {
		t.Errorf("after its deletion the index is %v", err)
	}
	field := &adminpb.Field{Name: groupName + "/fields/until", IndexConfig: &adminpb.Field_IndexConfig{}, TtlConfig: &adminpb.Field_TtlConfig{}}
	change, err := c.UpdateField(ctx, &adminpb.UpdateFieldRequest{Field: field, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"ttl_config", "index_config"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.settle(change.Name())
	if changed, err := change.Wait(ctx); err != nil || changed.GetTtlConfig().GetState() != adminpb.Field_TtlConfig_ACTIVE {
		t.Errorf("UpdateField: %v, %v", changed, err)
	}
	if got, err := c.GetField(ctx, &adminpb.GetFieldRequest{Name: field.GetName()}); err != nil || got.GetTtlConfig() == nil || len(got.GetIndexConfig().GetIndexes()) != 0 {
		t.Errorf("GetField: %v, %v", got, err)
	}
	if all := pages(t, c.ListFields(ctx, &adminpb.ListFieldsRequest{Parent: defaultName + "/collectionGroups/-", Filter: "ttlConfig:*"}).Next); len(all) != 1 || all[0].GetName() != field.GetName() {
		t.Errorf("ListFields: %v", all)
	}
}

// TestGoClientDatabases reads databases, operations and locations, and changes a database, with the Go client.
func TestGoClientDatabases(t *testing.T) {
	s := open(t, memory(t))
	c, conn := s.client()
	ctx := s.as("deployer")
	all, err := c.ListDatabases(ctx, &adminpb.ListDatabasesRequest{Parent: "projects/p"})
	if err != nil || len(all.GetDatabases()) != 2 {
		t.Errorf("ListDatabases: %v, %v", all, err)
	}
	one, err := c.GetDatabase(ctx, &adminpb.GetDatabaseRequest{Name: defaultName})
	if err != nil || one.GetType() != adminpb.Database_FIRESTORE_NATIVE || one.GetCreateTime().AsTime().IsZero() || one.GetVersionRetentionPeriod().GetSeconds() != 604800 {
		t.Errorf("GetDatabase: %v, %v", one, err)
	}
	update, err := c.UpdateDatabase(ctx, &adminpb.UpdateDatabaseRequest{
		Database:   &adminpb.Database{Name: defaultName, DeleteProtectionState: adminpb.Database_DELETE_PROTECTION_DISABLED, Etag: one.GetEtag()},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"delete_protection_state"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := update.Wait(ctx); err != nil || changed.GetDeleteProtectionState() != adminpb.Database_DELETE_PROTECTION_DISABLED {
		t.Errorf("UpdateDatabase: %v, %v", changed, err)
	}
	begun, err := c.BulkDeleteDocuments(ctx, &adminpb.BulkDeleteDocumentsRequest{Name: defaultName, CollectionIds: []string{"g"}})
	if err != nil {
		t.Fatal(err)
	}
	if all := pages(t, c.ListOperations(ctx, &longrunningpb.ListOperationsRequest{Name: defaultName}).Next); len(all) != 1 || all[0].GetName() != begun.Name() {
		t.Errorf("ListOperations: %v", all)
	}
	if err := c.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: begun.Name()}); err != nil {
		t.Error(err)
	}
	if _, err := begun.Wait(ctx); status.Code(err) != codes.Canceled {
		t.Errorf("a cancelled operation ends with %v", err)
	}
	if got, err := c.GetOperation(ctx, &longrunningpb.GetOperationRequest{Name: begun.Name()}); err != nil || !got.GetDone() || got.GetError().GetCode() != int32(codes.Canceled) {
		t.Errorf("GetOperation: %v, %v", got, err)
	}
	if err := c.DeleteOperation(ctx, &longrunningpb.DeleteOperationRequest{Name: begun.Name()}); err != nil {
		t.Error(err)
	}
	places := location.NewLocationsClient(conn)
	if got, err := places.ListLocations(ctx, &location.ListLocationsRequest{Name: "projects/p"}); err != nil || len(got.GetLocations()) != 1 {
		t.Errorf("ListLocations: %v, %v", got, err)
	}
	if got, err := places.GetLocation(ctx, &location.GetLocationRequest{Name: "projects/p/locations/local"}); err != nil || got.GetLocationId() != "local" {
		t.Errorf("GetLocation: %v, %v", got, err)
	}
}

// TestUserCredentials calls the methods on user credentials, which the server does not have, with the Go client and
// over HTTP.
func TestUserCredentials(t *testing.T) {
	s := open(t, memory(t))
	c, _ := s.client()
	ctx := s.as("deployer")
	const name = defaultName + "/userCreds/ada"
	calls := map[string]func() error{
		"CreateUserCreds POST " + defaultName + "/userCreds?userCredsId=ada": func() error {
			_, err := c.CreateUserCreds(ctx, &adminpb.CreateUserCredsRequest{Parent: defaultName, UserCredsId: "ada", UserCreds: &adminpb.UserCreds{}})
			return err
		},
		"ListUserCreds GET " + defaultName + "/userCreds": func() error {
			_, err := c.ListUserCreds(ctx, &adminpb.ListUserCredsRequest{Parent: defaultName})
			return err
		},
		"GetUserCreds GET " + name: func() error {
			_, err := c.GetUserCreds(ctx, &adminpb.GetUserCredsRequest{Name: name})
			return err
		},
		"EnableUserCreds POST " + name + ":enable": func() error {
			_, err := c.EnableUserCreds(ctx, &adminpb.EnableUserCredsRequest{Name: name})
			return err
		},
		"DisableUserCreds POST " + name + ":disable": func() error {
			_, err := c.DisableUserCreds(ctx, &adminpb.DisableUserCredsRequest{Name: name})
			return err
		},
		"ResetUserPassword POST " + name + ":resetPassword": func() error {
			_, err := c.ResetUserPassword(ctx, &adminpb.ResetUserPasswordRequest{Name: name})
			return err
		},
		"DeleteUserCreds DELETE " + name: func() error {
			return c.DeleteUserCreds(ctx, &adminpb.DeleteUserCredsRequest{Name: name})
		},
	}
	for what, call := range calls {
		method, rest, _ := strings.Cut(what, " ")
		verb, path, _ := strings.Cut(rest, " ")
		if st := status.Convert(call()); st.Code() != codes.Unimplemented || st.Message() != "This server does not have the method "+method+"." {
			t.Errorf("%s: %v", method, st)
		}
		shown, _, _ := strings.Cut(path, "?")
		s.want(501, verb+" /v1/"+path, "{}", "This server does not have the method "+verb+" /v1/"+shown+".")
	}
}

// TestCallsWithoutRoutes calls every method of the services that no route serves, and finds a call of gRPC for every
// route of these APIs.
func TestCallsWithoutRoutes(t *testing.T) {
	s := open(t, memory(t))
	_, conn := s.client()
	var served []string
	for path, m := range transcode.Methods() {
		i := slices.IndexFunc(routes(), func(r route.Route) bool {
			service, name, _ := strings.Cut(strings.TrimPrefix(r.Name, "firestore."), ".")
			return name == m.Name && slices.Contains([]string{"admin", "longrunning", "locations"}, service)
		})
		if i >= 0 {
			served = append(served, routes()[i].Name)
			continue
		}
		err := conn.Invoke(s.as("deployer"), path, &adminpb.GetDatabaseRequest{}, &adminpb.Database{})
		if st := status.Convert(err); st.Code() != codes.Unimplemented || st.Message() != "This server does not have the method "+m.Name+"." {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, r := range routes() {
		if (strings.HasPrefix(r.Name, "firestore.admin.") || strings.HasPrefix(r.Name, "longrunning.")) && !slices.Contains(served, r.Name) {
			t.Errorf("no call of gRPC has the route %s", r.Name)
		}
	}
	if err := conn.Invoke(s.as("deployer"), "/google.firestore.v1.Firestore/Commit", &adminpb.Database{}, &adminpb.Database{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("a call of another service: %v", err)
	}
}

// TestCallsAreRefused calls every method with each role, without a token, and for another project. Callers without the
// right are refused before their message is read.
func TestCallsAreRefused(t *testing.T) {
	s := open(t, memory(t))
	c, conn := s.client()
	for path, m := range transcode.Methods() {
		i := slices.IndexFunc(routes(), func(r route.Route) bool {
			return strings.HasSuffix(r.Name, "."+m.Name) && (strings.HasPrefix(r.Name, "firestore.") || strings.HasPrefix(r.Name, "l"))
		})
		if i < 0 {
			continue
		}
		for _, role := range token.Roles {
			code := status.Code(conn.Invoke(s.as(string(role)), path, &adminpb.GetDatabaseRequest{}, &adminpb.Database{}))
			if want := map[bool]codes.Code{true: codes.InvalidArgument, false: codes.PermissionDenied}[role.Permits(routes()[i].Permission)]; code != want {
				t.Errorf("%s by %s: %s, want %s", path, role, code, want)
			}
		}
		if code := status.Code(conn.Invoke(s.as("nobody"), path, &adminpb.GetDatabaseRequest{}, &adminpb.Database{})); code != codes.Unauthenticated {
			t.Errorf("%s without a valid token: %s", path, code)
		}
	}
	_, err := c.GetDatabase(s.as("deployer"), &adminpb.GetDatabaseRequest{Name: "projects/other/databases/(default)"})
	if st := status.Convert(err); st.Code() != codes.PermissionDenied || st.Message() != "The caller does not have permission" {
		t.Errorf("a database of another project: %v", err)
	}
	_, err = c.GetDatabase(s.as("deployer"), &adminpb.GetDatabaseRequest{Name: "projects/p/databases/(default)/documents/a"})
	if st := status.Convert(err); st.Code() != codes.InvalidArgument || st.Message() != "Invalid resource field value in the request." {
		t.Errorf("the name of no database: %v", err)
	}
	_, err = c.BulkDeleteDocuments(s.as("deployer"), &adminpb.BulkDeleteDocumentsRequest{Name: defaultName, CollectionIds: []string{strings.Repeat("x", 64<<20)}})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a message of 64 MiB: %v", err)
	}
	entries, _, err := s.audit.Read(1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Session == "" || e.Session == "nobody@p" {
			t.Errorf("the audit log has %+v", e)
		}
	}
	for _, want := range []string{"GET /v1/projects/other/databases/(default) PERMISSION_DENIED", "BulkDeleteDocuments RESOURCE_EXHAUSTED", "CreateIndex PERMISSION_DENIED"} {
		if !slices.ContainsFunc(entries, func(e audit.Entry) bool { return strings.Join(e.Targets, "")+" "+e.Result == want }) {
			t.Errorf("the audit log lacks %q", want)
		}
	}
}

// TestMessagesOfCalls sends bodies that are no message of gRPC.
func TestMessagesOfCalls(t *testing.T) {
	s := open(t, memory(t))
	const path = "/google.firestore.admin.v1.FirestoreAdmin/ListDatabases"
	frame := func(flag byte, n int, message string) string {
		head := binary.BigEndian.AppendUint32([]byte{flag}, uint32(n))
		return string(head) + message
	}
	const message = "\x0a\x0aprojects/p"
	for _, tt := range []struct{ name, body, encoding, want string }{
		{"a message", frame(0, len(message), message), "", "0"},
		{"nothing", "", "", "3"},
		{"a part of the header", "\x00\x00", "", "3"},
		{"a part of the message", frame(0, len(message)+1, message), "", "3"},
		{"two messages", frame(0, len(message), message) + frame(0, 0, ""), "", "3"},
		{"a compressed message", frame(1, len(message), message), "gzip", "12"},
		{"another encoding", frame(0, len(message), message), "gzip", "12"},
		{"a length of 4 GiB", frame(0, 1<<32-1, message), "", "8"},
		{"no protocol buffer", frame(0, 3, "abc"), "", "3"},
		{"text that is not UTF-8", frame(0, 4, "\x0a\x02\xff\xfe"), "", "3"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader([]byte(tt.body)))
		r.ProtoMajor = 2
		r.Header.Set("Content-Type", "application/grpc+proto")
		r.Header.Set("Grpc-Encoding", tt.encoding)
		r.Header.Set("Authorization", "Bearer deployer")
		w := httptest.NewRecorder()
		s.http.ServeHTTP(w, r)
		got := w.Header().Get("Grpc-Status") + w.Header().Get(http.TrailerPrefix+"Grpc-Status")
		rest, err := io.ReadAll(w.Body)
		if got != tt.want || err != nil || (len(rest) > 0) != (tt.want == "0") {
			t.Errorf("%s: status %s with %d bytes, %v, want %s", tt.name, got, len(rest), err, tt.want)
		}
	}
}
