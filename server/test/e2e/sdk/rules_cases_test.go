package sdk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"clave/server/internal/rules/ruletest"

	"clave/server/test/e2e/harness"
)

// recordedRules is the folder of the recorded cases of security rules.
const recordedRules = "../conformance/testdata/rules-cases.jsonl"

// TestRulesCasesOverREST runs all recorded cases against a server. For each it replaces the rules, writes documents as
// the owner, and sends the operation as the case's user.
func TestRulesCasesOverREST(t *testing.T) {
	f, err := os.Open(recordedRules)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	cases, err := ruletest.ReadCases(f)
	if err != nil {
		t.Fatal(err)
	}
	r := &rulesRun{t: t, host: "http://" + harness.Start(t, nil).Firestore}
	run := 0
	for i := range cases {
		c := &cases[i]
		if c.Now != nil && strings.Contains(c.Rules, "request.time") {
			continue // the server's clock cannot be set
		}
		run++
		if got := r.verdict(c); !c.Accepts(got) {
			t.Errorf("%s: got %s, want %s %s\n%s", c.ID, got, c.Expect, c.Note, c.Rules)
		}
	}
	t.Logf("%d of %d cases run", run, len(cases))
}

// rulesRun runs cases of security rules against a server.
type rulesRun struct {
	t    *testing.T
	host string
}

// docs is the prefix of the documents' names.
func (r *rulesRun) docs() string {
	return "projects/" + harness.Project + "/databases/(default)/documents"
}

// request sends a request and returns the status.
func (r *rulesRun) request(method, path, authorization string, body any) (int, string) {
	r.t.Helper()
	return harness.SendAs(r.t, method, r.host+path, authorization, body)
}

// install replaces the project's rules.
func (r *rulesRun) install(source string) (int, string) {
	r.t.Helper()
	return r.request(http.MethodPut, "/emulator/v1/projects/"+harness.Project+":securityRules", "", harness.Object{
		"rules": harness.Object{"files": []any{harness.Object{"name": "firestore.rules", "content": source}}},
	})
}

// escape escapes the segments of a path.
func escape(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

// verdict runs a case and returns its result.
func (r *rulesRun) verdict(c *ruletest.Case) string {
	r.t.Helper()
	r.request(http.MethodDelete, "/emulator/v1/"+r.docs(), "owner", nil)
	if status, text := r.install(c.Rules); status == http.StatusBadRequest {
		return ruletest.CompileError
	} else if status != http.StatusOK {
		return fmt.Sprintf("installing: %d %s", status, text)
	}
	for path, fields := range c.Docs {
		if status, text := r.request(http.MethodPatch, "/v1/"+r.docs()+"/"+escape(path), "owner", harness.Object{"fields": fields}); status != http.StatusOK {
			return fmt.Sprintf("writing %s: %d %s", path, status, text)
		}
	}
	token := ""
	if c.Auth != nil {
		claims := map[string]any{"iat": 1, "exp": 4102444800}
		for k, v := range c.Auth.Token {
			claims[k] = v
		}
		claims["sub"], claims["aud"], claims["iss"] = c.Auth.UID, harness.Project, "https://securetoken.google.com/"+harness.Project
		token = harness.Unsigned(r.t, claims)
	}
	return r.do(&c.Op, token)
}

// do sends a case's operation.
func (r *rulesRun) do(op *ruletest.Operation, token string) string {
	r.t.Helper()
	parent := "/v1/" + r.docs()
	if op.Parent != "" {
		parent += "/" + escape(op.Parent)
	}
	switch op.Method {
	case "get":
		return answerVerdict(r.request(http.MethodGet, "/v1/"+r.docs()+"/"+escape(op.Path), token, nil))
	case "list":
		return answerVerdict(r.request(http.MethodPost, parent+":runQuery", token, harness.Object{"structuredQuery": op.Query}))
	case "aggregate":
		counted := harness.Object{"structuredQuery": op.Query, "aggregations": []any{harness.Object{"alias": "n", "count": harness.Object{}}}}
		return answerVerdict(r.request(http.MethodPost, parent+":runAggregationQuery", token, harness.Object{"structuredAggregationQuery": counted}))
	case "batch", "transaction":
		for _, path := range op.Reads {
			if v := answerVerdict(r.request(http.MethodGet, "/v1/"+r.docs()+"/"+escape(path), token, nil)); v != ruletest.Allow {
				return v
			}
		}
		return r.commit(op.Writes, token)
	}
	return r.commit([]ruletest.Write{op.Write}, token)
}

// commit commits writes.
func (r *rulesRun) commit(writes []ruletest.Write, token string) string {
	r.t.Helper()
	all := make([]any, len(writes))
	for i, w := range writes {
		name := r.docs() + "/" + w.Path
		one := harness.Object{"delete": name}
		if w.Method != "delete" {
			fields := w.Data
			if len(fields) == 0 {
				fields = json.RawMessage("{}")
			}
			one = harness.Object{"update": harness.Object{"name": name, "fields": fields}}
			if w.UpdateMask != nil {
				one["updateMask"] = harness.Object{"fieldPaths": *w.UpdateMask}
			}
			if w.Transforms != nil {
				one["updateTransforms"] = w.Transforms
			}
		}
		if w.Method == "create" || w.Method == "update" {
			one["currentDocument"] = harness.Object{"exists": w.Method == "update"}
		}
		all[i] = one
	}
	return answerVerdict(r.request(http.MethodPost, "/v1/"+r.docs()+":commit", token, harness.Object{"writes": all}))
}

// answerVerdict converts an answer to a verdict, and separates refusals by rules from other errors.
func answerVerdict(status int, text string) string {
	switch {
	case status == http.StatusForbidden || strings.Contains(text, `"PERMISSION_DENIED"`):
		return ruletest.Deny
	case status == http.StatusOK || status == http.StatusNotFound || status == http.StatusConflict:
		return ruletest.Allow
	}
	return fmt.Sprintf("%d %s", status, text)
}
