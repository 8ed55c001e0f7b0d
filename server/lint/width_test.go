package lint_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxCommentWidth is the maximum width of a line that has a comment, in characters. A tab is one character.
const maxCommentWidth = 120

// TestCommentsAreNotWide requires that comments end within maxCommentWidth, also those after code: there a long comment
// is on the line before.
func TestCommentsAreNotWide(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".pb.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		for _, at := range wideComments(t, name, string(text)) {
			t.Errorf("%s has more than %d characters: wrap the comment", at, maxCommentWidth)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 {
		t.Errorf("only %d files were read", files)
	}
}

// maxFormattedWidth is the width of lines of code that the formatter of TypeScript uses (biome.json).
const maxFormattedWidth = 140

// TestCommentsOfOtherLanguagesAreNotWide requires the same of scripts and configuration, and that comments of
// TypeScript, JavaScript and style sheets are not wider than their code.
func TestCommentsOfOtherLanguagesAreNotWide(t *testing.T) {
	otherFiles(t, func(name, text string) {
		if strings.HasSuffix(name, ".md") {
			return
		}
		limit := maxCommentWidth
		if slices.ContainsFunc(slashed, func(suffix string) bool { return strings.HasSuffix(name, suffix) }) {
			limit = maxFormattedWidth
		}
		lines := strings.Split(text, "\n")
		for i := range readerOf(name)(text) {
			if utf8.RuneCountInString(lines[i-1]) > limit {
				t.Errorf("%s:%d has more than %d characters: wrap the comment", name, i, limit)
			}
		}
	})
}

// wideComments returns the positions of the lines of a file that have a comment and are too wide. Directives are
// exempt: they can't be wrapped.
func wideComments(t *testing.T, name, text string) (wide []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for _, group := range file.Comments {
		for _, c := range group.List {
			directive := strings.HasPrefix(c.Text, "//nolint") || strings.HasPrefix(c.Text, "//go:")
			at := fset.Position(c.Pos())
			if !directive && utf8.RuneCountInString(lines[at.Line-1]) > maxCommentWidth {
				wide = append(wide, at.String())
			}
		}
	}
	return wide
}

// TestWideComments checks which lines are too wide.
func TestWideComments(t *testing.T) {
	long := strings.Repeat("ä", maxCommentWidth)
	for _, tt := range []struct {
		name, line string
		want       int
	}{
		{"a comment of the maximum width", "// " + long[:2*(maxCommentWidth-3)], 0},
		{"a wider one", "// " + long, 1},
		{"one after code", "var a int // " + long, 1},
		{"a text that looks like one", "var a = `// " + long + "`", 0},
		{"a directive", "var a int //nolint:x // " + long, 0},
	} {
		if got := wideComments(t, "a.go", "package a\n\n"+tt.line+"\n"); len(got) != tt.want {
			t.Errorf("%s: %v, want %d lines", tt.name, got, tt.want)
		}
	}
}
