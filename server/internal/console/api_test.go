package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
)

func TestCollectionsAreListedAndCounted(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	for i := range 3 {
		s.set(fmt.Sprintf("users/u%d", i), i)
	}
	s.set("users/u1/posts/p", 1)
	s.set("lost/parent/found/x", 1) // lost/parent is missing
	var got struct {
		Collections []struct {
			ID, Path string
			Count    int
		}
	}
	for parent, want := range map[string]string{"": "[{lost lost 0} {users users 3}]", "users/u1": "[{posts users/u1/posts 1}]", "lost/parent": "[{found lost/parent/found 1}]", "no/where": "[]"} {
		s.call("GET", "/api/collections?counts=1&parent="+parent, "", &got)
		if text := fmt.Sprint(got.Collections); text != want {
			t.Errorf("the collections below %q: %s, want %s", parent, text, want)
		}
	}
	var all struct{ Groups []string }
	s.call("GET", "/api/groups", "", &all)
	if want := []string{"found", "lost", "posts", "users"}; !slices.Equal(all.Groups, want) {
		t.Errorf("groups %q, want %q", all.Groups, want)
	}
	if got := s.status("GET", "/api/collections?parent=users", ""); got != http.StatusBadRequest {
		t.Errorf("the collections below a collection: %d, want 400", got)
	}
}

// TestRecursiveDeleteIsUndone deletes a tree and some paths and undoes that: although a document was created again, a
// second time, and too late.
func TestRecursiveDeleteIsUndone(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	const n = 1203
	for i := range n {
		s.set(fmt.Sprintf("users/u%d", i), i)
	}
	s.set("users/u1/posts/p", 7)
	s.set("other/x", 1)
	var count struct{ Documents, Collections int }
	s.call("POST", "/api/delete/count", `{"paths": ["users"]}`, &count)
	if count.Documents != n+1 || count.Collections != 2 {
		t.Errorf("to delete: %+v, want %d documents in 2 collections", count, n+1)
	}
	s.call("POST", "/api/delete/count", `{"paths": ["users/u1"]}`, &count)
	if count.Documents != 2 || count.Collections != 1 {
		t.Errorf("to delete with a document: %+v, want 2 documents, 1 collection", count)
	}
	lines := s.lines("POST", "/api/delete", `{"paths": ["users"]}`)
	last := lines[len(lines)-1]
	if len(lines) != 4 || last["done"] != true || last["deleted"] != float64(n+1) {
		t.Fatalf("deleting answered %v", lines)
	}
	s.set("users/u5", -5) // created again meanwhile
	lines = s.lines("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, last["undo"]))
	if last := lines[len(lines)-1]; last["restored"] != float64(n) || last["skipped"] != float64(1) {
		t.Errorf("undoing answered %v", lines)
	}
	for path, want := range map[string]string{"users/u1": `"1"`, "users/u1/posts/p": `"7"`, "users/u5": `"-5"`, "other/x": `"1"`} {
		if _, text := s.request("GET", documents+"/"+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s is %s, want %s in it", path, text, want)
		}
	}
	if got := s.status("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, last["undo"])); got != http.StatusNotFound {
		t.Errorf("undone twice: %d, want 404", got)
	}
	// One undo restores all paths.
	lines = s.lines("POST", "/api/delete", `{"paths": ["users/u0", "users/u1", "users/u1/posts/p", "other"]}`)
	last = lines[len(lines)-1]
	if last["deleted"] != float64(4) {
		t.Errorf("deleting some paths answered %v", lines)
	}
	lines = s.lines("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, last["undo"]))
	if last := lines[len(lines)-1]; last["restored"] != float64(4) || last["skipped"] != float64(0) {
		t.Errorf("undoing the delete of some paths answered %v", lines)
	}
	lines = s.lines("POST", "/api/delete", `{"paths": ["other/x"]}`)
	s.manual.Advance(61 * time.Second)
	if got := s.status("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, lines[len(lines)-1]["undo"])); got != http.StatusNotFound {
		t.Errorf("undone after a minute: %d, want 404", got)
	}
	for _, body := range []string{`{}`, `{"paths": [""]}`, `{"paths": ["a", "a//b"]}`, `{"paths": ["a/b"], "database": "a/b"}`, `{`, `{"paths": 1}`} {
		if got := s.status("POST", "/api/delete", body); got != http.StatusBadRequest {
			t.Errorf("deleting %s: %d, want 400", body, got)
		}
	}
}

// TestADeleteThatFailsIsUndone ends the session of a delete in progress, and undoes in another session the deletes that
// were made.
func TestADeleteThatFailsIsUndone(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	const n = 1100
	for i := range n {
		s.set(fmt.Sprintf("users/u%d", i), i)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.app.Console+"/api/delete", strings.NewReader(`{"paths": ["users"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", s.cookie)
	r.Header.Set("X-Clave-CSRF", s.csrf)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	s.call("DELETE", "/api/session", "", nil)
	// The delete may have ended before its session did.
	var last struct {
		Deleted int
		Undo    string
	}
	for lines := json.NewDecoder(res.Body); last.Undo == ""; {
		if err := lines.Decode(&last); err != nil {
			t.Fatalf("the delete sent no undo: %v", err)
		}
	}
	s.open(true)
	lines := s.lines("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, last.Undo))
	if end := lines[len(lines)-1]; end["restored"] != float64(last.Deleted) || last.Deleted < 500 {
		t.Errorf("undoing a delete of %d documents answered %v", last.Deleted, end)
	}
}

// TestHistory lists the versions of a document and restores one.
func TestHistory(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	for n := range 3 {
		s.set("a/x", n)
		s.manual.Advance(time.Minute)
	}
	s.set("a/other", 1)
	s.call("DELETE", documents+"/a/x", "", nil)
	var got struct {
		Versions []struct {
			Time, Change string
			Exists       bool
			Changed      []string
		}
		More bool
	}
	s.call("GET", "/api/history?path=a/x", "", &got)
	var kinds []string
	for _, v := range got.Versions {
		kinds = append(kinds, fmt.Sprintf("%s %t %v", v.Change, v.Exists, v.Changed))
	}
	if want := []string{"delete false [n]", "update true [n]", "update true [n]", "create true [n]"}; !slices.Equal(kinds, want) || got.More {
		t.Fatalf("the history is %q, more %t, want %q", kinds, got.More, want)
	}
	at := got.Versions[2].Time
	_, text := s.request("GET", "/api/history/version?path=a/x&at="+at, "")
	if !strings.Contains(text, `"integerValue":"1"`) {
		t.Errorf("the version of %s is %s, want 1", at, text)
	}
	s.call("POST", "/api/history/restore", fmt.Sprintf(`{"path": "a/x", "at": %q}`, at), nil)
	if _, text := s.request("GET", documents+"/a/x", ""); !strings.Contains(text, `"1"`) {
		t.Errorf("the restored document is %s, want 1", text)
	}
	s.call("GET", "/api/history?path=a/x&limit=2", "", &got)
	if len(got.Versions) != 2 || !got.More || got.Versions[0].Change != "create" {
		t.Errorf("the latest two versions are %+v", got)
	}
	s.manual.Advance(59 * time.Minute)
	s.call("GET", "/api/history?path=a/other", "", &got)
	if len(got.Versions) != 1 || got.Versions[0].Change != "create" {
		t.Errorf("the history of an older document is %+v", got)
	}
	for path, want := range map[string]int{"/api/history?path=a": 400, "/api/history/version?path=a/x&at=yesterday": 400, "/api/history/version?path=a/x&at=2020-01-01T00:00:00Z": 400, "/api/history?path=a/none": 200} {
		if got := s.status("GET", path, ""); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestTheOrderOfFieldsIsRestored restores a version of a document, and undoes its delete. Rules must then read its
// fields in the order in which they were written.
func TestTheOrderOfFieldsIsRestored(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	const path = documents + "/open/x"
	s.call("PATCH", path, `{"fields": {"z": {"integerValue": 1}, "a": {"integerValue": 2}}}`, nil)
	rules, _ := json.Marshal(map[string]string{"source": strings.Replace(testRules, "id != 'shut'", "resource.data.values() == [1, 2]", 1)})
	var applied struct{ OK bool }
	if s.call("PUT", "/api/rules", string(rules), &applied); !applied.OK {
		t.Fatal("the rules are not applied")
	}
	check := func(when string, want int) {
		t.Helper()
		res, err := http.Get("http://" + s.app.Firestore + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", when, res.StatusCode, want)
		}
	}
	check("written", http.StatusOK)
	var got struct{ Versions []struct{ Time string } }
	s.call("GET", "/api/history?path=open/x", "", &got)
	s.manual.Advance(time.Minute)
	s.call("PATCH", path, `{"fields": {"a": {"integerValue": 3}, "z": {"integerValue": 1}}}`, nil)
	check("with other values", http.StatusForbidden)
	s.call("POST", "/api/history/restore", fmt.Sprintf(`{"path": "open/x", "at": %q}`, got.Versions[0].Time), nil)
	check("restored", http.StatusOK)
	lines := s.lines("POST", "/api/delete", `{"paths": ["open/x"]}`)
	s.lines("POST", "/api/undo", fmt.Sprintf(`{"undo": %q}`, lines[len(lines)-1]["undo"]))
	check("the delete is undone", http.StatusOK)
}

// TestRules reads, checks, tests and applies rules.
func TestRules(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	var rules struct{ Source, File, Scope string }
	s.call("GET", "/api/rules", "", &rules)
	if rules.Source != testRules || !strings.HasSuffix(rules.File, "firestore.rules") || rules.Scope != "all" {
		t.Errorf("the rules are %+v", rules)
	}
	type checked struct {
		OK     bool
		Issues []struct {
			Line, Column, Start, End int
			Severity, Text           string
		}
	}
	var bad, good checked
	s.call("POST", "/api/rules/check", `{"source": "service cloud.firestore {\n match /a/{b} { allow read: if ; } }"}`, &bad)
	if bad.OK || len(bad.Issues) == 0 || bad.Issues[0].Line != 2 || bad.Issues[0].Severity != "ERROR" {
		t.Errorf("wrong rules: %+v", bad)
	}
	source := strings.Replace(testRules, "shut", "x", 1)
	text, _ := json.Marshal(map[string]string{"source": source})
	s.call("PUT", "/api/rules", string(text), &good)
	s.call("PUT", "/api/rules", `{"source": "nonsense"}`, &bad)
	if s.call("GET", "/api/rules", "", &rules); !good.OK || bad.OK || rules.Source != source {
		t.Errorf("applied: %+v, %+v; the rules are %q", good, bad, rules.Source)
	}
	res, err := http.Get("http://" + s.app.Firestore + documents + "/open/x")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a read that the applied rules deny: %v", res)
	}
	var run struct {
		Results []struct {
			ID, Verdict, Expected, Why string
			Good                       bool
		}
	}
	s.call("POST", "/api/rules/run", `{"cases": [
		{"id": "one", "op": {"method": "get", "path": "open/y"}, "expect": "allow"},
		{"id": "two", "op": {"method": "get", "path": "open/x"}, "expect": "allow"},
		{"id": "three", "op": {"method": "fly"}, "expect": "allow"}]}`, &run)
	if text := fmt.Sprint(run.Results); !strings.Contains(text, "{one allow allow  true} {two deny allow \nfalse for 'get' @ L4") || !strings.Contains(text, "{three invalid") {
		t.Errorf("the cases came out as %s", text)
	}
	_, coverage := s.request("GET", "/api/rules/coverage", "")
	if !strings.Contains(coverage, `"values":[{"value":{"boolValue":false},"count":1}]`) {
		t.Errorf("the coverage is %s", coverage)
	}
}

// TestUsersAreFoundByAPart searches accounts by parts of their identifiers, page by page, in a project and in a tenant.
func TestUsersAreFoundByAPart(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	const accounts = "/identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts"
	for i := range 3 {
		s.call("POST", accounts, fmt.Sprintf(`{"localId": "u%d", "email": "ana%d@example.org", "displayName": "Ana %d", "phoneNumber": "+1809555000%d"}`, i, i, i, i), nil)
	}
	s.call("POST", "/identitytoolkit.googleapis.com/v2/projects/"+project+"/tenants", `{"displayName": "school", "allowPasswordSignup": true}`, nil)
	var listed struct{ Tenants []struct{ Name string } }
	s.call("GET", "/identitytoolkit.googleapis.com/v2/projects/"+project+"/tenants", "", &listed)
	tenant := listed.Tenants[0].Name[strings.LastIndexByte(listed.Tenants[0].Name, '/')+1:]
	s.call("POST", strings.Replace(accounts, "/accounts", "/tenants/"+tenant+"/accounts", 1), `{"localId": "inside", "email": "anabel@example.org"}`, nil)
	s.open(false)
	for query, want := range map[string]string{
		"q=NA+1":                      "[u1] ",
		"q=example&limit=2":           "[u0 u1] u1",
		"q=example&limit=2&after=u1":  "[u2] ",
		"q=example&limit=3":           "[u0 u1 u2] ",
		"q=(809)+555-0002":            "[u2] ",
		"q=anabel":                    "[] ",
		"q=anabel&tenant=" + tenant:   "[inside] ",
		"q=example&project=elsewhere": "[] ",
	} {
		var found struct {
			Users []struct{ LocalID string }
			Next  string
		}
		s.call("GET", "/api/users?"+query, "", &found)
		ids := []string{}
		for _, u := range found.Users {
			ids = append(ids, u.LocalID)
		}
		if got := fmt.Sprint(ids, " ", found.Next); got != want {
			t.Errorf("users with %s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"", "q=+", "q=a&limit=0", "q=a&limit=x"} {
		if got := s.status("GET", "/api/users?"+query, ""); got != http.StatusBadRequest {
			t.Errorf("users with %q: %d, want 400", query, got)
		}
	}
}
