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

// TestExplainedByDocuments explains a request by the documents of a running server and by those of an export.
func TestExplainedByDocuments(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, map[string]string{
		"closed.rules": "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n" +
			"  match /docs/{id} { allow get: if get(/databases/$(d)/documents/owners/$(id)).data.uid == request.auth.uid; }\n} }\n",
		"write.mjs": "const at = `http://${process.env.FIRESTORE_EMULATOR_HOST}/v1/projects/demo-lab/databases/(default)/documents/owners/a`\n" +
			"const answer = await fetch(at, { method: 'PATCH', headers: { authorization: 'Bearer owner' }, body: JSON.stringify({ fields: { uid: { stringValue: 'ann' } } }) })\n" +
			"if (!answer.ok) throw new Error(await answer.text())\n",
	})
	clave := harness.Command(t, dir).Path
	explain := clave + " rules explain closed.rules --project demo-lab --get /docs/a"
	line := "node write.mjs && " + explain + " --as uid:ann --server $FIRESTORE_EMULATOR_HOST; " + explain + " --as uid:eve --server $FIRESTORE_EMULATOR_HOST"
	wants := []string{"ALLOWED: get of docs/a\nLine 3 allows", "DENIED: get of docs/a\nLine 3: ", `"eve"`}
	out, err := harness.Command(t, dir, "exec", "--project", "demo-lab", "--only", "firestore", "--export-on-exit", "data", "--", "sh", "-c", line).CombinedOutput()
	for _, want := range wants {
		if !strings.Contains(string(out), want) {
			t.Errorf("--server: %q is missing: %v\n%s", want, err, out)
		}
	}
	for uid, want := range map[string]string{"ann": wants[0], "eve": wants[1]} {
		out, err := harness.Command(t, dir, "rules", "explain", "closed.rules", "--project", "demo-lab", "--get", "/docs/a", "--as", "uid:"+uid, "--import", "data").CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("--import as %s: %q is missing: %v\n%s", uid, want, err, out)
		}
	}
}
