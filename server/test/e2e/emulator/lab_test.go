package emulator

import (
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestExplainedAndReplayed runs a client against rules: a denial has its reason, and its requests are recorded,
// explained, and decided by other rules.
func TestExplainedAndReplayed(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, map[string]string{
		"firestore.rules": "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n  match /docs/{id} { allow get: if debug(id) == 'a'; }\n} }\n",
		"new.rules":       "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n  match /docs/{id} { allow get: if id in ['a', 'b']; }\n} }\n",
		"client.mjs": "const at = `http://${process.env.FIRESTORE_EMULATOR_HOST}/v1/projects/${process.env.GCLOUD_PROJECT}/databases/(default)/documents/docs/`\n" +
			"for (const id of ['a', 'b']) console.log(JSON.stringify(await (await fetch(at + id)).json()))\n",
	})
	run := func(wants []string, args ...string) {
		t.Helper()
		cmd := harness.Command(t, dir, args...)
		out, err := cmd.CombinedOutput()
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("clave %s lacks %q: %v\n%s", strings.Join(args, " "), want, err, out)
			}
		}
	}
	run([]string{`Line 3: debug(id) == 'a' is false, debug(id) = \"b\".`, "debug() in the security rules"},
		"exec", "--project", "demo-lab", "--only", "firestore", "--explain-denials", "--record-requests", "requests.jsonl", "--", "node", "client.mjs")
	run([]string{"get docs/b #2 by nobody: deny before, now allow. Line 3 allows get of docs/b.", "2 requests, 1 decided otherwise"},
		"rules", "replay", "requests.jsonl", "--rules", "new.rules")
	run([]string{"DENIED: get of docs/b\nLine 3: "}, "rules", "explain", "--case", "requests.jsonl", "--id", "get docs/b #2")
	run([]string{"ALLOWED: get of docs/a\nLine 3 allows"}, "rules", "explain", "firestore.rules", "--get", "/docs/a")
}
