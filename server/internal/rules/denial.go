package rules

import (
	"fmt"
	"strings"
)

// noStatements is the official emulator's text for a request to which no allow statement applies.
const noStatements = "No matching allow statements"

// Denial explains why the request was denied, in the form of the official emulator: the outcome of each statement.
// After that follows, in our own words, the expression that failed if it is not the whole condition.
//
// The official emulator evaluates failed statements twice and prints both results. In its first evaluation, statements
// that read the stored document fail because the document is not loaded yet.
func (d *Decision) Denial() string {
	if len(d.Statements) == 0 {
		return noStatements
	}
	// The evaluation ended at the limit, so only the last statement matters.
	if d.Exhausted {
		last := d.Statements[len(d.Statements)-1]
		if last.Failure == nil {
			return noStatements
		}
		return fmt.Sprintf("\n%s for '%s' @ L%d", last.Failure.Text, d.method, last.Line)
	}
	var early, final []string
	again := false
	for _, s := range d.Statements {
		text := fmt.Sprintf("false for '%s' @ L%d", d.method, s.Line)
		if s.Failure != nil {
			text = fmt.Sprintf("%s for '%s' @ L%d", s.Failure.Text, d.method, s.Line)
		}
		final = append(final, text)
		if d.method != List && s.touched != nil {
			text = fmt.Sprintf("evaluation error at L%d:%d for '%s' @ L%d", s.touched.Line, s.touched.Column, d.method, s.Line)
			again = true
		}
		again = again || s.Failure != nil && d.method != List
		early = append(early, text)
	}
	if again {
		final = append(early, final...)
	}
	return "\n" + strings.Join(final, ", ") + d.places()
}

// places lists the positions at which statements of several lines failed.
func (d *Decision) places() string {
	var b strings.Builder
	for _, s := range d.Statements {
		if s.Failure != nil && s.Failure.At.Line > s.Line {
			fmt.Fprintf(&b, ". The expression at L%d:%d has no value.", s.Failure.At.Line, s.Failure.At.Column)
		}
	}
	return b.String()
}
