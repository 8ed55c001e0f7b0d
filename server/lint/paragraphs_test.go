package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The beginnings of lines that do not continue a paragraph: headings, tables, pictures, HTML, quotations, and items of
// lists.
var (
	ownLine  = regexp.MustCompile(`^\s*(#|\||!\[|<|>|\[[^\]]+\]:|$)`)
	listItem = regexp.MustCompile(`^\s*([-*+]|\d+\.)\s`)
	fence    = regexp.MustCompile("^\\s*(```|~~~)")
)

// TestParagraphsAreOneLine requires that each paragraph and each item of a list is one line in the documentation.
// Changes of a text then show the changed sentence, and no line breaks are left over from earlier texts.
func TestParagraphsAreOneLine(t *testing.T) {
	pages := 0
	for _, name := range readRepository(t).files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, line := range continued(string(text)) {
			t.Errorf("%s:%d: the line continues a paragraph; join it with the line before", name, line)
		}
	}
	if pages < 30 {
		t.Errorf("only %d pages were read", pages)
	}
}

// continued returns the numbers of the lines of a page that continue the paragraph or the item of the line before.
func continued(page string) (numbers []int) {
	inText, inCode := false, false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case fence.MatchString(line):
			inText, inCode = false, !inCode
		case inCode:
		case ownLine.MatchString(line):
			inText = false
		case listItem.MatchString(line):
			inText = true
		case inText:
			numbers = append(numbers, i+1)
		default:
			inText = true
		}
	}
	return numbers
}

// TestContinuedLines checks which lines are found to continue others.
func TestContinuedLines(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{"# A\none line\n\n- item\n- item\n\n| a |\n|---|\n![x](y)\n![x](y)\n", "[]"},
		{"one\ntwo\n\n1. item\n   more\n", "[2 5]"},
		{"text\n```sh\none\ntwo\n```\ntext\n", "[]"},
	} {
		if got := fmt.Sprint(continued(tt.page)); got != tt.want {
			t.Errorf("continued lines of %q: %s, want %s", tt.page, got, tt.want)
		}
	}
}
