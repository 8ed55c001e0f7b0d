package nodes

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	apiadmin "cloud.google.com/go/firestore/apiv1/admin"
	"cloud.google.com/go/firestore/apiv1/admin/adminpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// administeredNodes are three nodes with administration APIs and TLS, and the folder from which the Firebase CLI
// administers them. The first leads. The second, which follows, is the one that clients reach at the public URL.
type administeredNodes struct {
	harness.FirebaseCLI
	t     *testing.T
	store string
	nodes []*servingNode
	// ports are those of the administration APIs.
	ports []int
	key   []byte
	token string
	// backups is the folder to which the leader makes backups.
	backups string
	// preview is the host of the preview of the site.
	preview string
	// filled is a time at which the store had its first document.
	filled time.Time
}

// administerNodes starts the nodes, and creates a key for the CLI.
func administerNodes(t *testing.T) *administeredNodes {
	t.Helper()
	dir, ports := t.TempDir(), harness.FreePorts(t, 6)
	a := &administeredNodes{t: t, FirebaseCLI: harness.NewFirebaseCLI(t, dir), store: pgtest.New(t).Database(), ports: ports[:3]}
	roots := x509.NewCertPool()
	harness.Certificate(t, dir, roots)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	origin := func(i int) string { return fmt.Sprintf("https://127.0.0.1:%d", ports[3+i]) }
	a.backups = filepath.Join(t.TempDir(), "backups")
	fill(t, a.store)
	a.filled = time.Now()
	for i := range 3 {
		// Only an address of other machines has TLS.
		n := prepareServingNode(t, rulesFor("own"), "--admin-api", fmt.Sprintf("0.0.0.0:%d", ports[i]), "--port", fmt.Sprint(ports[3+i]), "--public-url", origin(1),
			"--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"), "--backup-to", a.backups, "--backup-verify", "0")
		harness.WriteFile(t, filepath.Join(n.Dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}, "hosting": {"public": "own"}}`)
		if err := os.Mkdir(filepath.Join(n.Dir, "own"), 0o700); err != nil {
			t.Fatal(err)
		}
		harness.WriteFile(t, filepath.Join(n.Dir, "own", "index.html"), "own page")
		n.run(t, a.store)
		n.URL, n.Roots, n.Client = origin(i), roots, &http.Client{Transport: transport}
		n.await([]string{"Clave ready", "Follower: ", "Follower: "}[i])
		a.nodes = append(a.nodes, n)
	}
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}}`)
	t.Setenv("CLAVE_STORE", a.store)
	a.key = harness.CreateKeyFor(t, dir, "deployer", origin(1))
	a.token = a.Token(t, "deployer.json")
	return a
}

// fill writes a document to a store, by a node that then ends: the backup that the next leader makes at its start has
// it.
func fill(t *testing.T, store string) {
	t.Helper()
	n := newServingNodeWith(t, store, strings.Replace(rulesFor("open"), "allow read", "allow write", 1))
	n.await("Clave ready")
	const path = "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/open/kept"
	if code, answer := n.Request(t, http.MethodPatch, path, "", map[string]any{"fields": map[string]any{}}); code != http.StatusOK {
		t.Fatalf("the first document was not written: %d %v", code, answer)
	}
	if err := n.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := n.Cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// cli runs the Firebase CLI at a node, which must print a text.
func (a *administeredNodes) cli(node int, prints string, args ...string) {
	a.t.Helper()
	if out := a.Run(a.t, a.ports[node], true, args...); !strings.Contains(out, prints) {
		a.t.Errorf("firebase %q at node %d printed\n%s\nwant %q", args, node, out, prints)
	}
}

// call makes a call of the administration APIs at a node.
func (a *administeredNodes) call(node int, method, path string, body any) (int, map[string]any) {
	a.t.Helper()
	at := *a.nodes[node].Production
	at.URL = fmt.Sprintf("https://127.0.0.1:%d", a.ports[node])
	return at.Request(a.t, method, path, "Bearer "+a.token, body)
}

// document sends a request about a document at a node, as the service account if privileged is set.
func (a *administeredNodes) document(node int, method, database, path string, privileged bool) (int, string) {
	a.t.Helper()
	authorization, body := "", any(nil)
	if privileged {
		authorization = "Bearer " + a.token
	}
	if method == http.MethodPatch {
		body = map[string]any{"fields": map[string]any{}}
	}
	code, answer := a.nodes[node].Request(a.t, method, "/v1/projects/"+harness.RealProject+"/databases/"+database+"/documents/"+path, authorization, body)
	return code, fmt.Sprint(answer)
}

// wantDocuments reads a document at all nodes.
func (a *administeredNodes) wantDocuments(when, database, path string, privileged bool, want int, text string) {
	a.t.Helper()
	for i := range a.nodes {
		if code, answer := a.document(i, http.MethodGet, database, path, privileged); code != want || !strings.Contains(answer, text) {
			a.t.Errorf("%s a read of %s in %s at node %d is answered with %d %s, want %d %q", when, path, database, i, code, answer, want, text)
		}
	}
}

// write writes the rules and indexes of the CLI's folder, for one collection.
func (a *administeredNodes) write(collection string) {
	a.t.Helper()
	harness.WriteFile(a.t, filepath.Join(a.Dir, "firestore.rules"), rulesFor(collection))
	harness.WriteFile(a.t, filepath.Join(a.Dir, "firestore.indexes.json"), `{"indexes": [{"collectionGroup": "`+collection+`", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}]}`)
}

// TestAdminAPIOfNodes administers three nodes with TLS by clave deploy, by the unmodified Firebase CLI and by the Go
// client, mostly at nodes that follow. All nodes have the result when a command returns. At the end the leader is
// killed in the middle of builds and a deployment.
func TestAdminAPIOfNodes(t *testing.T) {
	a := administerNodes(t)
	a.deploys()
	a.calls()
	a.deletesDocuments()
	a.makesDatabases()
	a.accounts()
	a.restores()
	a.hosting()
	a.clones()
	a.killed()
}

// deploys deploys rules and indexes at each node.
func (a *administeredNodes) deploys() {
	t := a.t
	t.Helper()
	last := "own"
	for i, collection := range []string{"leader", "follower", "cli"} {
		a.write(collection)
		if collection == "cli" {
			a.cli(i, "Deploy complete!", "deploy", "--only", "firestore", "--force")
		} else if out, err := a.Deploy(t, a.ports[i]); err != nil || !strings.Contains(out, "is in force") {
			t.Errorf("clave deploy at node %d: %v\n%s", i, err, out)
		}
		wantReadable(t, a.nodes, collection, last)
		wantQuery(t, a.nodes, collection, http.StatusOK)
		last = collection
	}
	a.cli(1, `"collectionGroup": "cli"`, "firestore:indexes")
}

// calls calls the administration APIs over gRPC at a node that follows.
func (a *administeredNodes) calls() {
	t := a.t
	t.Helper()
	c, err := apiadmin.NewFirestoreAdminClient(t.Context(), option.WithAuthCredentialsJSON(option.ServiceAccount, a.key), option.WithEndpoint(fmt.Sprintf("127.0.0.1:%d", a.ports[2])),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: a.nodes[2].Roots}))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	const group = "projects/" + harness.RealProject + "/databases/(default)/collectionGroups/cli"
	if index, err := c.ListIndexes(t.Context(), &adminpb.ListIndexesRequest{Parent: group}).Next(); err != nil || index.GetState() != adminpb.Index_READY {
		t.Errorf("the indexes over gRPC are %v, %v", index, err)
	}
	_, err = c.GetDatabase(t.Context(), &adminpb.GetDatabaseRequest{Name: "projects/" + harness.RealProject + "/databases/none"})
	if st := status.Convert(err); st.Code() != codes.NotFound || !strings.Contains(st.Message(), "does not exist") {
		t.Errorf("an absent database over gRPC: %v", err)
	}
}

// deletesDocuments deletes a document at a node that follows.
func (a *administeredNodes) deletesDocuments() {
	a.t.Helper()
	if code, answer := a.document(2, http.MethodPatch, "(default)", "open/one", true); code != http.StatusOK {
		a.t.Fatalf("the document was not written: %d %s", code, answer)
	}
	a.wantDocuments("before firestore:delete", "(default)", "open/one", true, http.StatusOK, "open/one")
	a.cli(1, "", "firestore:delete", "open/one", "--force")
	a.wantDocuments("after firestore:delete", "(default)", "open/one", true, http.StatusNotFound, "")
}

// makesDatabases makes a database, uses it at all nodes, releases rules for it, and deletes it. Another one of its name
// has nothing of it.
func (a *administeredNodes) makesDatabases() {
	t := a.t
	t.Helper()
	const made, absent = "made-here", "does not exist for project"
	a.wantDocuments("before the creation", made, "open/n0", true, http.StatusNotFound, absent)
	a.cli(1, "Successfully created", "firestore:databases:create", made, "--location", "eur3", "--edition", "enterprise")
	for i := range a.nodes {
		if code, answer := a.document(i, http.MethodPatch, made, fmt.Sprintf("open/n%d", i), true); code != http.StatusOK {
			t.Errorf("a write to the new database at node %d is answered with %d %s", i, code, answer)
		}
	}
	for i := range a.nodes {
		a.wantDocuments("after the creation", made, fmt.Sprintf("open/n%d", i), true, http.StatusOK, "")
	}
	a.wantDocuments("without rules", made, "open/n0", false, http.StatusForbidden, "")
	a.cli(2, "databases/"+made, "firestore:databases:list")
	a.cli(1, "ENTERPRISE", "firestore:databases:get", made)
	harness.WriteFile(t, filepath.Join(a.Dir, "made.json"), `{"firestore": {"database": "`+made+`", "rules": "made.rules"}}`)
	harness.WriteFile(t, filepath.Join(a.Dir, "made.rules"), harness.ProductionRules)
	a.cli(2, "Deploy complete!", "deploy", "--only", "firestore", "--config", "made.json")
	a.wantDocuments("with rules", made, "open/n0", false, http.StatusOK, "")
	var ended []<-chan codes.Code
	for _, n := range a.nodes {
		ended = append(ended, n.ListenTo(t, made, "open/n0", a.token))
	}
	a.cli(1, "DELETE_PROTECTION_DISABLED", "firestore:databases:update", made, "--delete-protection", "DISABLED", "--json")
	a.cli(2, "Successfully deleted", "firestore:databases:delete", made, "--force")
	a.wantDocuments("after the deletion", made, "open/n0", true, http.StatusNotFound, absent)
	for i := range a.nodes {
		if code, answer := a.document(i, http.MethodPatch, made, "open/n0", true); code != http.StatusNotFound {
			t.Errorf("a write to the deleted database at node %d is answered with %d %s", i, code, answer)
		}
		wait.Until(t, fmt.Sprintf("the live query at node %d ends", i), func() bool {
			select {
			case code := <-ended[i]:
				if code != codes.NotFound {
					t.Errorf("the live query at node %d has ended with %v, want NOT_FOUND", i, code)
				}
				return true
			default:
				return false
			}
		})
	}
	if code, answer := a.call(2, http.MethodPost, "/v1/projects/"+harness.RealProject+"/databases?databaseId="+made, map[string]any{"locationId": "a", "type": "FIRESTORE_NATIVE"}); code != http.StatusOK {
		t.Errorf("another database of the name: %d %v", code, answer)
	}
	a.wantDocuments("in another database", made, "open/n0", true, http.StatusNotFound, "open/n0")
	a.wantDocuments("in another database", made, "open/n0", false, http.StatusForbidden, "")
}

// accounts imports an account and exports it, at nodes that follow.
func (a *administeredNodes) accounts() {
	t := a.t
	t.Helper()
	harness.WriteFile(t, filepath.Join(a.Dir, "users.json"), `{"users": [{"localId": "ada", "email": "ada@example.org", "emailVerified": true, "displayName": "Ada"}]}`)
	a.cli(1, "Imported successfully.", "auth:import", "users.json")
	a.cli(2, "", "auth:export", "exported.json")
	text, err := os.ReadFile(filepath.Join(a.Dir, "exported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Users []struct{ LocalID, Email string }
	}
	if err := json.Unmarshal(text, &out); err != nil || len(out.Users) != 1 || out.Users[0].LocalID != "ada" || out.Users[0].Email != "ada@example.org" {
		t.Errorf("auth:export wrote %s, %v", text, err)
	}
}

// restores restores the default database of the backup that the leader has made at its start to a new one.
func (a *administeredNodes) restores() {
	t := a.t
	t.Helper()
	var name string
	wait.Until(t, "a backup", func() bool {
		_, answer := a.call(1, http.MethodGet, "/v1/projects/"+harness.RealProject+"/locations/-/backups", nil)
		if all, _ := answer["backups"].([]any); len(all) > 0 {
			first, _ := all[0].(map[string]any)
			name, _ = first["name"].(string)
		}
		return name != ""
	})
	a.cli(2, "Successfully initiated restore", "firestore:databases:restore", "-d", "restored", "-b", name)
	wait.Until(t, "the restored database", func() bool {
		code, _ := a.call(1, http.MethodGet, "/v1/projects/"+harness.RealProject+"/databases/restored", nil)
		return code == http.StatusOK
	})
	a.wantDocuments("in the restored database", "restored", "open/kept", true, http.StatusOK, "open/kept")
	for i := range a.nodes {
		if code, answer := a.document(i, http.MethodPatch, "restored", "open/one", true); code != http.StatusOK {
			t.Errorf("a write to the restored database at node %d is answered with %d %s", i, code, answer)
		}
	}
	a.wantDocuments("after the restoration", "restored", "open/one", true, http.StatusOK, "")
}

// page requests a path of the site at a node, and of a host, if it is not empty.
func (a *administeredNodes) page(node int, host, path string) (int, string) {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.nodes[node].URL+path, http.NoBody)
	if err != nil {
		a.t.Fatal(err)
	}
	r.Host = host
	res, text := harness.Do(a.t, a.nodes[node].Client, r)
	return res.StatusCode, text
}

// wantPages requests the first page of the site at all nodes.
func (a *administeredNodes) wantPages(when, host, text string) {
	a.t.Helper()
	for i := range a.nodes {
		if code, got := a.page(i, host, "/"); code != http.StatusOK || got != text {
			a.t.Errorf("%s the page at node %d is %d %q, want %q", when, i, code, got, text)
		}
	}
}

// hosting deploys a site and a preview, and releases the version of the preview as the site, at nodes that follow. All
// nodes serve it when a call or a command returns, also the very first release.
func (a *administeredNodes) hosting() {
	t := a.t
	t.Helper()
	a.wantPages("before the first release", "", "own page")
	a.completesSite(a.beginsSite("released page"))
	a.wantPages("after the first release", "", "released page")
	harness.WriteFile(t, filepath.Join(a.Dir, "hosting.json"), `{"hosting": {"public": "build"}}`)
	if err := os.MkdirAll(filepath.Join(a.Dir, "build"), 0o700); err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(a.Dir, "build", "index.html"), "first page")
	a.cli(1, "Deploy complete!", "deploy", "--only", "hosting", "--config", "hosting.json")
	a.wantPages("after the deployment", "", "first page")
	harness.WriteFile(t, filepath.Join(a.Dir, "build", "index.html"), "second page")
	out := a.Run(t, a.ports[2], true, "hosting:channel:deploy", "pr-1", "--expires", "2h", "--config", "hosting.json")
	a.preview = regexp.MustCompile(`fundacion-e2e--pr-1-[0-9a-z]{8}\.localhost:[0-9]+`).FindString(out)
	if a.preview == "" {
		t.Fatalf("hosting:channel:deploy printed\n%s", out)
	}
	a.wantPages("after the deployment of the preview", a.preview, "second page")
	a.wantPages("after the deployment of the preview", "", "first page")
	a.previews()
	a.cli(1, "has been cloned", "hosting:clone", harness.RealProject+":pr-1", harness.RealProject+":live")
	a.wantPages("after hosting:clone", "", "second page")
	const site = "/v1beta1/projects/" + harness.RealProject + "/sites/" + harness.RealProject
	_, answer := a.call(2, http.MethodGet, site+"/releases", nil)
	releases, _ := answer["releases"].([]any)
	versions := regexp.MustCompile(`versions/[0-9a-f]{16}`).FindAllString(fmt.Sprint(releases), -1)
	if len(releases) != 3 || len(versions) != 3 {
		t.Fatalf("the releases are %v", answer)
	}
	a.cli(2, "has been disabled", "hosting:disable", "--force", "--config", "hosting.json")
	for i := range a.nodes {
		if code, got := a.page(i, "", "/"); code != http.StatusNotFound {
			t.Errorf("after hosting:disable the page at node %d is %d %q, want 404", i, code, got)
		}
	}
	if code, answer := a.call(2, http.MethodPost, site+"/releases?versionName=sites/"+harness.RealProject+"/"+versions[1], map[string]any{"type": "ROLLBACK"}); code != http.StatusOK {
		t.Errorf("the rollback: %d %v", code, answer)
	}
	a.wantPages("after the rollback", "", "first page")
}

// previews deletes a preview, and lists the other one, at nodes that follow.
func (a *administeredNodes) previews() {
	t := a.t
	t.Helper()
	if code, answer := a.call(1, http.MethodPost, "/v1beta1/projects/"+harness.RealProject+"/sites/"+harness.RealProject+"/channels?channelId=pr-2", map[string]any{}); code != http.StatusOK {
		t.Errorf("another preview: %d %v", code, answer)
	}
	a.cli(2, "Successfully deleted channel", "hosting:channel:delete", "pr-2", "--force", "--config", "hosting.json")
	if out := a.Run(t, a.ports[1], true, "hosting:channel:list", "--config", "hosting.json"); !strings.Contains(out, "pr-1") || strings.Contains(out, "pr-2") {
		t.Errorf("hosting:channel:list printed\n%s", out)
	}
}

// clones clones the default database with the client for Node at a node that follows, as it was at the last whole
// minute. All nodes have the clone when the operation has ended.
func (a *administeredNodes) clones() {
	t := a.t
	t.Helper()
	at := a.filled.Truncate(time.Minute).Add(time.Minute)
	// Clones are of whole minutes. The first after the document has mostly begun by now.
	if err := clock.Sleep(t.Context(), clock.System(), time.Until(at)+time.Millisecond); err != nil {
		t.Fatal(err)
	}
	program := harness.AdminProject(t, harness.SdksOf[len(harness.SdksOf)-1].Folder)
	a.nodes[1].Production.RunAdmin(t, program, "clones.mjs", filepath.Join(a.Dir, "deployer.json"), fmt.Sprintf("CLAVE_ADMIN_API=https://127.0.0.1:%d", a.ports[1]),
		"CLAVE_CA="+filepath.Join(a.Dir, "cert.pem"), "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="+filepath.Join(a.Dir, "cert.pem"), fmt.Sprintf("CLAVE_CLONED=%d", at.Unix()))
	a.wantDocuments("in the clone", "cloned", "open/kept", true, http.StatusOK, "open/kept")
	for i := range a.nodes {
		if code, answer := a.document(i, http.MethodPatch, "cloned", "open/one", true); code != http.StatusOK {
			t.Errorf("a write to the clone at node %d is answered with %d %s", i, code, answer)
		}
	}
	a.wantDocuments("in the default database", "(default)", "open/one", true, http.StatusNotFound, "")
}
