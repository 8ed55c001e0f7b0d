package emulator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// labRules have a part for each program of lab, and holes that an attack finds.
const labRules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents {
  match /open/{x=**} { allow read, write; }
  match /expiring/{id} { allow read, write; }
  match /docs/{id} { allow read, write: if request.auth.uid == resource.data.owner; }
  match /staff/{id} { allow read: if request.auth.token.role == 'admin'; }
  match /timed/{id} { allow read: if request.time == timestamp.date(2030, 1, 1); }
} }
`

// labSeed has accounts and documents for each place in which the web SDK runs, and values of several types.
const labSeed = `
users:
  ann-node: {email: ann-node@example.org, password: secret-of-ann, claims: {role: admin}}
  ann-chromium: {email: ann-chromium@example.org, password: secret-of-ann, claims: {role: admin}}
  bob: {email: bob@example.org, password: secret-of-bob}
documents:
  docs: {node: {owner: eve}, chromium: {owner: eve}}
  staff: {node: {n: 1}, node-2: {n: 2}, chromium: {n: 1}, chromium-2: {n: 2}}
  typed/a:
    at: {$timestamp: "2026-01-02T03:04:05Z"}
    place: {$geo: [41.5, 2.1]}
    boss: {$ref: docs/node}
    bytes: {$bytes: aGVsbG8=}
    meaning: {$vector: [0.5, -1]}
    big: {$int: "7"}
`

// labFiles are the files of the project.
var labFiles = map[string]string{
	"firestore.rules":        labRules,
	"new.rules":              strings.Replace(labRules, "request.auth.uid == resource.data.owner", "request.auth != null", 1),
	"firestore.indexes.json": `{"indexes": [], "fieldOverrides": [{"collectionGroup": "expiring", "fieldPath": "until", "ttl": true, "indexes": []}]}`,
	"seed.yaml":              labSeed,
	"more.json":              `{"documents": {"more": {"json": {"n": 1}}}}`,
	"module.mjs":             `export default () => ({ documents: { 'more/module': { n: 2 } } })`,
	"module.ts":              `const n: number = 2; export default (): object => ({ documents: { 'more/module': { n } } })`,
}

// lab is a running program for the SDKs.
type lab struct {
	*testing.T
	// dir is the project's folder, and firestore and auth are the addresses.
	dir, firestore, auth string
}

// labProject is the server's own project, in which clients of Auth sign in.
const labProject = "demo-lab"

// startLab starts the program and sets the environment variables by which SDKs find it.
func startLab(t *testing.T) *lab {
	t.Helper()
	dir, _ := harness.ProjectFolder(t, labFiles)
	config := filepath.Join(dir, "firebase.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), `"rules": "firestore.rules"`, `"rules": "firestore.rules", "indexes": "firestore.indexes.json"`, 1))
	harness.WriteFile(t, config, string(text))
	var file struct {
		Emulators map[string]struct{ Port int }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	at := func(part string) string { return fmt.Sprintf("127.0.0.1:%d", file.Emulators[part].Port) }
	l := &lab{T: t, dir: dir, firestore: at("firestore"), auth: at("auth")}
	harness.StartProgram(t, dir, "--memory", "--project", labProject, "--sign-tokens", "--explain-denials", "--seed", "seed.yaml")
	t.Setenv("FIRESTORE_EMULATOR_HOST", l.firestore)
	t.Setenv("FIREBASE_AUTH_EMULATOR_HOST", l.auth)
	t.Setenv("GCLOUD_PROJECT", labProject)
	return l
}

// TestLabBySDKs asks one program for what the lab has, by the Go SDKs, by the web SDK in Node and in Chromium and by
// the Admin SDK for Node (lab/walk.mjs). Then it decides the recorded requests of the web SDK by other rules, and
// attacks the rules from them.
func TestLabBySDKs(t *testing.T) {
	frontend, chromium := harness.Browser(t)
	sdks, err := filepath.Abs("sdks/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(sdks, "firebase-admin")); err != nil {
		t.Skipf("%s has no firebase-admin: make test installs it", sdks)
	}
	l := startLab(t)
	l.byGo()
	l.walk(frontend, filepath.Dir(sdks), chromium)
	for _, run := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"rules", "replay", "requests.jsonl", "--rules", "new.rules"}, []string{"get docs/node #", "get docs/chromium #", "ann-node: deny before, now allow."}},
		{[]string{"rules", "attack", "firestore.rules", "--from", "requests.jsonl"}, []string{"owner-forged: update of /docs/{id}"}},
	} {
		out, _ := harness.Command(t, l.dir, run.args...).CombinedOutput() // the exit code reports the findings
		for _, want := range run.wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("clave %s lacks %q:\n%s", strings.Join(run.args, " "), want, out)
			}
		}
	}
}

// walk runs the Node program.
func (l *lab) walk(frontend, sdks, chromium string) {
	l.Helper()
	program, err := filepath.Abs(filepath.Join("lab", "walk.mjs"))
	if err != nil {
		l.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(l.Context(), harness.ScriptLimit)
	defer cancel()
	module := "module.mjs"
	if out, err := exec.CommandContext(ctx, "node", "-p", "process.features.typescript").Output(); err == nil && strings.TrimSpace(string(out)) == "strip" {
		module = "module.ts" // which an older Node can't evaluate
	}
	cmd := exec.CommandContext(ctx, "node", program, frontend, sdks, harness.Command(l.T, l.dir).Path)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium, "METADATA_SERVER_DETECTION=none", fmt.Sprintf(`SEEDS=["seed.yaml", "more.json", %q]`, module))
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.Errorf("lab/walk.mjs: %v\n%s", err, out)
	} else {
		l.Logf("%s", out)
	}
}
