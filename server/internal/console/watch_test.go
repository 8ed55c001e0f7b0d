package console_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/observe/meter"
)

// anonymous sends a request without credentials to the Firestore port.
func (s *server) anonymous(method, path, body string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.app.Firestore+documents+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// record is a decision as the API returns it.
type record struct {
	ID, Method, Path, Outcome string
	Lines                     []struct {
		Line    int
		Outcome string
	}
}

// TestRequestsAreKeptAndReplayed reads decisions with the values of expressions, and replays them under other
// conditions.
func TestRequestsAreKeptAndReplayed(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	s.set("open/a", 1)
	s.anonymous("GET", "/open/a", "")
	s.anonymous("PATCH", "/open/shut", `{"fields": {"n": {"integerValue": "5"}}}`)
	s.anonymous("POST", ":runQuery", `{"structuredQuery": {"from": [{"collectionId": "closed"}]}}`)
	var got struct {
		Requests []record
		More     bool
		Kept     int
	}
	s.call("GET", "/api/requests", "", &got)
	if text := fmt.Sprint(got.Requests); text != "[{3 list closed/* deny []} {2 create open/shut deny [{4 deny}]} {1 get open/a allow [{4 allow}]}]" || got.Kept != 3 {
		t.Fatalf("the requests are %s, kept %d", text, got.Kept)
	}
	for query, want := range map[string]string{"outcome=allow": "1", "method=list": "3", "path=shut": "2", "before=2": "1", "limit=1": "3", "user=nobody": "", "user=anonymous&outcome=deny&limit=1": "3"} {
		s.call("GET", "/api/requests?"+query, "", &got)
		if ids := fmt.Sprint(got.Requests); want == "" && len(got.Requests) > 0 || want != "" && (len(got.Requests) != 1 || got.Requests[0].ID != want) {
			t.Errorf("requests with %s: %s, want %s alone", query, ids, want)
		}
	}
	var one struct {
		Source, Outcome string
		After           struct{ Name string }
		Decision        struct {
			Allowed     bool
			Denial      string
			Expressions []struct {
				Line     int
				Values   []struct{ Value map[string]any }
				Children []json.RawMessage
			}
		}
	}
	s.call("GET", "/api/requests/2", "", &one)
	if x := one.Decision.Expressions; one.Source != testRules || !strings.HasSuffix(one.After.Name, "open/shut") || len(x) != 1 || x[0].Line != 4 || x[0].Values[0].Value["boolValue"] != false || len(x[0].Children) != 2 {
		t.Errorf("the request is %+v", one)
	}
	s.replays()
	var of struct{ Case json.RawMessage }
	s.call("GET", "/api/requests/2/case", "", &of)
	var run struct {
		Results []struct {
			Good    bool
			Verdict string
		}
	}
	s.call("POST", "/api/rules/run", `{"cases": [`+string(of.Case)+`]}`, &run)
	if len(run.Results) != 1 || !run.Results[0].Good || run.Results[0].Verdict != "deny" {
		t.Errorf("the case %s came out as %+v", of.Case, run.Results)
	}
	s.casesOfQueries()
	looks, _ := json.Marshal(strings.Replace(testRules, "id != 'shut'", "exists(/databases/$(d)/documents/open/a) && !exists(/databases/$(d)/documents/open/none)", 1))
	_, text := s.request("POST", "/api/requests/2/replay", `{"at": "2027-03-01T10:00:00Z", "source": `+string(looks)+`}`)
	if !strings.Contains(text, `"lookups":[{"path":"open/a","exists":true},{"path":"open/none","exists":false}],"cost":{"evaluations":`) || strings.Contains(text, `"evaluations":0`) {
		t.Errorf("a decision that reads documents: %s", text)
	}
	for path, want := range map[string]int{"/api/requests/99": 404, "/api/requests?limit=x": 400} {
		if got := s.status("GET", path, ""); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// casesOfQueries creates test cases from queries, including one below a document and one with a reference, and runs
// them.
func (s *server) casesOfQueries() {
	s.t.Helper()
	const byName = `"where": {"fieldFilter": {"field": {"fieldPath": "__name__"}, "op": "EQUAL", "value": {"referenceValue": "projects/` + project + `/databases/(default)/documents/open/%s"}}}`
	for i, tt := range []struct{ path, query, verdict string }{
		{":runQuery", `"from": [{"collectionId": "open"}], ` + fmt.Sprintf(byName, "a"), "allow"},
		{":runQuery", `"from": [{"collectionId": "open"}], ` + fmt.Sprintf(byName, "shut"), "deny"},
		{"/open/a:runQuery", `"from": [{"collectionId": "below"}], "limit": 3`, "deny"},
	} {
		s.anonymous("POST", tt.path, `{"structuredQuery": {`+tt.query+`}}`)
		var of struct {
			Case struct {
				Op     struct{ Parent string }
				Expect string
			}
		}
		id := fmt.Sprint(4 + i)
		_, text := s.request("GET", "/api/requests/"+id+"/case", "")
		if err := json.Unmarshal([]byte(text), &of); err != nil || of.Case.Expect != tt.verdict || (of.Case.Op.Parent == "open/a") != (i == 2) {
			s.t.Fatalf("the case of request %s is %s, want %s", id, text, tt.verdict)
		}
		var made struct{ Case json.RawMessage }
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			s.t.Fatal(err)
		}
		var run struct {
			Results []struct{ Verdict, Why string }
		}
		s.call("POST", "/api/rules/run", `{"cases": [`+string(made.Case)+`]}`, &run)
		if len(run.Results) != 1 || run.Results[0].Verdict != tt.verdict {
			s.t.Errorf("the case %s came out as %+v", made.Case, run.Results)
		}
	}
}

// replays replays requests under other conditions.
func (s *server) replays() {
	s.t.Helper()
	lenient, _ := json.Marshal(strings.Replace(testRules, "'shut'", "string(resource.data.n)", 1))
	always, _ := json.Marshal(strings.Replace(testRules, "request.auth == null && id != 'shut'", "true", 1))
	for _, tt := range []struct {
		id, body string
		allowed  bool
	}{
		{"1", `{}`, true},
		{"1", `{"as": null}`, true},
		{"1", `{"as": {"uid": "ada", "token": {"admin": true}}}`, false},
		{"2", `{}`, false},
		{"2", `{"source": ` + string(always) + `}`, true},
		{"1", `{"source": ` + string(lenient) + `}`, true}, // reads the stored document
		{"2", `{"data": {"n": {"integerValue": "6"}}, "at": "2020-01-01T00:00:00Z"}`, false},
	} {
		var d struct{ Allowed bool }
		if s.call("POST", "/api/requests/"+tt.id+"/replay", tt.body, &d); d.Allowed != tt.allowed {
			s.t.Errorf("request %s with %s: allowed %t, want %t", tt.id, tt.body, d.Allowed, tt.allowed)
		}
	}
	for _, body := range []string{`{"source": "x"}`, `{"data": {"n": 1}}`, `{"as": 7}`} {
		if got := s.status("POST", "/api/requests/2/replay", body); got != 400 {
			s.t.Errorf("a replay with %s: %d, want 400", body, got)
		}
	}
	var all struct {
		OK      bool
		Results []struct{ ID, Was, Now string }
	}
	s.call("POST", "/api/requests/replay", `{"source": `+string(always)+`}`, &all)
	if text := fmt.Sprint(all.Results); text != "[{3 deny deny} {2 deny allow} {1 allow allow}]" || !all.OK {
		s.t.Errorf("all by other rules: %s", text)
	}
}

// TestRequestsStream reads a stream of decisions.
func TestRequestsStream(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.anonymous("GET", "/open/before", "")
	res, err := http.Get("http://" + s.app.Console + "/api/requests/stream?outcome=allow")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || lines.Text() != "{}" {
		t.Fatalf("the stream began with %q, %v", lines.Text(), lines.Err())
	}
	s.anonymous("GET", "/closed/x", "")
	s.anonymous("GET", "/open/after", "")
	var r record
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &r) != nil || r.Path != "open/after" || r.Outcome != "allow" {
		t.Errorf("the stream went on with %q, %v", lines.Text(), lines.Err())
	}
	all, err := http.Get("http://" + s.app.Console + "/api/requests/stream?after=0")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Body.Close()
	lines = bufio.NewScanner(all.Body)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &r) != nil || r.Path != "open/before" {
		t.Errorf("the stream after none began with %q, %v", lines.Text(), lines.Err())
	}
}

// TestNow reads the counts and the log.
func TestNow(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	s.set("a/x", 1)
	s.set("a/y", 1)
	s.status("POST", documents+":runQuery", `{"structuredQuery": {"from": [{"collectionId": "a"}]}}`)
	var now struct {
		Interval int
		Samples  []meter.Sample
		Current  meter.Sample
	}
	s.call("GET", "/api/now", "", &now)
	if c := now.Current; c.Commits != 2 || c.Writes != 2 || c.Queries != 1 || c.Reads != 2 || c.Memory == 0 || c.Disk == 0 || c.DiskFree == 0 || now.Interval != 10 {
		t.Errorf("now: %+v", now)
	}
	var logs struct {
		Lines []struct{ Message, Level string }
		Next  int
	}
	s.call("GET", "/api/logs?q=session+opened", "", &logs)
	if len(logs.Lines) == 0 || logs.Lines[0].Message != "the console's session opened" || logs.Next == 0 {
		t.Errorf("the log: %+v", logs)
	}
	if got := s.status("GET", "/api/logs?level=loud", ""); got != 400 {
		t.Errorf("the log of an unknown level: %d, want 400", got)
	}
}

// TestNowShowsUsage reads what production would bill for the calls of applications; the console's are not counted.
func TestNowShowsUsage(t *testing.T) {
	type figures struct {
		Usage *struct {
			Since string
			Total struct {
				Reads, Writes int64
				Cost          *float64
			}
			Top []struct {
				Pattern       string
				Reads, Writes int64
				Cost          float64
			}
			Prices *struct{ Date, Currency string }
		}
	}
	s := start(t, config.ModeStart, "--memory")
	s.session()
	s.set("open/x", 1)
	if got := s.anonymous("GET", "/open/x", ""); got != 200 {
		t.Fatalf("a get: %d", got)
	}
	var now figures
	s.call("GET", "/api/now", "", &now)
	if u := now.Usage; u == nil || u.Total.Reads != 1 || u.Total.Writes != 0 || len(u.Top) != 1 || u.Top[0].Pattern != "open" || u.Top[0].Reads != 1 || u.Since == "" {
		t.Errorf("the usage of an application that read one document: %+v", now.Usage)
	}
	if now.Usage.Prices != nil || now.Usage.Total.Cost != nil {
		t.Errorf("costs without prices: %+v", now.Usage)
	}
	now = figures{}
	prices := filepath.Join(t.TempDir(), "prices.json")
	text := `{"date": "2026-11-01", "location": "nam5", "currency": "EUR", "per100000": {"reads": 200000, "writes": 1, "deletes": 1, "ttlDeletes": 1}}`
	if err := os.WriteFile(prices, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	priced := start(t, config.ModeStart, "--memory", "--usage-prices", prices)
	priced.session()
	priced.set("open/x", 1)
	priced.anonymous("GET", "/open/x", "")
	priced.call("GET", "/api/now", "", &now)
	if u := now.Usage; u == nil || u.Total.Cost == nil || *u.Total.Cost != 2 || len(u.Top) != 1 || u.Top[0].Cost != 2 || u.Prices.Date != "2026-11-01" || u.Prices.Currency != "EUR" {
		t.Errorf("the costs of one read: %+v", now.Usage)
	}
	production := start(t, config.ModeServe)
	production.open(true)
	now = figures{}
	if production.call("GET", "/api/now", "", &now); now.Usage != nil {
		t.Errorf("usage that is not counted: %+v", now.Usage)
	}
}

// TestIndexesThatQueriesLack reads present and missing indexes, also when queries without an index are refused.
func TestIndexesThatQueriesLack(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	s.set("a/x", 1)
	const query = `{"structuredQuery": {"from": [{"collectionId": "a"}], "orderBy": [{"field": {"fieldPath": "n"}}, {"field": {"fieldPath": "m"}, "direction": "DESCENDING"}]}}`
	for range 3 {
		if got := s.status("POST", documents+":runQuery", query); got != 400 {
			t.Errorf("a query without its index: %d, want 400", got)
		}
	}
	_, text := s.request("GET", "/api/indexes", "")
	want := `"needed":[{"collection":"a","scope":"COLLECTION","fields":[{"path":"n","order":"ASCENDING"},{"path":"m","order":"DESCENDING"}],"count":3,`
	if !strings.Contains(text, want) || !strings.Contains(text, `"mode":"enforce"`) {
		t.Errorf("the indexes are %s, want %s", text, want)
	}
	dev := start(t, config.ModeStart, "--memory")
	dev.session()
	dev.set("a/x", 1)
	dev.status("POST", documents+":runQuery", query)
	for deadline := time.Now().Add(time.Minute); ; { // the index is built in the background
		_, text = dev.request("GET", "/api/indexes", "")
		if strings.Contains(text, `"indexes":[{"collection":"a"`) && strings.Contains(text, `"needed":[]`) && strings.Contains(text, `"origin":"built"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the indexes are %s, want the missing one built", text)
		}
	}
	dev.call("PATCH", documents+"/a/y", `{"fields": {"n": {"integerValue": 1}, "m": {"integerValue": 2}}}`, nil)
	dev.status("POST", documents+":runQuery", query)
	if _, text = dev.request("GET", "/api/indexes", ""); !strings.Contains(text, `"uses":1,"lastUse":"2027-`) || !strings.Contains(text, `"entries":1,`) {
		t.Errorf("the indexes are %s, want one entry and one use", text)
	}
}

// TestAnIndexIsWrittenIntoItsFile adds an index that a query lacked to the file, once.
func TestAnIndexIsWrittenIntoItsFile(t *testing.T) {
	s := start(t, config.ModeStart, "--memory", "--indexes", "enforce")
	s.session()
	s.status("POST", documents+":runQuery", `{"structuredQuery": {"from": [{"collectionId": "a"}], "orderBy": [{"field": {"fieldPath": "n"}}, {"field": {"fieldPath": "m"}}]}}`)
	var got struct{ Needed []struct{ JSON string } }
	if s.call("GET", "/api/indexes", "", &got); len(got.Needed) != 1 {
		t.Fatalf("needed are %v", got)
	}
	body, err := json.Marshal(map[string]string{"json": got.Needed[0].JSON})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ File string }
	for range 2 {
		s.call("POST", "/api/indexes/file", string(body), &answer)
	}
	text, err := os.ReadFile(answer.File)
	if err != nil || strings.Count(string(text), `"collectionGroup"`) != 1 || !strings.Contains(string(text), `"note": "stays"`) {
		t.Errorf("the file holds %s, %v", text, err)
	}
	if got := s.status("POST", "/api/indexes/file", `{"json": "another"}`); got != 404 {
		t.Errorf("an index that no query lacked: %d, want 404", got)
	}
	if _, text := s.request("GET", "/api/audit", ""); !strings.Contains(text, `"method":"add an index"`) {
		t.Errorf("the audit log is %s", text)
	}
}

// TestLabAndCodes creates and restores snapshots, clears, reads codes and signs in as a user.
func TestLabAndCodes(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	s.set("a/x", 1)
	var made struct{ ID string }
	s.call("POST", "/api/lab/snapshots", `{"name": "first"}`, &made)
	s.set("a/x", 2)
	s.call("POST", "/api/lab/snapshots/"+made.ID+"/restore", `{}`, nil)
	if _, text := s.request("GET", documents+"/a/x", ""); !strings.Contains(text, `"1"`) {
		t.Errorf("after the restore a/x is %s", text)
	}
	if _, text := s.request("GET", "/api/lab", ""); !strings.Contains(text, `"name":"first"`) {
		t.Errorf("the snapshots are %s", text)
	}
	s.call("DELETE", "/api/lab/snapshots/"+made.ID, "", nil)
	if got := s.status("POST", "/api/lab/snapshots/"+made.ID+"/restore", `{}`); got != 404 {
		t.Errorf("a snapshot that was deleted: %d, want 404", got)
	}
	accounts := "/identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts"
	s.call("POST", accounts, `{"localId": "ada", "email": "ada@example.org"}`, nil)
	s.call("POST", accounts+":sendOobCode", `{"requestType": "VERIFY_EMAIL", "email": "ada@example.org"}`, nil)
	if _, text := s.request("GET", "/api/codes", ""); !strings.Contains(text, `"oobLink":"http://`+s.app.Auth+`/emulator/action`) || !strings.Contains(text, `"subject":"Verify your e-mail`) {
		t.Errorf("the codes are %s", text)
	}
	if _, text := s.request("GET", "/api/codes?locale=es", ""); !strings.Contains(text, `"to":"ada@example.org","subject":"Verifica tu correo electrónico en `+project) {
		t.Errorf("the codes in Spanish are %s", text)
	}
	var tokens struct{ IDToken, RefreshToken string }
	s.call("POST", "/api/users/signin", `{"localId": "ada"}`, &tokens)
	if strings.Count(tokens.IDToken, ".") != 2 || tokens.RefreshToken == "" {
		t.Errorf("the tokens are %+v", tokens)
	}
	if got := s.status("POST", "/api/users/signin", `{"localId": "bob"}`); got != 404 {
		t.Errorf("signing in as an unknown user: %d, want 404", got)
	}
	s.call("POST", "/api/lab/clear", `{"what": "accounts"}`, nil)
	s.call("POST", "/api/lab/clear", `{"what": "documents"}`, nil)
	if got := s.status("GET", documents+"/a/x", ""); got != 404 {
		t.Errorf("a document after all were deleted: %d", got)
	}
	if got := s.status("POST", "/api/users/signin", `{"localId": "ada"}`); got != 404 {
		t.Errorf("an account after all were deleted: %d", got)
	}
}

// TestSafety checks a server with insecure settings and open rules.
func TestSafety(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	var got struct {
		Checks []struct{ ID, State, Text string }
	}
	s.call("GET", "/api/safety", "", &got)
	states := map[string]string{}
	for _, c := range got.Checks {
		states[c.ID] = c.State
		if c.Text == "" {
			t.Errorf("the check %s has no text", c.ID)
		}
	}
	if want := map[string]string{"rulesOpen": "ok", "tls": "warn", "signUp": "warn", "mail": "warn", "backup": "bad", "proxy": "ok", "disk": states["disk"], "keys": "ok", "version": "ok"}; fmt.Sprint(states) != fmt.Sprint(want) {
		t.Errorf("the checks are %v, want %v", states, want)
	}
	s.open(true)
	for to, want := range map[string]string{"ada@example.org": "No mail server is configured", "no address": "must be an e-mail address"} {
		if res, text := s.request("POST", "/api/safety/mail", `{"to": "`+to+`"}`); res.StatusCode != 400 || !strings.Contains(text, want) {
			t.Errorf("a test e-mail to %s: %d %s", to, res.StatusCode, text)
		}
	}
	dev := start(t, config.ModeStart, "--memory")
	dev.session()
	dev.call("PUT", "/api/rules", `{"source": "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{all=**} { allow read, write; } } }"}`, nil)
	if _, text := dev.request("GET", "/api/safety", ""); !strings.Contains(text, `"id":"rulesOpen","state":"bad"`) {
		t.Errorf("open rules: %s", text)
	}
}
