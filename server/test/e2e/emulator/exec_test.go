package emulator

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"clave/server/test/e2e/harness"
)

func TestExecRunsACommandWithTheEmulatorsEnvironment(t *testing.T) {
	dir, port := harness.ProjectFolder(t, nil)
	line := fmt.Sprintf(`test "$FIRESTORE_EMULATOR_HOST" = "127.0.0.1:%d" && test "$GCLOUD_PROJECT" = demo-x && test -n "$FIREBASE_AUTH_EMULATOR_HOST" && exit 7`, port)
	notProgram := filepath.Join(dir, "text")
	harness.WriteFile(t, notProgram, "text")
	tests := []struct {
		name   string
		args   []string
		code   int
		output string
	}{
		{"a program and its arguments", []string{"--", "sh", "-c", line}, 7, ""},
		{"a line for the shell", []string{line}, 7, ""},
		{"flags behind a line", []string{"test -n \"$FIREBASE_EMULATOR_HUB\" -a -z \"$FIRESTORE_EMULATOR_HOST\" && exit 7", "--only", "auth"}, 7, ""},
		{"what Admin SDKs read", []string{"echo \"$FIREBASE_CONFIG\""}, 0, `{"projectId":"demo-x","storageBucket":"demo-x.appspot.com","databaseURL":"https://demo-x.firebaseio.com"}`},
		{"another emulator's address", []string{"echo \"$FIREBASE_STORAGE_EMULATOR_HOST $STORAGE_EMULATOR_HOST.\""}, 0, "there:9199 ."},
		{"what does nothing here", []string{"--inspect-functions", "9229", "--", "true"}, 0, "--inspect-functions does nothing"},
		{"listening everywhere", []string{"--host", "0.0.0.0", "--", line}, 7, ""},
		{"a command that ends well", []string{"--", "true"}, 0, ""},
		{"a command that a signal ends", []string{"--", "sh", "-c", "kill -KILL $$"}, 128 + 9, ""},
		{"no such command", []string{"--", "no-such-command"}, 127, `"no-such-command"`},
		{"what is no program", []string{"--", notProgram}, 126, notProgram},
	}
	for _, tt := range tests {
		cmd := harness.Command(t, dir, append([]string{"exec", "--project", "demo-x"}, tt.args...)...)
		// Other tests of this process have set such variables.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FIRE") })
		if tt.name == "another emulator's address" {
			cmd.Env = append(cmd.Env, "FIREBASE_STORAGE_EMULATOR_HOST=there:9199")
		}
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != tt.code || !strings.Contains(string(out), tt.output) {
			t.Errorf("%s: clave exec ended with %d (%v) and wrote %q, want %d and %q", tt.name, got, err, out, tt.code, tt.output)
		}
	}
}

// TestExecCountsUsage reads more than a budget allows.
func TestExecCountsUsage(t *testing.T) {
	dir, port := harness.ProjectFolder(t, map[string]string{
		"firestore.rules": "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents {\n  match /users/{u}/orders/{o} { allow get: if o != '3'; }\n} }\n",
	})
	harness.WriteFile(t, filepath.Join(dir, "budget.json"), `{"reads": 1, "patterns": {"users/*/orders": 0}}`)
	harness.WriteFile(t, filepath.Join(dir, "wide.json"), `{"reads": 2}`)
	harness.WriteFile(t, filepath.Join(dir, "broken.json"), `{"red": 2}`)
	harness.WriteFile(t, filepath.Join(dir, "prices.json"), `{"date": "2026-11-01", "currency": "USD", "per100000": {"reads": 0.06, "writes": 0.18, "deletes": 0.02, "ttlDeletes": 0.02}}`)
	line := fmt.Sprintf(`for i in 1 2; do curl -s http://127.0.0.1:%d/v1/projects/demo-x/databases/%%28default%%29/documents/users/ann/orders/$i; done`, port) +
		fmt.Sprintf(`; curl -s http://127.0.0.1:%d/v1/projects/demo-x/databases/%%28default%%29/documents/users/ann/orders/3`, port) +
		fmt.Sprintf(`; curl -s http://127.0.0.1:%d/v1/projects/demo-x/databases/%%28default%%29/documents/users/ann`, port)
	for _, tt := range []struct {
		flags []string
		code  int
		want  []string
	}{
		{[]string{"--usage"}, 0, []string{"users/*/orders", "2 missing", "of index entries", "0          2        0        0       0        1        line 3 /users/{u}/orders/{o}", "(no rule)"}},
		{[]string{"--usage-budget", "wide.json"}, 0, nil},
		{[]string{"--usage-budget", "budget.json"}, 1, []string{"all collections: 2 reads, 1 allowed", "users/*/orders: 2 reads, 0 allowed", "2 by 3 × get users/*/orders", "exceeded 2 of the limits"}},
		{[]string{"--usage-prices", "prices.json"}, 0, []string{"Prices of 2026-11-01", "1.20", "of it users/*/orders"}},
		{[]string{"--usage-prices", "broken.json"}, 1, []string{"broken.json", `unknown field "red"`}},
		{[]string{"--usage-budget", "broken.json"}, 1, []string{"broken.json", `unknown field "red"`}},
	} {
		cmd := harness.Command(t, dir, append(append([]string{"exec", "--project", "demo-x"}, tt.flags...), "--", "sh", "-c", line)...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != tt.code {
			t.Errorf("%v: code %d, want %d: %s", tt.flags, got, tt.code, out)
		}
		for _, want := range tt.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v wrote %q, want %q", tt.flags, out, want)
			}
		}
	}
}

func TestExecWaitsForTheCleanupOfItsCommand(t *testing.T) {
	dir, _ := harness.ProjectFolder(t, nil)
	cmd := harness.Command(t, dir, "exec", "--", "sh", "-c", `trap 'echo cleaned > mark; exit 3' TERM; echo running; while :; do read line || exit 4; done`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd.Stderr = os.Stderr
	out := harness.StartPiped(t, cmd)
	stop := harness.Limited(cmd)
	defer stop()
	if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "running" {
		t.Fatal("the command did not start")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_ = harness.WaitForExit(t, cmd)
	if got := cmd.ProcessState.ExitCode(); got != 3 {
		t.Errorf("clave exec ended with %d, want the 3 with which its command cleaned up", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "mark")); err != nil {
		t.Errorf("the command did not finish its cleanup: %v", err)
	}
}

// TestExecRunsRulesUnitTesting runs a suite of @firebase/rules-unit-testing. It finds Firestore and the stub of Cloud
// Storage through the environment variables that clave exec sets.
func TestExecRunsRulesUnitTesting(t *testing.T) {
	frontend := harness.Frontend(t, harness.RulesUnitTesting)
	suite, err := filepath.Abs(filepath.Join("web", "sample.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := harness.ProjectFolder(t, nil)
	cmd := harness.Command(t, dir, "exec", "--project", "demo-sample", "--", "node", suite, frontend)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FIRE") })
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if output := string(out); strings.Count(output, "Clave has no Cloud Storage") != 1 || strings.Contains(output, "not running") {
		t.Errorf("clave exec and the suite wrote %s", output)
	}
}
