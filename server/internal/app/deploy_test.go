package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/release"
)

// TestDeployed checks which databases the files on the command line and in firebase.json are released for.
func TestDeployed(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"main.rules", "main.json", "both.rules", "odd"} {
		if err := os.WriteFile(path(name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	databases := []config.Database{
		{ID: "(default)", RulesFile: path("main.rules"), IndexesFile: path("main.json")},
		{ID: "second", RulesFile: path("both.rules"), IndexesFile: path("odd")}, {ID: "third", RulesFile: path("both.rules")},
	}
	for _, tt := range []struct {
		name, database string
		databases      []config.Database
		words          []string
		want           string
	}{
		{"firebase.json's", "", databases, nil, "(default) rules main.rules, (default) indexes main.json, second rules both.rules, second indexes odd, third rules both.rules"},
		{"a file of two databases", "", databases, []string{path("both.rules")}, "second rules both.rules, third rules both.rules"},
		{"a file with another ending", "", databases, []string{path("odd")}, "second indexes odd"},
		{"for a database that is named", "fourth", databases, []string{path("both.rules"), path("main.json")}, "fourth rules both.rules, fourth indexes main.json"},
		{"without firebase.json", "", nil, []string{path("main.rules"), path("main.json")}, "(default) rules main.rules, (default) indexes main.json"},
		{"nothing", "", nil, nil, "INVALID_ARGUMENT"},
		{"neither rules nor indexes", "", nil, []string{path("odd")}, "INVALID_ARGUMENT"},
		{"a file that is not there", "", nil, []string{path("none.rules")}, "FAILED_PRECONDITION"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := deployed(&config.Config{Command: tt.words, Database: tt.database, Databases: tt.databases})
			got := listed(files)
			if err != nil {
				got = fault.CodeOf(err).String()
			}
			if got != tt.want {
				t.Errorf("deployed(%v) = %s (%v), want %s", tt.words, got, err, tt.want)
			}
		})
	}
}

// TestReadText checks that the error for a file that is not UTF-8 has its line. Other nodes would receive a different
// text.
func TestReadText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "latin.rules")
	for text, want := range map[string]string{"// café\n": "", "a\n// caf\xe9\n": "latin.rules:2: the file is not in UTF-8"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := readText(path, "")
		switch {
		case want == "" && (err != nil || f.Text != text):
			t.Errorf("readText of %q = %v, %v", text, f, err)
		case want != "" && (!fault.Is(err, fault.InvalidArgument) || !strings.Contains(fault.FromError(err).Message, want)):
			t.Errorf("readText of %q: %v, want InvalidArgument with %s", text, err, want)
		}
	}
}

// listed returns files as one line.
func listed(files release.Files) string {
	var out []string
	for id, d := range files {
		if d.Rules != nil {
			out = append(out, id+" rules "+filepath.Base(d.Rules.Name))
		}
		if d.Indexes != nil {
			out = append(out, id+" indexes "+filepath.Base(d.Indexes.Name))
		}
	}
	slices.SortFunc(out, func(a, b string) int { // rules before indexes
		x, y := strings.Fields(a), strings.Fields(b)
		if x[0] != y[0] {
			return strings.Compare(x[0], y[0])
		}
		return strings.Compare(y[1], x[1])
	})
	return strings.Join(out, ", ")
}

// TestCheckFiles checks that every mistake is reported with its file and line.
func TestCheckFiles(t *testing.T) {
	file := func(name, text string) *release.File { return &release.File{Name: name, Text: text} }
	good := "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read; } } }"
	if _, err := checkFiles(release.Files{"(default)": {Rules: file("a.rules", good), Indexes: file("a.json", "{} // with a comment")}}); err != nil {
		t.Errorf("checkFiles of good files = %v", err)
	}
	_, err := checkFiles(release.Files{
		"(default)": {Rules: file("a.rules", "rules_version = '2';\nservice"), Indexes: file("a.json", "[")}, "b": {Rules: file("b.rules", good+"\n\n}")},
	})
	for _, want := range []string{"a.rules:2:", "a.json", "b.rules:3:"} {
		if !fault.Is(err, fault.InvalidArgument) || !strings.Contains(fault.FromError(err).Message, want) {
			t.Errorf("checkFiles = %v, want InvalidArgument with %s", err, want)
		}
	}
}
