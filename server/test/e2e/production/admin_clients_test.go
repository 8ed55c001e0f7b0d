package production

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"testing"

	apiadmin "cloud.google.com/go/firestore/apiv1/admin"
	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"clave/server/test/e2e/harness"
)

// TestAdminClients administers a server with TLS by the unmodified clients of the Firestore Admin API for Go and Node,
// and by securityRules() of firebase-admin, with keys of service accounts.
func TestAdminClients(t *testing.T) {
	harness.Parallel(t)
	dir := harness.ProductionFolder(t)
	port := harness.FreePorts(t, 1)[0]
	// Only an address of other machines has TLS.
	p := harness.Serve(t, dir, true, "--admin-api", fmt.Sprintf("0.0.0.0:%d", port), "--admin-exports", filepath.Join(t.TempDir(), "exports"))
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
	})
	for _, sdk := range harness.SdksOf {
		t.Run(sdk.Name, func(t *testing.T) {
			project := adminProject(t, sdk.Folder)
			for _, program := range []string{"databases.mjs", "securityrules.mjs"} {
				p.RunAdmin(t, project, program, filepath.Join(dir, "deployer.json"),
					fmt.Sprintf("CLAVE_ADMIN_API=https://127.0.0.1:%d", port), "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="+filepath.Join(dir, "cert.pem"))
			}
		})
	}
	p.Stop(t)
}
