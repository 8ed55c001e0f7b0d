package emulator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// labPage is the page whose examples are run, seen from the folder of all these tests.
const labPage = "../../doc/lab.md"

// example returns the first block of a kind in the page.
func example(t *testing.T, page, kind string) string {
	t.Helper()
	_, block, found := strings.Cut(page, "```"+kind+"\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatalf("the page has no example of %s", kind)
	}
	return block
}

// TestLabExamples runs the commands of the page in a project whose files the page has: budget and prices. `npm test` is
// a client with two requests. The commands on seeds are tested with seeds.
func TestLabExamples(t *testing.T) {
	text, err := os.ReadFile(labPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	rules := "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /docs/{id} {\n" +
		"      allow get: if request.auth.uid == resource.data.owner;\n    }\n  }\n}\n"
	dir, _ := harness.ProjectFolder(t, map[string]string{
		"firestore.rules": rules, "new.rules": rules, "budget.json": example(t, page, "json budget"), "prices.json": example(t, page, "json prices"),
		"client.mjs": "const at = `http://${process.env.FIRESTORE_EMULATOR_HOST}/v1/projects/${process.env.GCLOUD_PROJECT}/databases/(default)/documents/docs/a`\n" +
			"for (const headers of [{}, { authorization: 'Bearer owner' }]) await fetch(at, { headers })\n",
	})
	outputs := map[string]string{
		"--usage --": "total", "--usage-prices": "1,000,000 runs", "explain": example(t, page, "text"), "replay": "0 decided otherwise", "attack": "0 findings",
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "seed") {
				continue
			}
			shell, isClave := strings.CutPrefix(strings.ReplaceAll(line, "npm test", "node client.mjs"), "clave ")
			if !isClave {
				t.Errorf("%s is no command of clave", line)
				continue
			}
			cmd := harness.Command(t, dir)
			cmd.Args = []string{"sh", "-c", cmd.Path + " " + shell}
			cmd.Path = "/bin/sh"
			out, err := cmd.CombinedOutput()
			denied := strings.Contains(line, "explain") // whose exit code reports the decision
			if err != nil && !denied {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			for part, want := range outputs {
				if strings.Contains(line, part) && !strings.Contains(string(out), strings.TrimSpace(want)) {
					t.Errorf("%s wrote %q, want %q", line, out, want)
				}
			}
			ran++
		}
	}
	if ran < 7 {
		t.Errorf("%d commands were run", ran)
	}
	if _, err := os.Stat(filepath.Join(dir, "attack.test.mjs")); err != nil {
		t.Error(err)
	}
}
