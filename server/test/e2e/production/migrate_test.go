package production

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/internal/suite/migrate"
	"clave/server/internal/suite/transfer"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// The accounts of a project in Firebase, as its CLI exports them: the sample of github.com/firebase/scrypt, whose
// password is user1password.
const (
	migratedUsers = `{"users":[{"localId":"one","email":"one@example.org","emailVerified":true,"createdAt":"1600000000000",
		"passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==","salt":"42xEC+ixf3L2lw==",
		"providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}]}`
	migratedHash = "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n" +
		"  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n"
	migratedIndexes = `{"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
		{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "n", "order": "DESCENDING"}]}]}`
)

// migratedDocuments is the number of documents of the project in Firebase.
const migratedDocuments = 6000

// leavingFirebase writes the exports of a project in Firebase to a folder, and returns the flags of its migration.
func leavingFirebase(t *testing.T) []string {
	t.Helper()
	az, store := authztest.Open(t, authz.RulesetsOptions{})
	users := service.New(service.Options{Accounts: account.New(store), Tokens: token.New(token.Options{Unsigned: true}), Project: "elsewhere"})
	db := resource.Database{Project: "elsewhere", ID: resource.DefaultDatabase}
	for from := 0; from < migratedDocuments; from += 500 {
		var c request.Commit
		for i := from; i < from+500; i++ {
			c.Writes = append(c.Writes, document.Write{Name: resource.Document{DB: db, Path: fmt.Sprintf("rooms/%d", i)}, Fields: value.Map{"kind": value.String("a"), "n": value.Int(i)}})
		}
		if _, err := az.Commit(t.Context(), token.Caller{Privileged: true, Project: db.Project}, db, c); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "2026-11-01")
	if _, err := transfer.New(transfer.Options{Authorizer: az, Identity: users, Project: db.Project}).ExportDocuments(t.Context(), db, folder, transfer.Selection{}); err != nil {
		t.Fatal(err)
	}
	flags := []string{folder, "--project", harness.RealProject}
	for _, file := range []struct{ flag, text string }{
		{"--users", migratedUsers}, {"--hash-config", migratedHash}, {"--rules", harness.ProductionRules}, {"--indexes-file", migratedIndexes},
	} {
		path := filepath.Join(dir, strings.TrimPrefix(file.flag, "--")+".json")
		harness.WriteFile(t, path, file.text)
		flags = append(flags, file.flag, path)
	}
	return flags
}

// TestMigrateFromFirebase migrates a project with the built program, which is killed meanwhile. The same command
// finishes it, and the server has the data, the accounts, the rules and the indexes.
func TestMigrateFromFirebase(t *testing.T) {
	harness.Alone(t, "a migration on PostgreSQL needs that no node runs")
	dir := t.TempDir()
	data := filepath.Join(dir, ".clave")
	flags := append([]string{"migrate", "from-firebase", "--json"}, leavingFirebase(t)...)
	run := func(more ...string) (r migrate.Report, problems string, err error) {
		t.Helper()
		cmd := harness.Command(t, dir, append(flags, more...)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if len(out) > 0 && json.Unmarshal(out, &r) != nil {
			t.Fatalf("the report is %s", out)
		}
		return r, stderr.String(), err
	}
	if r, problems, err := run("--check"); err != nil || r.State != migrate.Checked || r.Documents != migratedDocuments {
		t.Fatalf("check: %+v, %v %s", r, err, problems)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("--check made a data folder")
	}
	cmd := harness.Command(t, dir, flags...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the migration has begun", func() bool {
		_, err := os.Stat(filepath.Join(data, "migration.json"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // It was killed, or has just ended.
	if _, err := os.Stat(filepath.Join(data, "importing")); err == nil {
		out, err := harness.Command(t, dir, "start", "--project", harness.RealProject, "--data", data).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "clave migrate from-firebase again") {
			t.Errorf("a server on incomplete data: %v %s", err, out)
		}
	}
	r, problems, err := run("--progress")
	if err != nil || r.State != migrate.Finished && r.State != migrate.FinishedBefore || r.Documents != migratedDocuments || r.Accounts != 1 {
		t.Fatalf("the next run: %+v, %v %s", r, err, problems)
	}
	if again, problems, err := run(); err != nil || again.State != migrate.FinishedBefore || again.Documents != migratedDocuments {
		t.Errorf("again: %+v, %v %s", again, err, problems)
	}
	if out, err := harness.Command(t, dir, "verify", data, "--rebuild-indexes", "--progress").CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprint(migratedDocuments, " documents")) {
		t.Errorf("verify: %v %s", err, out)
	}
	p := harness.Serve(t, dir, true)
	if code, answer := p.Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithPassword")+"?key=k", "",
		map[string]any{"email": "one@example.org", "password": "user1password", "returnSecureToken": true}); code != 200 {
		t.Errorf("sign-in: %d %v", code, answer)
	}
	if out, err := harness.Command(t, dir, "verify", data, "--rebuild-indexes").CombinedOutput(); err == nil || !strings.Contains(string(out), "another clave uses this data folder") {
		t.Errorf("a rebuild beside a running server: %v %s", err, out)
	}
	back := filepath.Join(dir, "back")
	if out, err := harness.Command(t, dir, "migrate", "to-firebase", back, "--project", harness.RealProject).CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("finished: %d documents, 1 accounts", migratedDocuments)) {
		t.Errorf("back to Firebase: %v %s", err, out)
	}
	p.Stop(t)
}

// TestMigrateToPostgreSQL migrates exports of a project into a store on PostgreSQL with the built program, which is
// killed meanwhile. The same command finishes it, and a node that serves the store has the accounts. The store is
// verified and written back, and a removed record is found.
func TestMigrateToPostgreSQL(t *testing.T) {
	harness.Alone(t, "a migration on PostgreSQL needs that no node runs")
	dir, pg := t.TempDir(), pgtest.New(t)
	store := pg.Database()
	flags := append([]string{"migrate", "from-firebase", "--json", "--store", store}, leavingFirebase(t)...)
	cmd := harness.Command(t, dir, flags...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the migration has begun", func() bool {
		_, err := os.Stat(filepath.Join(dir, ".clave", "migration.json"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // It was killed, or has just ended.
	var r migrate.Report
	out, err := harness.Command(t, dir, flags...).Output()
	if err != nil || json.Unmarshal(out, &r) != nil || r.State != migrate.Finished && r.State != migrate.FinishedBefore || r.Documents != migratedDocuments || r.Accounts != 1 {
		t.Fatalf("the next run: %+v, %v %s", r, err, out)
	}
	for _, s := range r.Sides {
		if s.Target == nil || *s.Target != s.Source {
			t.Errorf("%+v differs from %+v", s, s.Target)
		}
	}
	p := harness.Serve(t, dir, true, "--store", store)
	if code, answer := p.Request(t, http.MethodPost, harness.ToolkitPath("accounts:signInWithPassword")+"?key=k", "",
		map[string]any{"email": "one@example.org", "password": "user1password", "returnSecureToken": true}); code != 200 {
		t.Errorf("sign-in: %d %v", code, answer)
	}
	if out, err := harness.Command(t, t.TempDir(), "verify", "--store", store).CombinedOutput(); err == nil || !strings.Contains(string(out), "serving this database") {
		t.Errorf("verify beside a node: %v %s", err, out)
	}
	const address, named = "one@example.org", " from clave_state where position(convert_to($1, 'UTF8') in key) > 0"
	wait.Until(t, "the records of the address are in the state", func() bool { return pg.Number(store, "select count(*)"+named, address) > 0 })
	p.Stop(t)
	wantVerified(t, store, fmt.Sprint(migratedDocuments, " documents"))
	back := filepath.Join(dir, "back")
	if out, err := harness.Command(t, dir, "migrate", "to-firebase", back, "--store", store, "--project", harness.RealProject).CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("finished: %d documents, 1 accounts", migratedDocuments)) {
		t.Errorf("back to Firebase: %v %s", err, out)
	}
	pg.Exec(store, "delete"+named, address)
	if out, err := harness.Command(t, t.TempDir(), "verify", "--store", store).CombinedOutput(); err == nil || !strings.Contains(string(out), "damaged") || !strings.Contains(string(out), "one") {
		t.Errorf("verify of a damaged store: %v %s", err, out)
	}
}
