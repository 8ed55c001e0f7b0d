package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
)

// exportOf requests an export of a collection or a collection group and returns its token.
func (s *server) exportOf(query, format string) string {
	s.t.Helper()
	var out struct{ Export string }
	s.call("POST", "/api/export", fmt.Sprintf(`{"query": %s, "format": %q, "name": "a, file.%s"}`, query, format, format), &out)
	return out.Export
}

// progress is the progress of an export.
type progress struct {
	State            string
	Written, Columns int
	Error            *struct{ Status string }
}

// progressOf returns the progress of an export.
func (s *server) progressOf(export string) (p progress) {
	s.t.Helper()
	s.call("GET", "/api/export?export="+export, "", &p)
	return p
}

func TestExports(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	for i := range 3 {
		s.set(fmt.Sprintf("users/u%d", i), i)
	}
	s.set("users/u1/users/x", 7)
	s.open(false) // an export changes nothing
	for _, tt := range []struct{ name, query, format, want string }{
		{"JSON", `{"from": [{"collectionId": "users"}]}`, "json", "{\n  \"u0\": {\n    \"n\": 0\n  },\n  \"u1\": {\n    \"n\": 1\n  },\n  \"u2\": {\n    \"n\": 2\n  }\n}\n"},
		{"CSV", `{"from": [{"collectionId": "users"}], "limit": 2}`, "csv", "__id__,n\r\nu0,0\r\nu1,1\r\n"},
		{"a group", `{"from": [{"collectionId": "users", "allDescendants": true}], "limit": 3}`, "csv", "__id__,n\r\nusers/u0,0\r\nusers/u1,1\r\nusers/u1/users/x,7\r\n"},
		{"nothing", `{"from": [{"collectionId": "none"}]}`, "json", "{}\n"},
	} {
		export := s.exportOf(tt.query, tt.format)
		if p := s.progressOf(export); p.State != "waiting" {
			t.Errorf("%s: before the file is requested: %+v", tt.name, p)
		}
		res, text := s.request("GET", "/api/export/"+export, "")
		if res.StatusCode != http.StatusOK || text != tt.want {
			t.Errorf("%s: %d %q, want %q", tt.name, res.StatusCode, text, tt.want)
		}
		if got, want := res.Header.Get("Content-Disposition"), `attachment; filename="a, file.`+tt.format+`"`; got != want {
			t.Errorf("%s: Content-Disposition %q, want %q", tt.name, got, want)
		}
		if p := s.progressOf(export); p.State != "done" {
			t.Errorf("%s: afterwards: %+v", tt.name, p)
		}
		if got := s.status("GET", "/api/export/"+export, ""); got != http.StatusNotFound {
			t.Errorf("%s: requested twice: %d, want 404", tt.name, got)
		}
	}
}

// TestTheLogHasNoTokensOfExports requests a file while the server logs each request.
func TestTheLogHasNoTokensOfExports(t *testing.T) {
	s := start(t, config.ModeServe, "--verbose")
	s.open(false)
	export := s.exportOf(`{"from": [{"collectionId": "none"}]}`, "json")
	if got := s.status("GET", "/api/export/"+export, ""); got != http.StatusOK {
		t.Fatalf("the file: %d, want 200", got)
	}
	_, lines := s.request("GET", "/api/logs", "")
	if !strings.Contains(lines, "/api/export/…") || strings.Contains(lines, export) {
		t.Errorf("the log is %s, want the request without its token %s", lines, export)
	}
}

// TestExportsOfAccounts exports accounts of more than one page, and compares the file with what accounts:batchGet
// returns.
func TestExportsOfAccounts(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	const accountCount, base = 1500, "/identitytoolkit.googleapis.com/v1/projects/" + project
	var users []map[string]any
	for i := range accountCount {
		users = append(users, map[string]any{"localId": fmt.Sprintf("u%04d", i), "email": fmt.Sprintf("u%d@example.org", i), "customAttributes": `{"a":"<&>"}`})
	}
	for from := 0; from < accountCount; from += 500 {
		body, err := json.Marshal(map[string]any{"users": users[from : from+500]})
		if err != nil {
			t.Fatal(err)
		}
		s.call("POST", base+"/accounts:batchCreate", string(body), new(struct{}))
	}
	s.open(false) // an export changes nothing
	exported := func(body string) (string, progress) {
		var out struct{ Export string }
		s.call("POST", "/api/users/export", body, &out)
		res, text := s.request("GET", "/api/export/"+out.Export, "")
		if got, want := res.Header.Get("Content-Disposition"), "attachment; filename=users.json"; res.StatusCode != http.StatusOK || got != want {
			t.Errorf("%s: %d, Content-Disposition %q, want %q", body, res.StatusCode, got, want)
		}
		return text, s.progressOf(out.Export)
	}
	var want, got struct{ Users []map[string]any }
	for token := ""; ; {
		var page struct {
			Users         []map[string]any
			NextPageToken string
		}
		s.call("GET", base+"/accounts:batchGet?maxResults=700&nextPageToken="+token, "", &page)
		if want.Users = append(want.Users, page.Users...); page.NextPageToken == "" {
			break
		}
		token = page.NextPageToken
	}
	text, p := exported(`{"name": "users.json"}`)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || len(got.Users) != accountCount || p.State != "done" || p.Written != accountCount {
		t.Errorf("the file has %d accounts, progress %+v, or differs from accounts:batchGet, whose first is %v", len(got.Users), p, want.Users[0])
	}
	if text, p := exported(`{"project": "another", "name": "users.json"}`); text != "{\n  \"users\": []\n}\n" || p.State != "done" {
		t.Errorf("a project without accounts: %q, progress %+v", text, p)
	}
}

func TestExportsFailBeforeTheirBeginning(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	export := s.exportOf(`{"from": [{"collectionId": "a"}], "where": {"fieldFilter": {"field": {"fieldPath": "n"}, "op": "GREATER_THAN", "value": {"integerValue": "1"}}}, "orderBy": [{"field": {"fieldPath": "n"}}, {"field": {"fieldPath": "m"}}]}`, "csv")
	res, text := s.request("GET", "/api/export/"+export, "")
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "FAILED_PRECONDITION") || res.Header.Get("Content-Disposition") != "" {
		t.Errorf("the file of a query without its index: %d %q, want 400 and no file", res.StatusCode, text)
	}
	if p := s.progressOf(export); p.State != "failed" || p.Error == nil || p.Error.Status != "FAILED_PRECONDITION" {
		t.Errorf("the progress is %+v, want failed for FAILED_PRECONDITION", p)
	}
}

func TestExportsBelongToTheirSession(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	export, late := s.exportOf(`{"from": [{"collectionId": "users"}]}`, "json"), s.exportOf(`{"from": [{"collectionId": "users"}]}`, "json")
	s.open(true)
	for _, request := range []string{"GET /api/export/" + export, "GET /api/export?export=" + export, "DELETE /api/export/" + export} {
		method, path, _ := strings.Cut(request, " ")
		body := ""
		if method == "DELETE" {
			body = "{}"
		}
		if got := s.status(method, path, body); got != http.StatusNotFound {
			t.Errorf("%s by another session: %d, want 404", request, got)
		}
	}
	mine := s.exportOf(`{"from": [{"collectionId": "users"}]}`, "json")
	s.manual.Advance(2 * time.Minute)
	for _, old := range []string{late, mine} {
		if got := s.status("GET", "/api/export/"+old, ""); got != http.StatusNotFound {
			t.Errorf("an export after two minutes: %d, want 404", got)
		}
	}
	stopped := s.exportOf(`{"from": [{"collectionId": "users"}]}`, "json")
	s.call("DELETE", "/api/export/"+stopped, "{}", new(struct{}))
	if got := s.status("GET", "/api/export/"+stopped, ""); got != http.StatusNotFound {
		t.Errorf("an export that was stopped: %d, want 404", got)
	}
	for _, bad := range []string{`{"format": "xml", "query": {"from": [{"collectionId": "a"}]}}`, `{"format": "csv", "query": {"form": 1}}`, `{"format": "csv"}`} {
		if got := s.status("POST", "/api/export", bad); got != http.StatusBadRequest {
			t.Errorf("%s: %d, want 400", bad, got)
		}
	}
}

// TestExportsOfManyDocumentsNeedLittleMemory exports 40 MB of documents to a client that pauses, and measures the heap
// meanwhile. Another export is stopped halfway.
func TestExportsOfManyDocumentsNeedLittleMemory(t *testing.T) {
	const documentCount, atOnce, size = 2_000, 50, 20_000
	s := start(t, config.ModeStart)
	s.session()
	text := strings.Repeat("x", size)
	for i := 0; i < documentCount; i += atOnce {
		var writes []any
		for j := i; j < i+atOnce; j++ {
			name := fmt.Sprintf("projects/%s/databases/(default)/documents/many/d%06d", project, j)
			writes = append(writes, map[string]any{"update": map[string]any{"name": name, "fields": map[string]any{"text": map[string]string{"stringValue": text}}}})
		}
		body, err := json.Marshal(map[string]any{"writes": writes})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.status("POST", documents+":commit", string(body)); got != http.StatusOK {
			t.Fatalf("a commit answered %d", got)
		}
	}
	// The storage's caches are full once all documents have been read.
	for range 2 {
		warm := s.file(s.exportOf(`{"from": [{"collectionId": "many"}]}`, "csv"))
		if _, err := io.Copy(io.Discard, warm.Body); err != nil {
			t.Fatal(err)
		}
		_ = warm.Body.Close()
	}
	before := heap()
	for _, format := range []string{"json", "csv"} {
		export := s.exportOf(`{"from": [{"collectionId": "many"}]}`, format)
		res := s.file(export)
		pause(t, res.Body)
		grown := int64(heap()) - int64(before)
		if grown > documentCount*size/4 {
			t.Errorf("%s: the server holds %d MB more while the client pauses, of a file of %d MB", format, grown>>20, documentCount*size>>20)
		}
		lines, err := io.ReadAll(res.Body)
		if n := bytes.Count(lines, []byte(text)); err != nil || n < documentCount*9/10 {
			t.Errorf("%s: the rest has %d documents (%v), want almost %d", format, n, err, documentCount)
		}
		if p := s.progressOf(export); p.State != "done" || p.Written != documentCount {
			t.Errorf("%s: the progress is %+v, want %d documents", format, p, documentCount)
		}
		_ = res.Body.Close()
	}
	export := s.exportOf(`{"from": [{"collectionId": "many"}]}`, "json")
	res := s.file(export)
	defer res.Body.Close()
	pause(t, res.Body)
	s.call("DELETE", "/api/export/"+export, "{}", new(struct{}))
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("a file that was stopped halfway ended like a complete one")
	}
	if p := s.progressOf(export); p.State != "failed" || p.Error == nil {
		t.Errorf("the progress after the stop is %+v", p)
	}
}

// heap returns the bytes of objects in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// pause reads only the beginning of a file.
func pause(t *testing.T, body io.Reader) {
	t.Helper()
	if _, err := io.ReadFull(body, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
}

// file requests the file of an export. The caller reads and closes the body.
func (s *server) file(export string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", "http://"+s.app.Console+"/api/export/"+export, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Cookie", s.cookie)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("the file of an export: %d", res.StatusCode)
	}
	return res
}
