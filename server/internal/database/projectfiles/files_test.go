package projectfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/release"
)

// TestReadText checks that the error for a file that is not UTF-8 has its line. Other nodes would receive a different
// text.
func TestReadText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latin.rules")
	for text, want := range map[string]string{"// café\n": "", "a\n// caf\xe9\n": "latin.rules:2: the file is not in UTF-8"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := ReadText(path, "")
		switch {
		case want == "" && (err != nil || f.Text != text):
			t.Errorf("ReadText of %q = %v, %v", text, f, err)
		case want != "" && (!fault.Is(err, fault.InvalidArgument) || !strings.Contains(fault.FromError(err).Message, want)):
			t.Errorf("ReadText of %q: %v, want InvalidArgument with %s", text, err, want)
		}
	}
}

// TestCheck checks that every mistake is reported with its file and line.
func TestCheck(t *testing.T) {
	file := func(name, text string) *release.File { return &release.File{Name: name, Text: text} }
	good := "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }"
	if _, err := Check(release.Files{"(default)": {Rules: file("a.rules", good), Indexes: file("a.json", "{} // with a comment")}}); err != nil {
		t.Errorf("Check of good files = %v", err)
	}
	_, err := Check(release.Files{
		"(default)": {Rules: file("a.rules", "rules_version = '2';\nservice"), Indexes: file("a.json", "[")}, "b": {Rules: file("b.rules", good+"\n\n}")},
	})
	for _, want := range []string{"a.rules:2:", "a.json", "b.rules:3:"} {
		if !fault.Is(err, fault.InvalidArgument) || !strings.Contains(fault.FromError(err).Message, want) {
			t.Errorf("Check = %v, want InvalidArgument with %s", err, want)
		}
	}
}
