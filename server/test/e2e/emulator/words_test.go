package emulator

import (
	"regexp"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// takenPort matches the notice of a default port that another program on the machine has.
var takenPort = regexp.MustCompile(`(?m)^Port \d+ for .* is taken; using \d+\n`)

// TestWrongCommandLines runs the program with wrong arguments. Each prints one line that names the error and ends with
// the exit code of its kind.
func TestWrongCommandLines(t *testing.T) {
	for _, name := range []string{"GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT", "CLAVE_PUBLIC_URL"} {
		t.Setenv(name, "") // a variable of the machine would replace the missing flag
	}
	dir, _ := harness.ProjectFolder(t, nil)
	tests := []struct {
		args   []string
		code   int
		output string
	}{
		{[]string{"strat"}, 2, "did you mean clave start?"},
		{[]string{"start", "--prot", "1"}, 2, "clave start --help"},
		{[]string{"start", "--service", "nowhere"}, 2, "expected ID=URL"},
		{[]string{"start", "--only", "fire"}, 2, "--only fire"},
		{[]string{"start", "--data", "firebase.json"}, 1, "--data"},
		{[]string{"exec"}, 2, "clave exec: name the command to run"},
		{[]string{"serve"}, 2, "clave serve: name the project with --project"},
		{[]string{"serve", "--project", "x", "--http-port", "80"}, 2, "--tls-cert or --acme-domain"},
	}
	for _, tt := range tests {
		cmd := harness.Command(t, dir, tt.args...)
		out, err := cmd.CombinedOutput()
		text := strings.TrimSpace(takenPort.ReplaceAllString(string(out), ""))
		if got := cmd.ProcessState.ExitCode(); got != tt.code || !strings.HasPrefix(text, "clave") || strings.Contains(text, "clave: clave") || strings.Contains(text, "\n") || !strings.Contains(text, tt.output) {
			t.Errorf("clave %q ended with %d (%v) and wrote %q, want %d and one line with %q", tt.args, got, err, text, tt.code, tt.output)
		}
	}
}
