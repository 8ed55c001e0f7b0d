package rest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// exchange sends a request with headers and returns the answer's status and body.
func exchange(t *testing.T, s *httptest.Server, method, path string, body io.Reader, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/"+docs+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer owner")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(b))
}

func TestPartialAnswers(t *testing.T) {
	s := newServer(t)
	send(t, s, "PATCH", "/c/a", `{"fields":{"n":{"integerValue":1},"m":{"mapValue":{"fields":{"k":{"integerValue":2},"l":{"nullValue":null}}}}}}`)
	const name = `"name":"` + docs + `/c/a"`
	const query = `{"structuredQuery":{"from":[{"collectionId":"c"}]}}`
	const invalid = "Request contains an invalid argument."
	tests := []struct{ method, path, body, want string }{
		{"GET", "/c/a?fields=name", "", `{` + name + `}`},
		{"GET", "/c/a?%24fields=name", "", `{` + name + `}`},
		{"GET", "/c/a?fields=fields/n,name", "", `{` + name + `,"fields":{"n":{"integerValue":"1"}}}`},
		{"GET", "/c/a?fields=fields(n)", "", `{"fields":{"n":{"integerValue":"1"}}}`},
		{"GET", "/c/a?fields=fields.m.mapValue.fields.k", "", `{"fields":{"m":{"mapValue":{"fields":{"k":{"integerValue":"2"}}}}}}`},
		{"GET", "/c/a?fields=fields/*,name", "", `{` + name + `,"fields":{"m":{"mapValue":{"fields":{"k":{"integerValue":"2"},"l":{"nullValue":null}}}},"n":{"integerValue":"1"}}}`},
		{"GET", "/c/a?fields=fields/n,fields", "", `{"fields":{"m":{"mapValue":{"fields":{"k":{"integerValue":"2"},"l":{"nullValue":null}}}},"n":{"integerValue":"1"}}}`},
		{"GET", "/c?fields=documents/name", "", `{"documents":[{` + name + `}]}`},
		{"GET", "/c?fields=documents(name,fields(n)),nextPageToken", "", `{"documents":[{` + name + `,"fields":{"n":{"integerValue":"1"}}}]}`},
		{"GET", "/c?fields=nextPageToken", "", `{}`},
		{"POST", ":runQuery?fields=document(name)", query, `[{"document":{` + name + `}}]`},
		{"POST", ":runQuery?fields=document/name&prettyPrint=false&key=k&quotaUser=u&%24.xgafv=2&alt=json&%24alt=json%3Benum-encoding%3Dint&callback=f", query, `[{"document":{` + name + `}}]`},
		{"GET", "/c/a?fields=nothing", "", invalid},
		{"GET", "/c/a?fields=name/x", "", invalid},
		{"GET", "/c/a?fields=createTime/seconds", "", invalid},
		{"GET", "/c/a?fields=fields(n", "", invalid},
		{"GET", "/c/a?fields=,", "", invalid},
		{"PATCH", "/c/a?fields=nothing", `{}`, invalid},
		{"GET", "/c/a?alt=proto", "", "alt=proto is unimplemented."},
	}
	for _, tt := range tests {
		_, body := exchange(t, s, tt.method, tt.path, strings.NewReader(tt.body))
		if got := strings.TrimSpace(body); got != tt.want && (strings.HasPrefix(tt.want, "{") || strings.HasPrefix(tt.want, "[") || !strings.Contains(got, tt.want)) {
			t.Errorf("%s %s: %s; want %s", tt.method, tt.path, got, tt.want)
		}
	}
	if _, body := exchange(t, s, "GET", "/c/a", nil, "X-Goog-FieldMask", "name"); body != `{`+name+`}` {
		t.Errorf("with a header that names fields: %s", body)
	}
	if _, body := exchange(t, s, "GET", "/c/a?fields=name&prettyPrint=true", nil); body != "{\n  \"name\": \""+docs+"/c/a\"\n}" {
		t.Errorf("pretty: %s", body)
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	s := newServer(t)
	send(t, s, "PATCH", "/c/a", `{}`)
	for path, want := range map[string]int{"/c/a": 200, "/c/none": 404, "": 404} {
		if status, body := exchange(t, s, "HEAD", path, nil); status != want || body != "" {
			t.Errorf("HEAD %s: %d %q; want %d and nothing", path, status, body, want)
		}
	}
}

// packed compresses a text. The stated size is larger by a number of bytes.
func packed(text string, more byte) *bytes.Buffer {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	b.Bytes()[b.Len()-4] += more
	return &b
}

func TestPackedBodies(t *testing.T) {
	s := newServer(t)
	const limit = 11_534_336
	const commit = `{"writes":[{"update":{"name":"` + docs + `/c/packed"}}]}`
	tests := []struct {
		name, encoding string
		body           io.Reader
		status         int
		contains       string
	}{
		{"gzip", "gzip", packed(commit, 0), 200, `"commitTime"`},
		{"GZIP", "GZIP", packed(commit, 0), 200, `"commitTime"`},
		{"identity", "identity", strings.NewReader(commit), 200, `"commitTime"`},
		{"as large as may be", "gzip", packed(commit+strings.Repeat(" ", limit-len(commit)), 0), 200, `"commitTime"`},
		{"too large", "gzip", packed(commit+strings.Repeat(" ", limit+1-len(commit)), 0), 400, "Request payload size exceeds the limit: 11534336 bytes."},
		{"larger than stated", "gzip", packed(commit, 255), 400, "does not have the stated content encoding"},
		{"smaller than stated", "gzip", packed(commit, 1), 400, "does not have the stated content encoding"},
		{"cut off", "gzip", bytes.NewReader(packed(commit, 0).Bytes()[:20]), 400, "INVALID_ARGUMENT"},
		{"plain text", "gzip", strings.NewReader("plain"), 400, "INVALID_ARGUMENT"},
		{"nothing", "gzip", strings.NewReader(""), 400, "does not have the stated content encoding"},
		{"unknown", "br", strings.NewReader(commit), 400, `Content encoding \"br\" is not supported.`},
	}
	for _, tt := range tests {
		status, body := exchange(t, s, "POST", ":commit", tt.body, "Content-Encoding", tt.encoding)
		if status != tt.status || !strings.Contains(body, tt.contains) {
			t.Errorf("%s: %d %.300s; want %d …%s…", tt.name, status, body, tt.status, tt.contains)
		}
	}
}
