package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandsOfTheFirebaseCLI runs commands by their names in the Firebase CLI.
func TestCommandsOfTheFirebaseCLI(t *testing.T) {
	for name, want := range map[string]string{
		"emulators:start": "use clave start instead", "emulators:exec": "use clave exec instead",
		"emulators:export": "firebase emulators:export", "emulators:stop": "clave --help lists them", "strat": "did you mean clave start?",
	} {
		if code, text := output(t, name); code != 2 || !strings.Contains(text, want) {
			t.Errorf("clave %s: %d %q, want 2 and %q", name, code, text, want)
		}
	}
}

// TestUsageErrors expects exit code 2 for every kind of wrong command line, and 1 for a failure of a correct one.
func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("CLAVE_STORE", "")
	t.Setenv("CLAVE_PUBLIC_URL", "")
	if err := os.WriteFile("broken.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{"", "Usage:", 2},
		{"--fly", "unknown flag: --fly", 2},
		{"start --fly", "unknown flag: --fly; clave start --help lists the flags", 2},
		{"start -y", "unknown shorthand flag", 2},
		{"serve --port many", "invalid argument", 2},
		{"start fly", `unexpected argument "fly"`, 2},
		{"start --memory --indexes sometimes", "--indexes sometimes: expected", 2},
		{"start --only functions", "--only functions", 2},
		{"serve", "name the project with --project", 2},
		{"exec", "name the command to run", 2},
		{"firebase", "give the arguments of the Firebase CLI", 2},
		{"firestore-emulator --fly", "unknown flag: --fly", 2},
		{"firestore-emulator fly", `unexpected argument "fly"`, 2},
		{"backup", "name the folder", 2},
		{"backup one two", "name the folder", 2},
		{"credentials create", "name the account", 2},
		{"credentials create ann --project p", "--public-url", 2},
		{"move --from here", "name the source with --from", 2},
		{"cluster status", "give the URL", 2},
		{"health one two", "give one URL", 2},
		{"health one", "expected a URL", 2},
		{"version --fly", "unknown flag: --fly", 2},
		{"version fly", "takes no arguments", 2},
		{"completion bash fly", "takes no arguments", 2},
		{"health http://127.0.0.1:1", "does not respond", 1},
		{"start --memory --config broken.json", "Correct the JSON there", 1},
		{"rules check nowhere.rules", "nowhere.rules", 1},
	} {
		if code, text := output(t, strings.Fields(tt.args)...); code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("clave %s: %d %q, want %d and %q", tt.args, code, text, tt.code, tt.want)
		}
	}
}

// TestHelp checks that every command prints its help to standard output with exit code 0.
func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	unnamed := regexp.MustCompile(`--[a-z-]+ (string|int|value|func)\b`)
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		for _, args := range [][]string{append(append([]string(nil), path...), "--help"), append(append([]string(nil), path...), "-h"), append([]string{"help"}, path...)} {
			var out, problems bytes.Buffer
			code := run(t.Context(), args, streams{&out, &problems})
			text := out.String()
			if code != 0 || problems.Len() > 0 || len(text) < 60 || cmd.Name() != "firestore-emulator" && !strings.Contains(text, "Usage:\n  clave "+strings.Join(path, " ")) {
				t.Errorf("clave %q: %d, %q on standard error, %q", args, code, &problems, text)
			}
			if found := unnamed.FindString(text); found != "" {
				t.Errorf("clave %q: %q has no name for its value", args, found)
			}
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" {
				visit(sub, append(append([]string(nil), path...), sub.Name()))
			}
		}
	}
	visit(newRoot(streams{&bytes.Buffer{}, &bytes.Buffer{}}), nil)
}

// TestHelpOfWrongCommands expects no help for commands that do not exist, but the error that they have without --help.
func TestHelpOfWrongCommands(t *testing.T) {
	for _, args := range []string{"strat --help", "help strat", "rules chekc --help", "help rules chekc", "credentials fly -h", "completion ksh", "help completion ksh"} {
		if code, text := output(t, strings.Fields(args)...); code != 2 || !strings.Contains(text, "there is no command") {
			t.Errorf("clave %s: %d %q, want 2 and the error", args, code, text)
		}
	}
}

// TestHelpOfCommandsOfCobra expects the program's own texts for the commands that cobra adds.
func TestHelpOfCommandsOfCobra(t *testing.T) {
	_, text := output(t, "--help")
	for _, line := range []string{"Describe a command", "Print a script that completes commands in a shell", "2 for a wrong command line"} {
		if !strings.Contains(text, line) {
			t.Errorf("clave --help misses %q:\n%s", line, text)
		}
	}
}

func TestHelpOfServeShowsOnlyItsFlags(t *testing.T) {
	_, text := output(t, "serve", "--help")
	for _, flag := range []string{"--tls-cert FILE", "--acme-domain DOMAIN", "--service ID=URL", "-P, --project ID", "Certificates:"} {
		if !strings.Contains(text, flag) {
			t.Errorf("clave serve --help misses %s:\n%s", flag, text)
		}
	}
	for _, flag := range []string{"--sign-tokens", "--rate-limits", "--import", "--as-emulator", "--ui", "--production-settings"} {
		if strings.Contains(text, flag) {
			t.Errorf("clave serve --help shows %s, which it does not take", flag)
		}
	}
	if _, text := output(t, "start", "--help"); !strings.Contains(text, "--sign-tokens") || strings.Contains(text, "--tls-cert") || strings.Contains(text, "--inspect-functions") {
		t.Errorf("clave start --help:\n%s", text)
	}
}

func TestVersion(t *testing.T) {
	version, commit, date = "v1.2.3", "0123456789abcdef", "2026-11-22T00:00:00Z"
	defer func() { version, commit, date = "", "", "" }()
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if code, text := output(t, args...); code != 0 || !strings.HasPrefix(text, "clave v1.2.3 commit 0123456789ab of 2026-11-22T00:00:00Z, go1.") {
			t.Errorf("clave %q: %d %q", args, code, text)
		}
	}
}

func TestCompletion(t *testing.T) {
	if code, text := output(t, "completion", "bash"); code != 0 || !strings.Contains(text, "__start_clave") {
		t.Errorf("completion bash: %d, %d bytes", code, len(text))
	}
	for want, args := range map[string][]string{
		"serve": {"__complete", "se"}, "enforce": {"__complete", "start", "--indexes", ""}, "--acme-domain": {"__complete", "serve", "--acme"},
		"revoke": {"__complete", "credentials", "r"},
	} {
		if code, text := output(t, args...); code != 0 || !strings.Contains(text, want) {
			t.Errorf("clave %q: %d %q, want %s among them", args, code, text, want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Clean(name)
	}
	good := write("good.rules", "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents/a/{b} { allow get: if b == 'x'; } }")
	bad := write("bad.rules", "service cloud.firestore {")
	cases := write("good.json", `[{"id": "one", "auth": null, "docs": {}, "op": {"method": "get", "path": "a/x"}, "expect": "allow"}]`)
	wrong := write("wrong.json", `[{"id": "one", "auth": null, "docs": {}, "op": {"method": "get", "path": "a/y"}, "expect": "allow"}]`)
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "check"},
		{[]string{"fly"}, 2, `there is no command "fly"`},
		{[]string{"check", good}, 0, "no errors, no warnings"},
		{[]string{"check", good, bad}, 1, "1 error"},
		{[]string{"check", "--help"}, 0, "clave rules check [FILE…]"},
		{[]string{"check", "nowhere.rules"}, 1, "nowhere.rules"},
		{[]string{"test", "--rules", good, cases}, 0, "1 passed, 0 failed"},
		{[]string{"test", "--rules", good, cases, wrong}, 1, "0 passed, 1 failed"},
		{[]string{"test"}, 2, "clave rules test: name the folders"},
	} {
		if code, text := output(t, append([]string{"rules"}, tt.args...)...); code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("clave rules %q: %d %q, want %d with %q", tt.args, code, text, tt.code, tt.want)
		}
	}
}
