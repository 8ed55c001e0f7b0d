package ruletest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/rules/ruletest"
)

// recorded is the file of the recorded cases of security rules.
const recorded = "../../../test/conformance/testdata/rules-cases.jsonl"

func TestRecordedCases(t *testing.T) {
	f, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := ruletest.ReadCases(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		got, why, err := c.Decide(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		} else if !c.Accepts(got) {
			t.Errorf("%s: got %s (%s), want %s %s\n%s", c.ID, got, why, c.Expect, c.Note, c.Rules)
		}
	}
	if len(cases) < 600 {
		t.Errorf("%d cases, want all of them", len(cases))
	}
}

// write creates a file in a new folder and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, source string
		ok           bool
		want         []string
	}{
		{"good", "rules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read; } }", true, []string{": no errors, no warnings\n"}},
		{"with a byte order mark", "\ufeffrules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read; } }", true, []string{": no errors, no warnings\n"}},
		{"warned", "rules_version = '2';\nservice cloud.firestore { match /a/{b} { allow read: if who; } }", true,
			[]string{":2:57 - WARNING Invalid variable name: who.", "no errors, 1 warning"}},
		{"two errors", "service cloud.firestore {\n match /a/{b} {\n  allow read: if ;\n  allow write: if 1 +;\n }\n}", false,
			[]string{":3:18 - ERROR", ":4:22 - ERROR", "2 errors, "}},
		{"empty", "  ", false, []string{" - ERROR Rules content empty."}},
	} {
		var b strings.Builder
		ok, err := ruletest.Check(&b, write(t, "f.rules", c.source))
		if err != nil || ok != c.ok {
			t.Errorf("%s: Check = %t, %v; want %t", c.name, ok, err, c.ok)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: Check wrote %q, want %q in it", c.name, b.String(), want)
			}
		}
	}
	if _, err := ruletest.Check(&strings.Builder{}, "nowhere.rules"); err == nil {
		t.Error("Check of a missing file: no error")
	}
}

func TestTest(t *testing.T) {
	rules := write(t, "f.rules", "service cloud.firestore { match /databases/{db}/documents { match /a/{id} { allow get: if id == 'x'; } } }")
	const cases = `[
		{"id": "one", "auth": null, "docs": {}, "op": {"method": "get", "path": "a/x"}, "expect": "allow"},
		{"id": "two", "auth": null, "docs": {}, "op": {"method": "get", "path": "a/y"}, "expect": "%s", "note": "only x"}]`
	for want, ok := range map[string]bool{"deny": true, "allow": false} {
		var b strings.Builder
		got, err := ruletest.Test(t.Context(), &b, filepath.Dir(write(t, "c.json", strings.ReplaceAll(cases, "%s", want))), rules)
		if err != nil || got != ok {
			t.Errorf("Test wanting %s = %t, %v: %s; want %t", want, got, err, b.String(), ok)
		}
		if !ok && !strings.Contains(b.String(), "two: want allow, got deny: false for 'get' @ L1 (only x)") {
			t.Errorf("Test wrote %q, want the failure of case two", b.String())
		}
	}
	pipes := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(pipes, "c.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ruletest.Test(t.Context(), &strings.Builder{}, pipes, rules); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Test of a folder with a pipe = %v", err)
	}
	for _, bad := range []string{`[{"op": {"method": "fly"}}]`, `[]`, `{`, `[{"op": {"method": "list", "query": {"nonsense": 1}}}]`} {
		if _, err := ruletest.Test(t.Context(), &strings.Builder{}, write(t, "c.json", bad), rules); err == nil {
			t.Errorf("Test of %s: no error", bad)
		}
	}
}
