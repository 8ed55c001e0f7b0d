package releases

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/projectfiles"
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
	databases := []release.Paths{
		{ID: "(default)", RulesFile: path("main.rules"), IndexesFile: path("main.json")},
		{ID: "second", RulesFile: path("both.rules"), IndexesFile: path("odd")}, {ID: "third", RulesFile: path("both.rules")},
	}
	for _, tt := range []struct {
		name, database string
		databases      []release.Paths
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
			files, err := (&Command{Project: &projectfiles.Project{Databases: tt.databases}, Files: tt.words, Database: tt.database}).deployed()
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
