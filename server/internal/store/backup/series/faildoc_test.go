package series_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// failures has the tests of each row of the table of failures in operations.md.
var failures = map[string][]string{
	"the bucket refuses the credentials":             {"TestBadBuckets", "TestWrongCredentials"},
	"the bucket is overloaded (503 SlowDown)":        {"TestBadBuckets", "TestKilledBackupsToABucket"},
	"the network is cut":                             {"TestBadBuckets", "TestConnectionsThatEnd"},
	"the disk or the bucket of the backups is full":  {"TestBadBuckets", "TestAFullFolder"},
	"the disk to which a backup is restored is full": {"TestRestoreToAFullDisk", "TestRestoreOfMoreThanTheDiskHolds"},
	"the bucket lost an object":                      {"TestDamage"},
	"the bucket changed an object":                   {"TestDamage", "TestBadBuckets"},
	"the server was killed in the middle":            {"TestKilledBackups", "TestKilledBackupsToABucket"},
	"the clock was set back":                         {"TestAClockThatWasSetBack"},
	"the backup is of a newer version":               {"TestNewerVersions"},
	"the key is another one":                         {"TestKeys"},
	"two servers have one place":                     {"TestTwoServers", "TestALostLock"},
}

// sources returns the text of the Go files below a folder: of tests, or of all others.
func sources(t *testing.T, dir string, tests bool) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") != tests {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestFailuresInTheManual compares the table of failures in operations.md with the code: its sentences are those of
// errors, and each of its rows has tests.
func TestFailuresInTheManual(t *testing.T) {
	manual, err := os.ReadFile("../../../../doc/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(manual), "### When something fails\n")
	section, _, _ = strings.Cut(section, "\n## ")
	texts, tests := sources(t, "..", false), sources(t, "..", true)
	code := regexp.MustCompile(`%[a-z.0-9]+|\(InvalidAccessKeyId\)|\(SlowDown\)`)
	quoted := regexp.MustCompile("`[^`]+`")
	var rows []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| what") {
			continue
		}
		row := strings.TrimPrefix(cells[0], "| ")
		rows = append(rows, row)
		for _, sentence := range quoted.FindAllString(cells[1], -1) {
			if plain := strings.TrimSpace(code.ReplaceAllString(strings.Trim(sentence, "`"), "")); !strings.Contains(texts, plain) {
				t.Errorf("%s: no error has the text %q", row, plain)
			}
		}
		if failures[row] == nil {
			t.Errorf("the row %q has no tests", row)
		}
		for _, name := range failures[row] {
			if !strings.Contains(tests, "func "+name+"(") {
				t.Errorf("%s: there is no test %s", row, name)
			}
		}
	}
	if len(rows) != len(failures) || len(slices.Compact(slices.Sorted(slices.Values(rows)))) != len(rows) {
		t.Errorf("the table has the rows %q, want those of the tests, once each", rows)
	}
}
