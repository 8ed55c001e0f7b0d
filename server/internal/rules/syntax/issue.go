package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity distinguishes an error, which keeps rules from being loaded, from a warning, which doesn't.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String returns the severity's name in the emulator's JSON.
func (s Severity) String() string {
	if s == Error {
		return "ERROR"
	}
	return "WARNING"
}

// Issue is an error or a warning about a rules file. The zero Span means the whole file.
type Issue struct {
	// Span is the place.
	Span Span
	// Severity distinguishes errors from warnings.
	Severity Severity
	// Text is the message, without the place.
	Text string
}

// String returns "L3:5 text", as the official emulator prints issues.
func (i Issue) String() string {
	return fmt.Sprintf("L%d:%d %s", i.Span.Line, i.Span.Column, i.Text)
}

// SortIssues puts issues in the order of their places.
func SortIssues(issues []Issue) {
	slices.SortStableFunc(issues, func(a, b Issue) int {
		if c := cmp.Compare(a.Span.Line, b.Span.Line); c != 0 {
			return c
		}
		return cmp.Compare(a.Span.Column, b.Span.Column)
	})
}

// HasErrors reports whether any of the issues is an error.
func HasErrors(issues []Issue) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return i.Severity == Error })
}

// Summary returns the errors among the issues as the official emulator prints them: a heading and a line each.
func Summary(issues []Issue) string {
	var b strings.Builder
	b.WriteString("Error compiling rules:")
	for _, i := range issues {
		if i.Severity == Error {
			b.WriteString("\n" + i.String())
		}
	}
	return b.String()
}
