package emulator

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// mcpRules have a hole, which an attack finds.
const mcpRules = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n  match /docs/{id} { allow get: if request.auth.uid == resource.data.owner; allow create: if request.auth != null; }\n} }\n"

// mcpSeed has documents and accounts of all kinds that answers show.
const mcpSeed = `
users: {ann: {email: ann@example.org, password: secret-of-ann, claims: {role: admin}}}
documents:
  docs:
    a: {owner: ann, n: 1, at: {$timestamp: "2026-01-02T03:04:05Z"}, place: {$geo: [1, 2]}, ref: {$ref: docs/b}, d: {$double: 2}}
    b: {owner: eve, n: 2}
`

// TestMCP calls each tool of the built program over standard input and output.
func TestMCP(t *testing.T) {
	dir, port := harness.ProjectFolder(t, map[string]string{"firestore.rules": mcpRules})
	harness.StartProgram(t, dir, "--indexes", "record")
	console := strings.TrimSpace(consoleURL(t, dir))
	writer := harness.Assist(t, harness.Command(t, dir, "mcp", "--console", console, "--allow-writes"))
	seed := fmt.Sprintf(`{"seed": %q}`, mcpSeed)
	if text, ok := writer.Call("apply_seed", seed); !ok || strings.Contains(text, "secret-of-ann") || !strings.Contains(text, `"name":"docs/a"`) {
		t.Fatalf("apply_seed: %v %s", ok, text)
	}
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v1/projects/demo-no-project/databases/(default)/documents/docs/b", port))
	if err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusForbidden {
		t.Fatalf("a request that rules decide: %v, %v", res, err)
	}
	reader := harness.Assist(t, harness.Command(t, dir, "mcp", "--console", console))
	for name, tool := range reader.Tools() {
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("without --allow-writes there is the tool %s, which changes data", name)
		}
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"diff_seed", seed, `{"items":[]}`},
		{"diff_seed", `{"seed": "documents: {docs/a: {n: 2}}"}`, `{"path":"n","want":"2","have":"1"}`},
		{"diff_seed", `{"seed": "documents:\n  docs/a: {n: {$timestamp: soon}}"}`, `seed.yaml:2: documents.docs/a.n.$timestamp`},
		{"query_documents", `{"collection": "docs", "where": [{"field": "n", "op": "<=", "value": 1}], "select": ["at", "place", "ref", "d"]}`,
			`"fields":{"at":{"$timestamp":"2026-01-02T03:04:05Z"},"d":{"$double":2},"place":{"$geo":[1,2]},"ref":{"$ref":"docs/b"}}`},
		{"query_documents", `{"collection": "docs", "where": [{"field": "at", "op": "==", "value": {"$timestamp": "2026-01-02T03:04:05Z"}}], "limit": 1}`, `"path":"docs/a"`},
		{"query_documents", `{"collection": "docs", "orderBy": [{"field": "n", "descending": true}], "limit": 1}`, `"path":"docs/b"`},
		{"query_documents", `{"collection": "docs", "where": [{"field": "owner", "op": "==", "value": "ann"}], "orderBy": [{"field": "n"}]}`, `"path":"docs/a"`},
		{"query_documents", `{"collection": "docs/a"}`, "must be the path of a collection"},
		{"query_documents", `{"collection": "docs", "limit": 1000}`, "limit must be 1 to 300"},
		{"query_documents", `{"collection": "docs", "where": [{"field": "n", "op": "~", "value": 1}]}`, `op "~" is unknown`},
		{"get_documents", `{"paths": ["docs/b", "/docs/c"]}`, `{"path":"docs/c","fields":null}`},
		{"explain_query", `{"collection": "docs", "where": [{"field": "n", "op": ">", "value": 0}], "analyze": true}`, `"planSummary"`},
		{"get_rules", `{}`, "allow create: if request.auth != null"},
		{"explain_rules", `{"method": "get", "path": "docs/b", "as": "ann"}`, `DENIED: get of docs/b`},
		{"explain_rules", `{"method": "get", "path": "docs/b", "as": "ann", "docs": {"docs/b": {"owner": "ann"}}}`, `ALLOWED: get of docs/b`},
		{"explain_rules", `{"method": "create", "path": "docs/x", "rules": "service x"}`, "L1:10 Unexpected"},
		{"attack_rules", `{}`, "unknown-field: create of /docs/{id}"},
		{"list_indexes", `{}`, `"indexes"`},
		{"list_users", `{}`, `"email":"ann@example.org"`},
		{"list_users", `{"text": "ANN"}`, `"claims":{"role":"admin"}`},
		{"list_requests", `{"limit": 5}`, `docs/b"`},
		{"usage", `{}`, `"total"`},
		{"clock", `{}`, `"now"`},
		{"advance_clock", `{"by": "1h"}`, "advance_clock"},
	} {
		text, ok := reader.Call(c.tool, c.arguments)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %v %s\nwant %s", c.tool, c.arguments, ok, text, c.want)
		}
		for _, secret := range []string{"secret-of-ann", "passwordHash", "salt", "UkVEQUNURUQ"} {
			if strings.Contains(text, secret) && c.tool != "attack_rules" {
				t.Errorf("%s answers a secret: %s", c.tool, text)
			}
		}
	}
	if text, ok := writer.Call("advance_clock", `{"by": "48h"}`); !ok || !strings.Contains(text, `"now"`) {
		t.Errorf("advance_clock: %s", text)
	}
}

// TestMCPAnswersAreBounded queries more than an answer may have.
func TestMCPAnswersAreBounded(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, nil)
	harness.StartProgram(t, dir)
	a := harness.Assist(t, harness.Command(t, dir, "mcp", "--console", strings.TrimSpace(consoleURL(t, dir)), "--allow-writes"))
	large := strings.Repeat("x", 20<<10)
	seed := fmt.Sprintf("documents: {a: {big: {t: '%[1]s%[1]s'}, b1: {t: '%[1]s'}, b2: {t: '%[1]s'}, b3: {t: '%[1]s'}, b4: {t: '%[1]s'}}}", large)
	if text, ok := a.Call("apply_seed", fmt.Sprintf(`{"seed": %q}`, seed)); !ok {
		t.Fatal(text)
	}
	text, ok := a.Call("query_documents", `{"collection": "a"}`)
	if !ok || len(text) > 64<<10 || !strings.Contains(text, `{"name":"a/big","tooLarge":`) || !strings.Contains(text, `"omitted":1`) {
		t.Errorf("a large answer has %d bytes: %.200s … %s", len(text), text, text[max(0, len(text)-200):])
	}
}

// consoleURL returns the console's URL that the program in a folder prints.
func consoleURL(t *testing.T, dir string) string {
	t.Helper()
	out, err := harness.Command(t, dir, "console").Output()
	if err != nil {
		t.Fatalf("clave console: %v", err)
	}
	return string(out)
}
