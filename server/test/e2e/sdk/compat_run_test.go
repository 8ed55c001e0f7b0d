package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// compatRequest is one request to Firestore over REST; the path is relative to the database's documents.
type compatRequest struct {
	method string
	path   string
	body   any
	// anyOrder is set when the order of the answer's rows is undefined.
	anyOrder bool
}

// String returns the request as one line.
func (r compatRequest) String() string {
	body, err := json.Marshal(r.body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s %s", r.method, r.path, body)
}

// compatAnswer is an answer without the parts that differ between runs.
type compatAnswer struct {
	status  int
	code    string
	message string
	body    any
}

// compatRun compares the answers of two servers.
type compatRun struct {
	t       *testing.T
	ours    string
	theirs  string
	project string
	// excused counts the differences listed in compatDifferences, by name.
	excused map[string]int
}

// compare sends a request to both servers and reports different answers.
func (c *compatRun) compare(r compatRequest) {
	c.t.Helper()
	ours, theirs := c.send(c.ours, r), c.send(c.theirs, r)
	if r.anyOrder {
		sortRows(ours.body)
		sortRows(theirs.body)
	}
	if ours.status == theirs.status && ours.code == theirs.code && reflect.DeepEqual(ours.body, theirs.body) {
		return
	}
	for _, d := range compatDifferences {
		if d.is(r, ours, theirs) {
			c.excused[d.name]++
			return
		}
	}
	c.t.Errorf("%s\n  ours:   %s\n  theirs: %s", r, ours, theirs)
}

// sortRows sorts the rows of an answer that is a list.
func sortRows(body any) {
	if rows, ok := body.([]any); ok {
		slices.SortFunc(rows, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
}

// String returns an answer as one line.
func (a compatAnswer) String() string {
	if a.code != "" {
		return fmt.Sprintf("%d %s %q", a.status, a.code, a.message)
	}
	body, err := json.Marshal(a.body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", a.status, body)
}

// send sends a request to one server.
func (c *compatRun) send(host string, r compatRequest) compatAnswer {
	c.t.Helper()
	var body io.Reader
	if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			c.t.Fatal(err)
		}
		body = bytes.NewReader(b)
	}
	url := "http://" + host + "/v1/projects/" + c.project + "/databases/(default)/documents" + r.path
	req, err := http.NewRequestWithContext(c.t.Context(), r.method, url, body)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Content-Type", "application/json")
	res, text := harness.Do(c.t, http.DefaultClient, req)
	a := compatAnswer{status: res.StatusCode}
	var parsed any
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		a.body = "no JSON"
		return a
	}
	if res.StatusCode == http.StatusOK {
		a.body = steady(parsed)
		return a
	}
	a.code, a.message = compatError(parsed)
	return a
}

// compatError returns the code and text of an error, which may be inside an array.
func compatError(parsed any) (code, message string) {
	if list, ok := parsed.([]any); ok && len(list) > 0 {
		parsed = list[len(list)-1]
	}
	outer, _ := parsed.(map[string]any)
	e, _ := outer["error"].(map[string]any)
	code, _ = e["status"].(string)
	message, _ = e["message"].(string)
	return code, message
}

// steady removes the parts of an answer that differ between runs. It also removes parts in which the emulator differs
// from production in every answer: done, skipped results on the first document, one extra page token.
func steady(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range x {
			switch k {
			case "readTime", "createTime", "updateTime", "commitTime", "done", "skippedResults", "nextPageToken":
			case "transformResults":
				out[k] = len(item.([]any))
			case "at":
				out[k] = "a server's time"
			default:
				out[k] = steady(item)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(x))
		for _, item := range x {
			item = steady(item)
			if m, ok := item.(map[string]any); ok && len(m) == 0 {
				continue
			}
			out = append(out, item)
		}
		return out
	case float64:
		return x + 0 // The emulator drops the sign of zero.
	default:
		return v
	}
}
