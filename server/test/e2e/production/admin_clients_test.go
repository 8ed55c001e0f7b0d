package production

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	apiadmin "cloud.google.com/go/firestore/apiv1/admin"
	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// TestAdminClients administers a server with TLS by the unmodified clients of the Firestore Admin API for Go and Node,
// and by securityRules() of firebase-admin, with keys of service accounts.
func TestAdminClients(t *testing.T) {
	harness.Parallel(t)
	dir := harness.ProductionFolder(t)
	port := harness.FreePorts(t, 1)[0]
	// Only an address of other machines has TLS.
	p := harness.Serve(t, dir, true, "--admin-api", fmt.Sprintf("0.0.0.0:%d", port), "--admin-exports", filepath.Join(t.TempDir(), "exports"),
		"--backup-to", filepath.Join(t.TempDir(), "backups"), "--backup-every", "2s", "--backup-verify", "0")
	key := harness.CreateKeyFor(t, dir, "deployer", p.URL)
	t.Run("go", func(t *testing.T) {
		c, err := apiadmin.NewFirestoreAdminClient(t.Context(), option.WithAuthCredentialsJSON(option.ServiceAccount, key),
			option.WithEndpoint(fmt.Sprintf("127.0.0.1:%d", port)),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: p.Roots}))))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		const database = "projects/" + harness.RealProject + "/databases/(default)"
		if got, err := c.GetDatabase(t.Context(), &adminpb.GetDatabaseRequest{Name: database}); err != nil || got.GetName() != database {
			t.Errorf("GetDatabase: %v, %v", got, err)
		}
		_, err = c.ListDatabases(t.Context(), &adminpb.ListDatabasesRequest{Parent: "projects/another"})
		if status.Code(err) != codes.PermissionDenied {
			t.Errorf("databases of another project: %v", err)
		}
		index := &adminpb.Index{QueryScope: adminpb.Index_COLLECTION, Fields: []*adminpb.Index_IndexField{
			{FieldPath: "a", ValueMode: &adminpb.Index_IndexField_Order_{Order: adminpb.Index_IndexField_ASCENDING}},
			{FieldPath: "b", ValueMode: &adminpb.Index_IndexField_Order_{Order: adminpb.Index_IndexField_DESCENDING}},
		}}
		creation, err := c.CreateIndex(t.Context(), &adminpb.CreateIndexRequest{Parent: database + "/collectionGroups/go", Index: index})
		if err != nil {
			t.Fatal(err)
		}
		if made, err := creation.Wait(t.Context()); err != nil || made.GetState() != adminpb.Index_READY {
			t.Errorf("CreateIndex: %v, %v", made, err)
		}
		restores(t, c, p, harness.FirebaseCLI{Dir: dir}.Token(t, "deployer.json"))
	})
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			project := harness.AdminProject(t, sdk.Folder)
			for _, program := range []string{"databases.mjs", "securityrules.mjs"} {
				p.RunAdmin(t, project, program, filepath.Join(dir, "deployer.json"),
					fmt.Sprintf("CLAVE_ADMIN_API=https://127.0.0.1:%d", port), "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="+filepath.Join(dir, "cert.pem"))
			}
		})
	}
	p.Stop(t)
}

// restores restores the default database of a backup on the schedule to a new one, with a document and the index.
func restores(t *testing.T, c *apiadmin.FirestoreAdminClient, p *harness.Production, token string) {
	t.Helper()
	const project, path = "projects/" + harness.RealProject, "/documents/go/one"
	if code, answer := p.Request(t, "PATCH", "/v1/"+project+"/databases/(default)"+path, "Bearer "+token, map[string]any{"fields": map[string]any{"a": map[string]any{"integerValue": "7"}}}); code != 200 {
		t.Fatalf("a write is answered with %d %v", code, answer)
	}
	written, name := time.Now(), ""
	wait.Until(t, "a backup with the document", func() bool {
		all, err := c.ListBackups(t.Context(), &adminpb.ListBackupsRequest{Parent: project + "/locations/-"})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all.GetBackups() {
			if b.GetSnapshotTime().AsTime().After(written) && b.GetDatabase() == project+"/databases/(default)" {
				name = b.GetName()
			}
		}
		return name != ""
	})
	begun, err := c.RestoreDatabase(t.Context(), &adminpb.RestoreDatabaseRequest{Parent: project, DatabaseId: "restored", Backup: name})
	if err != nil {
		t.Fatal(err)
	}
	if made, err := begun.Wait(t.Context()); err != nil || made.GetName() != project+"/databases/restored" {
		t.Fatalf("RestoreDatabase: %v, %v", made, err)
	}
	if code, answer := p.Request(t, "GET", "/v1/"+project+"/databases/restored"+path, "Bearer "+token, nil); code != 200 {
		t.Errorf("a read of the restored document is answered with %d %v", code, answer)
	}
	if index, err := c.ListIndexes(t.Context(), &adminpb.ListIndexesRequest{Parent: project + "/databases/restored/collectionGroups/go"}).Next(); err != nil || index.GetState() != adminpb.Index_READY {
		t.Errorf("the index of the restored database is %v, %v", index, err)
	}
}
