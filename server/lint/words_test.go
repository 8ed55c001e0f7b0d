package lint_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The suffixes of files whose comments TestWordsOfOtherLanguages reads.
var (
	slashed = []string{".ts", ".tsx", ".mjs", ".js", ".css", ".rules"}
	hashed  = []string{".sh", ".yml", ".cfg", "Makefile", "Dockerfile"}
)

// notRead lists folders with installed or built files, the records of other projects, and the scripts of drawings,
// whose subjects would match.
var notRead = []string{"node_modules", ".git", "bin", "dist", "dist-ssr", "test-results", "playwright-report", "capturas", "conformance", "arte", "ilustraciones"}

// afterCode matches a comment at the end of a line of code.
var afterCode = regexp.MustCompile(`\s(// .*)$`)

// TestWordsOfOtherLanguages refuses the metaphors of TestWords in comments of TypeScript, JavaScript, style sheets,
// rules, scripts and configuration, and in the documentation.
func TestWordsOfOtherLanguages(t *testing.T) {
	otherFiles(t, func(name, text string) {
		for i, line := range readerOf(name)(text) {
			checkComment(t, fmt.Sprintf("%s:%d", name, i), line)
		}
	})
}

// otherFiles calls read with the name and text of each file of the repository that readerOf reads.
func otherFiles(t *testing.T, read func(name, text string)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(notRead, d.Name()) && name != distribution {
				return fs.SkipDir
			}
			return nil
		}
		if readerOf(name) == nil {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		read(name, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
}

// readerOf returns the function that reads the comments of a file, by line number from 1; nil if its language is not
// read.
func readerOf(name string) func(text string) map[int]string {
	has := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
	switch {
	case slices.ContainsFunc(slashed, has):
		return slashComments
	case slices.ContainsFunc(hashed, has) || filepath.Base(filepath.Dir(name)) == ".ci":
		return hashComments
	case has(".md"):
		return prose
	}
	return nil
}

// slashComments returns the comments of languages like C.
func slashComments(text string) map[int]string {
	comments, inside := make(map[int]string), false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case inside || strings.HasPrefix(trimmed, "/*") || strings.HasPrefix(trimmed, "{/*"):
			comments[i+1] = trimmed
			inside = !strings.Contains(trimmed, "*/")
		case strings.HasPrefix(trimmed, "//"):
			comments[i+1] = trimmed
		default:
			if found := afterCode.FindString(line); found != "" {
				comments[i+1] = strings.TrimSpace(found)
			}
		}
	}
	return comments
}

// hashComments returns the comments of scripts and configuration.
func hashComments(text string) map[int]string {
	comments := make(map[int]string)
	for i, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") {
			comments[i+1] = trimmed
		}
	}
	return comments
}

// prose returns the lines of a page except its headings, code blocks and the rows of tables, which may be questions or
// quote other programs.
func prose(text string) map[int]string {
	lines, code := make(map[int]string), false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#"):
			lines[i+1] = line
		}
	}
	return lines
}

// TestCommentsOfOtherLanguages checks which parts of a file are read as comments.
func TestCommentsOfOtherLanguages(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.ts", "/** One.\n * Two. */\nconst a = 'http://x' // Three.\n// Four.\nconst b = 1", "One. Two. Three. Four."},
		{"Makefile", "# One.\nall: b # not read\n\tfoo", "One."},
		{".ci/run", "#!/bin/sh\n# One.\nfoo", "!/bin/sh One."},
		{"a.md", "# Not read\nOne.\n```\nnot read\n```\n| nor | this |\nTwo.", "One. Two."},
		{"a.go", "// One.", ""},
	} {
		var got []string
		if read := readerOf(tt.name); read != nil {
			lines := read(tt.text)
			for i := range strings.Count(tt.text, "\n") + 2 {
				if line := strings.Trim(lines[i], "/*# "); line != "" {
					got = append(got, line)
				}
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("the comments of %s are %q, want %q", tt.name, text, tt.want)
		}
	}
}
