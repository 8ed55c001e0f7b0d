package rules

import (
	"fmt"
	"strings"
)

// noStatements is the official emulator's word for a request that no allow statement is for.
const noStatements = "No matching allow statements"

// Denial explains why the request was denied, in the form of the official emulator: what each statement came out as, and
// behind that, in our words, the expression that failed where it is not the whole condition.
//
// The official emulator evaluates statements that fail a second time and prints both: in the first, those that read the
// stored document have none yet.
func (d *Decision) Denial() string {
	if len(d.Statements) == 0 {
		return noStatements
	}
	// The evaluation ended at the limit: only the last statement counts, in which that happened.
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

// places lists where statements of several lines failed.
func (d *Decision) places() string {
	var b strings.Builder
	for _, s := range d.Statements {
		if s.Failure != nil && s.Failure.At.Line > s.Line {
			fmt.Fprintf(&b, ". The expression at L%d:%d has no value.", s.Failure.At.Line, s.Failure.At.Column)
		}
	}
	return b.String()
}
