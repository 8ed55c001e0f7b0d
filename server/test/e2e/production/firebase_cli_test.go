package production

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// administered is a server with administration APIs and TLS, and the folder from which the Firebase CLI administers it.
type administered struct {
	t   *testing.T
	p   *harness.Production
	dir string
	// port is that of the administration APIs.
	port int
}

// administer starts a server with two databases, and creates a key for the CLI.
func administer(t *testing.T) *administered {
	t.Helper()
	dir := harness.ProductionFolder(t)
	harness.NewFirebaseCLI(t, dir)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": [
		{"database": "(default)", "rules": "firestore.rules", "indexes": "firestore.indexes.json"}, {"database": "second", "rules": "second.rules"}]}`)
	harness.WriteFile(t, filepath.Join(dir, "second.rules"), harness.ProductionRules)
	harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), `{"indexes": [], "fieldOverrides": []}`)
	port := harness.FreePorts(t, 1)[0]
	// Only an address of other machines has TLS.
	p := harness.Serve(t, dir, true, "--admin-api", fmt.Sprintf("0.0.0.0:%d", port),
		"--backup-to", filepath.Join(t.TempDir(), "backups"), "--backup-verify", "0")
	harness.CreateKeyFor(t, dir, "deployer", p.URL)
	return &administered{t, p, dir, port}
}

// cli runs the CLI, which must succeed if ok is set, and returns what it printed.
func (a *administered) cli(ok bool, args ...string) string {
	a.t.Helper()
	return harness.FirebaseCLI{Dir: a.dir}.Run(a.t, a.port, ok, args...)
}

// TestFirebaseDeploys deploys rules and indexes to two databases with the unmodified Firebase CLI, refuses rules with
// errors, and reads, imports and deletes what the CLI can.
func TestFirebaseDeploys(t *testing.T) {
	harness.Parallel(t)
	a := administer(t)
	if code, _ := a.p.Request(t, "GET", "/v1/projects/"+harness.RealProject+"/databases/second/documents/news/one", "", nil); code != 403 {
		t.Errorf("before the deployment a read of news is answered with %d, want 403", code)
	}
	harness.WriteFile(t, filepath.Join(a.dir, "second.rules"), strings.Replace(harness.ProductionRules, "/open/{id}", "/news/{id}", 1))
	harness.WriteFile(t, filepath.Join(a.dir, "firestore.indexes.json"), `{
		"indexes": [{"collectionGroup": "a", "queryScope": "COLLECTION", "fields": [{"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "y", "order": "DESCENDING"}]}],
		"fieldOverrides": [{"collectionGroup": "a", "fieldPath": "until", "ttl": true, "indexes": []}]}`)
	if out := a.cli(true, "deploy", "--only", "firestore", "--force"); !strings.Contains(out, "Deploy complete!") {
		t.Errorf("deploy printed\n%s", out)
	}
	if code, _ := a.p.Request(t, "GET", "/v1/projects/"+harness.RealProject+"/databases/second/documents/news/one", "", nil); code != 404 {
		t.Errorf("after the deployment a read of news is answered with %d, want 404", code)
	}
	if out := a.cli(true, "firestore:indexes"); !strings.Contains(out, `"collectionGroup": "a"`) || !strings.Contains(out, `"ttl": true`) {
		t.Errorf("firestore:indexes printed\n%s", out)
	}
	harness.WriteFile(t, filepath.Join(a.dir, "firestore.indexes.json"), `{"indexes": [], "fieldOverrides": []}`)
	harness.WriteFile(t, filepath.Join(a.dir, "firestore.rules"), "service cloud.firestore {\n  match /a/{x} { allow read if true; }\n}")
	if out := a.cli(false, "deploy", "--only", "firestore", "--force"); !strings.Contains(out, "[E] 2:") {
		t.Errorf("deploy of rules with an error printed\n%s", out)
	}
	if out := a.cli(true, "firestore:indexes"); !strings.Contains(out, `"collectionGroup": "a"`) {
		t.Errorf("a deployment that was refused changed the indexes:\n%s", out)
	}
	if out := a.cli(true, "firestore:databases:list"); !strings.Contains(out, "databases/(default)") || !strings.Contains(out, "databases/second") {
		t.Errorf("firestore:databases:list printed\n%s", out)
	}
	a.deploysAlone()
	a.documents()
	a.databases()
	a.backups()
	a.accounts()
	a.roles()
	a.p.Stop(t)
}

// deploysAlone releases rules and indexes with clave deploy, without the Firebase CLI, and refuses files with errors.
func (a *administered) deploysAlone() {
	t := a.t
	t.Helper()
	deploy := func() (string, error) { return harness.FirebaseCLI{Dir: a.dir}.Deploy(t, a.port) }
	if out, err := deploy(); err == nil || !strings.Contains(out, "firestore.rules:2:") {
		t.Errorf("clave deploy of rules with an error: %v\n%s", err, out)
	}
	harness.WriteFile(t, filepath.Join(a.dir, "firestore.rules"), harness.ProductionRules)
	harness.WriteFile(t, filepath.Join(a.dir, "second.rules"), strings.Replace(harness.ProductionRules, "/open/{id}", "/notes/{id}", 1))
	if out, err := deploy(); err != nil || !strings.Contains(out, "is in force") {
		t.Errorf("clave deploy: %v\n%s", err, out)
	}
	if code, _ := a.p.Request(t, "GET", "/v1/projects/"+harness.RealProject+"/databases/second/documents/notes/one", "", nil); code != 404 {
		t.Errorf("after clave deploy a read of notes is answered with %d, want 404", code)
	}
	if out, err := deploy(); err != nil || !strings.Contains(out, "Nothing to do") {
		t.Errorf("a second clave deploy: %v\n%s", err, out)
	}
}

// documents deletes documents with firestore:delete, which reaches the public port.
func (a *administered) documents() {
	t := a.t
	t.Helper()
	token := a.token("deployer.json")
	path := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/open/one"
	if code, answer := a.p.Request(t, "PATCH", path, "Bearer "+token, map[string]any{"fields": map[string]any{}}); code != 200 {
		t.Fatalf("the document was not written: %d %v", code, answer)
	}
	a.cli(true, "firestore:delete", "open/one", "--force")
	if code, _ := a.p.Request(t, "GET", path, "", nil); code != 404 {
		t.Errorf("after firestore:delete a read is answered with %d, want 404", code)
	}
	if out := a.cli(true, "firestore:databases:update", "second", "--delete-protection", "DISABLED", "--json"); !strings.Contains(out, "DELETE_PROTECTION_DISABLED") {
		t.Errorf("firestore:databases:update printed\n%s", out)
	}
}

// databases creates a database, writes a document of it, releases rules for it, and deletes it.
func (a *administered) databases() {
	t := a.t
	t.Helper()
	token := a.token("deployer.json")
	const path = "/v1/projects/" + harness.RealProject + "/databases/made-here/documents/open/one"
	call := func(method, authorization string, want int) {
		t.Helper()
		var body any
		if method == "PATCH" {
			body = map[string]any{"fields": map[string]any{}}
		}
		if code, answer := a.p.Request(t, method, path, authorization, body); code != want {
			t.Errorf("%s is answered with %d %v, want %d", method, code, answer, want)
		}
	}
	call("PATCH", "Bearer "+token, 404)
	if out := a.cli(true, "firestore:databases:create", "made-here", "--location", "eur3", "--edition", "enterprise"); !strings.Contains(out, "Successfully created") {
		t.Errorf("firestore:databases:create printed\n%s", out)
	}
	call("PATCH", "Bearer "+token, 200)
	call("GET", "", 403) // no rules
	if out := a.cli(true, "firestore:databases:get", "made-here"); !strings.Contains(out, "eur3") || !strings.Contains(out, "ENTERPRISE") {
		t.Errorf("firestore:databases:get printed\n%s", out)
	}
	harness.WriteFile(t, filepath.Join(a.dir, "made.json"), `{"firestore": {"database": "made-here", "rules": "made.rules"}}`)
	harness.WriteFile(t, filepath.Join(a.dir, "made.rules"), harness.ProductionRules)
	if out := a.cli(true, "deploy", "--only", "firestore", "--config", "made.json"); !strings.Contains(out, "Deploy complete!") {
		t.Errorf("deploy to the new database printed\n%s", out)
	}
	call("GET", "", 200)
	if out := a.cli(true, "firestore:databases:delete", "made-here", "--force"); !strings.Contains(out, "Successfully deleted") {
		t.Errorf("firestore:databases:delete printed\n%s", out)
	}
	call("PATCH", "Bearer "+token, 404)
}

// backups restores a database of the backup that the server has made at its start.
func (a *administered) backups() {
	t := a.t
	t.Helper()
	token := a.token("deployer.json")
	at := *a.p
	at.URL = fmt.Sprintf("https://127.0.0.1:%d", a.port)
	var name string
	wait.Until(t, "a backup", func() bool {
		_, answer := at.Request(t, "GET", "/v1/projects/"+harness.RealProject+"/locations/-/backups", "Bearer "+token, nil)
		if all, _ := answer["backups"].([]any); len(all) > 0 {
			first, _ := all[0].(map[string]any)
			name, _ = first["name"].(string)
		}
		return name != ""
	})
	if out := a.cli(true, "firestore:databases:restore", "-d", "restored", "-b", name); !strings.Contains(out, "Successfully initiated restore of projects/"+harness.RealProject+"/databases/restored") {
		t.Errorf("firestore:databases:restore printed\n%s", out)
	}
}

// token returns an access token of a key by clave credentials token.
func (a *administered) token(key string) string {
	a.t.Helper()
	return harness.FirebaseCLI{Dir: a.dir}.Token(a.t, key)
}

// accounts imports an account and exports it.
func (a *administered) accounts() {
	t := a.t
	t.Helper()
	harness.WriteFile(t, filepath.Join(a.dir, "users.json"), `{"users": [{"localId": "ada", "email": "ada@example.org", "emailVerified": true, "displayName": "Ada"}]}`)
	if out := a.cli(true, "auth:import", "users.json"); !strings.Contains(out, "Imported successfully.") {
		t.Errorf("auth:import printed\n%s", out)
	}
	a.cli(true, "auth:export", "exported.json")
	text, err := os.ReadFile(filepath.Join(a.dir, "exported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Users []struct{ LocalID, Email, DisplayName string }
	}
	if err := json.Unmarshal(text, &out); err != nil || len(out.Users) != 1 || out.Users[0].LocalID != "ada" || out.Users[0].Email != "ada@example.org" {
		t.Errorf("auth:export wrote %s, %v", text, err)
	}
}

// roles reads and writes a document, lists accounts, and reads rules with keys of each role.
func (a *administered) roles() {
	t := a.t
	t.Helper()
	document := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents/closed/one"
	for role, want := range map[string][4]int{
		"datastore-owner": {404, 200, 403, 403}, "index-admin": {403, 403, 403, 403}, "rules-admin": {403, 403, 403, 200}, "viewer": {404, 403, 403, 200},
	} {
		cmd := harness.Command(t, a.dir, "credentials", "create", "role-"+role, "--role", role, "--project", harness.RealProject, "--public-url", a.p.URL)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("credentials create: %v\n%s", err, out)
		}
		token := a.token("role-" + role + ".json")
		var got [4]int
		got[0], _ = a.p.Request(t, "GET", document, "Bearer "+token, nil)
		got[1], _ = a.p.Request(t, "PATCH", document, "Bearer "+token, map[string]any{"fields": map[string]any{}})
		got[2], _ = a.p.Request(t, "GET", "/identitytoolkit.googleapis.com/v1/projects/"+harness.RealProject+"/accounts:batchGet", "Bearer "+token, nil)
		own := *a.p
		own.URL = fmt.Sprintf("https://127.0.0.1:%d", a.port)
		got[3], _ = own.Request(t, "GET", "/v1/projects/"+harness.RealProject+"/rulesets", "Bearer "+token, nil)
		if got != want {
			t.Errorf("%s: a read of a document, a write, a list of accounts and of rulesets are answered with %v, want %v", role, got, want)
		}
		if role == "datastore-owner" {
			a.p.Request(t, "DELETE", document, "Bearer "+token, nil)
		}
	}
}
