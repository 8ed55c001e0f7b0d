package lint_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The lines of CHANGELOG.md that begin a version, and the kinds of changes.
var (
	versionLine = regexp.MustCompile(`^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$`)
	changeKinds = []string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security"}
)

// TestChangelog requires the form of Keep a Changelog: the unreleased changes first, then the versions with their
// dates, newest first. Each kind of changes has entries of one line, which are sentences. .ci/release takes a version's
// section from the file.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range changelogProblems(string(text)) {
		t.Error("CHANGELOG.md: " + problem)
	}
}

// TestChangelogProblems checks the check.
func TestChangelogProblems(t *testing.T) {
	const head = "# Changelog\n\n## [Unreleased]\n\n"
	for _, tt := range []struct{ name, text, want string }{
		{"good", head + "### Added\n\n- A thing.\n\n## [1.1.0] - 2027-02-01\n\n### Fixed\n\n- One.\n\n## [1.0.0] - 2027-01-01\n\n### Added\n\n- All.\n", ""},
		{"nothing unreleased", head + "## [1.0.0] - 2027-01-01\n\n### Added\n\n- All.\n", ""},
		{"no unreleased section", "# Changelog\n\n## [1.0.0] - 2027-01-01\n\n### Added\n\n- All.\n", "[Unreleased]"},
		{"a version without a date", head + "## [1.0.0]\n\n### Added\n\n- All.\n", "DATE"},
		{"older versions first", head + "## [1.0.0] - 2027-01-01\n\n### Added\n\n- All.\n\n## [1.1.0] - 2027-02-01\n\n### Added\n\n- One.\n", "newest first"},
		{"an unknown kind", head + "### Improved\n\n- One.\n", "### Improved"},
		{"a kind without entries", head + "### Added\n\n### Fixed\n\n- One.\n", "no entries"},
		{"an entry that is no sentence", head + "### Added\n\n- one\n", "sentence"},
		{"text among the entries", head + "### Added\n\n- One.\nMore.\n", "one line"},
	} {
		if got := strings.Join(changelogProblems(tt.text), "; "); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// changelogProblems returns what is wrong with the form of a changelog.
func changelogProblems(text string) (problems []string) {
	wrong := func(problem, line string) { problems = append(problems, problem+": "+line) }
	versions, kind, entries, lastDate := 0, "", 0, "9999"
	endKind := func() {
		if kind != "" && entries == 0 {
			wrong("no entries", kind)
		}
		kind, entries = "", 0
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		version := versionLine.FindStringSubmatch(line)
		switch {
		case line == "" || versions == 0 && !strings.HasPrefix(line, "## "):
		case strings.HasPrefix(line, "## "):
			endKind()
			if versions++; (versions == 1) != (line == "## [Unreleased]") {
				wrong("the first section must be [Unreleased]", line)
			} else if versions > 1 && version == nil {
				wrong("a version must be ## [VERSION] - DATE", line)
			} else if version != nil && version[2] > lastDate {
				wrong("versions must be in order, newest first", line)
			} else if version != nil {
				lastDate = version[2]
			}
		case strings.HasPrefix(line, "### "):
			endKind()
			if kind = line; !slices.Contains(changeKinds, line) {
				wrong("unknown kind of changes", line)
			}
		case strings.HasPrefix(line, "- ") && kind != "":
			if entries++; !strings.HasSuffix(line, ".") || line[2:3] != strings.ToUpper(line[2:3]) {
				wrong("an entry must be a sentence", line)
			}
		default:
			wrong("an entry has one line below a kind of changes", line)
		}
	}
	endKind()
	return problems
}
