package emulator

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestSeedCommands applies a seed at the start of clave exec, finds no difference, changes the project, and finds one.
func TestSeedCommands(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	harness.WriteFile(t, filepath.Join(dir, "seed.yaml"), "users: {ann: {email: ann@example.org, password: secret-of-ann}}\ndocuments: {a/b: {n: 1, at: {$timestamp: -2h}}}\n")
	harness.WriteFile(t, filepath.Join(dir, "more.mjs"), "export default { documents: { 'a/c': { n: 1 } } }")
	harness.WriteFile(t, filepath.Join(dir, "broken.yaml"), "documents:\n  a/b:\n    t: {$timestamp: soon}\n")
	clave := harness.Command(t, dir).Path
	script := fmt.Sprintf(`set -e
%[1]s seed diff seed.yaml more.mjs
%[1]s seed snapshot before
curl -s -X PATCH -H 'Authorization: Bearer owner' 'http://127.0.0.1:%[2]d/v1/projects/demo-x/databases/(default)/documents/a/b' -d '{"fields": {"n": {"integerValue": "2"}}}' >/dev/null
! %[1]s seed diff seed.yaml
%[1]s seed restore before
%[1]s seed diff seed.yaml more.mjs --format json`, clave, port)
	for _, tt := range []struct {
		flags []string
		code  int
		want  []string
	}{
		{[]string{"--seed", "seed.yaml", "--seed", "more.mjs"}, 0, []string{"0 differences from demo-x", "n: 2, in the seed 1\n", "at: none, in the seed 20", "1 difference from", "restore before\n[]\n"}},
		{[]string{"--seed", "broken.yaml"}, 1, []string{`clave: broken.yaml:3: documents.a/b.t.$timestamp: "soon" is no moment`}},
	} {
		cmd := harness.Command(t, dir, append(append([]string{"exec", "--project", "demo-x"}, tt.flags...), "--", "sh", "-c", script)...)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != tt.code {
			t.Errorf("%v: code %d (%v), want %d: %s", tt.flags, got, err, tt.code, out)
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v wrote\n%s\nwant %q", tt.flags, out, want)
			}
		}
	}
}
