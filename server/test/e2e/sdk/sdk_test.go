package sdk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"

	"clave/server/test/e2e/harness"
)

// nodePrograms returns a folder with the programs of frontend/sdk and the modules of a folder.
func nodePrograms(t *testing.T, modules string) string {
	t.Helper()
	modules, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "firebase")); err != nil {
		t.Skipf("%s has no firebase: make test installs it", modules)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../frontend/sdk")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNodePrograms runs the programs of frontend/sdk, which use the JavaScript SDKs, against the server: with the
// versions that the site uses and the newest ones.
func TestNodePrograms(t *testing.T) {
	addresses := harness.Start(t, nil)
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			dir := nodePrograms(t, sdk.Folder)
			for _, program := range []string{"node.mjs", "lite.mjs", "admin.mjs", "firestore.mjs"} {
				t.Run(program, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
					defer cancel()
					cmd := exec.CommandContext(ctx, "node", program)
					cmd.Dir = dir
					cmd.Env = append(os.Environ(), "FIRESTORE_EMULATOR_HOST="+addresses.Firestore, "FIREBASE_AUTH_EMULATOR_HOST="+addresses.Auth, "GCLOUD_PROJECT="+harness.Project, "METADATA_SERVER_DETECTION=none")
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%s: %v\n%s", program, err, out)
					}
				})
			}
		})
	}
}

// goClient returns the Go client of a server.
func goClient(t *testing.T) *firestore.Client {
	t.Helper()
	client, err := firestore.NewClient(t.Context(), harness.Project)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestGoClient(t *testing.T) {
	harness.WithEmulatorEnv(t, harness.Start(t, nil))
	ctx := t.Context()
	client := goClient(t)
	rooms := client.Collection("rooms")
	a := rooms.Doc("a")

	snapshots := rooms.Where("n", ">", 0).Snapshots(ctx)
	defer snapshots.Stop()
	expectSnapshot(t, snapshots)

	if _, err := a.Set(ctx, map[string]any{"n": 1, "when": firestore.ServerTimestamp}); err != nil {
		t.Fatal(err)
	}
	expectSnapshot(t, snapshots, "a")
	if _, err := a.Update(ctx, []firestore.Update{{Path: "n", Value: firestore.Increment(4)}}); err != nil {
		t.Fatal(err)
	}
	snap, err := a.Get(ctx)
	if err != nil || snap.Data()["n"] != int64(5) {
		t.Fatalf("after increment: %v, %v; want n = 5", snap.Data(), err)
	}
	if _, err := rooms.Doc("nobody").Update(ctx, []firestore.Update{{Path: "n", Value: 1}}); status.Code(err) != codes.NotFound {
		t.Errorf("update of a missing document = %v, want NotFound", err)
	}
	expectSnapshot(t, snapshots, "a")

	writer := client.BulkWriter(ctx)
	for _, id := range []string{"b", "c", "d"} {
		if _, err := writer.Create(rooms.Doc(id), map[string]any{"n": len(id), "id": id}); err != nil {
			t.Fatal(err)
		}
	}
	writer.End()
	docs, err := rooms.Where("n", "<", 5).OrderBy("n", firestore.Asc).OrderBy("id", firestore.Desc).Limit(2).Documents(ctx).GetAll()
	if err != nil || len(docs) != 2 || docs[0].Ref.ID != "d" || docs[1].Ref.ID != "c" {
		t.Errorf("query = %v, %v; want d, c", docs, err)
	}
	if _, err := a.Delete(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Get(ctx); status.Code(err) != codes.NotFound {
		t.Errorf("get after delete = %v, want NotFound", err)
	}
}

// expectSnapshot reads one snapshot and expects exactly these document ids.
func expectSnapshot(t *testing.T, it *firestore.QuerySnapshotIterator, want ...string) {
	t.Helper()
	snap, err := it.Next()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		doc, err := snap.Documents.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, doc.Ref.ID)
	}
	if len(got) != len(want) {
		t.Fatalf("snapshot has %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("snapshot has %v, want %v", got, want)
		}
	}
}

func TestGoAdminSDK(t *testing.T) {
	harness.WithEmulatorEnv(t, harness.Start(t, nil))
	ctx := t.Context()
	sdk, err := firebase.NewApp(ctx, &firebase.Config{ProjectID: harness.Project})
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.Auth(ctx)
	if err != nil {
		t.Fatal(err)
	}
	user, err := client.CreateUser(ctx, (&auth.UserToCreate{}).Email("Ana@Example.org").Password("secreta1").DisplayName("Ana"))
	if err != nil || user.Email != "ana@example.org" {
		t.Fatalf("CreateUser = %+v, %v", user, err)
	}
	if err := client.SetCustomUserClaims(ctx, user.UID, map[string]any{"role": "admin"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateUser(ctx, user.UID, (&auth.UserToUpdate{}).DisplayName("Ana María")); err != nil {
		t.Fatal(err)
	}
	got, err := client.GetUserByEmail(ctx, "ana@example.org")
	if err != nil || got.DisplayName != "Ana María" || got.CustomClaims["role"] != "admin" {
		t.Errorf("GetUserByEmail = %+v, %v", got, err)
	}
	if _, err := client.CreateUser(ctx, (&auth.UserToCreate{}).Email("ana@example.org").Password("secreta1")); !auth.IsEmailAlreadyExists(err) {
		t.Errorf("second CreateUser = %v, want EMAIL_EXISTS", err)
	}
	if err := client.DeleteUser(ctx, user.UID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.GetUser(ctx, user.UID); !auth.IsUserNotFound(err) {
		t.Errorf("GetUser after delete = %v, want USER_NOT_FOUND", err)
	}
}
