package admin_test

import (
	"encoding/json"
	"testing"

	"clave/server/internal/admin/deployapi"
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
