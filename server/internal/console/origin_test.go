package console_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/console"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/kit/wait"
)

// request is a request to the console.
type request struct{ name, method, path, body string }

// apiRequests returns a request to each method of the console's API.
func apiRequests() (all []request) {
	for _, r := range console.Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		all = append(all, request{r.Pattern, method, strings.NewReplacer("{id}", "1", "{name}", "x").Replace(path), "{}"})
	}
	return all
}

// firestoreRequests has a request over HTTP for each method of Firestore. writes marks methods that change data.
var firestoreRequests = map[string]struct {
	writes bool
	request
}{
	"GetDocument":         {false, request{method: "GET", path: documents + "/a/x"}},
	"ListDocuments":       {false, request{method: "GET", path: documents + "/a"}},
	"UpdateDocument":      {true, request{method: "PATCH", path: documents + "/a/x", body: `{"fields": {}}`}},
	"DeleteDocument":      {true, request{method: "DELETE", path: documents + "/a/x"}},
	"CreateDocument":      {true, request{method: "POST", path: documents + "/a?documentId=y", body: `{"fields": {}}`}},
	"BatchGetDocuments":   {false, request{method: "POST", path: documents + ":batchGet", body: `{}`}},
	"BeginTransaction":    {true, request{method: "POST", path: documents + ":beginTransaction", body: `{}`}},
	"Commit":              {true, request{method: "POST", path: documents + ":commit", body: `{"writes": [{"delete": "projects/` + project + `/databases/(default)/documents/a/x"}]}`}},
	"Rollback":            {false, request{method: "POST", path: documents + ":rollback", body: `{"transaction": "AAAA"}`}},
	"RunQuery":            {false, request{method: "POST", path: documents + ":runQuery", body: `{"structuredQuery": {"from": [{"collectionId": "a"}]}}`}},
	"ExecutePipeline":     {false, request{method: "POST", path: documents + ":executePipeline", body: `{}`}},
	"RunAggregationQuery": {false, request{method: "POST", path: documents + ":runAggregationQuery", body: `{"structuredAggregationQuery": {"structuredQuery": {"from": [{"collectionId": "a"}]}, "aggregations": [{"count": {}}]}}`}},
	"PartitionQuery":      {false, request{method: "POST", path: documents + ":partitionQuery", body: `{"structuredQuery": {"from": [{"collectionId": "a", "allDescendants": true}], "orderBy": [{"field": {"fieldPath": "__name__"}}]}, "partitionCount": "2"}`}},
	"Write":               {true, request{method: "POST", path: "/google.firestore.v1.Firestore/Write/channel?VER=8&RID=1&database=projects%2F" + project + "%2Fdatabases%2F(default)", body: "count=0"}},
	"Listen":              {false, request{method: "POST", path: "/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1&database=projects%2F" + project + "%2Fdatabases%2F(default)", body: "count=0"}},
	"ListCollectionIds":   {false, request{method: "POST", path: documents + ":listCollectionIds", body: `{}`}},
	"BatchWrite":          {true, request{method: "POST", path: documents + ":batchWrite", body: `{"writes": [{"delete": "projects/` + project + `/databases/(default)/documents/a/x"}]}`}},
}

// accountReads are the methods of Identity Toolkit besides GETs that change nothing.
var accountReads = []string{"accounts:lookup", "accounts:query", ":queryAccounts"}

// accountRequests returns a request to each method of Identity Toolkit in the OpenAPI description that the emulator's
// port serves.
func accountRequests(t *testing.T) (all []request) {
	t.Helper()
	dev := start(t, config.ModeStart, "--memory")
	res, err := http.Get("http://" + dev.app.Auth + "/emulator/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&api); err != nil {
		t.Fatal(err)
	}
	for path, methods := range api.Paths {
		real := strings.NewReplacer("{targetProjectId}", project, "{projectId}", project, "{project}", project, "{tenantId}", "t", "{tenant}", "t").Replace(path)
		for strings.Contains(real, "{") {
			from := strings.IndexByte(real, '{')
			real = real[:from] + project + real[from+strings.IndexByte(real[from:], '}')+1:]
		}
		for method := range methods {
			if method != "parameters" && method != "servers" && !strings.Contains(path, "/v1/token") {
				all = append(all, request{method + " " + path, strings.ToUpper(method), "/identitytoolkit.googleapis.com" + real, "{}"})
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("found %d methods of Identity Toolkit, want all", len(all))
	}
	return all
}

// everything returns requests to all paths of a console.
func everything(t *testing.T) []request {
	t.Helper()
	all := append(apiRequests(), accountRequests(t)...)
	methods := pb.File_clave_firestore_v1_firestore_proto.Services().Get(0).Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		r, ok := firestoreRequests[name]
		if !ok {
			t.Fatalf("Firestore's %s is not among the tests' requests", name)
		}
		r.name = name
		all = append(all, r.request)
	}
	for _, path := range []string{"/", "/index.html", "/data/a", "/assets/x.js", "/favicon.ico", "/api/", "/api/nothing", "/.well-known/clave/health", "/emulator/v1/projects/x:snapshot"} {
		all = append(all, request{path, "GET", path, ""}, request{"POST " + path, "POST", path, "{}"})
	}
	return all
}

// TestEveryRequestNeedsASession sends every request without a session, with a wrong one and with credentials of other
// kinds.
func TestEveryRequestNeedsASession(t *testing.T) {
	s := start(t, config.ModeServe)
	all := everything(t)
	_, port, _ := strings.Cut(s.app.Console, ":")
	for _, header := range [][]string{nil, {"Cookie", "clave-console-" + port + "=wrong"}, {"Authorization", "Bearer owner"}} {
		for _, r := range all {
			if got := s.status(r.method, r.path, r.body, header...); got != http.StatusUnauthorized {
				t.Errorf("%s with %v: %d, want 401", r.name, header, got)
			}
		}
	}
}

// TestAReadOnlySessionChangesNothing sends every request that changes something in a read-only session.
func TestAReadOnlySessionChangesNothing(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	s.set("a/x", 1)
	before := s.state()
	s.open(false)
	for _, r := range console.Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		reads := method == "GET" || slices.Contains([]string{
			"DELETE /api/session", "POST /api/users/export", "POST /api/delete/count", "POST /api/rows", "POST /api/export", "DELETE /api/export/{id}", "POST /api/rules/check", "POST /api/rules/run", "POST /api/requests/replay", "POST /api/requests/{id}/replay",
		}, r.Pattern)
		if reads == r.Changes {
			t.Errorf("%s: declared to change something: %t", r.Pattern, r.Changes)
		}
		want := http.StatusForbidden
		switch {
		case r.Development: // not available in production
			want = http.StatusNotFound
		case !r.Changes:
			continue
		}
		if got := s.status(method, strings.ReplaceAll(path, "{id}", "1"), "{}"); got != want {
			t.Errorf("%s: %d, want %d", r.Pattern, got, want)
		}
	}
	for name, r := range firestoreRequests {
		if name == "Write" || name == "Listen" {
			continue // a stream, checked below
		}
		if got := s.status(r.method, r.path, r.body); (got == http.StatusForbidden) != r.writes {
			t.Errorf("%s: %d, want 403: %t", name, got, r.writes)
		}
	}
	for _, r := range accountRequests(t) {
		reads := r.method == "GET" || slices.ContainsFunc(accountReads, func(verb string) bool { return strings.HasSuffix(r.path, verb) })
		if got := s.status(r.method, r.path, "{}"); got == http.StatusForbidden == reads {
			t.Errorf("%s %s: %d, want 403: %t", r.method, r.path, got, !reads)
		}
	}
	for _, begin := range []string{`{"documents": [], "newTransaction": {"readWrite": {}}}`} {
		if got := s.status("POST", documents+":batchGet", begin); got != http.StatusForbidden {
			t.Errorf("batchGet with %s: %d, want 403", begin, got)
		}
	}
	if got := s.status("POST", documents+"/a/z", `{}`, "X-HTTP-Method-Override", "PATCH"); got != http.StatusForbidden {
		t.Errorf("a method that is overridden: %d, want 403", got)
	}
	if text := s.write(); !strings.Contains(text, "PERMISSION_DENIED") {
		t.Errorf("a Write stream: %s, want PERMISSION_DENIED", text)
	}
	if after := s.state(); after != before {
		t.Errorf("a read-only session changed\n%s\nto\n%s", before, after)
	}
}

// state returns all documents and accounts as text.
func (s *server) state() string {
	s.t.Helper()
	_, docs := s.request("POST", documents+":runQuery", `{"structuredQuery": {"from": [{"allDescendants": true}]}}`)
	_, users := s.request("GET", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts:batchGet", "")
	_, settings := s.request("GET", "/identitytoolkit.googleapis.com/v2/projects/"+project+"/config", "")
	var found []map[string]any
	if err := json.Unmarshal([]byte(docs), &found); err != nil {
		s.t.Fatalf("%v in %s", err, docs)
	}
	for _, one := range found {
		delete(one, "readTime")
	}
	text, err := json.Marshal(found)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text) + users + settings
}

// write writes a document over a WebChannel and returns the server's answer.
func (s *server) write() string {
	s.t.Helper()
	channel := firestoreRequests["Write"].path
	form := func(messages ...string) string {
		v := url.Values{"count": {"1"}, "ofs": {"0"}}
		for i, m := range messages {
			v.Set("req"+string(rune('0'+i))+"___data__", m)
		}
		v.Set("count", string(rune('0'+len(messages))))
		return v.Encode()
	}
	db := "projects/" + project + "/databases/(default)"
	res, text := s.request("POST", channel, form(`{"database": "`+db+`"}`, `{"streamToken": "MA==", "writes": [{"update": {"name": "`+db+`/documents/a/w", "fields": {}}}]}`),
		"Content-Type", "application/x-www-form-urlencoded")
	parts := strings.Split(text, `"`)
	if res.StatusCode != http.StatusOK || len(parts) < 4 {
		s.t.Fatalf("the handshake: %d %s", res.StatusCode, text)
	}
	_, text = s.request("GET", channel+"&SID="+parts[3]+"&TYPE=xmlhttp&CI=1&AID=0", "")
	for !strings.Contains(text, "error") && !strings.Contains(text, "writeResults") && len(text) < 4000 {
		_, more := s.request("GET", channel+"&SID="+parts[3]+"&TYPE=xmlhttp&CI=1&AID=1&TO=1000", "")
		text += more + " "
	}
	return text
}

// TestOtherPagesAreRefused sends requests like those of pages from other origins and with other host names.
func TestOtherPagesAreRefused(t *testing.T) {
	for _, mode := range []config.Mode{config.ModeStart, config.ModeServe} {
		s := start(t, mode)
		_, port, _ := strings.Cut(s.app.Console, ":")
		if mode == config.ModeServe {
			s.open(true)
		} else {
			s.session()
		}
		own := "http://" + s.app.Console
		for _, tt := range []struct {
			name   string
			header []string
			want   int
		}{
			{"no page", nil, 200},
			{"the console's page", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 200},
			{"another port's page", []string{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"}, 403},
			{"another site's page", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
			{"a sandboxed page", []string{"Origin", "null"}, 403},
			{"a page that hides its origin", []string{"Sec-Fetch-Site", "cross-site"}, 403},
			{"a page of the same site", []string{"Sec-Fetch-Site", "same-site"}, 403},
			{"the origin with https", []string{"Origin", "https://" + s.app.Console}, 403},
			{"a rebound name", []string{"Host", "evil.example:" + port}, 403},
			{"a rebound name with its origin", []string{"Host", "evil.example:" + port, "Origin", "http://evil.example:" + port, "Sec-Fetch-Site", "same-origin"}, 403},
			{"a name below localhost", []string{"Host", "w1.localhost:" + port}, 403},
			{"an address of another machine", []string{"Host", "192.0.2.1:" + port}, 403},
		} {
			for _, r := range []request{
				{"the session", "GET", "/api/session", ""},
				{"a document", "GET", documents + "/a/x", ""},
				{"a query", "POST", documents + ":runQuery", `{"structuredQuery": {"from": [{"collectionId": "a"}]}}`},
				{"a channel", "POST", firestoreRequests["Listen"].path, "count=0"},
				{"accounts", "GET", "/identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts:batchGet", ""},
				{"rules", "POST", "/api/rules/check", `{"source": ""}`},
			} {
				got := s.status(r.method, r.path, r.body, tt.header...)
				if want := tt.want; got != want && !(want == 200 && r.name == "a document" && got == 404) {
					t.Errorf("%v: %s requests %s: %d, want %d", mode, tt.name, r.name, got, want)
				}
			}
		}
		if got := s.status("GET", "/", "", "Host", "localhost:"+port, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"); got != 403 {
			t.Errorf("%v: a page embeds the console's: %d, want 403", mode, got)
		}
		if got := s.status("PUT", "/api/rules", `{"source": ""}`, "X-Clave-CSRF", "wrong"); got != 403 && mode == config.ModeStart {
			t.Errorf("a change without the session's CSRF token: %d, want 403", got)
		}
	}
}

// TestALinkWorksOnce opens sessions by links that were used, expired, prefetched or unknown.
func TestALinkWorksOnce(t *testing.T) {
	s := start(t, config.ModeServe)
	link := func() string {
		_, at, _ := strings.Cut(s.app.ConsoleURL(), s.app.Console)
		return at
	}
	first := link()
	if got := s.status("GET", first, "", "Sec-Purpose", "prefetch"); got != http.StatusUnauthorized {
		t.Errorf("a link that a browser fetches ahead: %d, want 401", got)
	}
	if got := s.status("HEAD", first, ""); got != http.StatusUnauthorized {
		t.Errorf("HEAD of a link: %d, want 401", got)
	}
	for i, want := range []int{http.StatusSeeOther, http.StatusUnauthorized, http.StatusUnauthorized} {
		if got := s.status("GET", first, ""); got != want {
			t.Errorf("use %d of a link: %d, want %d", i+1, got, want)
		}
	}
	old := link()
	s.manual.Advance(10 * time.Minute)
	for name, at := range map[string]string{"an old link": old, "an unknown link": "/?link=x", "an empty link": "/?link="} {
		if got := s.status("GET", at, ""); got != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", name, got)
		}
	}
}

// TestSessionsEnd ends sessions by inactivity, by age and on request.
func TestSessionsEnd(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	for range 3 { // the polling of a page does not extend a session, the actions of its user do
		s.manual.Advance(29 * time.Minute)
		if got := s.status("GET", "/api/audit", ""); got != 200 {
			t.Fatalf("a session in use: %d", got)
		}
	}
	s.manual.Advance(20 * time.Minute)
	if got := s.status("GET", "/api/session", ""); got != 200 {
		t.Errorf("a session after 20 minutes: %d", got)
	}
	for _, page := range []string{"now", "denials", "events", "appcheck"} {
		s.status("GET", "/api/"+page, "")
	}
	s.manual.Advance(10 * time.Minute)
	if got := s.status("GET", "/api/session", ""); got != http.StatusUnauthorized {
		t.Errorf("a session that was idle for 30 minutes, but polled: %d, want 401", got)
	}
	s.open(false)
	for range 24 {
		s.manual.Advance(29 * time.Minute)
		s.status("GET", "/api/audit", "")
	}
	s.manual.Advance(29 * time.Minute)
	if got := s.status("GET", "/api/audit", ""); got != http.StatusUnauthorized {
		t.Errorf("a session after twelve hours: %d, want 401", got)
	}
	s.open(false)
	s.call("DELETE", "/api/session", "", nil)
	if got := s.status("GET", "/api/session", ""); got != http.StatusUnauthorized {
		t.Errorf("a closed session: %d, want 401", got)
	}
}

// TestChangesAreRecorded changes documents and accounts and reads the audit log, also from its file.
func TestChangesAreRecorded(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	s.set("a/x", 1)
	s.set("a/y", 2)
	s.call("POST", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts", `{"localId": "ada", "email": "ada@example.org", "password": "secret-word"}`, nil)
	s.status("POST", documents+"/a?documentId=x", `{"fields": {}}`) // the document exists
	s.lines("POST", "/api/delete", `{"paths": ["a"]}`)
	var log struct {
		Entries []struct {
			N                                int
			Session, Address, Method, Result string
			Targets                          []string
			Count                            int
		}
		More bool
	}
	s.call("GET", "/api/audit", "", &log)
	var got []string
	for _, e := range log.Entries {
		got = append(got, e.Method+" "+strings.Join(e.Targets, ",")+" "+e.Result)
		if e.Session == "" || e.Address != "127.0.0.1" {
			t.Errorf("the entry %+v names no session or address", e)
		}
	}
	want := []string{
		"recursive delete delete a OK", "Commit update a/x ALREADY_EXISTS", "POST v1/projects/*/accounts account ada OK", "Commit update a/y OK", "Commit update a/x OK",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
	s.call("GET", "/api/audit?limit=2&before=4", "", &log)
	if len(log.Entries) != 2 || log.Entries[0].N != 3 || !log.More {
		t.Errorf("a page of the audit log is %+v", log)
	}
	path := filepath.Join(s.data, "console", "audit.jsonl")
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 5 || strings.Contains(string(text), "secret-word") {
		t.Errorf("the audit log's file: %v\n%s", err, text)
	}
	for file, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Join(s.data, "console", "link.sock"): 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %o", file, info.Mode(), err, want)
		}
	}
}

// TestAnOpenChannelEndsWithItsSession closes the session of an open back channel. The back channel must end.
func TestAnOpenChannelEndsWithItsSession(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	channel := firestoreRequests["Listen"].path
	_, text := s.request("POST", channel, "count=0", "Content-Type", "application/x-www-form-urlencoded")
	parts := strings.Split(text, `"`)
	if len(parts) < 4 {
		t.Fatalf("the handshake: %s", text)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.app.Console+channel+"&SID="+parts[3]+"&TYPE=xmlhttp&CI=0&AID=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", s.cookie)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the back channel: %v, %v", res, err)
	}
	defer res.Body.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, res.Body)
		ended <- err
	}()
	s.call("DELETE", "/api/session", "", nil)
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the back channel continues after its session was closed")
	}
	if got := s.status("POST", channel+"&SID="+parts[3], "count=0"); got != http.StatusUnauthorized {
		t.Errorf("a message in the channel of a closed session: %d, want 401", got)
	}
}

// TestConnectionsAreLimited opens as many connections as the console's port accepts. The next one is refused until the
// others are closed.
func TestConnectionsAreLimited(t *testing.T) {
	s := start(t, config.ModeServe)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	accepted := func() bool {
		res, err := client.Get("http://" + s.app.Console + "/")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil
	}
	var held []net.Conn
	for range 512 {
		conn, err := net.Dial("tcp", s.app.Console)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		held = append(held, conn)
	}
	wait.Until(t, "a connection beyond the limit is refused", func() bool { return !accepted() })
	for _, conn := range held {
		_ = conn.Close()
	}
	wait.Until(t, "a connection is accepted", accepted)
}
