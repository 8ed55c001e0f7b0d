package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	"clave/server/internal/transport/rest"
)

// newServer serves an empty in-memory database without access control until the test ends.
func newServer(t testing.TB) *httptest.Server {
	t.Helper()
	az, _ := authztest.Open(t, authz.RulesetsOptions{Open: true})
	calls, err := api.New(api.Options{Authorizer: az})
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(rest.Options{Firestore: calls, Tokens: token.New(token.Options{Unsigned: true})})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// send sends a request and returns the status, the content type and the body.
func send(t testing.TB, s *httptest.Server, method, path, body string) (status int, contentType, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/projects/p/databases/%28default%29/documents"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain") // as in the web SDK, to avoid a preflight
	req.Header.Set("Authorization", "Bearer owner")
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), string(b)
}

const docs = "projects/p/databases/(default)/documents"

func TestAnswers(t *testing.T) {
	s := newServer(t)
	steps := []struct {
		method, path, body string
		status             int
		contains           string
	}{
		{"PATCH", "/c/a", `{"fields":{"n":{"integerValue":1}}}`, 200, `"name":"` + docs + `/c/a"`},
		{"GET", "/c/a", "", 200, `"fields":{"n":{"integerValue":"1"}}`},
		{"GET", "/c/a?mask.fieldPaths=x&key=abc&prettyPrint=false", "", 200, `"createTime"`},
		{"GET", "/c/a?nope=1", "", 400, `Unknown name \"nope\": Cannot bind query parameter.`},
		{"GET", "/c/none", "", 404, `"message": "Document \"` + docs + `/c/none\" not found."`},
		{"POST", "/c?documentId=b", `{"fields":{}}`, 200, `/c/b`},
		{"POST", "/c?documentId=b", `{"fields":{}}`, 409, `"status": "ALREADY_EXISTS"`},
		{"POST", "/c", `{"name":"x"}`, 400, `document.name must not be set`},
		{"GET", "/c", "", 200, `"documents":[{"name":"` + docs + `/c/a"`},
		{"GET", "/.", "", 400, `Collection id \".\" is invalid because it is reserved.`},
		{"GET", "/c?pageSize=1", "", 200, `"nextPageToken":"`},
		{"GET", "/c?pageSize=-1", "", 400, `Page size must be nonnegative.`},
		{"GET", "/c?pageToken=zzz", "", 400, `invalid page token`},
		{"GET", "/c?orderBy=n%20desc&pageToken=zzz", "", 400, `invalid page token`},
		{"POST", "/c?documentId=a/b", `{}`, 400, `Resource id \"a/b\" is invalid because it contains \"/\".`},
		{"POST", "/.", `{}`, 400, `Collection id \".\" is invalid because it is reserved.`},
		{"POST", "/c/a", `{}`, 400, `lacks \"/\" at index`},
		{"GET", "/c?showMissing=1&orderBy=__name__", "", 400, "cannot specify an order when show_missing is true"},
		{"GET", "/c?orderBy=n%20sideways", "", 400, `Invalid order by clause \"n sideways\".`},
		{"GET", "/c?orderBy=n,%20m%20sideways", "", 400, `Invalid order by clause \"n, m sideways\".`},
		{"GET", "/c/a?transaction=", "", 400, "Invalid transaction."},
		{"POST", ":beginTransaction", "", 200, `"transaction":"`},
		{"DELETE", "/c/b?currentDocument.exists=true", "", 200, `{}`},
		{"DELETE", "/c", "", 400, `lacks \"/\" at index`},
		{"POST", ":commit", `{"writes":[]}`, 200, `{}`},
		{"POST", ":commit", `{"writes":[{"verify":"` + docs + `/c/a","currentDocument":{"exists":true}}]}`, 200, `"updateTime"`},
		{"POST", ":runQuery", `{"structuredQuery":{"from":[{"collectionId":"c"}]},"explainOptions":{"analyze":true}}`, 200, `"readOperations":"1"`},
		{"POST", ":runAggregationQuery", `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"count":{}}]},"explainOptions":{"analyze":true}}`, 200, `"index_entries_scanned":"1"`},
		{"POST", ":listCollectionIds", `{}`, 200, `{"collectionIds":["c"]}`},
		{"POST", ":batchWrite", `{"writes":[{"delete":"` + docs + `/c/x"}]}`, 200, `"status":[{}]`},
		{"POST", ":executePipeline", `{}`, 400, "ExecutePipeline requires the Database Edition to be `enterprise`."},
		{"POST", ":listen", ``, 501, `unimplemented`},
	}
	for _, step := range steps {
		status, contentType, body := send(t, s, step.method, step.path, step.body)
		if status != step.status || !strings.Contains(body, step.contains) || contentType != "application/json; charset=UTF-8" {
			t.Errorf("%s %s %s: %d %s %s; want %d …%s…", step.method, step.path, step.body, status, contentType, body, step.status, step.contains)
		}
	}
}

func TestAnEmptyCommitHasNoTime(t *testing.T) {
	s := newServer(t)
	_, _, body := send(t, s, "POST", ":beginTransaction", "{}")
	transaction := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(body), `{"transaction":"`), `"}`)
	for _, request := range []string{`{}`, `{"transaction":"` + transaction + `"}`} {
		if status, _, body := send(t, s, "POST", ":commit", request); status != 200 || strings.TrimSpace(body) != "{}" {
			t.Errorf("commit %s: %d %s; want {}", request, status, body)
		}
	}
}

func TestMethodOverrideOfPost(t *testing.T) {
	s := newServer(t)
	for _, step := range []struct {
		method, meant string
		status        int
	}{{"POST", "PATCH", 200}, {"POST", "get", 200}, {"POST", "DELETE", 200}, {"GET", "DELETE", 404}, {"POST", "PUT", 404}} {
		req, err := http.NewRequestWithContext(t.Context(), step.method, s.URL+"/v1/"+docs+"/c/meant", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer owner")
		req.Header.Set("X-HTTP-Method-Override", step.meant)
		res, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != step.status {
			t.Errorf("%s that means %s: %d, want %d", step.method, step.meant, res.StatusCode, step.status)
		}
	}
}

func TestSeveralWritesOfOneDocumentAreOne(t *testing.T) {
	s := newServer(t)
	set := func(n int) string {
		return fmt.Sprintf(`{"update":{"name":%q,"fields":{"n":{"integerValue":%d}}}}`, docs+"/c/joined", n)
	}
	const remove = `{"delete":"` + docs + `/c/joined"}`
	type times struct {
		CommitTime   string
		WriteResults []struct{ UpdateTime string }
	}
	tests := []struct {
		name   string
		writes []string
		want   string // the expected state of each result: old, new or none
	}{
		{"ends as it was", []string{set(2), set(1)}, "old old"},
		{"changes at last", []string{set(1), set(2)}, "new new"},
		{"made anew", []string{remove, set(1)}, "new new"},
		{"gone at last", []string{set(2), remove}, "none none"},
	}
	for _, tt := range tests {
		send(t, s, "DELETE", "/c/joined", "")
		commit := func(writes ...string) times {
			var out times
			status, _, body := send(t, s, "POST", ":commit", `{"writes":[`+strings.Join(writes, ",")+`]}`)
			if err := json.Unmarshal([]byte(body), &out); err != nil || status != 200 {
				t.Fatalf("%s: %d %s", tt.name, status, body)
			}
			return out
		}
		old := commit(set(1)).CommitTime
		after := commit(tt.writes...)
		names := map[string]string{"": "none", old: "old", after.CommitTime: "new"}
		var got []string
		for _, r := range after.WriteResults {
			got = append(got, names[r.UpdateTime])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: results are %q, want %s: %+v after %s", tt.name, got, tt.want, after, old)
		}
	}
}

func TestPathsWithoutMethodArePlain404(t *testing.T) {
	s := newServer(t)
	for _, r := range [][2]string{{"PUT", "/c/a"}, {"POST", ":doSomething"}, {"POST", "/c/a:commit"}} {
		status, contentType, body := send(t, s, r[0], r[1], "{}")
		if status != 404 || strings.HasPrefix(contentType, "application/json") {
			t.Errorf("%s %s: %d %s %s; want a plain 404", r[0], r[1], status, contentType, body)
		}
	}
}

func TestStreamsAreArrays(t *testing.T) {
	s := newServer(t)
	send(t, s, "PATCH", "/c/a", `{"fields":{"n":{"integerValue":1}}}`)
	send(t, s, "PATCH", "/c/b", `{"fields":{"n":{"integerValue":2}}}`)
	query := func(more string) string { return `{"structuredQuery":{"from":[{"collectionId":"c"}]` + more + `}}` }
	tests := []struct {
		path, body string
		status     int
		rows       int
		contains   string
	}{
		{":runQuery", query(""), 200, 2, `"n":{"integerValue":"2"}`},
		{":runQuery", query(`,"limit":0`), 200, 1, `"readTime"`},
		{":runQuery", query(`,"offset":1`), 200, 2, `"skippedResults":1`},
		{":runQuery", query(`,"offset":10`), 200, 1, `"skippedResults":2`},
		{":runQuery", query(`,"limit":-1`), 400, 1, `limit is negative`},
		{":runQuery", `{"structuredQuery":{"from":[{"collectionId":"c"}]},"newTransaction":{}}`, 200, 3, `"transaction":"`},
		{":runQuery", `{"structuredQuery":{"from":[{"collectionId":"c"}]},"explainOptions":{"analyze":true}}`, 200, 2, `"resultsReturned":"2"`},
		{":runQuery", `{"structuredQuery":{"from":[{"collectionId":"c"}]},"explainOptions":{}}`, 200, 1, `"planSummary"`},
		{":runQuery", `{"structuredQuery":{"from":[{"collectionId":"c"}]},"explainOptions":{}}`, 200, 1, `[{"explainMetrics":{"planSummary":{"indexesUsed":[{"properties":"(__name__ ASC)","query_scope":"Collection"}]}}}]`},
		{":runAggregationQuery", `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"count":{}}]},"explainOptions":{}}`, 200, 1, `[{"explainMetrics":{"planSummary":{"indexesUsed":[{"properties":"(__name__ ASC)","query_scope":"Collection"}]}}}]`},
		{":batchGet", `{"documents":["` + docs + `/c/b","` + docs + `/c/x","` + docs + `/c/a"]}`, 200, 3, `"missing":"` + docs + `/c/x"`},
		{":batchGet", `{"documents":["nope"]}`, 400, 1, `Document name \"nope\" lacks \"projects\" at index 0.`},
		{":runAggregationQuery", `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"alias":"c","count":{}},{"alias":"s","sum":{"field":{"fieldPath":"n"}}}]}}`, 200, 1, `"s":{"integerValue":"3"}`},
		{":runAggregationQuery", `{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"count":{}}]},"newTransaction":{}}`, 200, 2, `"field_1":{"integerValue":"2"}`},
	}
	for _, tt := range tests {
		status, _, body := send(t, s, "POST", tt.path, tt.body)
		var rows []json.RawMessage
		if err := json.Unmarshal([]byte(body), &rows); err != nil {
			t.Errorf("%s %s: %v in %s", tt.path, tt.body, err, body)
			continue
		}
		if status != tt.status || len(rows) != tt.rows || !strings.Contains(body, tt.contains) {
			t.Errorf("%s %s: %d, %d rows %s; want %d, %d rows, …%s…", tt.path, tt.body, status, len(rows), body, tt.status, tt.rows, tt.contains)
		}
	}
}

func TestBodiesTooLargeAreRefused(t *testing.T) {
	s := newServer(t)
	const limit = 11_534_336
	status, _, body := send(t, s, "POST", ":commit", `{"writes":[]}`+strings.Repeat(" ", limit-len(`{"writes":[]}`)))
	if status != 200 {
		t.Errorf("a body of %d bytes: %d %.200s; want 200", limit, status, body)
	}
	status, _, body = send(t, s, "POST", ":commit", strings.Repeat(" ", limit+1))
	if status != 400 || !strings.Contains(body, "Request payload size exceeds the limit: 11534336 bytes.") {
		t.Errorf("a body of %d bytes: %d %.200s; want 400", limit+1, status, body)
	}
	// The length of this body is not known from its headers.
	status, body = exchange(t, s, "POST", ":commit", struct{ io.Reader }{strings.NewReader(strings.Repeat(" ", limit+1))})
	if status != 400 || !strings.Contains(body, "Request payload size exceeds the limit: 11534336 bytes.") {
		t.Errorf("a body of %d bytes in chunks: %d %.200s; want 400", limit+1, status, body)
	}
}

// TestErrorsAreSmall sends large values that errors quote.
func TestErrorsAreSmall(t *testing.T) {
	const most = 64 << 10
	s := newServer(t)
	large := strings.Repeat("x", 1<<20)
	for _, body := range []string{
		`{"writes":[{"update":{"name":"` + large + `"}}]}`, `{"writes":[{"delete":"` + large + `"}]}`, `{"writes":[{"update":{"fields":{"a":{"integerValue":"` + large + `"}}}}]}`,
		`{"` + large + `":1}`, `{"writes":"` + large + `"}`,
	} {
		if status, _, answer := send(t, s, "POST", ":commit", body); status != 400 || len(answer) > most {
			t.Errorf("%.60s…: %d with %d bytes, want 400 with at most %d", body, status, len(answer), most)
		}
	}
}

func TestPagesInAnyOrder(t *testing.T) {
	s := newServer(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		send(t, s, "PATCH", "/c/"+id, `{"fields":{"n":{"integerValue":`+string('0'+'f'-id[0])+`}}}`)
	}
	for _, tt := range []struct{ order, want string }{{"", "abcde"}, {"n", "edcba"}, {"n%20desc", "abcde"}, {"__name__%20desc", "edcba"}} {
		got, next := "", ""
		for range 6 {
			_, _, body := send(t, s, "GET", "/c?pageSize=2&orderBy="+tt.order+"&pageToken="+next, "")
			var page struct {
				Documents     []struct{ Name string }
				NextPageToken string
			}
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatalf("order %q: %v in %s", tt.order, err, body)
			}
			for _, d := range page.Documents {
				got += d.Name[len(d.Name)-1:]
			}
			if next = page.NextPageToken; next == "" {
				break
			}
		}
		if got != tt.want || next != "" {
			t.Errorf("order %q: pages hold %q, then token %q; want %q", tt.order, got, next, tt.want)
		}
	}
}
