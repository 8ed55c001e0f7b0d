package lint_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The steps of the script of sign-ins, with the modes that have them, and their table in the page about providers.
var (
	flowStep  = regexp.MustCompile(`step\('([^']+)', '([a-z, ]+)',`)
	flowTable = regexp.MustCompile(`(?m)^\| flow \|.*\n\|[-|]+\|\n((?:\|.*\n)+)`)
)

// TestSignInFlowsAreDocumented requires that the table of flows has exactly the steps that the tests go through in each
// engine.
func TestSignInFlowsAreDocumented(t *testing.T) {
	script, err := os.ReadFile("test/e2e/web/popups.mjs")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("doc/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, step := range flowStep.FindAllStringSubmatch(string(script), -1) {
		row := "| " + step[1] + " |"
		for _, mode := range []string{"serve", "start"} {
			if strings.Contains(step[2], mode) {
				row += " yes |"
			} else {
				row += " |"
			}
		}
		want = append(want, row)
	}
	table := flowTable.FindStringSubmatch(string(page))
	if len(want) == 0 || table == nil {
		t.Fatalf("%d steps, and the table %q", len(want), table)
	}
	if got := strings.Split(strings.TrimSpace(table[1]), "\n"); !slices.Equal(got, want) {
		t.Errorf("doc/providers.md has the flows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
