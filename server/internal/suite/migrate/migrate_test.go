package migrate_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/database/index"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/suite/migrate"
	"clave/server/internal/suite/transfer"
)

// project is the tests' project.
const project = "demo-migrate"

// suiteFolder is an export that the Emulator Suite wrote.
const suiteFolder = "../transfer/testdata/suite"

// site is a server in memory without transports, with a data folder for the journal and the marker.
type site struct {
	t *testing.T
	*transfer.Transfer
	authorizer *authz.Authorizer
	dir        string
}

// newSite returns a site without data.
func newSite(t *testing.T) *site {
	t.Helper()
	az, store := authztest.Open(t, authz.RulesetsOptions{})
	users := service.New(service.Options{Accounts: account.New(store), Tokens: token.New(token.Options{Unsigned: true}), Project: project, Emulator: true, HashMemCost: 4})
	s := &site{t: t, authorizer: az, dir: t.TempDir()}
	s.Transfer = transfer.New(transfer.Options{Authorizer: az, Identity: users, Project: project, Marker: s.marker()})
	return s
}

// marker is the path of the marker of incomplete data.
func (s *site) marker() string { return filepath.Join(s.dir, "importing") }

// marked reports whether the data are marked as incomplete.
func (s *site) marked() bool {
	_, err := os.Stat(s.marker())
	return err == nil
}

// put stores n documents.
func (s *site) put(n int) {
	s.t.Helper()
	db := resource.Database{Project: project, ID: resource.DefaultDatabase}
	for from := 0; from < n; from += 500 {
		var c request.Commit
		for i := from; i < min(n, from+500); i++ {
			c.Writes = append(c.Writes, document.Write{Name: resource.Document{DB: db, Path: fmt.Sprintf("rooms/%06d", i)}, Fields: value.Map{"n": value.Int(i)}})
		}
		if _, err := s.authorizer.Commit(s.t.Context(), token.Caller{Privileged: true, Project: project}, db, c); err != nil {
			s.t.Fatal(err)
		}
	}
}

// migrate migrates a source. change changes the options.
func (s *site) migrate(source transfer.Source, change ...func(*migrate.Options)) (*migrate.Report, error) {
	s.t.Helper()
	return s.migrateUntil(s.t.Context(), source, change...)
}

// migrateUntil migrates a source until a context ends.
func (s *site) migrateUntil(ctx context.Context, source transfer.Source, change ...func(*migrate.Options)) (*migrate.Report, error) {
	s.t.Helper()
	o := migrate.Options{
		Transfer: s.Transfer, Source: source, Project: project, Dir: s.dir, Clock: clock.System(),
		Place: func() ([]string, error) { return nil, nil }, Progress: func(_, _ int64) {},
	}
	for _, f := range change {
		f(&o)
	}
	return migrate.FromFirebase(ctx, o)
}

// TestMigrations moves an export, moves it again, and changes its source.
func TestMigrations(t *testing.T) {
	s := newSite(t)
	checked, err := s.migrate(transfer.Source{Folder: suiteFolder}, func(o *migrate.Options) { o.Check = true })
	if err != nil || checked.State != migrate.Checked || checked.Documents != 4 || s.Changed() {
		t.Fatalf("check: %+v, %v; changed: %v", checked, err, s.Changed())
	}
	r, err := s.migrate(transfer.Source{Folder: suiteFolder})
	if err != nil || r.State != migrate.Finished || r.Documents != 4 || r.Accounts != 3 || s.marked() {
		t.Fatalf("migrate: %+v, %v; marked: %v", r, err, s.marked())
	}
	for _, side := range r.Sides {
		if side.Target == nil || *side.Target != side.Source {
			t.Errorf("%+v differs from the source", side)
		}
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "documents of (default): all ") || !strings.Contains(text.String(), "accounts of tenant school") ||
		!strings.Contains(text.String(), "not moved: secrets of identity providers") || !strings.Contains(text.String(), "finished: 4 documents, 3 accounts") {
		t.Errorf("the report is %q, %v", &text, err)
	}
	if err := os.WriteFile(s.marker(), nil, 0o600); err != nil { // as if the first run had been killed at its very end
		t.Fatal(err)
	}
	if r, err := s.migrate(transfer.Source{Folder: suiteFolder}); err != nil || r.State != migrate.FinishedBefore || r.Documents != 4 || s.marked() {
		t.Errorf("again: %+v, %v; marked: %v", r, err, s.marked())
	}
	if _, err := s.migrate(transfer.Source{Folder: suiteFolder + "/firestore_export"}); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "this source is another") {
		t.Errorf("another source: %v", err)
	}
}

// TestMigrationsNeedAnEmptyTarget migrates to a project with data.
func TestMigrationsNeedAnEmptyTarget(t *testing.T) {
	s := newSite(t)
	s.put(1)
	if _, err := s.migrate(transfer.Source{Folder: suiteFolder}); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "there are data of project") {
		t.Errorf("a project with data: %v", err)
	}
	if _, err := newSite(t).migrate(transfer.Source{}); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("no source: %v", err)
	}
}

// TestAnInterruptedMigration interrupts a migration after a part of its documents. The next run continues it: it writes
// only the rest, and both sides are the same.
func TestAnInterruptedMigration(t *testing.T) {
	const documents = 11_000
	from := newSite(t)
	from.put(documents)
	folder := filepath.Join(t.TempDir(), "export")
	if _, err := from.Export(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	s, source := newSite(t), transfer.Source{Folder: folder}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, err := s.migrateUntil(ctx, source, func(o *migrate.Options) {
		o.Progress = func(done, _ int64) {
			if done > documents/2 {
				stop()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || r.State == migrate.Finished || !s.marked() {
		t.Fatalf("the interrupted run: %+v, %v; marked: %v", r, err, s.marked())
	}
	first := int64(0)
	r, err = s.migrate(source, func(o *migrate.Options) {
		o.Progress = func(done, _ int64) { first = cmp.Or(first, done) }
	})
	if err != nil || r.State != migrate.Finished || r.Documents != documents || s.marked() {
		t.Fatalf("the next run: %+v, %v; marked: %v", r, err, s.marked())
	}
	if r.Continued == 0 || first <= r.Continued {
		t.Errorf("the next run continued after %d documents and wrote from %d on", r.Continued, first)
	}
}

// TestRefusedOfAMigration migrates accounts of which one is refused.
func TestRefusedOfAMigration(t *testing.T) {
	users := filepath.Join(t.TempDir(), "users.json")
	if err := os.WriteFile(users, []byte(`{"users": [{"localId": "one", "email": "one@example.org"}, {"localId": "two", "email": "no address"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, source := newSite(t), transfer.Source{UsersFile: users}
	r, err := s.migrate(source)
	if !fault.Is(err, fault.InvalidArgument) || r == nil || r.RefusedNumber != 1 || r.Refused[0].Name != "two" || s.Changed() {
		t.Errorf("migrate: %+v, %v; want the refused account and no change", r, err)
	}
	r, err = s.migrate(source, func(o *migrate.Options) { o.SkipRefused = true })
	if err != nil || r.Accounts != 1 || r.RefusedNumber != 1 || r.State != migrate.Finished {
		t.Errorf("migrate the others: %+v, %v", r, err)
	}
}

// TestMissingIndexes finds the indexes that recorded queries need.
func TestMissingIndexes(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "recording.jsonl")
	query := func(field string) string {
		return `{"id": "q", "auth": null, "docs": {}, "op": {"method": "list", "query": {"from": [{"collectionId": "rooms"}],
			"where": {"fieldFilter": {"field": {"fieldPath": "kind"}, "op": "EQUAL", "value": {"stringValue": "a"}}},
			"orderBy": [{"field": {"fieldPath": "` + field + `"}}]}}, "expect": "allow"}` + "\n"
	}
	lines := query("n") + query("m") + query("m") + `{"id": "g", "auth": null, "docs": {}, "op": {"method": "get", "path": "a/b"}, "expect": "allow"}`
	if err := os.WriteFile(recording, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, err := migrate.MissingIndexes(recording, index.Definitions{})
	if err != nil || len(missing) != 2 || missing[0].Queries != 2 || !json.Valid(missing[0].Index) {
		t.Fatalf("without indexes: %+v, %v", missing, err)
	}
	defs, _, err := index.ParseDefinitions([]byte(`{"indexes": [` + string(missing[0].Index) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	rest, err := migrate.MissingIndexes(recording, defs)
	if err != nil || len(rest) != 1 || string(rest[0].Index) != string(missing[1].Index) {
		t.Errorf("with the first index: %+v, %v", rest, err)
	}
	if err := os.WriteFile(recording, []byte(`{"op": {"query": 1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.MissingIndexes(recording, defs); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("a wrong recording: %v", err)
	}
}

// TestFilesOfAMigration places rules and indexes where there is no firebase.json, and where there is one.
func TestFilesOfAMigration(t *testing.T) {
	given, root := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rules := write(filepath.Join(given, "my.rules"), "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents/{a=**} { allow read; } }")
	indexes := write(filepath.Join(given, "my.json"), `{"indexes": []}`)
	files := func(config string, named ...projectfiles.Project) *migrate.Files {
		p := &projectfiles.Project{ID: project}
		if len(named) > 0 {
			p.Databases = named[0].Databases
		}
		return &migrate.Files{Root: root, Config: config, Project: p, Given: []migrate.Given{
			{Database: resource.DefaultDatabase, Rules: migrate.GivenFile{Path: rules}, Indexes: migrate.GivenFile{Path: indexes}},
		}}
	}
	for range 2 { // The second run of a migration finds what the first has written.
		f := files("")
		if err := f.Read(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Place(); err != nil || len(f.Remarks()) > 0 {
			t.Fatal(err, f.Remarks())
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "firebase.json"))
	if err != nil || !strings.Contains(string(text), `"rules": "firestore.rules"`) || !strings.Contains(string(text), `"indexes": "firestore.indexes.json"`) {
		t.Errorf("firebase.json is %s, %v", text, err)
	}
	write(filepath.Join(root, "firestore.rules"), "others")
	if err := files("").Read(); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "differs from") {
		t.Errorf("other rules are there: %v", err)
	}
	if err := files(filepath.Join(root, "firebase.json")).Read(); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "does not name the file of --rules") {
		t.Errorf("a firebase.json without the database: %v", err)
	}
	write(rules, "service cloud.firestore {")
	root = t.TempDir()
	if err := files("").Read(); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("wrong rules: %v", err)
	}
	rules, indexes = "", ""
	if f := files(""); f.Read() != nil || len(f.Remarks()) != 2 {
		t.Errorf("without files: %v, remarks %q", f.Read(), f.Remarks())
	}
}

// TestAReportControlsNoTerminal prints a report with names that clients have chosen.
func TestAReportControlsNoTerminal(t *testing.T) {
	const hostile = "a\x1b]0;title\a\n\u009b2Jb"
	var out strings.Builder
	r := &migrate.Report{
		Sides:   []migrate.Sides{{Kind: transfer.KindDocuments, Database: "p/d", Name: hostile}, {Kind: transfer.KindAccounts, Name: hostile}},
		Refused: []transfer.Refused{{Kind: transfer.KindDocuments, Name: hostile, Reason: hostile}}, RefusedNumber: 1, NotMoved: []string{hostile},
	}
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) || strings.Count(text, "2Jb") != 5 || strings.Count(text, "\n") != 6 {
		t.Errorf("the report is\n%q", text)
	}
}

// TestToFirebase writes a project in the forms of Firebase, and migrates them again.
func TestToFirebase(t *testing.T) {
	s, dir := newSite(t), filepath.Join(t.TempDir(), "back")
	if _, err := s.migrate(transfer.Source{Folder: suiteFolder}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // The second time, the folder has the first export.
		r, err := migrate.ToFirebase(t.Context(), migrate.ToOptions{Transfer: s.Transfer, Project: project, Dir: dir, Clock: clock.System()})
		if err != nil || r.State != migrate.Finished || r.Documents != 4 || r.Accounts != 3 {
			t.Fatalf("to Firebase: %+v, %v", r, err)
		}
	}
	var users struct{ Users []map[string]any }
	text, err := os.ReadFile(filepath.Join(dir, "users.json"))
	if err != nil || json.Unmarshal(text, &users) != nil || len(users.Users) != 2 {
		t.Fatalf("users.json is %s, %v", text, err)
	}
	accepted := strings.Fields("localId email emailVerified passwordHash salt displayName photoUrl createdAt lastSignedInAt providerUserInfo phoneNumber disabled customAttributes mfaInfo")
	for _, u := range users.Users {
		for name := range u {
			if !slices.Contains(accepted, name) {
				t.Errorf("the Firebase CLI refuses the member %s of %v", name, u)
			}
		}
		for _, name := range []string{"passwordHash", "salt"} {
			if hash, ok := u[name].(string); ok {
				if _, err := base64.StdEncoding.DecodeString(hash); err != nil {
					t.Errorf("%s of %v: %v", name, u["localId"], err)
				}
			}
		}
	}
	script, err := os.ReadFile(filepath.Join(dir, "import.sh"))
	for _, want := range []string{"gcloud firestore import \"gs://$bucket/\"'firestore_export' --database='(default)'", "firebase auth:import 'users.json' --hash-algo='SCRYPT' --hash-key='", "# users-2.json has 1 accounts of a tenant"} {
		if err != nil || !strings.Contains(string(script), want) {
			t.Errorf("import.sh misses %q: %s, %v", want, script, err)
		}
	}
	again := newSite(t)
	r, err := again.migrate(transfer.Source{Folder: filepath.Join(dir, "firestore_export"), UsersFile: filepath.Join(dir, "users.json")})
	if err != nil || r.Documents != 4 || r.Accounts != 2 {
		t.Errorf("from what Firebase imports: %+v, %v", r, err)
	}
}
