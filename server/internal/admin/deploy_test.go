package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"clave/server/internal/admin/deployapi"
	"clave/server/internal/store/release"
)

// TestDeploy releases rules and indexes of two databases as one change, as clave deploy does, and refuses what the role
// of the caller does not permit, and files with errors, of which nothing is released.
func TestDeploy(t *testing.T) {
	s := open(t, memory(t))
	const path = "POST /v1/projects/p:deploy"
	const indexes = `{"indexes":[{"collectionGroup":"g","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"ASCENDING"}]}]}`
	body := func(files map[string]deployapi.Database) string {
		t.Helper()
		text, err := json.Marshal(deployapi.Request{Files: files})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rules := func(text string) *deployapi.File { return &deployapi.File{Name: "firestore.rules", Text: text} }
	defined := &deployapi.File{Name: "firestore.indexes.json", Text: indexes}
	whole := body(map[string]deployapi.Database{"(default)": {Rules: rules(good), Indexes: defined}, "second": {Rules: rules(good + "\n")}})
	for caller, files := range map[string]map[string]deployapi.Database{
		"viewer": {"second": {Rules: rules(good)}}, "hosting-admin": {"second": {Rules: rules(good)}}, "index-admin": {"(default)": {Rules: rules(good), Indexes: defined}}, "rules-admin": {"(default)": {Rules: rules(good), Indexes: defined}},
	} {
		if code, got := s.call(caller, path, body(files)); code != 403 {
			t.Errorf("a deployment by %s: %d %s", caller, code, got)
		}
	}
	s.want(400, path, body(map[string]deployapi.Database{"(default)": {Rules: rules(good)}, "second": {Rules: rules(bad)}}), "2:")
	s.want(400, path, body(map[string]deployapi.Database{"(default)": {Rules: rules(good)}, "third": {Rules: rules(good)}}), "third")
	s.want(400, path, `{"files":{"(default)":{"rules":{"name":"a","text":"b","time":"2026-01-01T00:00:00Z"}}}}`, "Unknown name")
	s.want(400, path, `{"files":{"second":{}}}`, "has no file of the database")
	s.want(400, path, `{}`, "has no files")
	s.want(200, "GET /v1/projects/p/releases", "", "{}")
	s.want(200, path, whole, `"changed":true`)
	s.want(200, path, whole, `"changed":false`)
	s.want(200, "GET /v1/projects/p/releases", "", "cloud.firestore/second")
	s.want(200, "GET /v1/projects/p/databases/(default)/collectionGroups/g/indexes", "", `"state":"READY"`)
	if code, got := s.call("index-admin", path, body(map[string]deployapi.Database{"(default)": {Indexes: &deployapi.File{Name: "i.json", Text: `{"indexes":[]}`}}})); code != 200 {
		t.Errorf("a deployment of indexes by an index admin: %d %s", code, got)
	}
	s.want(200, "GET /v1/projects/p/databases/(default)/collectionGroups/g/indexes", "", "{}")
	again := open(t, s.store) // as after a restart
	again.want(200, "GET /v1/projects/p/releases/cloud.firestore/second", "", "cloud.firestore/second")
}

// TestDeploysAtOnce makes two deployments again and again at the same time, and reads the release in between: each time
// the rules and the indexes of all databases are those of one of them, also after a restart.
func TestDeploysAtOnce(t *testing.T) {
	s := open(t, memory(t))
	request := func(name string) string {
		t.Helper()
		rules := &deployapi.File{Name: "firestore.rules", Text: good + "\n// " + name}
		indexes := &deployapi.File{Name: "i.json", Text: `{"indexes":[{"collectionGroup":"` + name + `","queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"ASCENDING"}]}]}`}
		text, err := json.Marshal(deployapi.Request{Files: map[string]deployapi.Database{"(default)": {Rules: rules, Indexes: indexes}, "second": {Rules: rules, Indexes: indexes}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	half := func(when string) {
		t.Helper()
		r, err := release.Load(s.store)
		if err != nil {
			t.Fatal(err)
		}
		names := make(map[string]bool)
		for _, d := range r.Files {
			for _, f := range []*release.File{d.Rules, d.Indexes} {
				for _, name := range []string{"ann", "bob"} {
					if f != nil && strings.Contains(f.Text, name) {
						names[name] = true
					}
				}
			}
		}
		if len(names) > 1 {
			t.Errorf("%s the release has files of both deployments", when)
		}
	}
	for round := range 15 {
		var both sync.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			both.Go(func() {
				code, got := s.call("deployer", "POST /v1/projects/p:deploy", request(name))
				if code != http.StatusOK && code != http.StatusConflict && code != http.StatusServiceUnavailable {
					t.Errorf("a deployment beside another one: %d %s", code, got)
				}
			})
		}
		half(fmt.Sprintf("in the middle of round %d", round))
		both.Wait()
		half(fmt.Sprintf("after round %d", round))
		got := s.want(200, "GET /v1/projects/p/databases/second/collectionGroups/-/indexes", "", "READY")
		if r, err := release.Load(s.store); err != nil || strings.Contains(got, "/ann/") != strings.Contains(r.Files["second"].Rules.Text, "// ann") {
			t.Errorf("after round %d the indexes are %s with the rules of the other deployment, %v", round, got, err)
		}
	}
	s = s.again()
	half("after a restart")
}
