package ruletest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/regularfile"
	"clave/server/internal/rules"
)

// Check writes the issues of a rules file, one on each line: file:line:column - SEVERITY text. ok is false if the file
// would be refused.
func Check(w io.Writer, file string) (ok bool, err error) {
	source, err := os.ReadFile(file) // It may be a pipe, as in <(git show HEAD:firestore.rules).
	if err != nil {
		return false, err
	}
	_, issues := rules.Compile(string(regularfile.WithoutMark(source)))
	var b strings.Builder
	errors, warnings := 0, 0
	for _, i := range issues {
		place := file
		if i.Span.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", file, i.Span.Line, i.Span.Column)
		}
		fmt.Fprintf(&b, "%s - %s %s\n", place, i.Severity, i.Text)
		if i.Severity.String() == "ERROR" {
			errors++
		} else {
			warnings++
		}
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", file, count(errors, "error"), count(warnings, "warning"))
	_, err = io.WriteString(w, b.String())
	return errors == 0, err
}

// count returns "no errors", "1 error" or "2 errors".
func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Test decides all cases in the .json and .jsonl files of a folder, or of one file. Cases without rules of their own
// are decided by the given rules file, which may be empty if there are none. It writes the cases that fail and a
// summary.
func Test(ctx context.Context, w io.Writer, folder, rulesFile string) (ok bool, err error) {
	files, err := caseFiles(folder)
	if err != nil {
		return false, err
	}
	source := ""
	if rulesFile != "" {
		text, err := os.ReadFile(rulesFile)
		if err != nil {
			return false, err
		}
		source = string(regularfile.WithoutMark(text))
	}
	passed, failed := 0, 0
	for _, file := range files {
		cases, err := readFile(file)
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		for i := range cases {
			c := &cases[i]
			if c.Rules == "" {
				c.Rules = source
			}
			verdict, why, err := c.Decide(ctx)
			switch {
			case err != nil:
				return false, fmt.Errorf("%s: case %s: %w", file, c.ID, err)
			case c.Accepts(verdict):
				passed++
				continue
			}
			failed++
			if _, err := io.WriteString(w, c.failure(file, verdict, why)); err != nil {
				return false, err
			}
		}
	}
	if passed+failed == 0 {
		return false, errors.New(folder + ": no cases")
	}
	_, err = fmt.Fprintf(w, "%d passed, %d failed\n", passed, failed)
	return failed == 0, err
}

// failure describes how a case failed.
func (c *Case) failure(file, verdict, why string) string {
	text := fmt.Sprintf("%s: %s: want %s, got %s", file, c.ID, c.Expect, verdict)
	if why = strings.TrimSpace(why); why != "" {
		text += ": " + why
	}
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	return text + "\n"
}

// caseFiles returns the files of cases in a folder, or the file itself.
func caseFiles(folder string) ([]string, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{folder}, nil
	}
	var files []string
	for _, pattern := range []string{"*.json", "*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: %w", file, regularfile.ErrIrregular) // Opening a pipe waits for its writer.
		}
	}
	slices.Sort(files)
	return files, nil
}

// readFile reads the cases of a file.
func readFile(name string) ([]Case, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	cases, err := ReadCases(f)
	return cases, errors.Join(err, f.Close())
}
