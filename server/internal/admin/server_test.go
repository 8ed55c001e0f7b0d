package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/admin"
	"clave/server/internal/admin/deployapi"
	"clave/server/internal/admin/firestoreadmin"
	"clave/server/internal/admin/hostingapi"
	"clave/server/internal/admin/project"
	"clave/server/internal/admin/route"
	"clave/server/internal/admin/rulesapi"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/console/audit"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/database/listen"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/model/resource"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/schedule"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/release"
	"clave/server/internal/suite/transfer"
	"clave/server/internal/transport/hosting/versions"
)

// accounts identifies callers by words in place of tokens: those of roles, and two owners.
type accounts struct{}

// Account implements admin.Accounts.
func (accounts) Account(_ context.Context, authorization, project string) (token.Caller, error) {
	word := strings.TrimPrefix(authorization, "Bearer ")
	role := token.Owner
	if slices.Contains(token.Roles, token.Role(word)) {
		role = token.Role(word)
	}
	switch {
	case word == "other" && project == "other":
		return token.Caller{Role: token.Owner, Project: project, Service: "deployer@other"}, nil
	case word != "deployer" && string(role) != word:
		return token.Caller{}, fault.E(fault.Unauthenticated, "Missing or invalid authentication.")
	case project != "p":
		return token.Caller{}, fault.Denied()
	}
	return token.Caller{Role: role, Project: project, Service: word + "@p"}, nil
}

// server is a server with the store in memory.
type server struct {
	t         *testing.T
	store     *pebble.Store
	engine    *engine.Engine
	documents *authz.Authorizer
	http      *admin.Server
	audit     *audit.Log
	apis      *firestoreadmin.API
	site      *versions.Site
	// fails makes deletions of databases fail when their data are to be removed.
	fails *atomic.Bool
	// refuses makes the store refuse releases. dropped, unless nil, is called after the data of a database were removed.
	refuses *atomic.Bool
	dropped func()
	// cloned is the time as of which a database was cloned, and copied, unless nil, is called when a clone is complete.
	cloned time.Time
	copied func()
	// backup is the store of the backups, and restoring, unless nil, is called with the progress of a restoration.
	backup    *pebble.Store
	restoring func(percent int64)
	// planned are the schedules of databases.
	planned []series.Daily
	// exports is the folder of exports. reported, unless nil, is called with the progress of exports and imports.
	exports  string
	reported func(transfer.Progress)
}

// routes returns all routes, which a test must not call.
func routes() []route.Route {
	return admin.Join(project.API{Site: "p"}.Routes(), rulesapi.New(rulesapi.Options{}).Routes(), (&firestoreadmin.API{}).Routes(), hostingapi.New(hostingapi.Options{}).Routes(), deployapi.API{}.Routes())
}

// open opens a server on a store, with the rules of its firebase.json.
func open(t *testing.T, st *pebble.Store) *server {
	t.Helper()
	return openWith(t, st, nil)
}

// again opens a server on the store and the folder of exports of this one, as after a restart.
func (s *server) again() *server {
	s.t.Helper()
	return openAt(s.t, s.store, nil, s.exports)
}

// openWith opens a server with backups.
func openWith(t *testing.T, st *pebble.Store, backups firestoreadmin.Backups) *server {
	t.Helper()
	return openAt(t, st, backups, t.TempDir())
}

// watched are transfers that call reported of the server.
type watched struct {
	*transfer.Transfer
	s *server
}

// ExportDocuments implements firestoreadmin.Transfers.
func (w watched) ExportDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) (int64, error) {
	return w.Transfer.ExportDocuments(ctx, db, dir, w.watch(sel))
}

// LoadDocuments implements firestoreadmin.Transfers.
func (w watched) LoadDocuments(ctx context.Context, db resource.Database, dir string, sel transfer.Selection) error {
	return w.Transfer.LoadDocuments(ctx, db, dir, w.watch(sel))
}

// watch returns a selection with reports to the server.
func (w watched) watch(sel transfer.Selection) transfer.Selection {
	report := sel.Report
	sel.Report = func(p transfer.Progress) error {
		err := report(p)
		if w.s.reported != nil {
			w.s.reported(p)
		}
		return err
	}
	return sel
}

// refusing is a store that refuses writes on demand.
type refusing struct {
	*pebble.Store
	refuses *atomic.Bool
}

// Apply implements store.Store.
func (r refusing) Apply(ctx context.Context, b *store.Batch) error {
	if r.refuses.Load() {
		return errors.New("a full disk")
	}
	return r.Store.Apply(ctx, b)
}

// openAt opens a server with backups and a folder of exports.
func openAt(t *testing.T, st *pebble.Store, backups firestoreadmin.Backups, exports string) *server {
	t.Helper()
	s := &server{}
	made, fails, refuses := &release.Live{}, &atomic.Bool{}, &atomic.Bool{}
	databases := []string{"(default)", "second"}
	all := func() []string { return append(slices.Clone(databases), made.IDs(false)...) }
	files := &projectfiles.Project{ID: "p", Databases: []release.Paths{{ID: "(default)"}, {ID: "second"}}, Made: made, Production: true, Notices: io.Discard}
	e, err := engine.Open(t.Context(), engine.Options{
		Store: st, Exists: func(db resource.Database) bool { return slices.Contains(all(), db.ID) },
		Gone: func(db resource.Database) bool { return slices.Contains(made.IDs(true), db.ID) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	log := slog.New(slog.DiscardHandler)
	begun, err := releases.Begin(st, files, "test", true, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r, err := releases.Open(t.Context(), releases.Options{Project: files, Store: refusing{st, refuses}, Engine: e, Rulesets: authz.NewRulesets(authz.RulesetsOptions{}), Clock: clock.System(), Log: log}, begun)
	if err != nil {
		t.Fatal(err)
	}
	record, err := audit.Open(audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hub, err := listen.New(listen.Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	documents, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: authz.NewRulesets(authz.RulesetsOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := schedule.LoadPlan(st, func(more []series.Daily) { s.planned = more })
	if err != nil {
		t.Fatal(err)
	}
	api, err := firestoreadmin.New(t.Context(), firestoreadmin.Options{
		Project: "p", Databases: databases, Made: made, Backups: backups, Enterprise: func(id string) bool {
			of, _ := made.Of(id)
			return of.Enterprise
		}, Stored: func(id string) bool { return slices.Contains(e.Databases(), resource.Database{Project: "p", ID: id}) }, Drop: func(ctx context.Context, id string) error {
			if fails.Load() {
				return errors.New("a full disk")
			}
			err := e.Drop(ctx, resource.Database{Project: "p", ID: id})
			if s.dropped != nil {
				s.dropped()
			}
			return err
		}, Documents: documents, Exports: exports, Transfers: watched{transfer.New(transfer.Options{Authorizer: documents, Project: "p"}), s}, Releases: r, Store: st, Clock: clock.System(), Log: log,
		Window: 7 * 24 * time.Hour, Earliest: func(string) time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC) },
		Schedules: plan, Plan: firestoreadmin.Plan{Every: 6 * time.Hour, Keep: series.Keep{Days: 7, Weeks: 4}},
		Copied: func(id string) (index.Definitions, error) {
			return e.Definitions(resource.Database{Project: "p", ID: id})
		},
		Restore: func(ctx context.Context, r firestoreadmin.Restoration) error { return s.restoreFrom(ctx, r) },
		Clone: func(ctx context.Context, from, to string, at time.Time) error {
			s.cloned = at // the tests' databases are younger
			_, err := e.Clone(ctx, resource.Database{Project: "p", ID: from}, resource.Database{Project: "p", ID: to}, 0)
			if err == nil && s.copied != nil {
				s.copied()
			}
			return err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rules := rulesapi.New(rulesapi.Options{Databases: all, Releases: r, Store: st, Clock: clock.System()})
	site, err := versions.Open(versions.Options{Folder: t.TempDir(), ID: "p"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	*s = server{
		t: t, store: st, planned: s.planned, engine: e, documents: documents, audit: record, apis: api, site: site, fails: fails, refuses: refuses, exports: exports,
		http: admin.New(admin.Options{Project: "p", Number: project.Number("p"), Accounts: accounts{}, Routes: admin.Join(project.API{Site: "p"}.Routes(), rules.Routes(), api.Routes(), hostingOf(site).Routes(), deployapi.API{Releases: r}.Routes()), Audit: record, Log: log}),
	}
	return s
}

// memory returns a store in memory.
func memory(t *testing.T) *pebble.Store {
	t.Helper()
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// call sends a request and returns its status and response. words are its method and path.
func (s *server) call(bearer, words, body string) (int, string) {
	s.t.Helper()
	method, path, _ := strings.Cut(words, " ")
	r := httptest.NewRequest(method, "http://127.0.0.1:4001"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+bearer)
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// want sends a request and checks its status and that the response contains a text.
func (s *server) want(status int, words, body, text string) string {
	s.t.Helper()
	code, got := s.call("deployer", words, body)
	if code != status || !strings.Contains(got, text) {
		s.t.Errorf("%s %s: %d %s, want %d with %s", words, body, code, got, status, text)
	}
	return got
}

// settle does the operations that have begun.
func (s *server) settle(name string) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.apis.Run(ctx) }()
	for ctx.Err() == nil {
		if code, got := s.call("deployer", "GET /v1/"+name, ""); code == http.StatusOK && strings.Contains(got, `"done":true`) {
			break
		}
		if err := clock.Sleep(ctx, clock.System(), time.Millisecond); err != nil {
			s.t.Error("the operation did not end")
		}
	}
	stop()
	if err := <-ended; err != nil {
		s.t.Error(err)
	}
}

// The rules of the tests, with and without an error.
const (
	good = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{x} { allow read: if true; } } }`
	bad  = "service cloud.firestore {\n  match /a/{x} { allow read if true; }\n}"
)

// asSource returns a body with rules.
func asSource(t *testing.T, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"source": map[string]any{"files": []any{map[string]any{"name": "firestore.rules", "content": text}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// field returns a member of a response.
func field(t *testing.T, text, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, _ := all[name].(string)
	return out
}

// TestRules checks, uploads and releases rules as the Firebase CLI does, and refuses what can't be.
func TestRules(t *testing.T) {
	s := open(t, memory(t))
	s.want(200, "POST /v1/projects/p:test", asSource(t, good), "{}")
	s.want(200, "POST /v1/projects/p:test", asSource(t, bad), `{"issues":[{"sourcePosition":{"fileName":"firestore.rules","line":2,`)
	s.want(400, "POST /v1/projects/p/rulesets", asSource(t, bad), `[E] 2:`)
	s.want(400, "POST /v1/projects/p/rulesets", `{"source":{"files":[]}}`, "has one file")
	s.want(200, "GET /v1/projects/p/releases?pageSize=10", "", "{}")
	first := field(t, s.want(200, "POST /v1/projects/p/rulesets", asSource(t, good), `"createTime"`), "name")
	release := `{"name":"projects/p/releases/cloud.firestore","rulesetName":"` + first + `"}`
	s.want(404, "PATCH /v1/projects/p/releases/cloud.firestore", `{"release":`+release+`}`, "NOT_FOUND")
	s.want(200, "POST /v1/projects/p/releases", release, first)
	s.want(409, "POST /v1/projects/p/releases", release, "ALREADY_EXISTS")
	s.want(404, "POST /v1/projects/p/releases", `{"name":"projects/p/releases/cloud.firestore","rulesetName":"projects/p/rulesets/none"}`, "rulesets/none")
	second := field(t, s.want(200, "POST /v1/projects/p/rulesets", asSource(t, good+"\n"), `"firestore.rules"`), "name")
	s.want(200, "PATCH /v1/projects/p/releases/cloud.firestore", `{"release":{"name":"projects/p/releases/cloud.firestore","rulesetName":"`+second+`"}}`, second)
	s.want(200, "GET /v1/projects/p/releases/cloud.firestore", "", second)
	s.want(200, "GET /v1/projects/p/releases?filter=name=projects/p/releases/cloud*", "", second)
	s.want(200, "GET /v1/"+second, "", "allow read: if true")
	s.want(400, "DELETE /v1/"+second, "", "is referenced by a release")
	s.want(200, "DELETE /v1/"+first, "", "{}")
	s.want(404, "GET /v1/"+first, "", "NOT_FOUND")
	s.want(404, "PATCH /v1/projects/p/releases/cloud.firestore/third", `{"release":{"name":"projects/p/releases/cloud.firestore/third","rulesetName":"`+second+`"}}`, "firebase.json")
	s.want(200, "POST /v1/projects/p/releases", `{"name":"projects/p/releases/cloud.firestore/second","rulesetName":"`+second+`"}`, second)
	s.want(501, "GET /v1/projects/p/releases/firebase.storage/b", "", "UNIMPLEMENTED")

	again := open(t, s.store) // as after a restart
	again.want(200, "GET /v1/projects/p/releases/cloud.firestore", "", second)
	again.want(200, "GET /v1/projects/p/rulesets", "", second)
}

// TestCasesOfProjectsTest runs test cases of projects.test: both expectations with both decisions, with documents that
// the rules read, and cases that the server refuses.
func TestCasesOfProjectsTest(t *testing.T) {
	s := open(t, memory(t))
	const text = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
		match /notes/{id} {
			allow get: if resource.data.owner == request.auth.uid;
			allow create: if request.resource.data.size == 3 && get(/databases/$(d)/documents/users/$(request.auth.uid)).data.role == 'editor';
			allow delete: if exists(/databases/$(d)/documents/admins/$(request.auth.uid)) && request.time < timestamp.date(2026, 1, 1);
		} } }`
	run := func(cases ...string) string {
		t.Helper()
		body := strings.TrimSuffix(asSource(t, text), "}") + `,"testSuite":{"testCases":[` + strings.Join(cases, ",") + `]}}`
		_, got := s.call("deployer", "POST /v1/projects/p:test", body)
		return got
	}
	const path = `"path":"/databases/(default)/documents/notes/one"`
	const get = `"request":{"auth":{"uid":"ann"},"method":"get",` + path + `},"resource":{"data":{"owner":"ann"}}`
	const create = `"request":{"auth":{"uid":"ann","token":{}},"method":"create",` + path + `,"resource":{"data":{"size":3}}}`
	const remove = `"request":{"auth":{"uid":"ann"},"method":"delete",` + path + `,"time":"2025-12-31T00:00:00Z"},"resource":{"data":{}}`
	const editor = `"functionMocks":[{"function":"get","args":[{"exactValue":"/databases/(default)/documents/users/ann"}],"result":{"value":{"data":{"role":"editor"}}}}]`
	for _, tt := range []struct{ name, one, want string }{
		{"allowed as expected", `{"expectation":"ALLOW",` + get + `}`, `{"testResults":[{"state":"SUCCESS"}]}`},
		{"allowed against the expectation", `{"expectation":"DENY",` + get + `}`, `"state":"FAILURE","debugMessages":["The request was allowed."]`},
		{"another user", `{"expectation":"DENY",` + strings.Replace(get, "ann", "eve", 1) + `}`, `"state":"SUCCESS"`},
		{"another user against the expectation", `{"expectation":"ALLOW",` + strings.Replace(get, "ann", "eve", 1) + `}`, `false for 'get' @ L3`},
		{"a mock of get", `{"expectation":"ALLOW",` + create + `,` + editor + `}`, `"state":"SUCCESS"`},
		{"a mock of get for all paths", `{"expectation":"ALLOW",` + create + `,` + strings.Replace(editor, `"exactValue":"/databases/(default)/documents/users/ann"`, `"anyValue":{}`, 1) + `}`, `"state":"SUCCESS"`},
		{"a mock of another role", `{"expectation":"DENY",` + create + `,` + strings.Replace(editor, "editor", "reader", 1) + `}`, `"state":"SUCCESS"`},
		{"no mock", `{"expectation":"DENY",` + create + `}`, `documents/users/ann, for which the test case has no function mock.`},
		{"a mock of exists", `{"expectation":"ALLOW",` + remove + `,"functionMocks":[{"function":"exists","args":[{"anyValue":{}}],"result":{"value":true}}]}`, `"state":"SUCCESS"`},
		{"a mock of a missing document", `{"expectation":"DENY",` + remove + `,"functionMocks":[{"function":"exists","args":[{"anyValue":{}}],"result":{"value":false}}]}`, `"state":"SUCCESS"`},
		{"no expectation", `{` + get + `}`, `test_suite.test_cases[0]: expectation is`},
		{"a path of no document", `{"expectation":"DENY","request":{"method":"get","path":"/notes/one"}}`, `INVALID_ARGUMENT`},
		{"an unknown method", `{"expectation":"DENY","request":{"method":"read",` + path + `}}`, `INVALID_ARGUMENT`},
		{"a query", `{"expectation":"DENY","request":{"method":"list",` + path + `}}`, `UNIMPLEMENTED`},
		{"a mock of a function of the rules", `{"expectation":"DENY",` + get + `,"functionMocks":[{"function":"isOwner","args":[{"anyValue":{}}]}]}`, `UNIMPLEMENTED`},
		{"an unknown member", `{"expectation":"DENY","requests":{}}`, `Unknown name`},
	} {
		if got := run(tt.one); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := run(`{"expectation":"ALLOW",`+get+`}`, `{"expectation":"DENY",`+get+`}`); got != `{"testResults":[{"state":"SUCCESS"},{"state":"FAILURE","debugMessages":["The request was allowed."]}]}` {
		t.Errorf("two cases: %s", got)
	}
	if got := run(slices.Repeat([]string{`{"expectation":"ALLOW",` + get + `}`}, 501)...); !strings.Contains(got, "more than 500") {
		t.Errorf("501 cases: %.200s", got)
	}
}

// TestTheMostIndexes creates one composite index more than a database may have: with those of a release, and with one
// that waits.
func TestTheMostIndexes(t *testing.T) {
	s := open(t, memory(t))
	index := func(i int) string {
		return fmt.Sprintf(`{"collectionGroup":"g","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"f%d","order":"ASCENDING"}]}`, i)
	}
	var all []string
	for i := range 999 {
		all = append(all, index(i))
	}
	text, err := json.Marshal(`{"indexes":[` + strings.Join(all, ",") + `]}`)
	if err != nil {
		t.Fatal(err)
	}
	s.want(200, "POST /v1/projects/p:deploy", `{"files":{"second":{"indexes":{"name":"i.json","text":`+string(text)+`}}}}`, `"changed":true`)
	create := func(status, i int, text string) {
		t.Helper()
		s.want(status, "POST /v1/projects/p/databases/second/collectionGroups/g/indexes", strings.Replace(index(i), `"collectionGroup":"g",`, "", 1), text)
	}
	create(200, 999, "name")
	create(429, 1000, "The database has 1000 composite indexes, the maximum.")
}

// TestIndexes creates indexes and configurations of fields, before and after a restart, and deletes them.
func TestIndexes(t *testing.T) {
	s := open(t, memory(t))
	const indexes, fields = "/v1/projects/p/databases/(default)/collectionGroups/g/indexes", "/v1/projects/p/databases/(default)/collectionGroups/g/fields"
	const body = `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"},{"fieldPath":"__name__","order":"DESCENDING"}]}`
	s.want(200, "GET /v1/projects/p/databases/(default)/collectionGroups/-/indexes", "", "{}")
	operation := field(t, s.want(200, "POST "+indexes, body, `"state":"PROCESSING"`), "name")
	s.want(409, "POST "+indexes, body, "index already exists")
	s.want(200, "GET "+indexes, "", `"state":"CREATING"`)
	s.want(400, "POST "+indexes, `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"}]}`, "not necessary")
	s.want(400, "POST "+indexes, `{"queryScope":"COLLECTION","feilds":[]}`, `Unknown name \"feilds\"`)
	s.want(404, "POST /v1/projects/p/databases/third/collectionGroups/g/indexes", body, "NOT_FOUND")
	s.want(501, "POST "+indexes, `{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","searchConfig":{}}]}`, "searchConfig")
	s.want(200, "PATCH "+fields+"/until", `{"indexConfig":{"indexes":[]},"ttlConfig":{}}`, "FieldOperationMetadata")
	s.want(400, "PATCH "+fields+"/until?updateMask=indexes", `{}`, "field mask")
	last := field(t, s.want(200, "PATCH "+fields+"/list?updateMask=indexConfig", `{"indexConfig":{"indexes":[{"queryScope":"COLLECTION_GROUP","fields":[{"fieldPath":"list","arrayConfig":"CONTAINS"}]}]}}`, "name"), "name")

	s = open(t, s.store) // as after a kill before the operations were done
	s.want(200, "GET "+indexes, "", `"state":"CREATING"`)
	s.settle(last)
	s.want(200, "GET /v1/"+operation, "", `"state":"SUCCESSFUL"`)
	ready := s.want(200, "GET "+indexes, "", `"fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"},{"fieldPath":"__name__","order":"DESCENDING"}],"state":"READY"`)
	name := regexp.MustCompile(`projects/p/databases/\(default\)/collectionGroups/g/indexes/[^"]+`).FindString(ready)
	s.want(200, "GET /v1/"+name, "", name)
	const filter = "/v1/projects/p/databases/(default)/collectionGroups/-/fields?filter=indexConfig.usesAncestorConfig=false%20OR%20ttlConfig:*"
	s.want(200, "GET "+filter, "", `g/fields/until","indexConfig":{"indexes":[]},"ttlConfig":{"state":"ACTIVE"}`)
	s.want(200, "GET "+filter, "", `{"queryScope":"COLLECTION_GROUP","fields":[{"fieldPath":"list","arrayConfig":"CONTAINS"}],"state":"READY"}`)
	s.want(200, "GET "+fields+"/other", "", `"usesAncestorConfig":true`)
	s.settle(field(t, s.want(200, "PATCH "+fields+"/until", `{}`, "name"), "name"))
	if got := s.want(200, "GET "+filter, "", "g/fields/list"); strings.Contains(got, "until") {
		t.Errorf("after the reset of its field the configuration is still there: %s", got)
	}
	s.want(200, "DELETE /v1/"+name, "", "{}")
	s.want(404, "DELETE /v1/"+name, "", "not found")
	s.want(200, "GET "+indexes, "", "{}")
	s.want(200, "GET /v1/projects/p/databases/(default)/operations", "", operation)
	s.want(404, "GET /v1/projects/p/databases/(default)/operations/none", "", "NOT_FOUND")
}

// TestProject answers what the Firebase CLI asks before a deployment.
func TestProject(t *testing.T) {
	s := open(t, memory(t))
	s.want(200, "POST /v1/projects/p:testIamPermissions", `{"permissions":["firebase.projects.get"]}`, `{"permissions":["firebase.projects.get"]}`)
	s.want(200, "GET /v1/projects/p/services/127.0.0.1", "", "ENABLED")
	s.want(200, "GET /v1/projects/p/services/pubsub.googleapis.com", "", "DISABLED")
	s.want(400, "POST /v1/projects/p/services/pubsub.googleapis.com:enable", "", "FAILED_PRECONDITION")
	s.want(200, "POST /v1/projects/p/services/firestore.googleapis.com:enable", "", `"done":true`)
	s.want(200, "GET /v1beta1/projects/p", "", project.Number("p"))
	s.want(400, "POST /oauth2/v3/token", "", `exchanges no refresh tokens."`)
}

// TestRefused sends requests that no route serves, without a token, for another project, and with too large a body, and
// checks what the audit log has of them.
func TestRefused(t *testing.T) {
	s := open(t, memory(t))
	if code, got := s.call("another", "GET /v1/projects/p/databases", ""); code != 401 || !strings.Contains(got, "UNAUTHENTICATED") {
		t.Errorf("without a token: %d %s", code, got)
	}
	s.want(403, "GET /v1/projects/other/databases", "", "The caller does not have permission")
	s.want(400, "POST /v1/projects/p/rulesets", strings.Repeat(" ", 10<<20+1), "Request payload size exceeds the limit: 10485760 bytes.")
	s.want(501, "POST /v1/projects/p/databases/(default):exportEntities", "{}", "UNIMPLEMENTED")
	s.want(404, "GET /", "", "NOT_FOUND")
	entries, _, err := s.audit.Read(10, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Method+" "+e.Result)
	}
	slices.Sort(got)
	if want := []string{"firestore.admin.ListDatabases PERMISSION_DENIED", "rules.CreateRuleset INVALID_ARGUMENT"}; !slices.Equal(got, want) {
		t.Errorf("the audit log has %v, want %v", got, want)
	}
}

// TestTable compares the table of routes in administration.md with the routes: neither has one that the other lacks.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../doc/administration.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range routes() {
		want = append(want, "`"+r.Method+" "+strings.NewReplacer("{", "", "}", "", "...", "").Replace(r.Pattern)+"`")
	}
	got := regexp.MustCompile("(?m)^\\| (`[A-Z]+ /[^|]*`) \\|").FindAllStringSubmatch(string(text), -1)
	var listed []string
	for _, m := range got {
		listed = append(listed, m[1])
	}
	slices.Sort(want)
	slices.Sort(listed)
	if !slices.Equal(listed, want) {
		t.Errorf("administration.md has the routes\n%s\nand the code\n%s", strings.Join(listed, "\n"), strings.Join(want, "\n"))
	}
}

// TestRoles calls every method as service accounts with each role: those whose role lacks the permission of a route are
// refused before the request is read. It checks that no route lacks a permission, and what the roles may do.
func TestRoles(t *testing.T) {
	s := open(t, memory(t))
	variable := regexp.MustCompile(`\{[a-z.]+\}`)
	permitted := make(map[string][]token.Role)
	for _, r := range routes() {
		path := variable.ReplaceAllString(strings.Replace(r.Pattern, "{project}", "p", 1), "x")
		for _, role := range token.Roles {
			code, got := s.call(string(role), r.Method+" "+path, "not JSON")
			refused := code == http.StatusForbidden && strings.Contains(got, "The caller does not have permission")
			if refused == role.Permits(r.Permission) {
				t.Errorf("%s by %s: %d %s", r.Name, role, code, got)
			}
			if !refused && !slices.Contains(permitted[r.Name], role) { // a method may have two routes
				permitted[r.Name] = append(permitted[r.Name], role)
			}
		}
		if !strings.Contains(r.Permission, ".") {
			t.Errorf("%s has the permission %q", r.Name, r.Permission)
		}
	}
	for name, want := range map[string][]token.Role{
		"rules.UpdateRelease":                 {token.Owner, token.RulesAdmin},
		"firestore.admin.CreateIndex":         {token.Owner, token.DatastoreOwner, token.IndexAdmin},
		"firestore.admin.ListDatabases":       {token.Owner, token.DatastoreOwner, token.IndexAdmin, token.RulesAdmin, token.Viewer},
		"hosting.CreateRelease":               {token.Owner, token.HostingAdmin},
		"hosting.UploadFile":                  {token.Owner, token.HostingAdmin},
		"hosting.GetVersion":                  {token.Owner, token.HostingAdmin, token.Viewer},
		"firestore.admin.ExportDocuments":     {token.Owner, token.DatastoreOwner},
		"firestore.admin.ImportDocuments":     {token.Owner, token.DatastoreOwner},
		"firestore.admin.CloneDatabase":       {token.Owner, token.DatastoreOwner},
		"firestore.admin.DeleteBackup":        {token.Owner, token.DatastoreOwner},
		"firestore.admin.ListBackupSchedules": {token.Owner, token.DatastoreOwner, token.Viewer},
		"rules.GetRuleset":                    {token.Owner, token.RulesAdmin, token.Viewer},
	} {
		if !slices.Equal(permitted[name], want) {
			t.Errorf("%s is permitted to %v, want %v", name, permitted[name], want)
		}
	}
	code, got := s.call("viewer", "POST /v1/projects/p:testIamPermissions", `{"permissions":["datastore.indexes.create","datastore.indexes.list"]}`)
	if code != 200 || got != `{"permissions":["datastore.indexes.list"]}` {
		t.Errorf("the permissions of a viewer: %d %s", code, got)
	}
}

// TestOtherProjects calls every method as a service account of another project of the same store, in its own project:
// it would change the databases of the project that the server serves.
func TestOtherProjects(t *testing.T) {
	s := open(t, memory(t))
	variable := regexp.MustCompile(`\{[a-z.]+\}`)
	for _, r := range routes() {
		path := variable.ReplaceAllString(strings.Replace(r.Pattern, "{project}", "other", 1), "x")
		req := httptest.NewRequestWithContext(t.Context(), r.Method, path, strings.NewReader("{}"))
		req.Header.Set("Authorization", "Bearer other")
		w := httptest.NewRecorder()
		s.http.ServeHTTP(w, req)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s, want 403", r.Name, w.Code, w.Body)
		}
	}
}
