package production

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/internal/suite/migrate"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/link"
	"clave/server/test/kit/wait"
)

// The rules and indexes of the live project.
const (
	liveConfig = `{"firestore": [{"database": "(default)", "rules": "firestore.rules", "indexes": "firestore.indexes.json"}, {"database": "archive", "rules": "archive.rules"}]}`
	// archiveRules allow nothing.
	archiveRules = "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents { match /none/{id} { allow read: if false; } } }\n"
	liveIndexes  = `{"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}]}],
		"fieldOverrides": [{"collectionGroup": "rooms", "fieldPath": "until", "ttl": true, "indexes": []}]}`
)

// liveRooms is the number of documents of the live project in one collection, and liveDocuments that of all.
const (
	liveRooms     = 4000
	liveDocuments = liveRooms + 3 + 1
)

// liveProject is a server with TLS that has the APIs of a project in Firebase.
type liveProject struct {
	t *testing.T
	*harness.Production
	// admin is the port of the administration APIs, and slow a link to the other one.
	admin int
	slow  *link.Link
	// bearer is the value of the header Authorization.
	bearer string
}

// openLiveProject starts the server with documents of two databases, accounts, a tenant, rules and indexes. Its keys
// are backend.json, and ruling.json without the right to read documents.
func openLiveProject(t *testing.T) *liveProject {
	t.Helper()
	dir := harness.ProductionFolder(t)
	for name, text := range map[string]string{"firebase.json": liveConfig, "archive.rules": archiveRules, "firestore.indexes.json": liveIndexes} {
		harness.WriteFile(t, filepath.Join(dir, name), text)
	}
	l := &liveProject{t: t, admin: harness.FreePorts(t, 1)[0]}
	l.Production = harness.Serve(t, dir, true, "--admin-api", fmt.Sprintf("0.0.0.0:%d", l.admin))
	l.slow = link.New(t, strings.TrimPrefix(l.URL, "https://"))
	harness.CreateKeyFor(t, dir, "backend", l.URL)
	if out, err := harness.Command(t, dir, "credentials", "create", "ruling", "--role", "rules-admin", "--project", harness.RealProject, "--public-url", l.URL).CombinedOutput(); err != nil {
		t.Fatalf("a second key: %v %s", err, out)
	}
	cmd := harness.Command(t, dir, "credentials", "token", "backend.json")
	cmd.Env = l.environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	l.bearer = "Bearer " + strings.TrimSpace(string(out))
	l.fill()
	return l
}

// environment returns the environment of commands that trust the server.
func (l *liveProject) environment() []string {
	return append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(l.Dir, "cert.pem"))
}

// must sends a request that the server must accept.
func (l *liveProject) must(method, path string, body any) {
	l.t.Helper()
	if code, answer := l.Request(l.t, method, path, l.bearer, body); code != http.StatusOK {
		l.t.Fatalf("%s %s: %d %v", method, path, code, answer)
	}
}

// commit commits documents of a database by their paths, with the fields n and kind.
func (l *liveProject) commit(database string, paths ...string) {
	l.t.Helper()
	name := "projects/" + harness.RealProject + "/databases/" + database + "/documents"
	var writes []any
	for i, p := range paths {
		fields := map[string]any{
			"n": map[string]any{"integerValue": fmt.Sprint(i)}, "kind": map[string]any{"stringValue": "a"}, "at": map[string]any{"timestampValue": "2026-11-01T10:00:00.123456Z"},
			"next": map[string]any{"referenceValue": name + "/rooms/0001"}, "more": map[string]any{"mapValue": map[string]any{"fields": map[string]any{"x": map[string]any{"doubleValue": 1.5}}}},
		}
		writes = append(writes, map[string]any{"update": map[string]any{"name": name + "/" + p, "fields": fields}})
	}
	l.must(http.MethodPost, "/v1/"+name+":commit", map[string]any{"writes": writes})
}

// fill stores documents, also under missing parents and in a second database, and accounts, one of which is in a
// tenant.
func (l *liveProject) fill() {
	for from := 0; from < liveRooms; from += 500 {
		var paths []string
		for i := from; i < from+500; i++ {
			paths = append(paths, fmt.Sprintf("rooms/%04d", i))
		}
		l.commit("(default)", paths...)
	}
	l.commit("(default)", "missing/parent/kept/one", "missing/parent/none/deeper/kept/two", "rooms/0001/seats/a")
	l.commit("archive", "old/one")
	accounts := harness.ToolkitPath("projects/" + harness.RealProject + "/accounts")
	l.must(http.MethodPost, accounts, map[string]any{"localId": "ana", "email": "ana@example.org", "password": "secreta1", "emailVerified": true})
	l.must(http.MethodPost, accounts, map[string]any{"localId": "eva", "phoneNumber": "+34600000001", "displayName": "Eva"})
	code, tenant := l.Request(l.t, http.MethodPost, harness.ToolkitPath("v2/projects/"+harness.RealProject+"/tenants"), l.bearer, map[string]any{"displayName": "school", "allowPasswordSignup": true})
	if code != http.StatusOK {
		l.t.Fatalf("a tenant: %d %v", code, tenant)
	}
	name, _ := tenant["name"].(string)
	l.must(http.MethodPost, harness.ToolkitPath(name+"/accounts"), map[string]any{"localId": "leo", "email": "leo@example.org", "password": "secreta2"})
}

// command returns the migration of the project to a folder.
func (l *liveProject) command(dir, key string, flags ...string) *exec.Cmd {
	l.t.Helper()
	admin := fmt.Sprintf("https://127.0.0.1:%d", l.admin)
	cmd := harness.Command(l.t, dir, append([]string{
		"migrate", "from-firebase", "--json", "--project", harness.RealProject, "--key", filepath.Join(l.Dir, key), "--endpoint", "firestore=https://" + l.slow.Addr(),
		"--endpoint", "firestore-admin=" + admin, "--endpoint", "rules=" + admin, "--endpoint", "identity=" + l.URL + "/identitytoolkit.googleapis.com",
	}, flags...)...)
	cmd.Env = l.environment()
	return cmd
}

// migrated runs a migration that must finish, and returns its report.
func (l *liveProject) migrated(dir string, flags ...string) (r migrate.Report) {
	l.t.Helper()
	cmd := l.command(dir, "backend.json", flags...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &r) != nil {
		l.t.Fatalf("migrate: %v %s\n%s", err, &problems, out)
	}
	l.wantNoCredential(string(out) + problems.String())
	return r
}

// wantNoCredential fails if a text has the private key of the service account or its token.
func (l *liveProject) wantNoCredential(text string) {
	l.t.Helper()
	key, err := os.ReadFile(filepath.Join(l.Dir, "backend.json"))
	var members struct {
		Private string `json:"private_key"`
	}
	if err == nil {
		err = json.Unmarshal(key, &members)
	}
	lines := strings.Split(members.Private, "\n")
	if err != nil || len(lines) < 10 {
		l.t.Fatalf("the key has %d lines, %v", len(lines), err)
	}
	if strings.Contains(text, lines[5]) || strings.Contains(text, "ya29.") {
		l.t.Error("a credential is shown or stored")
	}
}

// wantNoCredentialBelow fails if a file of a folder has a credential of the live project.
func (l *liveProject) wantNoCredentialBelow(folder string) {
	l.t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		l.wantNoCredential(string(content))
		return err
	})
	if err != nil {
		l.t.Error(err)
	}
}

// own returns what the project has by its own export.
func (l *liveProject) own() []migrate.Sides {
	l.t.Helper()
	folder := filepath.Join(l.t.TempDir(), "export")
	if out, err := harness.Command(l.t, l.Dir, "export", folder, "--project", harness.RealProject).CombinedOutput(); err != nil {
		l.t.Fatalf("export: %v %s", err, out)
	}
	out, err := harness.Command(l.t, l.t.TempDir(), "migrate", "from-firebase", folder, "--check", "--json", "--project", harness.RealProject).Output()
	var r migrate.Report
	if err != nil || json.Unmarshal(out, &r) != nil {
		l.t.Fatalf("check of the export: %v %s", err, out)
	}
	return r.Sides
}

// wantSame fails unless a report has the counts and checksums of the project's own export on both sides.
func (l *liveProject) wantSame(r migrate.Report, own []migrate.Sides) {
	l.t.Helper()
	var got []migrate.Sides
	for _, s := range r.Sides {
		if s.Target == nil || *s.Target != s.Source {
			l.t.Errorf("%+v differs from %+v", s, s.Target)
		}
		s.Target = nil
		got = append(got, s)
	}
	if !reflect.DeepEqual(got, own) {
		l.t.Errorf("the migration has %+v, and the project %+v", got, own)
	}
}

// TestMigrateALiveProject migrates a project from a server with TLS by its APIs. The program is killed in the middle of
// the download, and the same command finishes. The target has the documents of one time, the accounts with their
// passwords, rules and indexes.
func TestMigrateALiveProject(t *testing.T) {
	harness.Alone(t, "a migration on PostgreSQL needs that no node runs")
	l, dir := openLiveProject(t), t.TempDir()
	own := l.own()
	state := filepath.Join(dir, ".clave", "firebase-download", "download.json")
	l.slow.Slow(100 * time.Millisecond)
	cmd := l.command(dir, "backend.json")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "documents are downloaded", func() bool {
		text, err := os.ReadFile(state)
		_, ended := os.Stat(filepath.Join(dir, ".clave", "migration.json"))
		return err == nil && strings.Contains(string(text), `"outputs"`) || ended == nil
	})
	l.slow.Cut(link.Both) // The rest waits.
	text, err := os.ReadFile(state)
	if err == nil && strings.Contains(string(text), `"complete": false`) {
		if out, err := l.command(dir, "backend.json").CombinedOutput(); err == nil || !strings.Contains(string(out), "another clave may download into it") {
			t.Errorf("a second process: %v %s", err, out)
		}
	} else { // The test has not run for seconds.
		t.Logf("the download has ended before it was interrupted: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                     // It was killed.
	l.commit("(default)", "rooms/0000", "rooms/later") // after the read time
	l.slow.Heal()
	r := l.migrated(dir)
	if r.State != migrate.Finished && r.State != migrate.FinishedBefore || r.Documents != liveDocuments || r.Accounts != 3 || r.ReadTime.IsZero() {
		t.Errorf("the report is %+v", r)
	}
	l.wantSame(r, own)
	if _, err := os.Stat(filepath.Dir(state)); !os.IsNotExist(err) {
		t.Errorf("the download is not removed: %v", err)
	}
	if again := l.migrated(dir); again.State != migrate.FinishedBefore || again.Documents != liveDocuments {
		t.Errorf("again: %+v", again)
	}
	l.wantNoCredentialBelow(dir)
	p := harness.Serve(t, dir, true)
	for id, password := range map[string]string{"ana@example.org": "secreta1", "leo@example.org": "secreta2"} {
		body := map[string]any{"email": id, "password": password, "returnSecureToken": true}
		if strings.HasPrefix(id, "leo") {
			body["tenantId"] = tenantOf(t, r)
		}
		if code, answer := p.Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithPassword")+"?key=k", "", body); code != http.StatusOK {
			t.Errorf("sign-in of %s: %d %v", id, code, answer)
		}
	}
	p.Stop(t)
	for name, want := range map[string]string{"firestore.rules": "match /mine/{uid}", "archive.firestore.rules": "match /none/{id}", "firestore.indexes.json": `"ttl": true`} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is %s, %v", name, text, err)
		}
	}
	l.Stop(t)
}

// tenantOf returns the id of the only tenant of a report.
func tenantOf(t *testing.T, r migrate.Report) string {
	t.Helper()
	for _, s := range r.Sides {
		if s.Kind == "accounts" && s.Name != "" {
			return s.Name
		}
	}
	t.Fatalf("the report has no tenant: %+v", r.Sides)
	return ""
}

// TestMigrateALiveProjectToPostgreSQL migrates a live project into a store on PostgreSQL, after keys without the right
// to read it were refused, and after a check, whose download is used. The store is verified.
func TestMigrateALiveProjectToPostgreSQL(t *testing.T) {
	harness.Alone(t, "a migration on PostgreSQL needs that no node runs")
	l, dir := openLiveProject(t), t.TempDir()
	store := pgtest.New(t).Database()
	folder := filepath.Join(dir, "download")
	out, err := l.command(dir, "ruling.json", folder, "--store", store).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "roles/datastore.viewer") {
		t.Errorf("a key that may not read documents: %v %s", err, out)
	}
	l.wantNoCredential(string(out))
	if r := l.migrated(dir, folder, "--store", store, "--check"); r.State != migrate.Checked || r.Documents != liveDocuments {
		t.Errorf("the report of a check is %+v", r)
	}
	l.Stop(t) // The download is complete: it is not made again.
	r := l.migrated(dir, folder, "--store", store)
	if r.State != migrate.Finished || r.Documents != liveDocuments || r.Accounts != 3 {
		t.Errorf("the report is %+v", r)
	}
	l.wantSame(r, l.own())
	l.wantNoCredentialBelow(folder)
	wantVerified(t, store, fmt.Sprintf("%d documents", liveDocuments))
}

// wantVerified verifies a store on PostgreSQL, which must be complete.
func wantVerified(t *testing.T, store, complete string) {
	t.Helper()
	out, err := harness.Command(t, t.TempDir(), "verify", "--store", store).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "the store is complete") || !strings.Contains(string(out), complete) {
		t.Errorf("verify: %v %s", err, out)
	}
}
